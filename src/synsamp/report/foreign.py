"""Words that others wrote (a run folder may come from anywhere), made fit to be shown.

Markup in them is escaped where the page is made. Here goes what no escaping helps against: control
characters, which steer a terminal and break an SVG file; halves of characters, which no file can
hold; and marks that turn the direction of writing, so that a line reads as something else.
"""

from __future__ import annotations

import re
import textwrap

_UNFIT = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    "\u2028\u2029\ufeff"  # ends of lines and of files
    "\ud800-\udfff\ufffe\uffff"  # halves of characters, no characters
    "]"
)
MOST_DRAWN = 36
"""Characters of a label in a figure; a longer one leaves no room for the drawing."""
MOST_LINES = 4
"""Lines of a label that is not cut."""


def visible(text: str) -> str:
    """The text with a mark in place of every character that would do more than be read."""
    return _UNFIT.sub("\ufffd", text)


def label(text: object) -> str:
    """Words for a figure: visible, in one line, of bounded length."""
    line = " ".join(visible(str(text)).split())
    return line if len(line) <= MOST_DRAWN else line[: MOST_DRAWN - 1] + "…"


def whole_label(text: object) -> str:
    """Words for a figure that must be read in full: in lines instead of cut, if they are long."""
    line = " ".join(visible(str(text)).split())
    lines = textwrap.wrap(line, MOST_DRAWN, max_lines=MOST_LINES, placeholder="…")
    return "\n".join(lines)
