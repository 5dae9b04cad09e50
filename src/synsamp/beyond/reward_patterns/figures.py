"""Figures of the pattern task, drawn from stored results."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from synsamp.beyond.reward_patterns.measures import preference
from synsamp.beyond.reward_patterns.parameters import PatternParameters
from synsamp.beyond.reward_patterns.protocol import SEEN_S
from synsamp.beyond.reward_patterns.task import FIRST, PAUSE, phase
from synsamp.experiments.base import Results
from synsamp.figures.panels import with_band
from synsamp.figures.style import BLUE, GRAY, ORANGE
from synsamp.figures.time import time_axis

COLOURS = (BLUE, ORANGE)
"""Colours of the two populations and their patterns."""
BRANCH_COLOURS = {"rewarded": BLUE, "random": GRAY}
WORDS = {"rewarded": "rewarded", "random": "reward at random"}


def draw(p: PatternParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw panels A (spikes at start and end), B (learning), C (connections)."""
    return {"A": _spikes(p, runs[0]), "BC": _course(p, runs)}


def _spikes(p: PatternParameters, results: Results) -> Figure:
    figure = Figure(figsize=(7, 2.8))
    for axes, name, start_s, title in zip(
        figure.subplots(1, 2, sharey=True),
        ("early", "late"),
        (0.0, p.learning_s - SEEN_S),
        ("A  at the start", "at the end"),
        strict=True,
    ):
        _shade(axes, p, int(results["rewarded/course"].seed.values[-1]), start_s)
        found = results[f"rewarded/{name}"]
        times, neurons = found.time.values - start_s, found.neuron.values
        for number, colour in enumerate(COLOURS):
            own = neurons // p.population == number
            axes.plot(times[own], neurons[own], "|", color=colour, ms=4.0, mew=0.8)
        axes.set(title=title, xlabel="time / s", xlim=(0, SEEN_S), ylim=(-1, 2 * p.population))
    figure.axes[0].set(ylabel="neuron", yticks=[0, p.population, 2 * p.population - 1])
    return figure


def _shade(axes: Axes, p: PatternParameters, seed: int, start_s: float) -> None:
    """Mark when each pattern was shown."""
    number, at = 0, 0.0
    while at < start_s + SEEN_S:
        shown, periods = phase(p.task, seed, number)
        until = at + periods * p.task.period_s
        if shown != PAUSE and until > start_s:
            axes.axvspan(
                at - start_s, until - start_s, color=COLOURS[shown - FIRST], alpha=0.15, lw=0
            )
        number, at = number + 1, until


def _course(p: PatternParameters, runs: Sequence[Results]) -> Figure:
    figure = Figure(figsize=(7, 2.9))
    reward, leads, scatter = figure.subplots(1, 3, width_ratios=[1, 1, 1.1])
    for branch, colour in BRANCH_COLOURS.items():
        for axes, what in ((reward, "earned"), (leads, "led")):
            _over_time(axes, [run[f"{branch}/course"] for run in runs], what, colour, WORDS[branch])
    reward.set(title="B  reward", ylabel="while a pattern is shown", ylim=(0, 1))
    reward.legend(loc="upper left")
    leads.axhline(0.5, color=GRAY, lw=0.8, ls=":")
    leads.set(title="correct one leads", ylabel="of that time", ylim=(0, 1))
    for axes in (reward, leads):
        axes.set_xlim(0, p.learning_s)
        axes.locator_params(axis="x", nbins=4)
        time_axis(axes, p.learning_s)
    for run, branch in itertools.product(runs, reversed(BRANCH_COLOURS)):
        first, second = run["patterns"].rate.values
        chosen, colour = preference(p, run, branch), BRANCH_COLOURS[branch]
        scatter.plot(first - second, chosen, "o", color=colour, ms=3.0, alpha=0.6, mew=0)
    scatter.axhline(0, color=GRAY, lw=0.8, ls=":")
    scatter.axvline(0, color=GRAY, lw=0.8, ls=":")
    scatter.set(
        title="C  connections",
        xlabel="rate, pattern 1 − 2 / Hz",
        ylabel="summed ŵ, population 1 − 2",
    )
    return figure


def _over_time(axes: Axes, courses: Sequence[Any], what: str, colour: str, label: str) -> None:
    """Mean over networks between two records, ± one standard deviation."""
    time = courses[0].time.values
    values = np.stack([np.diff(c[what].values) / np.diff(c.judged.values) for c in courses])
    with_band(axes, (time[1:] + time[:-1]) / 2, values, colour, label=label)
