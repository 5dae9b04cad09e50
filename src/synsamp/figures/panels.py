"""Parts of panels that several figures draw: curves and bars over seeds, rates, arrow heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from synsamp.figures.style import DENSITY, INK


def with_band(axes: Any, x: Any, values: Any, colour: str, line: str = "-", **options: Any) -> None:
    """Mean of values [seed, x], and one standard deviation to either side."""
    mean = values.mean(axis=0)
    axes.plot(x, mean, line, color=colour, **options)
    if len(values) > 1:
        spread = values.std(axis=0, ddof=1)
        axes.fill_between(x, mean - spread, mean + spread, color=colour, alpha=0.2, lw=0)


def bars_with_points(axes: Any, values: Any, colours: Sequence[str], labels: Sequence[str]) -> None:
    """Means of values [seed, bar] as bars, every seed as a point, slanted labels."""
    place = np.arange(values.shape[1])
    axes.bar(place, values.mean(axis=0), color=colours, width=0.65, alpha=0.55)
    axes.plot(place, values.T, "o", color=INK, ms=2.5, alpha=0.7)
    axes.set_xticks(place, labels, rotation=30, ha="right", rotation_mode="anchor")


def rates_image(axes: Any, histogram: Any, bin_s: float, peak_hz: float) -> Any:
    """Rates [neuron, bin] as an image, one row per neuron."""
    neurons, bins = histogram.shape
    return axes.imshow(
        histogram, aspect="auto", cmap=DENSITY, vmin=0, vmax=peak_hz, interpolation="nearest",
        extent=(0.0, bins * bin_s, neurons + 0.5, 0.5),
    )  # fmt: skip


def arrow_heads(axes: Any, start: Any, stop: Any, colour: str) -> None:
    """A small arrow head a little before the end of each line."""
    for a, b in zip(start, stop, strict=True):
        axes.annotate(
            "", xy=tuple(a + 0.97 * (b - a)), xytext=tuple(a + 0.9 * (b - a)),
            arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 0.0, "mutation_scale": 5},
        )  # fmt: skip
