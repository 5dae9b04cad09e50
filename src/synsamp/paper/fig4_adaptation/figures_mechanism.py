"""Panels I and J, not in the paper: what brings synapses back, and what the prior does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, GRAY, INK, ORANGE
from synsamp.paper.fig4_adaptation.mechanism import AS_IS
from synsamp.paper.fig4_adaptation.one_synapse import READINGS
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters
from synsamp.paper.fig4_adaptation.protocol import AGAIN, NO_PRIOR, NOISE_OFF

TITLES = ("as printed", "no likelihood for θ ≤ 0")
COLOURS = (BLUE, ORANGE)
ARMS = {AS_IS: "as it is", AGAIN: "again", NOISE_OFF: "T = 0", NO_PRIOR: "no prior"}


def draw_mechanism(p: AdaptationParameters, runs: Sequence[Results]) -> Figure:
    """Both readings of a retracted synapse side by side, in arms of the same circuits."""
    figure = Figure(figsize=(7, 3.5))
    grid = figure.add_gridspec(1, 3, width_ratios=[1.35, 1, 1])
    found = xr.concat([run["mechanism"] for run in runs], "trial")
    new_phase = p.course.new_phase
    assert new_phase is not None
    switch_s = p.course.start_s(new_phase)
    _back(figure.add_subplot(grid[0]), found, runs[0]["one_synapse"])
    first = None
    for k in range(len(READINGS)):
        axes = figure.add_subplot(grid[1 + k], sharey=first)
        _active(axes, found.isel(reading=k), COLOURS[k], TITLES[k], switch_s)
        if first is None:
            first = axes
            axes.set(ylabel="active share of all synapses", ylim=(0, None))
        else:
            axes.tick_params(labelleft=False)
    return figure


def _back(axes: Axes, found: xr.Dataset, predicted: xr.Dataset) -> None:
    """Useful eliminated connections that are back; every point is a circuit, a bar the theory."""
    rng = np.random.default_rng(1)  # spreads points sideways
    for k, (colour, title) in enumerate(zip(COLOURS, TITLES, strict=True)):
        for place, arm in enumerate(ARMS):
            values = found.useful_back.isel(reading=k).sel(arm=arm).values
            x = place + 0.36 * k - 0.18
            spread = rng.uniform(-0.07, 0.07, values.size) if values.size > 1 else 0.0
            axes.plot(x + spread, values, ".", color=colour, markersize=4, alpha=0.5)
            label = title if place == 0 else ""
            axes.plot(x, values.mean(), "o", color=colour, markersize=6, label=label)
        for arm, noise in ((AS_IS, True), (NOISE_OFF, False)):
            law = float(predicted.useful_back.isel(reading=k).sel(noise=noise))
            x = list(ARMS).index(arm) + 0.36 * k - 0.18
            label = "one synapse by itself" if (arm, k) == (AS_IS, len(COLOURS) - 1) else ""
            axes.hlines(law, x - 0.15, x + 0.15, color=INK, linewidth=1.4, label=label, zorder=3)
    axes.set(ylim=(-0.03, 1.55), yticks=np.linspace(0, 1, 6), xticks=range(len(ARMS)))
    axes.set_xticklabels(list(ARMS.values()))
    axes.set_ylabel("share back after the new digit's phase")
    axes.set_title("I  useful eliminated synapses")
    axes.legend(loc="upper left", handletextpad=0.4)


def _active(axes: Axes, found: xr.Dataset, colour: str, title: str, switch_s: float) -> None:
    active = found.active.mean("trial")
    kilo_s = active.time / 1e3
    axes.plot(kilo_s, active.sel(arm=AS_IS), color=colour, linewidth=1.4, label="with prior")
    axes.plot(kilo_s, active.sel(arm=NO_PRIOR), color=GRAY, linewidth=1.4, label="no prior")
    after = active.sel(arm=NOISE_OFF).where(active.time >= switch_s)
    axes.plot(kilo_s, after, color=INK, linewidth=0.5, label="T = 0")
    axes.axvline(switch_s / 1e3, color=GRAY, linewidth=0.6, linestyle=":")
    axes.set(xlabel="time / 1,000 s", xlim=(0, float(kilo_s[-1])))
    axes.set_title(f"J  {title}" if colour == COLOURS[0] else title, fontsize=9)
    axes.legend(loc="upper right")
