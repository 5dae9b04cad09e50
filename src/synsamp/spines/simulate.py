"""Simulate tables from a process, optionally with the sessions and gaps of a given table.

Potential spines are drawn from the process. Those seen at least once enter the table, as in an
experiment, until it has the requested number of spines.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import number, numbers, whole
from synsamp.arguments import seed as checked_seed
from synsamp.errors import refuse
from synsamp.spines.observations import ThresholdOn
from synsamp.spines.process import OneTimeScale, Process
from synsamp.spines.returns import runs_of
from synsamp.spines.table import SpineTable

if TYPE_CHECKING:
    from synsamp.spines.fit import Fitted

Floats = NDArray[np.float64]

MOST_TRIES = 400
"""Rounds of drawing after which the simulation gives up."""


def simulate(
    process: Process,
    threshold: float,
    times: Floats,
    n_spines: int,
    rng: np.random.Generator,
    imaged: NDArray[np.bool_] | None = None,
    threshold_on: ThresholdOn = "measured",
    missed: float = 0.0,
    renamed: bool = False,
) -> tuple[NDArray[np.int8], Floats]:
    """States and sizes [spine, session] of spines seen at least once; threshold is a log size.

    ``imaged[spine, session]`` says which sessions count; default: all. A session misses a spine
    with probability ``missed``. If ``renamed``, a spine that returns counts as another one.
    """
    if imaged is None:
        imaged = np.ones((n_spines, times.size), bool)
    state = np.full((n_spines, times.size), -1, np.int8)
    size = np.full(state.shape, np.nan)
    for pattern in np.unique(imaged, axis=0) if renamed else [None]:
        left = np.flatnonzero((imaged == pattern).all(axis=1)) if renamed else np.arange(n_spines)
        for _ in range(MOST_TRIES):
            if not left.size:
                break
            x, y = _paths(process, times, left.size, rng)
            seen = ((x if threshold_on == "true" else y) > threshold) & imaged[left]
            if missed:
                seen &= rng.random(seen.shape) >= missed
            if renamed:  # all runs of all places, in order, until there are enough
                place, seen = runs_of(seen, imaged[left])
                place, seen = place[: left.size], seen[: left.size]
                rows, left = left[: len(place)], left[len(place) :]
                y = y[place]
            else:
                good = seen.any(axis=1)
                rows, left = left[good], left[~good]
                y, seen = y[good], seen[good]
            state[rows] = np.where(imaged[rows], seen, -1)
            size[rows] = np.where(seen, np.exp(y), np.nan)
        else:
            raise refuse(
                "process",
                "must produce spines above the threshold",
                f"{left.size} of {n_spines} never seen",
                "lower the threshold or raise the mean",
            )
    return state, size


def _paths(
    process: Process, times: Floats, n: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """True and measured log sizes [spine, session]."""
    mean, _ = process.start()
    steps = process.transition(np.diff(times))
    x = np.zeros((n, times.size))
    for (spread, _), (keep, added) in zip(process.parts(), steps, strict=True):
        part = spread * rng.standard_normal(n)
        x[:, 0] += part
        for k in range(1, times.size):
            part = keep[k - 1] * part + added[k - 1] * rng.standard_normal(n)
            x[:, k] += part
    noise = float(process.noise)
    x += mean
    return x, x + noise * rng.standard_normal(x.shape)


def simulate_like(table: SpineTable, fitted: Fitted, rng: np.random.Generator) -> SpineTable:
    """Simulate a table with the sessions and gaps of the given one from a fitted process."""
    chosen = table.part(table.ever_seen)
    state, size = simulate(
        fitted.process,
        fitted.threshold,
        chosen.times,
        len(chosen.spine),
        rng,
        chosen.state >= 0,
        fitted.threshold_on,
        fitted.missed or 0.0,
        table.renamed,
    )
    # Sizes that were not measured in the table are missing here as well.
    unmeasured = (chosen.state == 1) & ~np.isfinite(chosen.size)
    size = np.where(unmeasured, np.nan, size)
    return replace(chosen, state=state, size=size, name=f"simulated like {table.name}")


def simulated_table(
    *,
    mean: float = -0.5,
    spread: float = 1.0,
    relaxation: float = 20.0,
    noise: float = 0.0,
    threshold: float = 1.0,
    times: Floats | None = None,
    n_spines: int = 200,
    n_animals: int = 1,
    threshold_on: ThresholdOn = "measured",
    missed: float = 0.0,
    seed: int = 0,
) -> SpineTable:
    """Simulate a table with known parameters: log sizes follow an Ornstein–Uhlenbeck process.

    Parameters
    ----------
    mean, spread, relaxation, noise
        Parameters of `OneTimeScale`; ``relaxation`` in days.
    threshold
        Size above which a spine is seen.
    times
        Sessions in days, shape (sessions,); default: ten sessions, 4 days apart.
    n_spines
        Number of spines that are seen at least once.
    n_animals
        Animals among which the spines are divided.
    threshold_on
        Whether the true or the measured size must exceed the threshold.
    missed
        Probability that a session misses a spine above the threshold.
    seed
        Seed of all random numbers.

    Returns
    -------
    SpineTable
        The simulated table.

    Examples
    --------
    >>> from synsamp.spines import simulated_table
    >>> simulated_table(n_spines=50, seed=1).state.shape
    (50, 10)
    """
    process = OneTimeScale(
        number("mean", mean),
        number("spread", spread, above=0),
        number("relaxation", relaxation, above=0),
        number("noise", noise, at_least=0),
    )
    when = numbers("times", np.arange(0, 40, 4) if times is None else times, shape=(None,))
    n = whole("n_spines", n_spines, at_least=1)
    animals = whole("n_animals", n_animals, at_least=1)
    least = float(np.log(number("threshold", threshold, above=0)))
    rng = np.random.default_rng(checked_seed("seed", seed))
    lost = number("missed", missed, at_least=0, below=1)
    state, size = simulate(process, least, when, n, rng, threshold_on=threshold_on, missed=lost)
    names = np.array([f"s{k + 1}" for k in range(n)], dtype=np.str_)
    nothing = np.full(n, "", dtype=np.str_)
    return SpineTable(
        name="simulated",
        spine=names,
        animal=np.array([f"m{k % animals + 1}" for k in range(n)], dtype=np.str_),
        dendrite=nothing,
        condition=nothing,
        times=when,
        state=state,
        size=size,
        time_unit="day",
        size_name="size",
        size_unit="",
        choices={"absent": "absences: simulated", "animal": "animal"},
        warnings=(),
    )
