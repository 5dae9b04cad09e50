"""From the tables of all networks to datasets: the course of tests, marks, codes, paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.codes import code_similarity
from synsamp.analysis.manifold import principal_components
from synsamp.analysis.peth import BIN_S, peak_order
from synsamp.experiments.compensation.plan import STEP_S, Plan

POPULATIONS = ("z_A", "z_V")
KINDS = ("x_A→z_A", "x_V→z_V", "z_A→z_A", "z_A→z_V", "z_V→z_A", "z_V→z_V")
DRAWN_SHARE = 0.01
"""Diagrams show 1 % of the possible lateral connections, as in the paper."""


def collect(plan: Plan, tables: list[Any], rng: np.random.Generator) -> dict[str, xr.Dataset]:
    """Stack what all networks noted; ``rng`` picks the connections that diagrams show."""
    names = tables[0]
    stacked = {name: np.stack([np.asarray(t[name]) for t in tables]) for name in names}
    return {
        "course": _course(plan, stacked),
        "marks": _marks(plan, stacked, rng),
        "lesions": xr.Dataset(
            {
                "removed_neuron": (("seed", "neuron"), stacked["removed_neuron"]),
                "removed_connection": (("seed", "post", "pre"), stacked["removed_connection"]),
            }
        ),
        "codes": _codes(plan, stacked),
        "path": _path(stacked),
    }


def _course(plan: Plan, t: dict[str, NDArray[Any]]) -> xr.Dataset:
    both = ("seed", "test")
    return xr.Dataset(
        {
            "recall": ((*both, "block"), t["recall"], {"description": "from z_V, sound alone"}),
            "recall_by_count": ((*both, "block"), t["recall_by_count"]),
            "heard": (both, t["heard"], {"description": "from z_A, sound alone"}),
            "seen": (both, t["seen"], {"description": "from z_V, sound and image"}),
            "likeness": ((*both, "heard_class", "class"), t["likeness"]),
            "connections": (both, t["connections"]),
            "allowed": (both, t["allowed"]),
        },
        coords={
            "time": ("test", [row.time_s for row in plan.rows], {"units": "s"}),
            "arm": ("test", [plan.phases[row.phase].arm for row in plan.rows]),
            "lesions": ("test", [row.after for row in plan.rows]),
        },
    )


def _marks(plan: Plan, t: dict[str, NDArray[Any]], rng: np.random.Generator) -> xr.Dataset:
    rows = [row for row in plan.rows if row.mark]
    both = ("seed", "mark")
    n = t["mark_lateral"].shape[-1]
    drawn = (rng.random((n, n)) < DRAWN_SHARE) & ~np.eye(n, dtype=bool)
    return xr.Dataset(
        {
            "drawn": (("post", "pre"), drawn),
            "functional_share": ((*both, "kind"), _shares(t)),
            "lateral": ((*both, "post", "pre"), t["mark_lateral"]),
            # of the first network only: the others are never drawn
            "image_weight": (("mark", "visual_neuron", "pixel"), t["mark_image_weight"][0]),
            "reconstruction": ((*both, "class", "pixel"), t["mark_reconstruction"]),
            "recall_from_rest": (both, t["mark_rest"]),
        },
        coords={
            "mark": [row.mark for row in rows],
            "kind": list(KINDS),
            "time": ("mark", [row.time_s for row in rows], {"units": "s"}),
        },
    )


def _shares(t: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    """Share of functional synapses [seed, mark, kind] among all of surviving neurons, but own."""
    lateral, gone = t["mark_lateral"], t["removed_neuron"]
    n = lateral.shape[-1]
    auditory, visual = np.arange(n) < n // 2, np.arange(n) >= n // 2
    shares = np.full((*lateral.shape[:2], len(KINDS)), np.nan)
    for seed in range(len(lateral)):
        for mark in range(lateral.shape[1]):
            # removed neurons have lost all connections, which tells them from the others
            alive = ~gone[seed] | lateral[seed, mark].any(axis=0)
            seen = t["mark_image_weight"][seed, mark][alive[n // 2 :]]
            found = [t["mark_heard_share"][seed, mark], float((seen > 0).mean())]
            for source in (auditory, visual):
                for target in (auditory, visual):
                    possible = np.outer(target & alive, source & alive) & ~np.eye(n, dtype=bool)
                    found.append(float(lateral[seed, mark][possible].mean()))
            shares[seed, mark] = found
    return shares


def _codes(plan: Plan, t: dict[str, NDArray[Any]]) -> xr.Dataset:
    """Histograms, their likeness between times, and the order of neurons to draw them in."""
    histogram = t["codes"]
    rows = [row for row in plan.rows if row.codes]
    n_each = histogram.shape[4] // 2
    n_codes = histogram.shape[1]
    likeness = np.full((len(histogram), 2, n_codes, n_codes), np.nan)
    for number, one in enumerate(histogram):
        used = np.isfinite(one[0, 0, 0, 0])
        for population in (0, 1):
            here = slice(population * n_each, (population + 1) * n_each)
            part = one[..., here, :][..., used]
            # between independent halves, also at the same time: noise counts alike everywhere
            both = code_similarity(np.concatenate([part[:, 0], part[:, 1]]))
            across = both[:n_codes, n_codes:]
            likeness[number, population] = 0.5 * (across + across.T)
    order = np.stack(
        [
            [
                [peak_order(np.nan_to_num(c[here])) for c in one[0].mean(axis=0)]
                for here in _halves(n_each)
            ]
            for one in histogram
        ]
    )
    return xr.Dataset(
        {
            "histogram": (("seed", "code", "half", "class", "neuron", "bin"), histogram),
            "likeness": (("seed", "population", "code", "later_code"), likeness),
            "order": (("seed", "population", "class", "rank"), order),
        },
        coords={
            "code_time": ("code", [row.time_s for row in rows], {"units": "s"}),
            "arm": ("code", [plan.phases[row.phase].arm for row in rows]),
            "population": list(POPULATIONS),
            "bin": np.arange(histogram.shape[-1]) * BIN_S,
        },
    )


def _halves(n_each: int) -> tuple[slice, slice]:
    return slice(0, n_each), slice(n_each, 2 * n_each)


def _path(t: dict[str, NDArray[Any]]) -> xr.Dataset:
    paths = t["tracked_path"]
    scores = np.full((*paths.shape[:2], 3), np.nan)
    share = np.full((len(paths), 3), np.nan)
    for number, path in enumerate(paths):
        own = path[:, : int(t["tracked_count"][number])]
        found, explained = principal_components(own, 3)
        scores[number, :, : found.shape[1]], share[number, : explained.size] = found, explained
    return xr.Dataset(
        {
            "theta": (("seed", "step", "parameter"), paths),
            "score": (("seed", "step", "component"), scores),
            "explained": (("seed", "component"), share),
            "neuron": ("seed", t["tracked_neuron"]),
            "parameters": ("seed", t["tracked_count"]),
            "separation": (("seed", "hidden"), t["separation"]),
            "separation_p": ("seed", t["separation_p"]),
            "moved": (("seed", "lesion", "with_lesion"), t["moved"]),
        },
        coords={"time": ("step", np.arange(paths.shape[1]) * STEP_S, {"units": "s"})},
    )
