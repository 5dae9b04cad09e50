"""What is derived from the records of one network, and the numbers that claims are judged by.

Chance is 0.5, so of a level only what lies above it counts as recall.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results
from synsamp.experiments.compensation.codes import collect_codes, collect_shares
from synsamp.experiments.compensation.course import (
    ARMS,
    HOUR_S,
    MAIN,
    NO_LESION,
    PLASTICITY_OFF,
    Course,
    collect_course,
    record_of,
)
from synsamp.experiments.compensation.parameters import CompensationParameters
from synsamp.experiments.compensation.path import collect_path

CHANCE = 0.5
Measures = dict[str, Value]


def analyse(p: CompensationParameters, results: Results) -> dict[str, xr.Dataset]:
    """The course of recall, the path of θ′, codes without lesions, shares of synapses."""
    return {
        "course": collect_course(p.schedule, results),
        "path": collect_path(p.schedule, results),
        "codes": collect_codes(p.schedule, results),
        "shares": collect_shares(results),
    }


def measures(p: CompensationParameters, results: Results) -> Measures:
    """All numbers that this schedule allows."""
    course = Course(p.schedule, results["course"].load())
    kept = Course(p.schedule, results["course"], "recall_kept")
    found = _learning(course, results) | _first_lesion(course, results)
    found |= {"kept_hit_1": kept.hit(1), "kept_back_1": kept.back}
    if course.at_2 is not None:
        found |= _second_lesion(course, results)
        found |= {"kept_hit_2": kept.hit(2), "kept_end_2": kept.last(MAIN, 2)}
    for arm in (a for a in ARMS if ARMS[a]):
        found |= _control(course, arm)
    found |= _regions(results["path"].load())
    if course.rows(NO_LESION, 0).size:
        found |= _drift(course, results["codes"])
    return found


def _learning(course: Course, results: Results) -> Measures:
    data = course.data.isel(test=course.learned_rows)
    own, other = own_and_other(data.likeness.mean("test").values)
    before = course.data.isel(test=int(course.learned_rows[-1]))
    found: Measures = {
        "recall": course.learned,
        "recall_by_count": float(data.recall_by_count.mean()),
        "heard": float(data.heard.mean()),
        "seen": float(data.seen.mean()),
        "reconstruction": float((own - other).mean()),
        "reconstruction_both": bool((own > other).all()),
        "functional_share": float(before.connections / before.allowed),
    }
    rest = float(results[record_of(MAIN, "marks")].recall_from_rest[0])
    return found | ({"recall_from_rest": rest} if np.isfinite(rest) else {})


def own_and_other(likeness: Any) -> tuple[Any, Any]:
    """From [class heard, mean image]: correlation with the right mean image and the wrong one."""
    return np.diagonal(likeness), np.diagonal(likeness[:, ::-1])


def _first_lesion(course: Course, results: Results) -> Measures:
    alive = results[record_of(MAIN, "test")].alive.values.astype(bool)
    rows = course.rows(MAIN, 1)
    ahead = [np.subtract(*own_and_other(course.data.likeness.values[r]))[1] for r in rows]
    learned, hit = course.learned, course.hit(1)
    return {
        "tuned": float((~alive[-1]).sum()),
        "loss_1": learned - hit,
        "recovery_1": Ratio(course.back - hit, learned - hit),
        "reconstruction_1": float(ahead[-1] - ahead[0]),
    }


def _second_lesion(course: Course, results: Results) -> Measures:
    theta = results[record_of(MAIN, "theta")]
    assert course.at_2 is not None
    just = np.flatnonzero(theta.time.values == course.at_2)
    could = np.isfinite(theta.theta.values[just[[0, -1]]])
    rows = course.rows(MAIN, 2, *course.again_span)
    regrown = course.data.connections.values[rows].mean()
    allowed = course.data.allowed.values[rows].mean()
    before, again = course.back, course.level(MAIN, 2, *course.again_span)
    return {
        "removed": float((could[0] & ~could[1]).sum()),
        "hit_2": course.hit(2),
        "regrown_share": float(regrown / allowed),
        "recovery_2_raw": Ratio(again, before),
        "recovery_2_2h": Ratio(again - CHANCE, before - CHANCE),
        "recovery_2_end": Ratio(course.last(MAIN, 2) - CHANCE, before - CHANCE),
    }


def _control(course: Course, arm: str) -> Measures:
    """What a control gains, and how far it is behind the network itself at the same time."""
    lesion = ARMS[arm]
    tests = course.rows(arm, lesion)
    if tests.size == 0:
        return {}
    # the last half hour of the control, without the test at its start
    stop = course.time_s[tests[-1]]
    span = max(stop - HOUR_S / 2, course.time_s[tests[0]] + 2.0), stop
    level = course.level(arm, lesion, *span)
    # below chance is chance: a test that reads 0.45 by accident leaves nothing to regain
    hit = max(course.hit(lesion), CHANCE)
    found: Measures = {
        f"{arm}_gain": level - hit,
        f"{arm}_behind": course.level(MAIN, lesion, *span) - level,
    }
    if arm.startswith(PLASTICITY_OFF):  # what the claims of recovery would say of this arm
        if lesion == 1:
            lost = course.learned - course.hit(1)
            found["recovery_1_without_plasticity"] = Ratio(level - course.hit(1), lost)
        else:
            back = course.back
            found["recovery_2_raw_without_plasticity"] = Ratio(level, back)
            found["recovery_2_without_plasticity"] = Ratio(level - CHANCE, back - CHANCE)
    return found


def _regions(path: xr.Dataset) -> Measures:
    found: Measures = {
        "separation": float(np.nanmean(path.separation.values)),
        "separate": bool(path.separation_p < 0.05),
    }
    for lesion, (moved, drifted) in enumerate(path.moved.values, start=1):
        if np.isfinite(moved) and np.isfinite(drifted):
            found[f"moved_{lesion}"] = float(moved / drifted)
    return found


def _drift(course: Course, codes: xr.Dataset) -> Measures:
    found: Measures = {"stable": course.last(NO_LESION, 0) - course.learned}
    used = np.flatnonzero(codes.no_lesion.values)
    if used.size > 1:
        for name, likeness in zip(codes.population.values, codes.likeness.values, strict=True):
            same = np.diagonal(likeness)[used].mean()
            found[f"drift_{name[-1]}"] = float(same - likeness[used[0], used[-1]])
    return found
