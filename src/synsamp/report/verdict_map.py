"""A map of verdicts: a row for each claim, a column for each setting."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from synsamp.figures.style import BLUE, INK, ORANGE, PALE, PURPLE
from synsamp.report.foreign import label, whole_label

COLOURS = {"holds": BLUE, "fails": ORANGE, "undecided": PALE, "not specific": PURPLE}
SIGNS = {"holds": "✓", "fails": "✗", "undecided": "?", "not specific": "–"}
WORDS = tuple(COLOURS)
UPRIGHT = 8
"""So many columns have room for their labels side by side."""
WIDEST = 12.0
"""Inches: a sweep may have any number of columns."""
NARROWEST = 0.16
"""Inches that a column must have for signs and its own label."""


def draw_verdicts(
    claims: Sequence[str],
    columns: Sequence[str],
    verdicts: Sequence[Sequence[str]],
    varied: str = "",
    first_apart: bool = False,
) -> Figure:
    """Draw the verdict on each claim in each column; an empty one was not judged.

    Each cell has a sign as well as a colour, if there is room. ``varied`` is what the columns
    are values of; ``first_apart`` draws a line after the first, which the others are changes of.
    """
    table = np.array([[WORDS.index(v) if v else -1 for v in row] for row in verdicts])
    upright = len(columns) <= UPRIGHT
    width = min(2.4 + (0.62 if upright else 0.27) * len(columns), WIDEST)
    figure = Figure(figsize=(max(6.0, width), (1.5 if upright else 1.9) + 0.25 * len(claims)))
    step = max(1, math.ceil(NARROWEST * len(columns) / (WIDEST - 2.4)))  # every so many are named
    axes = figure.add_subplot()
    colours = ListedColormap(["white", *COLOURS.values()])
    axes.imshow(table, vmin=-1.5, vmax=len(WORDS) - 0.5, cmap=colours, aspect="auto")
    named = [whole_label(column) for column in columns[::step]]
    axes.set_xticks(range(0, len(columns), step), named, rotation=0 if upright else 90)
    axes.set_yticks(range(len(claims)), map(label, claims))
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(varied)
    if step == 1:
        axes.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(claims) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", lw=1.2)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    if first_apart:
        axes.axvline(0.5, color=INK, lw=1.2)
    for (row, column), number in np.ndenumerate(table):
        if number >= 0 and step == 1:
            word = WORDS[number]
            ink = INK if COLOURS[word] == PALE else "white"
            axes.text(column, row, SIGNS[word], ha="center", va="center", color=ink, size=7.5)
    for word in WORDS:
        axes.plot([], [], "s", color=COLOURS[word], label=f"{SIGNS[word]} {word}")
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, -0.02), ncols=4, fontsize=8, frameon=False)
    return figure
