"""Sentences and tables with numbers of the whole run: the numbers are put in, not typed.

A text names measures, and what stands for them comes from docs/data/reproduction.csv:

    {paper.recall}          0.901 (0.852 to 0.949)     the estimate over seeds and its interval
    {paper.recall:i.2f}     0.90 (0.85 to 0.95)        the same, in a format of its own
    {paper.recall:.2f}      0.90                       the estimate alone
    {paper.recall.min:.2f}  0.76                       the least of all seeds; also max and n
    {paper.recall.positive} 8                          seeds in which it is above 0, or true

`paper` is a preset; with something changed beside it, it is `paper_beside`. On a page such a text
stands in a comment, and what it says below it:

    <!-- measured compensation
    Recall was {paper.recall}.
    -->
    Recall was 0.901 (0.852 to 0.949).
    <!-- end of measured -->
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from whole_runs import Stored

from synsamp.claims import Ratio, Value
from synsamp.claims.judge import interval_of
from synsamp.claims.table import present
from synsamp.errors import SynsampError
from synsamp.report.numbers import interval_text, number

BLOCK = re.compile(r"<!-- measured (\w+)\n(.*?)\n-->\n.*?<!-- end of measured -->", re.S)
PAGES = ("generalization", "motility", "adaptation", "compensation")
"""Pages of docs/ with such texts."""


class Number(float):
    """A number as this project writes it; a format makes it another."""

    def __format__(self, spec: str) -> str:
        return (format(float(self), spec) if spec else number(float(self))).replace("-", "−")


class Estimate:
    """A measure over seeds."""

    def __init__(self, values: Sequence[Value]) -> None:
        found = interval_of(values)
        self.value, self.low, self.high = map(Number, found)
        each = [v.part / v.whole if isinstance(v, Ratio) else float(v) for v in values]
        self.min, self.max, self.n = Number(min(each)), Number(max(each)), len(each)
        self.positive = sum(value > 0 for value in each)

    def __format__(self, spec: str) -> str:
        if spec.startswith("i"):
            value, *ends = (format(each, spec[1:]) for each in (self.value, self.low, self.high))
            return f"{value} ({' to '.join(ends)})"
        if spec:
            return format(self.value, spec)
        return f"{self.value} {interval_text(self.value, (self.low, self.high))}".rstrip()


class _Measures:
    """The measures of one run, by name."""

    def __init__(self, name: str, measures: dict[str, list[Value]]) -> None:
        self._name, self._measures = name, measures

    def __getattr__(self, measure: str) -> Estimate:
        if measure not in self._measures:
            raise SynsampError(f"the stored run {self._name} has no measure {measure!r}; rename it")
        return Estimate(self._measures[measure])


def fill(text: str, found: Stored, experiment: str) -> str:
    """Put the numbers of an experiment's runs in their places."""
    runs: dict[str, Any] = {}
    for run, measures in found.runs.items():
        if run.experiment == experiment:
            name = run.preset + ("_beside" if run.variant else "")
            runs[name] = _Measures(f"{experiment} {name}", present(measures))
    try:
        return text.format_map(runs)
    except (KeyError, ValueError, IndexError) as error:
        raise SynsampError(
            f"{experiment}: {error} cannot be filled in, in {text[:60]!r}"
        ) from error


def filled(page: str, found: Stored) -> str:
    """A page with all its texts said anew."""

    def say(block: re.Match[str]) -> str:
        experiment, text = block.groups()
        said = fill(text, found, experiment)
        return f"<!-- measured {experiment}\n{text}\n-->\n{said}\n<!-- end of measured -->"

    return BLOCK.sub(say, page)


def pages(root: Path, found: Stored) -> Iterator[tuple[Path, str]]:
    """Each page that has such texts, and what it should be."""
    for name in PAGES:
        path = root / "docs" / f"{name}.md"
        if path.exists():
            yield path, filled(path.read_text(encoding="utf-8"), found)
