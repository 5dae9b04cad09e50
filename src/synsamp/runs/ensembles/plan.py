"""What an ensemble consists of: trials at every combination of values, or with one change each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from synsamp.errors import SynsampError, refuse
from synsamp.experiments.base import Experiment
from synsamp.runs.execute import describe_run, require_data
from synsamp.runs.overrides import flat
from synsamp.runs.storage.folder import Description
from synsamp.runs.storage.stack import trial_name
from synsamp.seeds import named_seed

MOST_TRIALS = 1_000_000
CHANGE = "change"
"""The one dimension of a sweep that changes one thing at a time."""
UNCHANGED = "unchanged"
"""The first of its labels: nothing is changed."""


@dataclass(frozen=True)
class Trial:
    """One run of an ensemble: its folder's name, its place along the dimensions, what it is."""

    name: str
    place: tuple[int, ...]
    description: Description

    @property
    def label(self) -> str:
        """Name and seed, with which the trial can be run alone."""
        return f"trial {self.name} (seed {self.description.seed})"


def describe_ensemble(
    experiment: Experiment,
    trials: int,
    vary: Sequence[str] = (),
    preset: str | None = None,
    settings: Sequence[str] = (),
    seed: int = 0,
    changes: Mapping[str, Sequence[str]] | None = None,
) -> Description:
    """Resolve what was asked for; every combination of values is checked before any is run.

    ``changes`` takes the place of ``vary`` where one thing is changed at a time: the settings of
    each change by its label.
    """
    if not 1 <= trials <= MOST_TRIALS:
        raise refuse("--trials", f"must lie in 1..{MOST_TRIALS}", trials, "for example --trials 20")
    values = read_vary(vary)
    one_by_one = {label: tuple(found) for label, found in (changes or {}).items()}
    combinations = len(one_by_one) or math.prod(len(found) for found in values.values())
    if combinations * trials > MOST_TRIALS:  # before they are listed: the list may fill the memory
        raise refuse(
            "--vary and --trials",
            f"must make at most {MOST_TRIALS:,} trials",
            f"{combinations:,} combinations of {trials:,} trials",
            "give fewer values",
        )
    for key in values:
        if any(setting.partition("=")[0].strip() == key for setting in settings):
            raise SynsampError(f"{key} must be given by --set or --vary, got both; leave one out")
    whole = describe_run(experiment, preset, settings, seed).model_copy(
        update={"trials": trials, "vary": values, "changes": one_by_one}
    )
    for point in points(whole):
        resolved = describe_run(experiment, preset, [*settings, *point], seed).resolved
        for key in values:
            if flat(resolved).get(key, whole) is whole:
                raise refuse("--vary", "must name one parameter, no section", key)
    return whole


def require_data_of_all(experiment: Experiment, whole: Description) -> None:
    """Refuse, before anything is run, what needs data that are not here, at any combination."""
    for point in points(whole):
        settings = [*whole.given, *point]
        require_data(experiment, describe_run(experiment, whole.preset, settings, whole.seed))


def read_vary(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read ``key=a,b,c``; with ``|`` between them values may be lists: ``key=1,0|2,0``."""
    values: dict[str, tuple[str, ...]] = {}
    for text in texts:
        key, separator, rest = text.partition("=")
        found = [part.strip() for part in rest.split("|" if "|" in rest else ",")]
        key = key.strip()
        if not separator or not key or not all(found):
            example = "for example --vary rule.temperature=0,1,4"
            raise refuse("--vary", "must look like key=value,value,…", text[:60], example)
        if key in values:
            raise refuse("--vary", "must name a parameter once", key, "put all its values together")
        if len(set(found)) < len(found):
            raise refuse("--vary", f"must give each value of {key} once", rest[:60])
        values[key] = tuple(found)
    return values


def one_at_a_time(vary: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The changes that ``key=a,b,c`` stand for, each value by itself, and none of them first."""
    each = [f"{key}={value}" for key, values in read_vary(vary).items() for value in values]
    return {UNCHANGED: (), **{setting: (setting,) for setting in each}}


def points(whole: Description) -> list[tuple[str, ...]]:
    """Return the settings of every combination (the last key running fastest) or change."""
    if whole.changes:
        return list(whole.changes.values())
    return [
        tuple(f"{key}={value}" for key, value in zip(whole.vary, values, strict=True))
        for values in product(*whole.vary.values())
    ]


def labels(whole: Description) -> list[str]:
    """Return what each of the `points` is called."""
    return list(whole.changes) or [", ".join(point) for point in points(whole)]


def trials_of(experiment: Experiment, whole: Description) -> list[Trial]:
    """Return all trials of an ensemble; a seed depends only on its settings and number.

    Where one thing is changed at a time, it depends only on the number: two changes then differ
    by what was changed and not by their seeds.
    """
    assert whole.trials is not None
    shape = [len(values) for values in coordinates(whole).values()]
    found = []
    for p, point in enumerate(points(whole)):
        varied = () if whole.changes else sorted(point)
        settings = [*whole.given, *point]
        at = describe_run(experiment, whole.preset, settings, whole.seed)
        place = tuple(int(i) for i in np.unravel_index(p, shape)) if shape else ()
        for t in range(whole.trials):
            own = named_seed(whole.seed, "trial", t, *varied).generate_state(1, np.uint64)
            description = at.model_copy(
                update={
                    "seed": int(own[0]),
                    "versions": whole.versions,
                    "processor": whole.processor,
                    "created": whole.created,
                }
            )
            name = trial_name((*place, t), (*shape, whole.trials))
            found.append(Trial(name, (*place, t), description))
    return found


def coordinates(whole: Description) -> dict[str, list[Any]]:
    """Return the values along each dimension that varies: numbers if all are, else as given."""
    if whole.changes:
        return {CHANGE: list(whole.changes)}
    return {key: _numbers(texts) or list(texts) for key, texts in whole.vary.items()}


def _numbers(texts: Sequence[str]) -> list[float] | None:
    try:
        return [float(text) for text in texts]
    except ValueError:
        return None
