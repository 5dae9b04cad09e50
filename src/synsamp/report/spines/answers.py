"""Which questions a table can answer, and from how many spines and sessions tables usually do.

The numbers of spines and sessions are those from which, in the calibration of docs/spines.md, at
least 80 % of simulated tables gave the answer.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import NamedTuple

from synsamp.report.numbers import number
from synsamp.spines.analysis import Analysis
from synsamp.spines.compare import UNDECIDED


class Answer(NamedTuple):
    """A question, whether this table answers it, in words, and what that usually takes."""

    question: str
    yes: bool
    answer: str
    needs: str


def _needs() -> dict[str, str]:
    """In words, what tools/docs_spines.py found by calibration."""
    found = json.loads((files("synsamp.report.spines") / "needs.json").read_text("utf-8"))
    return {name: _in_words(sizes) for name, sizes in found.items()}


def _in_words(sizes: list[list[int]]) -> str:
    if not sizes:
        return "more than was tried"
    (spines, sessions), *others = sizes
    first = f"about {spines:,} spines × {sessions} sessions"
    return ", or ".join([first, *(f"{n:,} × {k}" for n, k in others)])


def answers_of(found: Analysis) -> list[Answer]:
    """One answer per question; the intervals of the fit decide."""
    fitted = found.fitted
    if fitted is None:
        return []
    needs = _needs()
    rows = []
    for name, question, factor in (
        ("bT", "How fast do sizes fluctuate (b·T within a factor of 2)?", 2.0),
        ("spread", "How broad is their distribution (s within a factor of 1.5)?", 1.5),
        ("relaxation", "How long until a size is forgotten (τ within a factor of 3)?", 3.0),
    ):
        low, high = fitted.interval(name)
        yes = low > 0 and high / low <= factor
        rows.append(Answer(question, yes, _between(yes, low, high), needs[name]))
    low, high = fitted.interval("mean")
    yes = high - low <= fitted.value("spread")
    question = "Where is their mean (log size within ± s/2)?"
    rows.insert(2, Answer(question, yes, _between(yes, low, high), needs["mean"]))
    low, high = fitted.interval("noise")
    rows.append(
        Answer(
            "Is there noise of measurement?",
            low > 0,
            _between(low > 0, low, high),
            needs["noise"],
        )
    )
    if found.comparison is not None:
        aic = found.comparison.criteria.set_index("process")["aic"]
        gain = float(aic["random walk"] - aic["one time scale"])
        yes = abs(gain) >= UNDECIDED
        which = "yes" if gain > 0 else "no, they wander"
        text = f"{which} (AIC {number(abs(gain))} apart)" if yes else "undecided"
        rows.append(Answer("Do sizes return to a mean?", yes, text, needs["walk"]))
    return rows


def _between(yes: bool, low: float, high: float) -> str:
    ends = f"{_end(low)} to {_end(high)}"
    return ends if yes else f"not yet: {ends}"


def _end(value: float) -> str:
    if value in (float("inf"), float("-inf")):
        return "without end"
    return number(value)
