"""Draw the README's picture by running the README's own ten lines."""

from __future__ import annotations

import contextlib
import re
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from synsamp.figures.style import BLUE, GRAY, INK, STYLE

ROOT = Path(__file__).parents[1]
SHOWN = 8_000
"""Steps of the first chain, from its start."""
PATH = 600
"""Steps drawn over the posterior: enough to switch between its modes, few enough to see it."""
LEVELS = np.linspace(0.02, 1, 9)
"""Contours of the posterior, as shares of its maximum."""


def main() -> None:
    """Write docs/images/path.png."""
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert code is not None
    names: dict[str, object] = {}
    mpl.use("Agg")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # they draw, too
        exec(code.group(1), names)
    result, responses = names["result"], names["responses"]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 3.4))
        plane, time = figure.subplots(1, 2, width_ratios=(1, 1.7))
        chain = result.theta.values[0]
        posterior = _posterior(np.asarray(responses))
        plane.contourf(*posterior, levels=LEVELS, cmap="Oranges")
        plane.plot(*chain[:PATH].T, color=BLUE, lw=0.5, alpha=0.5)
        plane.contour(*posterior, levels=LEVELS[::2], colors=INK, linewidths=0.6)
        plane.plot(*chain[0], "o", color=INK, ms=4)
        plane.set(xlabel="θ₁", ylabel="θ₂", aspect="equal", xlim=(-4, 4), ylim=(-4, 4))
        plane.set(xticks=(-3, 0, 3), yticks=(-3, 0, 3))
        time.axhline(0, color=GRAY, lw=0.8, ls=":")
        time.plot(result.time.values[:SHOWN], chain[:SHOWN, 0], color=BLUE, lw=0.6)
        time.set(xlabel="time", ylabel="θ₁", ylim=(-4, 4), yticks=(-3, 0, 3))
        time.margins(x=0)
        figure.savefig(ROOT / "docs" / "images" / "path.png", dpi=160)


def _posterior(responses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grid and posterior on it, with the prior N(0, 1) for both parameters."""
    grid = np.linspace(-4, 4, 300)
    first, second = np.meshgrid(grid, grid)
    misfit = ((responses[:, None, None] - first * second) ** 2).sum(axis=0)
    log_posterior = -misfit / 2 - (first**2 + second**2) / 2
    return first, second, np.exp(log_posterior - log_posterior.max())


if __name__ == "__main__":
    main()
