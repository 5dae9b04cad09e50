"""Alternative text of a figure that has no caption: the titles and axis labels of its panels."""

from __future__ import annotations

import re

from matplotlib.figure import Figure

from synsamp.report.foreign import visible

MOST_CHARACTERS = 1500


def alternative_text(figure: Figure) -> str:
    """Return a sentence per panel: its title and the labels of its axes."""
    sentences = []
    for axes in figure.axes:
        words = [axes.get_title("left") or axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
        text = ", ".join(plain for word in words if (plain := _plain(word)))
        if text and axes.get_visible() and axes.get_label() != "<colorbar>":
            sentences.append(f"{text}.")
    return visible(" ".join(dict.fromkeys(sentences)))[:MOST_CHARACTERS]


def _plain(text: str) -> str:
    """The text without mathematical markup and line breaks."""
    return " ".join(re.sub(r"\\mathdefault|\\mathrm|[${}\\]", "", text).split())
