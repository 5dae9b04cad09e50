"""Fill the numbers of the full run into sentences and tables.

A text names measures; the numbers come from docs/data/reproduction.csv:

    {paper.recall}          0.901 (0.852 to 0.949)     the estimate over seeds and its interval
    {paper.recall:i.2f}     0.90 (0.85 to 0.95)        the same in another format
    {paper.recall:.2f}      0.90                       the estimate alone
    {paper.recall:.0%}      90 %
    {paper.recall.least:.2f}   0.76                    over seeds; also most
    {paper.recall.n}        8                          seeds
    {paper.recall.above_0}  8                          seeds in which it is above 0 or true

`paper` is a preset, `paper_variant` its variant, `this` the run that a note is about. On a page the
text stands in a comment, and the filled text below it:

    <!-- measured compensation
    Recall was {paper.recall}.
    -->
    Recall was 0.901 (0.852 to 0.949).
    <!-- end of measured -->
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from synsamp.analysis.intervals import Limits
from synsamp.claims import Ratio, Value, limits_of
from synsamp.claims.judge import interval_of
from synsamp.claims.table import Run, present
from synsamp.errors import SynsampError
from synsamp.experiments.registry import Registry
from synsamp.report.numbers import interval_text, number_text
from tools.stored import Stored

BEGIN, END = "<!-- measured ", "<!-- end of measured -->"
BLOCK = re.compile(rf"{BEGIN}(\w+)\n(.*?)\n-->\n.*?{END}", re.S)
PAGES = (
    "reference/fig2-methods",
    "reference/fig3-methods",
    "reference/fig4-methods",
    "reference/fig5-methods",
    "paper/fig2",
    "paper/fig3",
    "paper/fig4",
    "paper/fig5",
    "paper/noise",
    "reference/noise-methods",
)
"""Pages of docs/ with such comments."""


class Number(float):
    """A number in the format of the reports, or in a given one."""

    def __format__(self, spec: str) -> str:
        if not math.isfinite(self):
            return number_text(None)
        text = format(float(self), spec) if spec else number_text(float(self))
        return text.replace("-", "−").replace("%", " %")


class Estimate:
    """The estimate of a measure over seeds."""

    def __init__(self, values: Sequence[Value], limits: Limits = (None, None)) -> None:
        self._interval = interval_of(values, limits=limits)
        self._each = [_one(value) for value in values]

    def __format__(self, spec: str) -> str:
        value, low, high = map(Number, self._interval)
        if spec.startswith("i") and math.isfinite(low) and math.isfinite(high):
            return f"{value:{spec[1:]}} ({low:{spec[1:]}} to {high:{spec[1:]}})"
        if spec:
            return format(value, spec.removeprefix("i"))
        ends = [end if math.isfinite(end) else None for end in (low, high)]
        return f"{value} {interval_text(value, (ends[0], ends[1]))}".rstrip()

    @property
    def n(self) -> int:
        """The number of seeds."""
        return len(self._each)

    @property
    def least(self) -> Number:
        """The smallest value."""
        return Number(min(self._each))

    @property
    def most(self) -> Number:
        """The largest value."""
        return Number(max(self._each))

    @property
    def above_0(self) -> int:
        """The number of seeds in which it is above 0 or true."""
        return sum(value > 0 for value in self._each)


def _one(value: Value) -> float:
    if isinstance(value, Ratio):
        return value.part / value.whole if value.whole else math.nan
    return float(value)


class _Named:
    """A measure whose key may continue after a dot, as in ``regrowth@learning.control``."""

    def __init__(self, run: Measures, key: str) -> None:
        self._run, self._key = run, key

    def __getattr__(self, name: str) -> Any:
        if f"{self._key}.{name}" in self._run.values or not hasattr(Estimate, name):
            return _Named(self._run, f"{self._key}.{name}")
        return getattr(self._run.estimate(self._key), name)

    def __format__(self, spec: str) -> str:
        return format(self._run.estimate(self._key), spec)


class Measures:
    """The measures of one run, by name."""

    def __init__(
        self, name: str, values: dict[str, list[Value]], limits: Mapping[str, Limits]
    ) -> None:
        self.name, self.values, self._limits = name, values, limits

    def __getattr__(self, measure: str) -> _Named:
        return _Named(self, measure)

    def estimate(self, key: str) -> Estimate:
        """The estimate of a measure by its key."""
        if key not in self.values:
            raise SynsampError(f"the stored run {self.name} has no measure {key!r}; rename it")
        return Estimate(self.values[key], self._limits.get(key.split("@")[0], (None, None)))

    def __format__(self, spec: str) -> str:
        raise ValueError("a run without a measure")


def limits_by_measure(registry: Registry, experiment: str) -> dict[str, Limits]:
    """The range of each declared measure of an experiment."""
    declared = registry.find(experiment).load().measures
    return {measure.__name__: limits_of(measure) for measure in declared}


def fill(text: str, found: Stored, of: Run | str, registry: Registry) -> str:
    """Fill in the numbers of an experiment, or of one run (`this`) and its experiment."""
    experiment = of if isinstance(of, str) else of.experiment
    limits = limits_by_measure(registry, experiment)
    runs: dict[str, Any] = {}
    for run, measures in found.runs.items():
        if run.experiment == experiment:
            name = run.preset + ("_variant" if run.variant else "")
            if name in runs:
                raise SynsampError(
                    f"{experiment} {name} names two runs; use another preset for one"
                )
            runs[name] = Measures(f"{experiment} {name}", present(measures), limits)
            if run == of:
                runs["this"] = runs[name]
    try:
        return text.format_map(runs)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise SynsampError(f"{experiment}: cannot fill {text[:60]!r}: {error}") from error


def fill_page(page: str, found: Stored, registry: Registry) -> str:
    """Return the page with all its comments filled in."""
    blocks = BLOCK.findall(page)
    if not len(blocks) == page.count(BEGIN) == page.count(END):
        raise SynsampError(f"every {BEGIN!r} must have its own '-->' and {END!r}; correct the page")

    def filled(block: re.Match[str]) -> str:
        experiment, text = block.groups()
        return f"{BEGIN}{experiment}\n{text}\n-->\n{fill(text, found, experiment, registry)}\n{END}"

    return BLOCK.sub(filled, page)


def pages_with_numbers(root: Path, found: Stored, registry: Registry) -> Iterator[tuple[Path, str]]:
    """Each page with such comments, and the text that it should have."""
    for name in PAGES:
        path = root / "docs" / f"{name}.md"
        if path.exists():
            yield path, fill_page(path.read_text(encoding="utf-8"), found, registry)
