"""What a figure shows, in words, for those who do not see it: read off what was drawn.

Per panel: its title, what kind of marks it has and how many, where curves begin and end, and what
the axes span. Panels that differ only in their pictures (a row of images) are told together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection, PathCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import NDArray

from synsamp.report.foreign import visible
from synsamp.report.numbers import number

MOST_CHARACTERS = 1500
MOST_CURVES = 4


def describe(figure: Figure) -> str:
    """A few sentences about all panels of a figure."""
    told = [_panel(axes) for axes in figure.axes if axes.get_visible() and not _is_colour_bar(axes)]
    sentences = []
    for text, same in groupby(filter(None, told)):
        count = len(list(same))
        sentences.append(f"{count} panels, each with {text}." if count > 1 else f"{text}.")
    whole = visible(" ".join(sentence[0].upper() + sentence[1:] for sentence in sentences))
    return whole if len(whole) <= MOST_CHARACTERS else whole[: MOST_CHARACTERS - 1] + "…"


def _is_colour_bar(axes: Axes) -> bool:
    return axes.get_label() == "<colorbar>"


def _panel(axes: Axes) -> str:
    marks = list(_marks(axes))
    if not marks:
        return ""  # a panel of words or of a scheme: the caption says it
    title = _plain(axes.get_title("left") or axes.get_title())
    spans = [_span(axes, side) for side in ("x", "y")]
    text = "; ".join(filter(None, [", ".join(marks), *spans]))
    return f"{title}: {text}" if title else text


def _marks(axes: Axes) -> Iterator[str]:
    """Name what is drawn, the most telling first."""
    yield from _curves(axes)
    bars = [patch for c in axes.containers if isinstance(c, BarContainer) for patch in c.patches]
    if bars:
        heights = np.array([bar.get_height() for bar in bars], float)
        yield f"{_count(len(bars), 'bar')} up to {number(float(heights.max()))}"
    for kind, name in ((Poly3DCollection, "surface"), (PathCollection, "dot")):
        found = [c for c in axes.collections if isinstance(c, kind) and c.get_visible()]
        n = len(found) if name == "surface" else sum(_n_dots(c) for c in found)
        if n:
            yield _count(n, name)
    arrays = (image.get_array() for image in axes.get_images())
    for array in [array for array in arrays if array is not None][:1]:
        picture = np.ma.filled(np.ma.asarray(array).astype(float), np.nan)
        size = f"{picture.shape[1]} × {picture.shape[0]}"
        yield f"a picture of {size}{_between(picture)}"


def _curves(axes: Axes) -> Iterator[str]:
    lines = [line for line in axes.get_lines() if line.get_visible()]
    data = [(line, np.asarray(line.get_ydata(orig=False), float)) for line in lines]
    curves = [
        (line, y[np.isfinite(y)])
        for line, y in data
        if line.get_linestyle() != "None" and y.size > 2 and np.isfinite(y).any()
    ]
    named = [(_plain(str(line.get_label())), y) for line, y in curves if _is_named(line)]
    yield from (f"{name} {_course(y)}" for name, y in named[:MOST_CURVES])
    rest = [y for line, y in curves if not _is_named(line)] + [y for _, y in named[MOST_CURVES:]]
    if len(rest) == 1 and not named:
        yield f"a curve {_course(rest[0])}"
    elif rest:
        yield f"{_count(len(rest), 'further curve' if named else 'curve')}{_between(*rest)}"
    dots = sum(y.size for line, y in data if line.get_linestyle() == "None")
    if dots:
        yield _count(dots, "dot")


def _is_named(line: Any) -> bool:
    return not str(line.get_label()).startswith("_")


def _n_dots(collection: Collection) -> int:
    return len(np.atleast_1d(np.asarray(collection.get_offsets())))


def _course(y: NDArray[np.float64]) -> str:
    """Where a curve begins and ends, and how far it goes in between if it goes beyond."""
    start, end, low, high = (float(v) for v in (y[0], y[-1], y.min(), y.max()))
    text = f"from {number(start)} to {number(end)}"
    room = 0.05 * (high - low)
    beyond = [
        f"{word} {number(value)}"
        for word, value, far in (
            ("lowest", low, min(start, end) - low > room),
            ("highest", high, high - max(start, end) > room),
        )
        if far
    ]
    return f"{text} ({', '.join(beyond)})" if beyond else text


def _between(*arrays: NDArray[np.float64]) -> str:
    finite = np.concatenate([a[np.isfinite(a)].ravel() for a in arrays])
    if not finite.size:
        return ""
    return f" between {number(float(finite.min()))} and {number(float(finite.max()))}"


def _span(axes: Axes, side: str) -> str:
    """What an axis shows, from where to where; names of rows and columns as they are."""
    axis = getattr(axes, f"{side}axis")
    title = _plain(axis.get_label().get_text())
    ticks = [_plain(tick.get_text()) for tick in axis.get_ticklabels()]
    words = [word for word in ticks if word and not re.fullmatch(r"[-−+\d.,e×⁰-⁹^{}\s]+", word)]
    if words and len(words) <= 12 and axis.get_visible():
        return f"{title or side} {', '.join(words)}"
    if not title:
        return ""
    low, high = sorted(getattr(axes, f"get_{side}lim")())
    return f"{title} from {number(float(low))} to {number(float(high))}"


def _plain(text: str) -> str:
    """Words without the marks of mathematical type and line breaks."""
    bare = re.sub(r"\\mathdefault|\\mathrm|[${}\\]", "", text)
    return " ".join(bare.split())


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
