"""Measures of one seed: movements per minute, and stability of synapses.

Performance is the number of movements completed per minute of cued time, so fast movements count
more and failed trials count as well. Branches are those of `protocol`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.beyond.lever.parameters import LeverParameters
from synsamp.beyond.lever.protocol import (
    AT_RANDOM,
    FROZEN,
    LESION_FROZEN,
    MAIN,
    NOISELESS,
    REVERSED_FROZEN,
    SAME,
    motor_neurons,
)
from synsamp.beyond.shared.reward_network import Floats, learning_synapses
from synsamp.claims import Amount, Multiple, Ratio, Share, measures_in
from synsamp.experiments.base import Results

HOUR_S = 3600.0
MIXED = 50
"""Random groups of motor neurons, compared with those for up and down."""


def counted_between(course: Any, what: str) -> Floats:
    """Return counts between records; each environment counts from 0."""
    counted, seed = course[what].values, course.seed.values
    return np.asarray(np.diff(counted) + np.where(np.diff(seed) != 0, counted[:-1], 0.0))


def per_minute(
    p: LeverParameters, results: Results, branch: str, start_s: float, stop_s: float
) -> float:
    """Movements per minute of cued time between two times."""
    course = results[f"{branch}/course"]
    time = course.time.values
    here = (time[1:] > start_s + 1e-6) & (time[1:] <= stop_s + 1e-6)
    cued_s = counted_between(course, "cued")[here].sum() * p.task.period_s
    return float(60.0 * counted_between(course, "finished")[here].sum() / cued_s)


def level(p: LeverParameters, results: Results, branch: str, at_s: float, length_s: float) -> float:
    """Movements per minute in the last fifth of a period."""
    end_s = at_s + length_s
    return per_minute(p, results, branch, end_s - length_s / 5, end_s)


def _learned(p: LeverParameters, results: Results) -> float:
    return level(p, results, MAIN, 0.0, p.schedule.learning_s)


def _untrained(p: LeverParameters, results: Results) -> float:
    return per_minute(p, results, FROZEN, 0.0, p.schedule.learning_s)


def movements_learned(p: LeverParameters, results: Results) -> Amount:
    """Movements per minute of cued time, in the last fifth of learning."""
    return _learned(p, results)


def movements_untrained(p: LeverParameters, results: Results) -> Amount:
    """Movements per minute of cued time without plasticity."""
    return _untrained(p, results)


def rise(p: LeverParameters, results: Results, branch: str) -> Multiple:
    """Movements in the last fifth of learning, relative to the untrained network."""
    s = p.schedule
    lengths_s = {AT_RANDOM: s.random_s, NOISELESS: s.noiseless_s}
    end = level(p, results, branch, 0.0, lengths_s.get(branch, s.learning_s))
    return Ratio(end, _untrained(p, results))


def retained(p: LeverParameters, results: Results, branch: str) -> Multiple:
    """Movements in the last fifth of the unchanged task, relative to the level learned."""
    s = p.schedule
    return Ratio(level(p, results, branch, s.learning_s, s.same_s), _learned(p, results))


def retained_untrained(p: LeverParameters, results: Results) -> Multiple:
    """Movements of the untrained network, relative to the level learned."""
    return Ratio(_untrained(p, results), _learned(p, results))


def loss_by_change(p: LeverParameters, results: Results) -> Multiple:
    """Movements in reversed order without plasticity, relative to the level learned."""
    s = p.schedule
    end_s = s.learning_s + s.changed_s
    found = per_minute(p, results, REVERSED_FROZEN, s.learning_s, end_s)
    return Ratio(found, _learned(p, results))


def adaptation(p: LeverParameters, results: Results, branch: str) -> Multiple:
    """Movements in reversed order, last fifth, relative to no plasticity from the change on."""
    s = p.schedule
    return _gain(p, results, branch, REVERSED_FROZEN, s.learning_s, s.changed_s)


def recovery(p: LeverParameters, results: Results, branch: str) -> Multiple:
    """Movements after the lesion, last fifth, relative to no plasticity from the lesion on."""
    s = p.schedule
    return _gain(p, results, branch, LESION_FROZEN, s.learning_s + s.changed_s, s.lesion_s)


def _gain(
    p: LeverParameters, results: Results, branch: str, frozen: str, at_s: float, length_s: float
) -> Ratio:
    before = per_minute(p, results, frozen, at_s, at_s + length_s)
    return Ratio(level(p, results, branch, at_s, length_s), before)


def lost_connections(p: Any, results: Results, branch: str) -> Share:
    """Share of functional connections between neurons that are lost in a branch."""
    there = results[f"{branch}/among"].among.values > 0
    return lost(there[0], there[-1])


def turnover_per_hour(p: LeverParameters, results: Results, branch: str) -> float:
    """Connections lost and gained in an hour, relative to twice their number."""
    there = results[f"{branch}/among"].among.values > 0
    hour = round(HOUR_S / p.schedule.record_every_s)
    pairs = zip(there[:-hour], there[hour:], strict=True)
    return float(np.mean([turnover(a, b) for a, b in pairs])) if len(there) > hour else np.nan


def preserved_function(p: LeverParameters, results: Results) -> float:
    """Correlation of the input that moves the lever, minus that of single synapses."""
    single, function, _ = _preserved(p, results)
    return function - single


def preserved_mixed_groups(p: LeverParameters, results: Results) -> float:
    """The same between groups mixed from both populations."""
    single, _, mixed = _preserved(p, results)
    return mixed - single


def _preserved(p: LeverParameters, results: Results) -> tuple[float, float, float]:
    return preserved(p, *(onto_motor(p, results, row) for row in (0, -1)))


def lost(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> float:
    """Share of functional connections that are lost."""
    return float((before & ~after).sum() / before.sum())


def turnover(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> float:
    """Connections lost and gained, relative to the sum of both numbers."""
    return float((before ^ after).sum() / (before.sum() + after.sum()))


def onto_motor(p: LeverParameters, results: Results, row: int) -> Floats:
    """ŵ onto motor neurons from all possible sources, at one record of the unchanged task."""
    up, down = motor_neurons(p)
    found = [results[f"{SAME}/{name}"][name].values[row] for name in ("among", "inputs")]
    theta = np.concatenate(found, axis=1)[up.start : down.stop].astype(float)
    theta = theta[:, ~np.isnan(theta).all(axis=0)]
    mapping = learning_synapses(p.rule).mapping
    w = np.maximum(mapping.weight(np.nan_to_num(theta)) - mapping.weight(0.0), 0.0)
    return np.where(np.isnan(theta), np.nan, w)


def preserved(p: LeverParameters, before: Floats, after: Floats) -> tuple[float, float, float]:
    """Correlations over sources of weights [motor neuron, source] at two times.

    Of single synapses; of the input that moves the lever (sum over neurons for up minus sum over
    neurons for down); and of the same difference between random groups, half from each population.
    If drift were the same in all directions, all three would be equal.
    """
    rows = zip(before, after, strict=True)
    single = float(np.mean([_alike(a[~np.isnan(a)], b[~np.isnan(a)]) for a, b in rows]))
    then, now = np.nan_to_num(before), np.nan_to_num(after)
    m = p.wiring.motor
    signs = np.repeat([1.0, -1.0], m)
    rng = np.random.default_rng(0)
    halves = [_balanced(rng, m) for _ in range(MIXED)]
    mixed = float(np.mean([_alike(sign @ then, sign @ now) for sign in halves]))
    return single, _alike(signs @ then, signs @ now), mixed


def _alike(a: Floats, b: Floats) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if a.std() > 0 and b.std() > 0 else 0.0


def _balanced(rng: np.random.Generator, m: int) -> Floats:
    """Signs with about as many of each kind in both populations."""
    half = np.repeat([1.0, -1.0], [m // 2, m - m // 2])
    return np.concatenate([rng.permutation(half), -rng.permutation(half)])


MEASURES = measures_in(__name__)
ALSO_MEASURED = ("movements_learned", "movements_untrained", f"turnover_per_hour@{SAME}")
"""Shown in docs/howto/reward.md."""
