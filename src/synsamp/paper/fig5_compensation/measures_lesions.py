"""What the lesions cost, what comes back, and the same without plasticity, noise or the lesion.

Chance is 0.5, so of a level only what lies above it counts as recall. ``kept`` is the course by the
decoders that were fitted before lesion 1.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results
from synsamp.paper.fig5_compensation.course import (
    ARMS,
    HOUR_S,
    MAIN,
    NOISE_OFF,
    PLASTICITY_OFF,
    Course,
    record_of,
)
from synsamp.paper.shared.digit_circuit import RuleSection
from synsamp.priors.gaussian import ornstein_uhlenbeck

CHANCE = 0.5
Measures = dict[str, Value]


def first_lesion(course: Course, kept: Course, results: Results) -> Measures:
    """Neurons removed, recall and images lost, and what came back."""
    alive = results[record_of(MAIN, "test")].alive.values.astype(bool)
    tuning = results[record_of(MAIN, "tuning")]
    learned, hit = course.learned, course.hit(1)
    return {
        "tuned": float((~alive[-1]).sum()),
        "tuned_by_chance": float(tuning.tuned_by_chance[0]),
        "loss_1": learned - hit,
        "loss_1_without_lesion": learned - course.last(MAIN, 0, 1),
        "recovery_1": Ratio(course.back - hit, learned - hit),
        "recovery_1_kept": Ratio(kept.back - kept.hit(1), learned - kept.hit(1)),
        "reconstruction_1": _image_regained(course, MAIN),
        "kept_hit_1": kept.hit(1),
        "kept_back_1": kept.back,
    }


def _image_regained(course: Course, arm: str) -> float:
    """Of the second digit, heard: own minus other image, last test against the first."""
    likeness = course.data.likeness.values[course.rows(arm, 1)[[0, -1]], 1]
    first, last = likeness @ [-1.0, 1.0]
    return float(last - first)


def second_lesion(course: Course, kept: Course, results: Results, rule: RuleSection) -> Measures:
    """Connections removed and regrown, recall lost and regained."""
    theta = results[record_of(MAIN, "theta")]
    assert course.at_2 is not None
    just = np.flatnonzero(np.isclose(theta.time.values, course.at_2, rtol=1e-12))
    before, after = theta.theta.values[just[[0, -1]]]
    possible = np.isfinite(before).sum()
    allowed = np.isfinite(after).sum()
    removed = possible - allowed
    by_prior = _regrown_by_prior(after, rule, sum(course.again_span) / 2 - course.at_2)
    back, again = course.back, course.level(MAIN, 2, *course.again_span)
    kept_again = kept.level(MAIN, 2, *course.again_span)
    found: Measures = {
        "removed": float(removed),
        "removed_share": float(removed / possible),
        "hit_2": course.hit(2),
        "hit_2_without_lesion": course.last(MAIN, 1, 1),
        "recovery_2_raw": Ratio(again, back),
        "recovery_2_2h": Ratio(again - CHANCE, back - CHANCE),
        "recovery_2_end": Ratio(course.last(MAIN, 2) - CHANCE, back - CHANCE),
        "recovery_2_kept": Ratio(kept_again - CHANCE, course.learned - CHANCE),
        "regrown_share_of_prior": by_prior,
        "regrown_of_prior": by_prior * float(allowed),
        "kept_hit_2": kept.hit(2),
        "kept_end_2": kept.last(MAIN, 2),
    }
    return found | _regrown(course, MAIN, course.again_span, "")


def _regrown(course: Course, arm: str, span: tuple[float, float], end: str) -> Measures:
    data = course.data.isel(test=course.rows(arm, 2, *span))
    regrown, allowed = float(data.connections.mean()), float(data.allowed.mean())
    return {f"regrown{end}": regrown, f"regrown_share{end}": regrown / allowed}


def _regrown_by_prior(theta: np.ndarray, rule: RuleSection, seconds: float) -> float:
    """Expected share of what is left that prior and noise alone would bring above 0."""
    left = theta[np.isfinite(theta)].astype(float)
    keep, spread = ornstein_uhlenbeck(rule.speed, rule.temperature, rule.prior.std, seconds)
    mean = rule.prior.mean + keep * (left - rule.prior.mean)
    return float(stats.norm.sf(0.0, mean, max(spread, 1e-9)).mean())


def control(course: Course, kept: Course, arm: str) -> Measures:
    """What a control gains, what the network itself gains meanwhile, and what claims say of it."""
    lesion = ARMS[arm]
    tests = course.rows(arm, lesion)
    if tests.size == 0:
        return {}
    # the last half hour of the control, without the test at its start
    stop = course.time_s[tests[-1]]
    span = max(stop - HOUR_S / 2, course.time_s[tests[0]] + 2.0), stop
    level, with_all = course.level(arm, lesion, *span), course.level(MAIN, lesion, *span)
    # below chance is chance: a test that reads 0.45 by accident leaves nothing to regain
    hit = max(course.hit(lesion), CHANCE)
    found: Measures = {
        f"{arm}_gain": level - hit,
        f"{arm}_gain_with_all": with_all - hit,
        f"{arm}_behind": with_all - level,
    }
    ends = {PLASTICITY_OFF: "_without_plasticity", NOISE_OFF: "_without_noise"}
    end = next((end for name, end in ends.items() if arm.startswith(name)), None)
    if end is None:
        return found
    learned, back = course.learned, course.back
    kept_level = kept.level(arm, lesion, *span)
    if lesion == 1:
        found |= {
            f"recovery_1{end}": Ratio(level - course.hit(1), learned - course.hit(1)),
            f"recovery_1_kept{end}": Ratio(kept_level - kept.hit(1), learned - kept.hit(1)),
            f"reconstruction_1{end}": _image_regained(course, arm),
        }
    else:
        found |= {
            f"recovery_2_raw{end}": Ratio(level, back),
            f"recovery_2{end}": Ratio(level - CHANCE, back - CHANCE),
            f"recovery_2_kept{end}": Ratio(kept_level - CHANCE, learned - CHANCE),
        } | _regrown(course, arm, span, end)
    return found
