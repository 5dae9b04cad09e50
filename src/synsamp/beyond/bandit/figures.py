"""Figures of the bandit, drawn from stored results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from synsamp.beyond.bandit.measures import noise, settled, spread
from synsamp.beyond.bandit.parameters import BanditParameters
from synsamp.beyond.bandit.theory import GRID, expected_reward, stationary
from synsamp.experiments.base import Results
from synsamp.figures.style import BLUE, GRAY, GREEN, INK, ORANGE, PALE

BINS = np.linspace(-2.0, 5.0, 48).tolist()  # the last bin contains the upper bound


def draw(p: BanditParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw panels A (prior, reward, theory), B (temperatures), C (controls), D (speeds)."""
    return {"AB": _distributions(p, runs), "CD": _controls(p, runs)}


def _visited(p: BanditParameters, runs: Sequence[Results], name: str) -> Any:
    return np.concatenate([settled(p, run, name).theta.values for run in runs])


def _histogram(axes: Axes, values: Any, colour: str, label: str) -> None:
    axes.hist(values, BINS, density=True, color=colour, alpha=0.45, label=label)


def _distributions(p: BanditParameters, runs: Sequence[Results]) -> Figure:
    figure = Figure(figsize=(7, 2.9))
    left, right = figure.subplots(1, 2)
    prior = np.exp(-0.5 * ((GRID - p.rule.prior.mean) / p.rule.prior.std) ** 2)
    left.plot(GRID, prior / prior.sum() / (GRID[1] - GRID[0]), color=GRAY, label="prior")
    reward = expected_reward(p, GRID)
    left.plot(GRID, reward, color=ORANGE, label="V(θ), expected reward")
    left.plot(GRID, stationary(p, p.rule.temperatures[1]).stationary, color=INK, label="theory")
    _histogram(left, _visited(p, runs, "slow"), BLUE, "visited")
    left.set(
        title=f"A  T = {p.rule.temperatures[1]:g}",
        xlabel="θ",
        ylabel="density, and V",
        xlim=(-2, 4),
        ylim=(0, 1.5),
    )
    left.legend(loc="upper left", ncols=2)
    cold, _, hot = p.rule.temperatures
    for name, T, colour in (("cold", cold, BLUE), ("hot", hot, ORANGE)):
        _histogram(right, _visited(p, runs, name), colour, f"visited, T = {T:g}")
        right.plot(GRID, stationary(p, T).stationary, color=colour)
    right.set(title="B  other temperatures", xlabel="θ", xlim=(-2, 4), ylim=(0, 1.5))
    right.legend(loc="upper left")
    return figure


def _controls(p: BanditParameters, runs: Sequence[Results]) -> Figure:
    figure = Figure(figsize=(7, 2.9))
    left, right = figure.subplots(1, 2)
    left.plot(GRID, stationary(p, p.rule.temperatures[1]).stationary, color=INK, label="theory")
    _histogram(left, _visited(p, runs, "shuffled"), GREEN, "reward shuffled")
    _histogram(left, _visited(p, runs, "no_expectation"), ORANGE, "no expectation")
    left.set(title="C  controls", xlabel="θ", ylabel="density", xlim=(-2, 5.2), ylim=(0, 1.5))
    left.legend(loc="upper left")
    for measure, colour, label in (
        (noise, ORANGE, "noise of g / T"),
        (spread, BLUE, "variance / theory"),
    ):
        values = np.array(
            [[measure(p, run, name) for name in ("fast", "medium", "slow")] for run in runs]
        )
        right.plot(p.rule.speeds, values.T, "o", color=colour, alpha=0.35, markersize=3.5)
        right.plot(p.rule.speeds, values.mean(axis=0), color=colour, label=label)
    right.axhline(1.0, color=PALE, zorder=0)
    right.set(title="D  as b → 0", xlabel="b (1/s)", xscale="log", ylim=(0, 2.4))
    right.set_xticks(p.rule.speeds, [f"{speed:g}" for speed in p.rule.speeds])
    right.minorticks_off()
    right.legend(loc="upper left")
    return figure
