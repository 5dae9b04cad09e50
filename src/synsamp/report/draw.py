"""Draw a run's figures from its stored results and save each as PNG and SVG."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from synsamp.experiments.base import Experiment
from synsamp.figures.records import draw_records
from synsamp.figures.style import STYLE
from synsamp.report.alt import alternative_text
from synsamp.report.over_seeds import draw_over_seeds
from synsamp.runs.execute import parameters_of, user_code
from synsamp.runs.storage.drawings import write_figures
from synsamp.runs.storage.folder import RunFolder, results_by_seed

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Drawing:
    """One saved figure: its key, both files' content, its natural width in pixels, in words."""

    key: str
    png: bytes
    svg: bytes
    width_px: int
    alt: str


def draw_figures(experiment: Experiment, folder: RunFolder) -> list[Drawing]:
    """Draw all figures of a finished run into its ``figures`` folder (its lock is held)."""
    with mpl.rc_context(STYLE):
        figures = figures_of(experiment, folder)
        with user_code(f"draw of {experiment.name}"):
            drawings = [_render(key, figure) for key, figure in figures.items()]
    files = {f"{drawing.key}.png": drawing.png for drawing in drawings}
    files |= {f"{drawing.key}.svg": drawing.svg for drawing in drawings}
    write_figures(folder.path, files)
    return drawings


def figures_of(experiment: Experiment, folder: RunFolder) -> dict[str, Figure]:
    """Draw all figures of a finished run, by key, with the matplotlib settings in force."""
    results = folder.results()
    figures: dict[str, Figure] = {}
    about = folder.description
    if about.trials is None or not about.swept:  # one setting: the experiment's own figures
        draw = experiment.draw or draw_records
        parameters, runs = parameters_of(experiment, folder), results_by_seed(folder)
        with user_code(f"draw of {experiment.name}"):
            figures |= draw(parameters, runs)
    if about.trials is not None:
        # Its labels are a folder's words: a $ in them is a dollar, not the start of a formula.
        with mpl.rc_context({"text.parse_math": False}):
            figures |= draw_over_seeds(about, results)
    return figures


def panels_of(key: str, captions: Mapping[str, str]) -> list[str]:
    """Return the panels a figure shows: its key if that is one, else each of its letters."""
    return [key] if key in captions else [letter for letter in key if letter in captions]


def _render(key: object, figure: Figure) -> Drawing:
    if not isinstance(key, str) or not KEY.fullmatch(key):
        raise ValueError(f"key of a figure must be letters, digits, - and _, got {key!r}")
    if not isinstance(figure, Figure):
        raise TypeError(f"figure {key!r} must be a matplotlib Figure, got {figure!r}")
    FigureCanvasAgg(figure)
    png, svg = BytesIO(), BytesIO()
    with warnings.catch_warnings():
        # A sign the font lacks, a label too long for the panel: seen in the picture, if at all.
        warnings.simplefilter("ignore", UserWarning)
        figure.savefig(png, format="png", metadata={"Software": None})
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": "synsamp"})
    width_px = round(figure.get_figwidth() * 100)
    return Drawing(key, png.getvalue(), svg.getvalue(), width_px, alternative_text(figure))
