"""The sentence at the top of the page: the comparison of conditions, or the best process."""

from __future__ import annotations

import pandas as pd

from synsamp.report.numbers import number_text
from synsamp.spines.analysis import Analysis

IN_WORDS = {
    "mean": "the mean log size",
    "spread": "the spread s",
    "relaxation": "the relaxation time τ",
    "bT": "b·T",
    "turnover ratio": "the turnover ratio",
}


def headline(found: Analysis) -> str:
    """One or more plain sentences; "" if nothing was fitted or compared."""
    if found.effects is not None:
        return " ".join(_pairs(found.effects))
    if found.comparison is None:
        return ""
    verdict = found.comparison.verdict
    return f"{verdict[:1].upper()}{verdict[1:]}."


def _pairs(effects: pd.DataFrame) -> list[str]:
    sentences = []
    for (first, second), rows in effects.groupby(["first", "second"], sort=False):
        known = rows[rows["low"].notna()]
        clear = [r for r in known.itertuples() if not r.low <= (r.effect == "ratio") <= r.high]
        if not len(known):
            continue
        if not clear:
            sentences.append(
                f"No difference between {first} and {second} exceeds its 95 % interval."
            )
            continue
        words = "; ".join(
            f"{IN_WORDS.get(str(r.quantity), str(r.quantity))} "
            + (
                f"is {number_text(float(r.value))} times that of {first}"
                if r.effect == "ratio"
                else f"differs by {number_text(float(r.value))} from {first}"
            )
            + f" ({number_text(float(r.low))} to {number_text(float(r.high))})"
            for r in clear
        )
        sentences.append(
            f"In {second}, {words}. {len(clear)} of {len(known)} quantities differ; by chance "
            "5 % would."
        )
    return sentences
