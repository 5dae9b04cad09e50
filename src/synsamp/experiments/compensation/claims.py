"""What the paper says about Fig. 5, each statement with the value over all networks.

Levels of one network are means of a few tests: *learned* of those in the half hour before lesion 1
(or half of a shorter phase), *back* of those from 1 h after lesion 1 on, *again* of the three
around 2 h after lesion 2, *end* of the last three. Chance is 0.5, so of a level only what lies
above it counts as recall.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xarray as xr

from synsamp.experiments.base import Claim, Results
from synsamp.experiments.compensation.levels import (
    HOUR_S,
    SMALLEST_WHOLE,
    Floats,
    RecallCourse,
    mean_claim,
    mean_text,
    ratio_claim,
    share_claim,
)
from synsamp.experiments.compensation.plan import (
    LIKELIHOOD,
    MAIN,
    NO_LESION,
    NOISE_OFF,
    PLASTICITY_OFF,
    Plan,
)

CHANCE = 0.5
NO_GAIN = 0.035
"""Two standard errors of one test of some 800 trials: a smaller gain is none."""


def judge(plan: Plan, results: Results) -> Iterator[Claim]:
    """All claims that this schedule allows."""
    course = RecallCourse(plan, results["course"].load())
    yield from _learning(course, results)
    yield from _first_lesion(course, results)
    if course.at_2 is not None:
        yield from _second_lesion(course, results)
    yield from _controls(course)
    yield from _regions(results["path"].load())
    if any(p.arm == NO_LESION for p in plan.phases):
        yield from _drift(course, results["codes"])


def _learning(course: RecallCourse, results: Results) -> Iterator[Claim]:
    data = results["course"]
    learned = course.learned()
    rest = results["marks"].recall_from_rest.values[:, 0]
    rows = course.rows(MAIN, 0, *course.learned_span)
    counts = data.recall_by_count.mean("block").values[:, rows].mean()
    yield mean_claim(
        "recall",
        "After learning, sound alone calls up the visual code: the digit is read from z_V",
        "Fig. 5B,D",
        learned,
        (0.65, 1.0),
        "of trials",
        f"lowest {learned.min():.3f}, chance 0.5; by spike counts alone {counts:.3f}"
        + (f"; every trial from rest {rest.mean():.3f}" if np.isfinite(rest).all() else ""),
    )
    heard = data.heard.values[:, rows].mean(axis=1)
    yield mean_claim("heard", "z_A tells what is heard", "Fig. 5B", heard, (0.9, 1.0), "of trials")
    likeness = data.likeness.values[:, rows].mean(axis=1)
    own, other = _own_and_other(likeness)
    yield mean_claim(
        "reconstruction",
        "Reconstructed images look more like the digit that is heard than like the other",
        "Fig. 5B",
        (own - other).mean(axis=1),
        (0.02, None),
        "correlation",
        f"first digit {own[:, 0].mean():.2f} against {other[:, 0].mean():.2f}, second "
        f"{own[:, 1].mean():.2f} against {other[:, 1].mean():.2f} (own mean image against other)",
    )
    yield share_claim(
        "reconstruction-both",
        "... for both digits",
        "Fig. 5B",
        np.all(own > other, axis=1),
        (0.8, 1.0),
        "networks in which both are closer to the right digit",
    )
    before = course.rows(MAIN, 0, 0.0, np.inf)[-1]
    functional = (data.connections.values[:, before] / data.allowed.values[:, before]).astype(float)
    yield mean_claim(
        "sparse",
        "Only a fraction of the potential lateral connections became functional",
        "Fig. S1A",
        functional,
        (0.3, 0.85),
        "of possible",
    )


def _own_and_other(likeness: Floats) -> tuple[Floats, Floats]:
    """From [seed, heard, class]: correlation with the right mean image and with the wrong one."""
    return (
        np.stack([likeness[:, 0, 0], likeness[:, 1, 1]], axis=1),
        np.stack([likeness[:, 0, 1], likeness[:, 1, 0]], axis=1),
    )


def _first_lesion(course: RecallCourse, results: Results) -> Iterator[Claim]:
    removed = results["lesions"].removed_neuron.values.sum(axis=1).astype(float)
    yield mean_claim(
        "tuned",
        "About 16 of the 40 visual neurons became tuned to the second digit",
        "text to Fig. 5D",
        removed,
        (8.0, 20.0),
        "neurons",
        f"from {removed.min():.0f} to {removed.max():.0f}",
    )
    learned, hit, back = (
        course.learned(),
        course.recall[:, course.first(MAIN, 1)[0]],
        _back(course),
    )
    yield mean_claim(
        "lesion-1",
        "Removing them lowers recall",
        "Fig. 5D",
        learned - hit,
        (SMALLEST_WHOLE, None),
        "of trials",
        f"from {learned.mean():.3f} to {hit.mean():.3f}",
    )
    yield ratio_claim(
        "recovery-1",
        "It recovers after about one hour",
        "Fig. 5D",
        back - hit,
        learned - hit,
        (0.5, None),
        "of the loss",
        f"from {hit.mean():.3f} to {mean_text(back)}, {learned.mean():.3f} before",
    )
    data = results["course"]
    rows = [course.first(MAIN, 1)[0], course.rows(MAIN, 1, 0.0, np.inf)[-1]]
    own, other = _own_and_other(data.likeness.values[:, rows[0]])
    own_later, other_later = _own_and_other(data.likeness.values[:, rows[1]])
    yield mean_claim(
        "reconstruction-1",
        "What is heard as the second digit looks like the first after the lesion, and later again "
        "more like the second",
        "Fig. 5D",
        (own_later - other_later)[:, 1] - (own - other)[:, 1],
        (0.05, None),
        "correlation",
        f"own minus other digit: {(own - other)[:, 1].mean():+.2f} to "
        f"{(own_later - other_later)[:, 1].mean():+.2f}",
    )


def _back(course: RecallCourse) -> Floats:
    """Recall from one hour after lesion 1 on (or at the end of a shorter phase)."""
    start = min(course.at_1 + HOUR_S, course.end_1)
    return course.level(MAIN, 1, start, course.end_1)


def _second_lesion(course: RecallCourse, results: Results) -> Iterator[Claim]:
    assert course.at_2 is not None
    data = results["course"]
    removed = results["lesions"].removed_connection.values.sum(axis=(1, 2)).astype(float)
    yield mean_claim(
        "removed",
        "Lesion 2 removes every functional lateral connection, 2936 in the paper",
        "text to Fig. 5D",
        removed,
        (2000.0, 3600.0),
        "connections",
    )
    before = _back(course)
    hit = course.recall[:, course.first(MAIN, 2)[0]]
    again = course.level(MAIN, 2, *_around(course.at_2 + 2 * HOUR_S, course.end))
    end = course.last(MAIN, 2)
    yield mean_claim(
        "lesion-2", "Recall falls to chance", "Fig. 5D", hit, (0.42, 0.58), "of trials"
    )
    row = course.rows(MAIN, 2, *_around(course.at_2 + 2 * HOUR_S, course.end))
    regrown = data.connections.values[:, row].mean(axis=1)
    allowed = data.allowed.values[:, row].mean(axis=1)
    yield mean_claim(
        "regrown",
        "After two hours 294 new connections have emerged, 27 % of those allowed",
        "text to Fig. 5D",
        regrown / allowed,
        (0.1, 0.45),
        "of allowed",
        f"{regrown.mean():.0f} of {allowed.mean():.0f}",
    )
    yield ratio_claim(
        "recovery-2-raw",
        "Two hours after lesion 2 recall is at about 75 % of the level before",
        "text to Fig. 5D",
        again,
        before,
        (0.65, 1.0),
        "of the level before",
        f"{mean_text(again)} against {before.mean():.3f}; chance alone would be "
        f"{CHANCE / before.mean():.2f}",
    )
    for name, values, when in (("2h", again, "Two hours later"), ("end", end, "At the end")):
        yield ratio_claim(
            f"recovery-2-{name}",
            f"{when}, continuing plasticity has brought back a good part of what is above chance",
            "Fig. 5D",
            values - CHANCE,
            before - CHANCE,
            (0.3, 1.2),
            "of recall above chance",
            f"{mean_text(values)} against {before.mean():.3f} before",
        )


def _around(time_s: float, end_s: float) -> tuple[float, float]:
    """A quarter of an hour to either side, within the phase."""
    centre = min(time_s, end_s - 900.0)
    return centre - 900.0, centre + 900.0


def _controls(course: RecallCourse) -> Iterator[Claim]:
    for lesion, where in ((1, "lesion 1"), (2, "lesion 2")):
        if lesion == 2 and course.at_2 is None:
            continue
        for arm, words, source in (
            (PLASTICITY_OFF, "without plasticity (b = 0)", "control to Fig. 5D, not in the paper"),
            (NOISE_OFF, "without noise (T = 0)", "Results: noise is a driving force (no control)"),
        ):
            tests = course.rows(arm, lesion, 0.0, np.inf)
            if tests.size == 0:
                continue
            # the last half hour of the control, against the main run at the same time
            stop = course.time_s[tests[-1]]
            control = course.level(arm, lesion, stop - HOUR_S / 2, stop)
            with_rule = course.level(MAIN, lesion, stop - HOUR_S / 2, stop)
            # below chance is chance: a test that reads 0.45 by accident leaves nothing to regain
            hit = np.maximum(course.recall[:, course.first(MAIN, lesion)[0]], CHANCE)
            yield mean_claim(
                f"{arm.replace(' ', '-')}-{lesion}",
                f"There is no recovery from {where} {words}",
                source,
                control - hit,
                (None, NO_GAIN),
                "of trials gained",
                f"just after {hit.mean():.3f}; {_hours(stop, course, lesion)} h later "
                f"{with_rule.mean():.3f} with the rule, {mean_text(control)} {words}; the rule "
                f"is ahead by {mean_text(with_rule - control)}"
                + (_likelihood_alone(course, lesion) if arm == NOISE_OFF else ""),
            )


def _likelihood_alone(course: RecallCourse, lesion: int) -> str:
    """What the last term of the rule does by itself, without noise and without the prior."""
    tests = course.rows(LIKELIHOOD, lesion, 0.0, np.inf)
    if tests.size == 0:
        return ""
    hours = _hours(course.time_s[tests[-1]], course, lesion)
    level = course.last(LIKELIHOOD, lesion, 1).mean()
    return f"; with neither noise nor prior {level:.3f} at {hours} h"


def _hours(time_s: float, course: RecallCourse, lesion: int) -> str:
    start = course.at_1 if lesion == 1 or course.at_2 is None else course.at_2
    return f"{(time_s - start) / HOUR_S:.2g}"


def _regions(path: xr.Dataset) -> Iterator[Claim]:
    ratio = np.nanmean(path.separation.values, axis=1)
    p = path.separation_p.values
    yield mean_claim(
        "regions",
        "θ′ of a neuron occupies another region after each lesion",
        "Fig. 5C",
        ratio,
        (1.1, None),
        "between/within",
        "distance between epochs over distance within, mean over surviving neurons",
    )
    yield share_claim(
        "regions-test",
        "... more than by chance",
        "Fig. 5C",
        p < 0.05,
        (0.75, 1.0),
        f"tracked neuron, p < 0.05 by permuting stretches; largest p {p.max():.3f}",
    )
    for lesion in range(path.sizes["lesion"]):
        with_lesion, without = path.moved.values[:, lesion, 0], path.moved.values[:, lesion, 1]
        if np.isfinite(with_lesion).all() and np.isfinite(without).all():
            yield mean_claim(
                f"switch-{lesion + 1}",
                f"Lesion {lesion + 1} moves θ′ further than drift does without a lesion",
                "Fig. 5C",
                with_lesion / without,
                (1.0, None),
                "times the drift",
                f"root mean square {with_lesion.mean():.3f} against {without.mean():.3f}, from the "
                "half hour before to the second half hour after",
            )


def _drift(course: RecallCourse, codes: xr.Dataset) -> Iterator[Claim]:
    used = codes.isel(code=codes.arm.values == NO_LESION, later_code=codes.arm.values == NO_LESION)
    likeness = used.likeness.values
    hours = float(used.code_time.values[-1] - course.at_1) / HOUR_S
    same = np.diagonal(likeness, axis1=2, axis2=3).mean(axis=2)
    apart = likeness[:, :, 0, -1]
    for number, name in enumerate(codes.population.values):
        yield mean_claim(
            f"drift-{name[-1]}",
            f"Without lesions the code of {name} for the digits drifts over hours",
            "Fig. S1B",
            same[:, number] - apart[:, number],
            (0.02, None),
            "correlation",
            f"likeness of two independent tests at one time {same[:, number].mean():.2f}, "
            f"{hours:.0f} h apart {apart[:, number].mean():.2f}",
        )
    kept = course.last(NO_LESION, 0)
    yield mean_claim(
        "stable",
        "... while performance holds",
        "Fig. S1B",
        kept - course.learned(),
        (-0.1, 0.1),
        "of trials",
        f"recall {kept.mean():.3f} at the end of {hours:.0f} h without lesions",
    )
