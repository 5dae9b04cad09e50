"""What a figure shows, in words, for those who do not see it: read off what was drawn.

Per panel: its title, what kind of marks it has and how many, where curves begin and end, and what
the axes span. Many panels of one kind (rows of pictures) are told together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
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
FEW_PANELS = 3
"""Up to so many panels of one kind are told one by one."""


@dataclass(frozen=True)
class _Panel:
    title: str
    marks: list[str]
    spans: list[str]
    kind: str
    """What panels told together have in common; empty: this one is told by itself."""
    values: NDArray[np.float64]

    def __str__(self) -> str:
        text = "; ".join([", ".join(self.marks), *self.spans])
        return f"{self.title}: {text}." if self.title else f"{text[0].upper()}{text[1:]}."


def describe(figure: Figure) -> str:
    """A few sentences about all panels of a figure."""
    seen = [_panel(axes) for axes in figure.axes if axes.get_visible() and not _is_colour_bar(axes)]
    panels = [panel for panel in seen if panel.marks]  # the others are schemes: see the caption
    sentences = []
    for panel in panels:
        alike = [p for p in panels if p.kind == panel.kind] if panel.kind else []
        if len(alike) <= FEW_PANELS:
            sentences.append(str(panel))
        elif panel is alike[0]:
            sentences.append(f"{len(alike)} {panel.kind}{_between(*(p.values for p in alike))}.")
    whole = visible(" ".join(sentences))
    return whole if len(whole) <= MOST_CHARACTERS else whole[: MOST_CHARACTERS - 1] + "…"


def _is_colour_bar(axes: Axes) -> bool:
    return axes.get_label() == "<colorbar>"


def _panel(axes: Axes) -> _Panel:
    curves, dots, pictures = list(_curves(axes)), _n_dots(axes), _pictures(axes)
    marks = [*curves, *_bars(axes), *_surfaces(axes)]
    marks += [_count(dots, "dot")] if dots else []
    sizes = [f"{p.shape[1]} × {p.shape[0]}" for p in pictures]
    if len(pictures) == 1 and not marks:
        kind, values = f"pictures of {sizes[0]}", pictures[0]
    elif dots and len(marks) == 1 and not pictures:
        kind, values = "panels with a number of dots", np.array([float(dots)])
    else:
        kind, values = "", np.empty(0)
    marks += [
        f"a picture of {s}{_between(p)}" for s, p in zip(sizes[:1], pictures[:1], strict=True)
    ]
    spans = [text for side in ("x", "y") if (text := _span(axes, side))]
    title = _plain(axes.get_title("left") or axes.get_title())
    return _Panel(title, marks, spans, kind, values)


def _curves(axes: Axes) -> Iterator[str]:
    curves = []
    for line in axes.get_lines():
        values = _values(line)
        if line.get_visible() and line.get_linestyle() != "None" and values.size > 2:
            curves.append((_plain(str(line.get_label())), values))
    named = [(name, y) for name, y in curves if not name.startswith("_")]
    yield from (f"{name} {_course(y)}" for name, y in named[:MOST_CURVES])
    rest = [y for name, y in curves if name.startswith("_")] + [y for _, y in named[MOST_CURVES:]]
    if len(rest) == 1 and not named:
        yield f"a curve {_course(rest[0])}"
    elif rest:
        yield f"{_count(len(rest), 'further curve' if named else 'curve')}{_between(*rest)}"


def _values(line: Any) -> NDArray[np.float64]:
    """What a curve tells: y along x or, where it is drawn sideways, x along y."""
    x, y = (np.asarray(get(orig=False), float) for get in (line.get_xdata, line.get_ydata))
    sideways = _is_monotonic(y) and not _is_monotonic(x)
    values = x if sideways else y
    return values[np.isfinite(values)]


def _is_monotonic(values: NDArray[np.float64]) -> bool:
    steps = np.diff(values)
    return bool(np.all(steps > 0) or np.all(steps < 0))


def _bars(axes: Axes) -> Iterator[str]:
    bars = [patch for c in axes.containers if isinstance(c, BarContainer) for patch in c.patches]
    if bars:
        yield f"{_count(len(bars), 'bar')} up to {number(max(bar.get_height() for bar in bars))}"


def _surfaces(axes: Axes) -> Iterator[str]:
    found = sum(isinstance(c, Poly3DCollection) and c.get_visible() for c in axes.collections)
    if found:
        yield _count(found, "surface")


def _n_dots(axes: Axes) -> int:
    scattered = (c for c in axes.collections if isinstance(c, PathCollection) and c.get_visible())
    lines = (line for line in axes.get_lines() if line.get_visible())
    return sum(map(_n_offsets, scattered)) + sum(
        np.asarray(line.get_ydata()).size for line in lines if line.get_linestyle() == "None"
    )


def _n_offsets(collection: Collection) -> int:
    return len(np.atleast_1d(np.asarray(collection.get_offsets())))


def _pictures(axes: Axes) -> list[NDArray[np.float64]]:
    arrays = (image.get_array() for image in axes.get_images())
    return [np.ma.filled(np.ma.asarray(a).astype(float), np.nan) for a in arrays if a is not None]


def _course(y: NDArray[np.float64]) -> str:
    """Where a curve begins and ends, and how far it goes in between if it goes beyond."""
    nothing = 1e-6 * np.abs(y).max()  # what cannot be told from 0 in the drawing
    ends = (y[0], y[-1], y.min(), y.max())
    start, end, low, high = (0.0 if abs(v) < nothing else float(v) for v in ends)
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
    ticks = [word for tick in axis.get_ticklabels() if (word := _plain(tick.get_text()))]
    words = [word for word in ticks if not re.fullmatch(r"[-−+\d.,e×⁰-⁹^\s]+", word)]
    if words and len(words) <= 12 and axis.get_visible():
        return ": ".join(filter(None, [title, ", ".join(words)]))
    if not title or not ticks:
        return title
    low, high = sorted(getattr(axes, f"get_{side}lim")())
    return f"{title} from {number(float(low))} to {number(float(high))}"


def _plain(text: str) -> str:
    """Words without the marks of mathematical type and line breaks."""
    bare = re.sub(r"\\mathdefault|\\mathrm|[${}\\]", "", text)
    return " ".join(bare.split())


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
