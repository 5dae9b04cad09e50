"""Numbers of one seed: movements per minute, and what of the synapses stays.

How well a network does is the number of movements it finishes per minute of the time in which it is
cued: quick movements count more, and trials that fail count against it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.beyond.lever.network import motor_neurons
from synsamp.beyond.lever.parameters import LeverParameters
from synsamp.beyond.lever.protocol import (
    AT_RANDOM,
    FROZEN,
    LESION_FROZEN,
    MAIN,
    NOISELESS,
    OTHER_ORDER_FROZEN,
    SAME,
)
from synsamp.beyond.shared.reward_network import Floats, learning_synapses
from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results

HOUR_S = 3600.0
MIXED = 50
"""Groups of motor neurons drawn anew, with which those for up and down are compared."""


def passed(course: Any, what: str) -> Floats:
    """What was counted between each look and the one before; each environment counts from 0."""
    counted, seed = course[what].values, course.seed.values
    return np.asarray(np.diff(counted) + np.where(np.diff(seed) != 0, counted[:-1], 0.0))


def per_minute(
    p: LeverParameters, results: Results, arm: str, start_s: float, stop_s: float
) -> float:
    """Movements per minute of cued time between two moments."""
    course = results[f"{arm}/course"]
    time = course.time.values
    here = (time[1:] > start_s + 1e-6) & (time[1:] <= stop_s + 1e-6)
    cued_s = passed(course, "cued")[here].sum() * p.task.period_s
    return float(60.0 * passed(course, "finished")[here].sum() / cued_s)


def level(p: LeverParameters, results: Results, arm: str, at_s: float, length_s: float) -> float:
    """Of the last fifth of a stretch that began at a time."""
    end_s = at_s + length_s
    return per_minute(p, results, arm, end_s - length_s / 5, end_s)


def measures(p: LeverParameters, results: Results) -> dict[str, Value]:
    """Levels against each other; what an arm that was left out would tell is left out."""
    s = p.schedule
    changed_s, lesion_s = s.learning_s, s.learning_s + s.changed_s
    learned = level(p, results, MAIN, 0.0, s.learning_s)
    untrained = per_minute(p, results, FROZEN, 0.0, s.learning_s)
    same = level(p, results, SAME, changed_s, s.same_s)
    found: dict[str, Value] = {
        "per_minute_untrained": untrained,
        "per_minute_learned": learned,
        "rise": Ratio(learned, untrained),
        "rise_frozen": Ratio(level(p, results, FROZEN, 0.0, s.learning_s), untrained),
        "stays": Ratio(same, learned),
        "stays_untrained": Ratio(untrained, learned),
    }
    for name, frozen, at_s, length_s in (
        ("adapts", OTHER_ORDER_FROZEN, changed_s, s.changed_s),
        ("recovers", LESION_FROZEN, lesion_s, s.lesion_s),
    ):
        before = per_minute(p, results, frozen, at_s, at_s + length_s)
        found[name] = Ratio(level(p, results, MAIN, at_s, length_s), before)
        found[f"{name}_frozen"] = Ratio(level(p, results, frozen, at_s, length_s), before)
    found["change_hits"] = Ratio(
        per_minute(p, results, OTHER_ORDER_FROZEN, changed_s, changed_s + s.changed_s), learned
    )
    if s.random_s:
        at_random = level(p, results, AT_RANDOM, 0.0, s.random_s)
        found["rise_random"] = Ratio(at_random, untrained)
    if s.noiseless_s:
        found["rise_noiseless"] = Ratio(level(p, results, NOISELESS, 0.0, s.noiseless_s), untrained)
    return found | synapse_measures(p, results)


def synapse_measures(p: LeverParameters, results: Results) -> dict[str, Value]:
    """What of the connections between neurons stays while the task goes on as it was."""
    course = results[f"{SAME}/among"].among.values
    there = course > 0
    still = results[f"{OTHER_ORDER_FROZEN}/among"].among.values > 0
    single, moves, mixed = kept(p, *(onto_motor(p, results, row) for row in (0, -1)))
    found: dict[str, Value] = {
        "gone": gone(there[0], there[-1]),
        "gone_frozen": gone(still[0], still[-1]),
        "kept_single": single,
        "kept_function": moves - single,
        "kept_mixed": mixed - single,
    }
    hour = round(HOUR_S / p.schedule.look_s)
    if len(there) > hour:
        pairs = zip(there[:-hour], there[hour:], strict=True)
        found["turnover_per_hour"] = float(np.mean([turnover(a, b) for a, b in pairs]))
    return found


def gone(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> float:
    """Share of the functional connections that are not there any more."""
    return float((before & ~after).sum() / before.sum())


def turnover(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> float:
    """Connections lost and gained, of twice those that there are."""
    return float((before ^ after).sum() / (before.sum() + after.sum()))


def onto_motor(p: LeverParameters, results: Results, row: int) -> Floats:
    """ŵ onto motor neurons from all that may reach one, at a look while the task goes on."""
    up, down = motor_neurons(p)
    found = [results[f"{SAME}/{name}"][name].values[row] for name in ("among", "inputs")]
    theta = np.concatenate(found, axis=1)[up.start : down.stop].astype(float)
    theta = theta[:, ~np.isnan(theta).all(axis=0)]
    mapping = learning_synapses(p.rule).mapping
    w = np.maximum(mapping.weight(np.nan_to_num(theta)) - mapping.weight(0.0), 0.0)
    return np.where(np.isnan(theta), np.nan, w)


def kept(p: LeverParameters, before: Floats, after: Floats) -> tuple[float, float, float]:
    """Correlations of weights [motor neuron, from] now and then, over where they come from.

    Of single synapses; of what moves the lever, the sum over neurons for up minus that over those
    for down; and of the same difference between groups that are drawn at random, half from each.
    Were drift the same in all directions, all three would be alike.
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
    """Signs with as many of each kind within both populations, or nearly."""
    half = np.repeat([1.0, -1.0], [m // 2, m - m // 2])
    return np.concatenate([rng.permutation(half), -rng.permutation(half)])
