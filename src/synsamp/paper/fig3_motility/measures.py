"""What the claims and figures of Fig. 3 need, from the records of one circuit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results
from synsamp.paper.fig3_motility.parameters import MotilityParameters
from synsamp.paper.fig3_motility.records import CONDITIONS, SPEEDS, settling, watched
from synsamp.paper.fig3_motility.sizes import (
    binned_slope,
    change_by_size,
    change_slope,
    dip,
    drift,
    lasting_efficacy,
    occupancy_counts,
    persistent,
)
from synsamp.paper.fig3_motility.survival import foretold, leads, margin, scaling, survival
from synsamp.paper.fig3_motility.without_activity import without_activity

SIZE_EDGES = np.linspace(-4.5, 1.0, 23)
HELD_WEIGHT = 0.5
"""Above about this weight the likelihood holds a connection: it does not wander any more."""
N_DRAWN = 4


def analyse(p: MotilityParameters, results: Results) -> dict[str, xr.Dataset]:
    """Curves and histograms, and the numbers read off them."""
    states = {
        (condition, speed): watched(p, results, condition, speed, "active")
        for condition in CONDITIONS
        for speed in SPEEDS
    }
    found = {}
    for speed in SPEEDS:
        watch = getattr(p, speed)
        alive = foretold(p.rule, watch)
        both = [survival(states[condition, speed], watch, alive) for condition in CONDITIONS]
        together = xr.concat(both, xr.IndexVariable("condition", list(CONDITIONS)))
        found[f"survival_{speed}"] = together.assign(
            foretold=("time", alive[: together.sizes["time"]])
        )
    found["scaling"] = _scaling(p, states["learning", "fast"], states["learning", "slow"])
    if _long_enough(p):
        unchanged = watched(p, results, "free", "unchanged", "active")
        found["unchanged"] = _scaling(p, states["free", "fast"], unchanged)
    found["changes"] = _changes(p, results)
    found["populations"] = _populations(p, results, states)
    found["traces"] = _traces(p, results)
    return found


def _scaling(p: MotilityParameters, fast: NDArray[Any], slow: NDArray[Any]) -> xr.Dataset:
    window = round(p.slow.new_within_s / p.slow.sync_interval_s)
    return scaling(fast, slow, p.fast.sync_interval_s, p.slow.sync_interval_s, window)


def _long_enough(p: MotilityParameters) -> bool:
    """Whether the slower circuit is watched long enough for its survival to tell anything.

    In times far below a relaxation time θ is a random walk, which looks the same on every scale:
    lives counted in looks are then alike whatever b is, and nearly so with activity and without.
    """
    return p.slow.tracked_s * p.slow.speed >= p.rule.prior.std**2


def _changes(p: MotilityParameters, results: Results) -> xr.Dataset:
    """How changes of w depend on w, over the same window of b · time at both speeds."""
    theta_0 = p.rule.theta_0
    # At the larger b all of θ is kept too seldom for that; θ of 200 synapses is kept often.
    records = {"fast": "traced", "slow": "theta"}
    middles = (SIZE_EDGES[1:] + SIZE_EDGES[:-1]) / 2
    slopes, spreads, smaller = [], [], []
    for name in SPEEDS:
        theta = watched(p, results, "learning", name, records[name]).astype(float)
        first, then = _pairs(theta, p.change_steps)
        slopes.append([change_slope(first, then, theta_0, dealt) for dealt in (False, True)])
        spreads.append(change_by_size(first, then, theta_0, SIZE_EDGES))
        smaller.append(binned_slope(middles, spreads[-1], np.exp(-theta_0), HELD_WEIGHT))
    grids = np.array([getattr(p, name).sync_interval_s for name in SPEEDS])
    return xr.Dataset(
        {
            "slope": (("speed", "changes"), np.array(slopes)),
            "window_s": ("speed", grids * p.change_steps, {"units": "s"}),
            "spread": (("speed", "size"), np.array(spreads)),
            "smaller_slope": ("speed", smaller),
        },
        coords={
            "speed": list(SPEEDS),
            "changes": ["own", "dealt"],
            "log_weight": ("size", middles),
        },
    )


def _pairs(theta: NDArray[Any], apart: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """θ and θ some rows later, all synapses and times in one row; none if it was not so long."""
    return theta[:-apart].ravel(), theta[apart:].ravel()


def _populations(p: MotilityParameters, results: Results, states: Any) -> xr.Dataset:
    """Connections by the share of time they are active, and who has the efficacy."""
    counts, shares = [], []
    for condition in CONDITIONS:
        theta = watched(p, results, condition, "fast", "theta").astype(float)
        counts.append(occupancy_counts(states[condition, "fast"]))
        shares.append(lasting_efficacy(theta, states[condition, "fast"], p.rule.theta_0))
    learning = states["learning", "fast"]
    return xr.Dataset(
        {
            "count": (("condition", "tenth"), np.array(counts)),
            "dip": ("condition", [dip(row) for row in counts]),
            "efficacy": ("condition", shares),
            "persistent": ((), learning.all(axis=0).sum() / learning[0].sum()),
        },
        coords={
            "condition": list(CONDITIONS),
            "share": ("tenth", (np.arange(len(counts[0])) + 0.5) / len(counts[0])),
        },
    )


def _traces(p: MotilityParameters, results: Results) -> xr.Dataset:
    """θ of a few synapses to draw.

    Among 200 drawn at random, the first four active at more than 95 % of the grid points and the
    first four that came and went, active at 5 to 50 %.
    """
    trace = watched(p, results, "learning", "fast", "traced")
    share = (trace > 0).mean(axis=0)
    lasting = np.flatnonzero(persistent(trace > 0))[:N_DRAWN]
    passing = np.flatnonzero((share > 0.05) & (share < 0.5))[:N_DRAWN]
    chosen = np.concatenate([lasting, passing])
    time_s = np.arange(len(trace)) * p.fast.sync_interval_s
    return xr.Dataset(
        {
            "theta": (("time", "trace"), trace[:, chosen]),
            "persistent": ("trace", np.arange(chosen.size) < lasting.size),
            "synapse": ("trace", results["circuit/traced"].synapse.values[chosen]),
        },
        coords={"time": ("time", time_s, {"units": "s"})},
    )


# -- numbers --------------------------------------------------------------------------------------


def measures(p: MotilityParameters, results: Results) -> dict[str, Value]:
    """One number each, from one circuit; those of synapses without activity begin with "free"."""
    changes, populations = results["changes"], results["populations"]
    found: dict[str, Value] = {
        **without_activity(p, results),
        **_lives(p, results),
        "dip": float(populations.dip[0]),
        "free_dip": float(populations.dip[1]),
        "lasting_efficacy": float(populations.efficacy[0]),
        "free_lasting_efficacy": float(populations.efficacy[1]),
        "persistent": float(populations.persistent),
        "drift_settling": drift(settling(p, results).mean(axis=1)),
    }
    for k, name in enumerate(SPEEDS):
        share = watched(p, results, "learning", name, "active").mean(axis=1)
        theta = watched(p, results, "learning", name, "theta")
        strong = (theta > p.rule.theta_0 + np.log(HELD_WEIGHT)).mean(axis=1)
        found |= {
            f"slope_{name}": float(changes.slope[k, 0]),
            f"slope_{name}_dealt": float(changes.slope[k, 1]),
            f"slope_{name}_smaller_weights": float(changes.smaller_slope[k]),
            f"active_{name}": float(share.mean()),
            f"drift_{name}": drift(share),
            f"drift_{name}_strong": drift(strong),
        }
    return found


def _lives(p: MotilityParameters, results: Results) -> dict[str, Value]:
    """Laws of survival at both speeds, with and without activity; the slower if watched enough."""
    found: dict[str, Value] = {}
    for name in SPEEDS if _long_enough(p) else SPEEDS[:1]:
        for condition, front in zip(CONDITIONS, ("", "free_"), strict=True):
            lives = results[f"survival_{name}"].sel(condition=condition)
            found |= {
                f"{front}margin_{name}": margin(lives),
                f"{front}losses_{name}": float(lives.losses),
                f"{front}gamma_{name}": float(lives.gamma),
                f"{front}tau_{name}_s": float(lives.tau),
                f"{front}new_{name}": float(lives.new),
                **{f"{front}{law}_{name}": lead for law, lead in leads(lives).items()},
            }
    if _long_enough(p):
        gamma = [float(results[f"survival_{name}"].gamma[0]) for name in SPEEDS]
        found["exponent"] = _apart(gamma)
        found["exponent_alike"] = _apart(results["scaling"].gamma.values)
        for measure, dataset in (("time_scale", "scaling"), ("time_scale_unchanged", "unchanged")):
            fast, slow = results[dataset]["median"].values
            found[measure] = Ratio(slow, fast * p.fast.speed / p.slow.speed)
    return found


def _apart(pair: Sequence[float] | NDArray[Any]) -> float:
    """How far two numbers are apart, as the size of the logarithm of their ratio."""
    return float(np.abs(np.log(pair[1] / pair[0])))
