"""Which questions a table can answer, and how many spines and sessions that usually takes.

With these numbers of spines and sessions, at least 80 % of the simulated tables in the calibration
of docs/reference/spines-methods.md gave the answer.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import NamedTuple

from synsamp.report.numbers import number_text
from synsamp.spines.analysis import Analysis
from synsamp.spines.compare import UNDECIDED


class Answer(NamedTuple):
    """A question, whether and how this table answers it, and the data that it usually needs."""

    question: str
    yes: bool
    answer: str
    needs: str


def _needs() -> dict[str, str]:
    """The calibration of tools/docs_spines.py in words."""
    found = json.loads((files("synsamp.report.spines") / "needs.json").read_text("utf-8"))
    return {name: _in_words(sizes) for name, sizes in found.items()}


def _in_words(sizes: list[list[int]]) -> str:
    if not sizes:
        return "more than we simulated"
    (spines, sessions), *others = sizes
    first = f"about {spines:,} spines × {sessions} sessions"
    return ", or ".join([first, *(f"{n:,} × {k}" for n, k in others)])


def answers_of(found: Analysis) -> list[Answer]:
    """One answer per question, from the intervals of the fit."""
    fitted = found.fitted
    if fitted is None or found.effects is not None:  # of all conditions together
        return []
    needs = _needs()
    rows = []
    for name, question, factor in (
        ("bT", "How fast do sizes fluctuate (b·T within a factor of 2)?", 2.0),
        ("spread", "How broad is their distribution (s within a factor of 1.5)?", 1.5),
        ("relaxation", "How long do sizes stay correlated (τ within a factor of 3)?", 3.0),
    ):
        low, high = fitted.interval(name)
        yes = low > 0 and high / low <= factor
        rows.append(Answer(question, yes, _between(yes, low, high), needs[name]))
    low, high = fitted.interval("mean")
    yes = high - low <= fitted.value("spread")
    question = "What is their mean (log size within ± s/2)?"
    rows.insert(2, Answer(question, yes, _between(yes, low, high), needs["mean"]))
    low, high = fitted.interval("noise")
    rows.append(
        Answer(
            "Is there measurement noise?",
            low > 0,
            _between(low > 0, low, high),
            needs["noise"],
        )
    )
    if found.comparison is not None:
        aic = found.comparison.criteria.set_index("process")["aic"]
        gain = float(aic["random walk"] - aic["one time scale"])
        yes = abs(gain) >= UNDECIDED
        which = "yes" if gain > 0 else "no, they diffuse"
        text = f"{which} (AIC {number_text(abs(gain))} apart)" if yes else "undecided"
        rows.append(Answer("Do sizes return to a mean?", yes, text, needs["walk"]))
    return rows


def _between(yes: bool, low: float, high: float) -> str:
    ends = f"{_end(low)} to {_end(high)}"
    return ends if yes else f"undecided: {ends}"


def _end(value: float) -> str:
    if value in (float("inf"), float("-inf")):
        return "unbounded"
    return number_text(value)
