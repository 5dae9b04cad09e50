"""Draw what many seeds say: what the claims measure, seed by seed, and along what varies.

An ensemble shows distributions, a sweep over one parameter shows curves along it, one over two
shows heat maps; each sweep has a table of verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from synsamp.claims.measures import MEASURES, PARTS
from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, DENSITY, GREEN, INK, PALE
from synsamp.report.foreign import label, whole_label
from synsamp.report.verdict_map import COLOURS, draw_verdicts
from synsamp.runs.ensembles.gather import VERDICTS
from synsamp.runs.ensembles.plan import coordinates
from synsamp.runs.storage.folder import Description

CAPTIONS = {
    "values": "What the claims measure, seed by seed: every dot is one run with its own seed; the "
    "line is the mean over seeds with its 95 % interval. In the shaded range the claim holds.",
    "verdicts": "The verdict on each claim at every combination of settings, or with one of them "
    "changed at a time: it holds if its 95 % interval over seeds lies in its band and that of its "
    "null outside, fails if its own lies outside, and is undecided otherwise.",
    "values-1": "What the claims measure along the parameter that varies: the mean over seeds with "
    "its 95 % interval, and every seed as a small dot. In the shaded range the claim holds.",
    "values-2": "What the claims measure: the mean over seeds at every combination of the two "
    "parameters.",
}
COLUMNS = 3


def draw_over_seeds(description: Description, results: Results) -> dict[str, Figure]:
    """Return the figures by the key of their caption."""
    vary = list(coordinates(description))
    # What these settings cannot show is judged nowhere: there is nothing to draw.
    judged = (results["ensemble"].claim_verdict.load() >= 0).any(vary)
    whole = results["ensemble"].isel(claim=np.flatnonzero(judged.values))
    if whole.sizes["claim"] == 0:
        return {}
    if not vary:
        return {"values": _distributions(whole)}
    figures = {"verdicts": _verdicts(whole, vary, bool(description.changes))}
    if description.changes:  # there are too many of them, and nothing to go along
        return figures
    if len(vary) == 1:
        figures["values-1"] = _along(whole, vary[0])
    elif len(vary) == 2:
        figures["values-2"] = _heat_maps(whole, vary)
    return figures


def _measured(whole: xr.Dataset, i: int) -> xr.DataArray | None:
    """The measure of a claim in every trial; None if trials differ so that none is stored."""
    name = f"{MEASURES}_{whole.claim_measure.values[i]}"
    if name not in whole:
        return None
    values = whole[name].load().where(whole.finished)
    if PARTS in values.dims:
        values = values.isel({PARTS: 0}) / values.isel({PARTS: 1})
    return values.astype(float)


def _grid(count: int, height: float) -> tuple[Figure, list[Axes]]:
    """Small panels, three in a row."""
    rows = -(-count // COLUMNS)
    figure = Figure(figsize=(7.0, height * rows))
    axes = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for unused in axes[count:]:
        unused.set_visible(False)
    return figure, list(axes[:count])


def _distributions(whole: xr.Dataset) -> Figure:
    figure, panels = _grid(whole.sizes["claim"], 1.45)
    for i, axes in enumerate(panels):
        values = _measured(whole, i)
        row = np.array([]) if values is None else values.values.ravel()
        # Dots are spread by golden steps: even, and no chance in a drawing.
        height = (np.arange(row.size) * 0.618034) % 1.0
        axes.plot(row, height, "o", color=INK, ms=4, alpha=0.45, mew=0)
        mean, low, high = (
            float(whole[name].values[i]) for name in ("claim_value", "claim_low", "claim_high")
        )
        colour = _colour(whole.claim_verdict.values[i])
        left, right = _room(np.concatenate([row, [mean, low, high]]))
        axes.set_xlim(left, right)
        if np.isfinite(mean):
            axes.axvline(mean, color=colour, lw=1.6)
            ends = np.clip(np.nan_to_num([low, high]), left, right)
            axes.plot(ends, [1.12, 1.12], color=colour, lw=3, solid_capstyle="butt")
        axes.set(ylim=(-0.15, 1.25), yticks=[], xlabel=label(whole.claim_unit.values[i]))
        axes.set_title(label(whole.claim.values[i]), fontsize=8.5)
        axes.spines["left"].set_visible(False)
        axes.locator_params(axis="x", nbins=4)
        bottom, top = _band(whole, i, left, right)
        if top > bottom:
            axes.axvspan(bottom, top, color=GREEN, alpha=0.12, lw=0, zorder=0)
    return figure


def _colour(verdict: int) -> str:
    found = COLOURS[VERDICTS[verdict]] if verdict >= 0 else INK
    return INK if found == PALE else found


def _band(whole: xr.Dataset, i: int, low: float, high: float) -> tuple[float, float]:
    """The part of a claim's band that is in sight; an open end reaches as far as one sees."""
    ends = float(whole.band_low.values[i]), float(whole.band_high.values[i])
    return (
        low if np.isnan(ends[0]) else max(ends[0], low),
        high if np.isnan(ends[1]) else min(ends[1], high),
    )


