"""One panel of a run's figures, with lettering for a paper or a talk.

Panels are found by their titles: an axes whose title begins with the panel's letter, and the axes
after it up to the next letter. The rest of the figure is hidden and cut off.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.axis import Tick
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from synsamp.errors import refuse
from synsamp.experiments.base import Experiment
from synsamp.figures.style import STYLE
from synsamp.report.draw import figures_of
from synsamp.runs.storage.atomic import replacing
from synsamp.runs.storage.folder import RunFolder

FORMATS = (".pdf", ".svg", ".png")
_LETTER = re.compile(r"(S?\d?[A-Z])(?=\s|$)")


@dataclass(frozen=True)
class Lettering:
    """How much larger text, lines and the drawing are than in the report, and dots per inch."""

    text: float
    lines: float
    size: float
    dpi: int


STYLES = {"paper": Lettering(1.0, 1.0, 1.0, 600), "talk": Lettering(1.45, 1.6, 1.2, 200)}
FONTS: Any = {
    "font.family": ["Arial", "Helvetica", "Liberation Sans", "DejaVu Sans"],
    "pdf.fonttype": 42,  # text that editors can change
    "svg.fonttype": "path",  # the same on machines without the font
}


def save_panel(
    experiment: Experiment, folder: RunFolder, panel: str, style: str, out: Path
) -> None:
    """Draw a panel from the stored results and write it as PDF, SVG or PNG.

    Parameters
    ----------
    experiment : Experiment
        The experiment of the run.
    folder : RunFolder
        A finished run.
    panel : str
        A letter of the paper's figure, or the key of a whole drawing, as in ``figures/KEY.png``.
    style : {"paper", "talk"}
        Lettering.
    out : Path
        The file; its suffix is the format.
    """
    how = STYLES[style]
    fonts = [name for name in FONTS["font.family"] if _is_installed(name)]
    with mpl.rc_context(STYLE | FONTS | {"font.family": fonts}):
        figures = figures_of(experiment, folder)
        figure, axes = _find(figures, panel, str(folder.path))
        FigureCanvasAgg(figure)
        figure.set_size_inches(*(how.size * figure.get_size_inches()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # as in `draw`
            _enlarge(figure, how)
            box = None if axes is None else _cut(figure, axes)
            with replacing(out) as file:
                figure.savefig(
                    file, format=out.suffix[1:], dpi=how.dpi, bbox_inches=box or "tight",
                    metadata={"Date": None} if out.suffix == ".svg" else None,
                )  # fmt: skip


def panels_in(figures: dict[str, Figure]) -> dict[str, str]:
    """Every panel and whole drawing, with the key of its figure."""
    found = {key: key for key in figures}
    for key, figure in figures.items():
        for axes in figure.axes:
            if letter := _letter(axes):
                found.setdefault(letter, key)
    return found


def _find(figures: dict[str, Figure], panel: str, where: str) -> tuple[Figure, list[Any] | None]:
    """The figure of a panel and its axes; None for the whole figure."""
    known = panels_in(figures)
    if panel not in known:
        raise refuse("--panel", f"must be one of {', '.join(sorted(known))} in {where}", panel)
    figure = figures[known[panel]]
    if panel in figures:
        return figure, None
    chosen: list[Any] = []
    current = ""
    for axes in figure.axes:
        current = _letter(axes) or current
        if current == panel:
            chosen.append(axes)
    return figure, chosen


def _letter(axes: Any) -> str:
    found = _LETTER.match(axes.get_title("left") or axes.get_title())
    return found.group(1) if found else ""


def _enlarge(figure: Figure, how: Lettering) -> None:
    """Scale text and lines, those that a figure sets itself included."""
    figure.draw_without_rendering()
    for axes in _all(figure, Axes):
        for axis in axes._axis_map.values():  # noqa: SLF001 (3D has z)
            for which in ("major", "minor"):
                labels = axis.get_ticklabels(which=which)
                if labels:
                    size = how.text * labels[0].get_fontsize()
                    axis.set_tick_params(which=which, labelsize=size)
    of_ticks = {label for tick in _all(figure, Tick) for label in (tick.label1, tick.label2)}
    for text in _all(figure, Text):
        if text not in of_ticks:
            text.set_fontsize(how.text * text.get_fontsize())
    for line in _all(figure, Line2D):
        line.set_linewidth(how.lines * line.get_linewidth())
        line.set_markersize(how.lines**0.5 * line.get_markersize())


def _all(figure: Figure, kind: type) -> list[Any]:
    """All parts of a figure of one kind."""
    return list(figure.findobj(kind))


def _cut(figure: Figure, axes: list[Any]) -> Bbox:
    """Hide all but some axes and return the part of the figure that they take, in inches.

    The layout stays that of the whole figure. A legend of the figure moves into the first axes
    that it explains.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for legend in [*figure.legends, *(one for sub in figure.subfigs for one in sub.legends)]:
        labels = {text.get_text() for text in legend.get_texts()}
        legend.remove()
        for own in axes:
            handles, words = own.get_legend_handles_labels()
            if labels & set(words):
                own.legend(handles, words, fontsize=legend.get_texts()[0].get_fontsize())
                break
    for other in figure.axes:
        other.set_visible(other in axes)
    canvas: Any = figure.canvas
    renderer = canvas.get_renderer()
    boxes = [box for own in axes if (box := own.get_tightbbox(renderer)) is not None]
    return Bbox.union(boxes).transformed(figure.dpi_scale_trans.inverted()).padded(0.04)


def _is_installed(name: str) -> bool:
    from matplotlib import font_manager

    return name in font_manager.get_font_names()
