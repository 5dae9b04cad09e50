"""Pieces of Markdown pages. Needs nothing but Python, as `make mutants` has its own environment."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


class PageError(Exception):
    """A page lacks the markers between which text is written."""


def row(*cells: str) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def small(text: str, remark: str) -> str:
    """A cell with a remark below it."""
    return f"{text}<br><sub>{remark}</sub>" if remark else text


def duration(seconds: float) -> str:
    """``80 s`` or ``71 min``."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def replace_between(text: str, begin: str, end: str, content: str) -> str:
    """Return the page with new text between two markers."""
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if len(pattern.findall(text)) != 1:
        raise PageError(f"the page must contain {begin!r} and {end!r} once; add them again")
    return pattern.sub(lambda _: f"{begin}\n{content}\n{end}", text)
