"""Cost of a network spike: the paper's circuits, other models, and an environment in the loop."""

from __future__ import annotations

from synsamp.bench import Row, markdown_table
from synsamp.bench.spiking import circuits, closed_loop, models

TITLE = "The spiking engine: cost of a network spike, against Brian2 and a dense product"

table = markdown_table


def run() -> list[Row]:
    """Measure the circuits, then the other models, then the closed loop."""
    return [*circuits.run(), *models.run(), *closed_loop.run()]
