"""Figures are drawn by a module that is imported only then: simulations do not need matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_with(module: str) -> Callable[..., dict[str, Figure]]:
    """Return a function that calls ``draw(parameters, runs)`` of a module.

    Parameters
    ----------
    module
        Full name, as ``"synsamp.paper.fig1_landscape.figures"``.
    """

    def draw(parameters: Any, runs: Sequence[Any]) -> dict[str, Figure]:
        figures: dict[str, Figure] = import_module(module).draw(parameters, runs)
        return figures

    return draw
