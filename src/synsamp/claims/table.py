"""Measures of many runs as one small table, so that claims can be judged again without running.

A row is a measure of one ensemble, with a value per seed in the order of the trials: numbers,
``true`` or ``false``, ``part/whole`` for a ratio, ``-`` where a seed does not have it.

    experiment,preset,variant,measure,values
    compensation,paper,,recovery_1,0.12/0.2 0.1/0.19 0.14/0.17
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from synsamp.claims.claim import Ratio, Value

HEADER = ("experiment", "preset", "variant", "measure", "values")
MISSING = "-"
DIGITS = 7
"""Significant digits that are kept; an interval has three."""

Measured = Mapping[str, Sequence[Value | None]]
"""One value per trial of each measure; None where the trial does not have it."""


class Run(NamedTuple):
    """An ensemble: of which experiment, at which preset, with what changed."""

    experiment: str
    preset: str
    variant: str = ""


def to_csv(runs: Mapping[Run, Measured]) -> str:
    """The table as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for run, measures in runs.items():
        for name, values in sorted(measures.items()):
            writer.writerow([*run, name, " ".join(map(_to_text, values))])
    return text.getvalue()


def from_csv(text: str) -> dict[Run, dict[str, list[Value | None]]]:
    """Read the table, in its order."""
    rows = csv.reader(io.StringIO(text))
    if tuple(next(rows, ())) != HEADER:
        raise ValueError(f"a table of measures must begin with {','.join(HEADER)}")
    runs: dict[Run, dict[str, list[Value | None]]] = {}
    for experiment, preset, variant, name, values in rows:
        run = Run(experiment, preset, variant)
        runs.setdefault(run, {})[name] = [_from_text(word) for word in values.split()]
    return runs


def present(measures: Measured) -> dict[str, list[Value]]:
    """What was measured, without the seeds that do not have it: as `judge_all` takes it."""
    found = {
        name: [value for value in values if value is not None] for name, values in measures.items()
    }
    return {name: values for name, values in found.items() if values}


def _to_text(value: Value | None) -> str:
    if value is None:
        return MISSING
    if isinstance(value, Ratio):
        return f"{value.part:.{DIGITS}g}/{value.whole:.{DIGITS}g}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.{DIGITS}g}"


def _from_text(word: str) -> Value | None:
    if word == MISSING:
        return None
    if word in ("true", "false"):
        return word == "true"
    part, slash, whole = word.partition("/")
    return Ratio(float(part), float(whole)) if slash else float(word)
