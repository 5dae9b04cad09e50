"""Cost of a network spike: the paper's circuits, other models, learning from reward, a loop."""

from __future__ import annotations

from benchmarks import Row, markdown_table
from benchmarks.spiking import circuits, closed_loop, models, reward

TITLE = "The spiking engine: cost of a network spike, against Brian2, NumPy and a dense product"

table = markdown_table


def run() -> list[Row]:
    """Measure the circuits, the other models, learning from reward, then the closed loop."""
    return [*circuits.run(), *models.run(), *reward.run(), *closed_loop.run()]
