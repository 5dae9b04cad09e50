"""A line of the table that circuits and other models share."""

from __future__ import annotations

from synsamp.bench import Row


def blank(case: str) -> Row:
    """A line in which nothing is measured yet."""
    return {
        "case": case,
        "us per spike": None,
        "inputs, potentials, winner": None,
        "learning": None,
        "bound by": "",
        "against": "",
        "ratio": None,
    }
