"""One style for all figures, with colours that are distinct in greyscale and if colour-blind."""

from __future__ import annotations

from typing import Any

BLUE = "#0072b2"
ORANGE = "#d55e00"
GREEN = "#009e73"
PURPLE = "#aa4499"
YELLOW = "#e0a000"
SKY = "#56b4e9"
GRAY = "#6b7280"
INK = "#1f2430"
PALE = "#c9ced8"
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, YELLOW, SKY, GRAY)
"""Okabe and Ito's palette, the yellow darkened so that lines show on white."""

DENSITY = "cividis"
DIVERGING = "RdBu_r"
"""Colour maps for densities and for values around zero."""

STYLE: Any = {
    "figure.facecolor": "white",
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 200,
    "font.size": 9.5,
    "font.family": "DejaVu Sans",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": GRAY,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": f"cycler('color', {list(CYCLE)})",
    "text.color": INK,
    "xtick.color": GRAY,
    "ytick.color": GRAY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "lines.linewidth": 1.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "image.cmap": DENSITY,
    "svg.hashsalt": "synsamp",  # the same drawing gives the same file
}
"""Matplotlib settings in force while a figure is drawn and saved."""
