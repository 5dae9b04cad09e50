"""What is derived from the records of one network, and the numbers that claims are judged by.

Every number that a claim is judged by comes with the same number without the effect: with shuffled
words (``…_by_chance``), before learning, without the lesion, or in a control.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from synsamp.claims import Value
from synsamp.experiments.base import Results
from synsamp.paper.fig5_compensation.assemblies import collect_assemblies
from synsamp.paper.fig5_compensation.codes import collect_codes, collect_shares
from synsamp.paper.fig5_compensation.course import (
    ARMS,
    MAIN,
    NO_LESION,
    Course,
    collect_course,
    record_of,
)
from synsamp.paper.fig5_compensation.measures_lesions import control, first_lesion, second_lesion
from synsamp.paper.fig5_compensation.parameters import CompensationParameters
from synsamp.paper.fig5_compensation.path import LESIONS, NOISE, NONE, collect_path
from synsamp.paper.fig5_compensation.voices import FSDD_SPEAKERS

Measures = dict[str, Value]


def analyse(p: CompensationParameters, results: Results) -> dict[str, xr.Dataset]:
    """The course of recall, assemblies, the path of θ′, codes without lesions, shares."""
    return {
        "course": collect_course(p.schedule, results),
        "assemblies": collect_assemblies(p.schedule, results),
        "path": collect_path(p.schedule, p.rule, results),
        "codes": collect_codes(p.schedule, results),
        "shares": collect_shares(results),
    }


def measures(p: CompensationParameters, results: Results) -> Measures:
    """All numbers that this schedule allows."""
    course = Course(p.schedule, results["course"].load())
    kept = Course(p.schedule, results["course"], "recall_kept")
    found = _voice(results["example"]) | _learning(course, results) | _assemblies(results)
    found |= first_lesion(course, kept, results)
    if course.at_2 is not None:
        found |= second_lesion(course, kept, results, p.rule)
    for arm in (a for a in ARMS if ARMS[a]):
        found |= control(course, kept, arm)
    found |= _regions(results["path"].load())
    if course.at_2 is not None:
        found |= _left_to_a_neuron(course, results["path"])
    if course.rows(NO_LESION, 0).size:
        found |= _drift(course, results["codes"])
    return found


def _voice(example: xr.Dataset) -> Measures:
    """The number of the speaker in the row of those who may be drawn: to look at each apart."""
    speaker = example.attrs["speaker"]
    return {"voice": float(FSDD_SPEAKERS.index(speaker))} if speaker in FSDD_SPEAKERS else {}


def _learning(course: Course, results: Results) -> Measures:
    data = course.data.isel(test=course.learned_rows)
    start, last = (course.data.isel(test=int(r)) for r in course.rows(MAIN, 0)[[0, -1]])
    found: Measures = {
        "recall": course.learned,
        "recall_before_learning": float(start.recall.mean()),
        "recall_by_count": float(data.recall_by_count.mean()),
        "heard": float(data.heard.mean()),
        "heard_by_chance": float(data.heard_by_chance.mean()),
        "heard_before_learning": float(start.heard),
        "seen": float(data.seen.mean()),
        "functional_share": float(last.connections / last.allowed),
        "functional_share_of_prior": float(start.connections / start.allowed),
    }
    for end in ("", "_by_chance"):
        own, other = own_and_other(data[f"likeness{end}"].mean("test").values)
        found[f"reconstruction{end}"] = float((own - other).mean())
        found[f"reconstruction_both{end}"] = bool((own > other).all())
    rest = float(results[record_of(MAIN, "marks")].recall_from_rest[0])
    return found | ({"recall_from_rest": rest} if np.isfinite(rest) else {})


def own_and_other(likeness: Any) -> tuple[Any, Any]:
    """From [class heard, mean image]: correlation with the right mean image and the wrong one."""
    return np.diagonal(likeness), np.diagonal(likeness[:, ::-1])


def _assemblies(results: Results) -> Measures:
    """How much less alike the histograms of different digits are than those of one."""
    before, after = (results["assemblies"].likeness.values @ [1.0, -1.0]).tolist()
    return {
        "assemblies": after[0],
        "assemblies_by_chance": after[1],
        "assemblies_before_learning": before[0],
    }


def _left_to_a_neuron(course: Course, path: xr.Dataset) -> Measures:
    """How many parameters θ′ has; of the prior: if before lesion 2 nothing had been learned."""
    survives, counts = path.survives.values, path.parameters.values
    seeing = survives & (np.arange(counts.size) >= counts.size // 2)
    start = course.data.isel(test=int(course.rows(MAIN, 0)[0]))
    retracted = 1.0 - float(start.connections / start.allowed)
    return {
        "parameters": float(counts[survives].mean()),
        "parameters_of_z_V": float(counts[seeing].mean()),
        "parameters_of_prior": 2.0 * (survives.sum() - 1) * retracted,
    }


def _regions(path: xr.Dataset) -> Measures:
    """How far θ′ moves relative to the path without lesions."""
    found: Measures = {"separation": float(np.nanmean(path.separation.sel(path=LESIONS)))}
    if NONE not in path.path.values:
        return found
    with_, without, noise = np.nanmean(path.separation.sel(path=[LESIONS, NONE, NOISE]), axis=1)
    found |= {
        "separation_without_lesions": float(without),
        "regions": float(with_ / without),
        "regions_of_noise": float(noise / without),
    }
    for lesion, moved in enumerate(path.moved.sel(path=[LESIONS, NONE, NOISE]).values, start=1):
        if np.isfinite(moved).all():
            found[f"moved_{lesion}"] = float(moved[0] / moved[1])
            found[f"moved_{lesion}_by_noise"] = float(moved[2] / moved[1])
    return found


def _drift(course: Course, codes: xr.Dataset) -> Measures:
    last = course.rows(NO_LESION, 0)[-3:]
    span = float(course.time_s[last[0]]), float(course.time_s[last[-1]])
    lesions = 1 if course.at_2 is None else 2
    found: Measures = {
        "stable": course.last(NO_LESION, 0) - course.learned,
        "stable_with_lesions": course.level(MAIN, lesions, *span) - course.learned,
    }
    used = np.flatnonzero(codes.no_lesion.values)
    for number, name in enumerate(str(p)[-1] for p in codes.population.values):
        likeness = codes.likeness.values[number]
        if used.size > 1:
            same = np.diagonal(likeness)[used].mean()
            found[f"drift_{name}"] = float(same - likeness[used[0], used[-1]])
        if "frozen" in codes:
            same, later = codes.frozen.values[number]
            found[f"drift_{name}_without_plasticity"] = float(same - later)
    return found