def _room(values: Any) -> tuple[float, float]:
    """Limits with room around the values, also where all are the same."""
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    margin = 0.15 * (high - low) if high > low else max(0.1 * abs(high), 0.1)
    return float(low - margin), float(high + margin)


def _verdicts(whole: xr.Dataset, vary: Sequence[str], first_apart: bool) -> Figure:
    """A row per claim, a column per combination of settings."""
    table = whole.claim_verdict.transpose("claim", *vary).values.reshape(whole.sizes["claim"], -1)
    return draw_verdicts(
        whole.claim.values.tolist(),
        [
            ", ".join(map(_short, values))
            for values in product(*(whole[key].values for key in vary))
        ],
        [[VERDICTS[number] if number >= 0 else "" for number in row] for row in table],
        "" if first_apart else ", ".join(map(label, vary)),
        first_apart,
    )


def _along(whole: xr.Dataset, key: str) -> Figure:
    figure, panels = _grid(whole.sizes["claim"], 1.9)
    # Evenly spaced places: values of a sweep often span decades and may contain 0.
    places, names = np.arange(whole.sizes[key]), [_short(value) for value in whole[key].values]
    for i, axes in enumerate(panels):
        one = whole.isel(claim=i)
        mean, low, high = (one[n].values for n in ("claim_value", "claim_low", "claim_high"))
        values = _measured(whole, i)
        seeds = np.array([]) if values is None else values.transpose(key, "trial").values
        bottom, top = _room(np.concatenate([seeds.ravel(), mean]))
        axes.set_ylim(bottom, top)
        for place, row in zip(places, seeds, strict=False):
            axes.plot(np.full(row.size, place), row, "o", color=INK, ms=2.5, alpha=0.3, mew=0)
        axes.plot(places, mean, color=BLUE, lw=1.2, zorder=2)
        ends = np.clip(np.nan_to_num(np.stack([low, high])), bottom, top)
        axes.vlines(places, *ends, color=BLUE, lw=1.6, zorder=2)
        colours = [_colour(v) for v in one.claim_verdict.values]
        axes.scatter(places, mean, c=colours, s=26, zorder=3, ec="white", lw=0.6)
        axes.set_title(label(whole.claim.values[i]), fontsize=8.5)
        axes.set_xticks(places, names)
        axes.set(xlabel=label(key), ylabel=label(whole.claim_unit.values[i]))
        band = _band(whole, i, bottom, top)
        if band[1] > band[0]:
            axes.axhspan(*band, color=GREEN, alpha=0.12, lw=0, zorder=0)
    return figure


def _heat_maps(whole: xr.Dataset, vary: Sequence[str]) -> Figure:
    means = whole.claim_value.load()
    figure, panels = _grid(means.sizes["claim"], 2.2)
    across, up = vary[1], vary[0]
    for i, axes in enumerate(panels):
        image = axes.imshow(
            means.isel(claim=i).transpose(up, across).values,
            origin="lower",
            aspect="auto",
            cmap=DENSITY,
        )
        axes.set_xticks(range(whole.sizes[across]), [_short(v) for v in whole[across].values])
        axes.set_yticks(range(whole.sizes[up]), [_short(v) for v in whole[up].values])
        axes.set(xlabel=label(across), ylabel=label(up))
        axes.set_title(label(means.claim.values[i]), fontsize=8.5)
        axes.spines[:].set_visible(False)
        figure.colorbar(image, ax=axes, shrink=0.9, label=label(whole.claim_unit.values[i]))
    return figure


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else whole_label(value)
