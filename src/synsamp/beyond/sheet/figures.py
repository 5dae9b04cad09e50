"""Figures of the sheet, drawn from stored results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from synsamp.beyond.shared.reward_network import Floats
from synsamp.beyond.sheet.measures import (
    by_distance,
    from_edge,
    gained,
    lives,
    loss_rate,
    rates_after,
    row_of_lesion,
)
from synsamp.beyond.sheet.parameters import SheetParameters
from synsamp.beyond.sheet.protocol import PLACES, SHEET, TWIN, functional_share
from synsamp.experiments.base import Results
from synsamp.figures.panels import with_band
from synsamp.figures.style import BLUE, DIVERGING, GRAY, GREEN, INK, ORANGE, PALE

PIXELS = 48
"""Of the map, along each side."""
AGES = 10
"""Stretches of age."""


def draw(p: SheetParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw panels A (distance), B (age), C (map), D (profile of gains), E (rates)."""
    return {"AB": _wiring(p, runs), "CDE": _lesion(p, runs)}


def _wiring(p: SheetParameters, runs: Sequence[Results]) -> Figure:
    figure = Figure(figsize=(7, 2.9))
    left, right = figure.subplots(1, 2)
    fine = np.linspace(0.0, p.network.reach_mm, 100)
    left.plot(fine, functional_share(p, fine), color=PALE, lw=3, label="rule: the prior alone")
    for row, colour, label in ((0, GRAY, "start"), (row_of_lesion(p), BLUE, "before the lesion")):
        found = [by_distance(p, run, row) for run in runs]
        shares = np.stack([share for _, share in found])
        with_band(left, found[0][0], shares, colour, "o-", ms=3, label=label)
    left.set(title="A  connections by distance", xlabel="distance, mm", ylabel="functional share")
    left.set(ylim=(0, None), xlim=(0, p.network.reach_mm))
    left.legend()
    _loss_by_age(right, p, runs)
    return figure


def _loss_by_age(axes: Axes, p: SheetParameters, runs: Sequence[Results]) -> None:
    edges = np.geomspace(2 * p.rule.drift_interval_s, 0.6 * p.schedule.after_s, AGES + 1)
    found = [lives(p, run) for run in runs]
    rates = [[loss_rate(each, a, b) for a, b in pairwise(edges)] for each in found]
    middle = np.sqrt(edges[1:] * edges[:-1])
    with_band(axes, middle, np.array(rates), GREEN, "o-", ms=3, label="the network")
    overall = float(np.mean([loss_rate(each, 0.0) for each in found]))
    axes.axhline(overall, color=GRAY, ls="--", label="whatever the age")
    axes.set(title="B  losses by age", xlabel="age, s", ylabel="lost per s", xscale="log")
    axes.set(yscale="log")
    axes.legend()


def _lesion(p: SheetParameters, runs: Sequence[Results]) -> Figure:
    figure: Any = Figure(figsize=(7, 2.5))
    sheet, gains, rates = figure.subplots(1, 3, width_ratios=[1.15, 1, 1])
    image = sheet.imshow(
        _map(p, runs).T,
        origin="lower",
        extent=(0, p.network.width_mm) * 2,
        cmap=DIVERGING,
        norm=TwoSlopeNorm(1.0, 0.8, 1.2),
        interpolation="bilinear",
    )
    middle = p.network.width_mm / 2
    sheet.add_patch(Circle((middle, middle), p.lesion_mm, fc="white", ec=INK, lw=0.8))
    sheet.text(middle, middle, "lesion", ha="center", va="center", fontsize=7)
    sheet.set(title="C  new connections", xlabel="mm", ylabel="mm")
    figure.colorbar(image, ax=sheet, label="ratio to the twin", shrink=0.7, extend="both")
    edges = np.linspace(0.0, middle * np.sqrt(2) - p.lesion_mm, 9)
    at = (edges[1:] + edges[:-1]) / 2
    for axes, measure, colour in ((gains, gained, BLUE), (rates, rates_after, ORANGE)):
        found = [
            _profile(p, run, edges, *(measure(p, run, branch) for branch in (SHEET, TWIN)))
            for run in runs
        ]
        with_band(axes, at, np.stack(found), colour, "o-", ms=3)
    for axes, title in ((gains, "D  new connections"), (rates, "E  firing rate")):
        axes.axhline(1.0, color=INK, lw=0.8, ls=":")
        axes.axvspan(0.0, p.near_mm, color=PALE, alpha=0.35, lw=0)
        axes.set(
            title=title, xlabel="mm from the edge", ylabel="ratio to the twin", xlim=(0, edges[-1])
        )
    return figure


def _profile(p: SheetParameters, run: Results, edges: Floats, one: Any, other: Any) -> Floats:
    """Ratio of two sums over the neurons at each distance from the edge of the lesion."""
    apart = from_edge(p, run)
    sums = [np.histogram(apart, edges, weights=values)[0] for values in (one, other)]
    return np.asarray(sums[0] / np.maximum(sums[1], 1e-9))


def _map(p: SheetParameters, runs: Sequence[Results]) -> Floats:
    """New connections relative to the twin, both averaged over a Gaussian window."""
    step = p.network.width_mm / PIXELS
    window = 0.04 / step
    sums = []
    for branch in (SHEET, TWIN):
        total = np.zeros((PIXELS, PIXELS))
        for run in runs:
            pixel = (run[PLACES].position.values / step).astype(int) % PIXELS
            np.add.at(total, tuple(pixel.T), gained(p, run, branch))
        frequencies = np.fft.fftfreq(PIXELS)
        pass_ = np.exp(-2 * (np.pi * window * frequencies) ** 2)
        smooth = np.fft.ifft2(np.fft.fft2(total) * pass_[:, None] * pass_)
        sums.append(np.maximum(smooth.real, 1e-9))
    return np.asarray(sums[0] / sums[1])
