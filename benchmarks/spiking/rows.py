"""A line of the table that all models share, and a network that is timed in turns."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from benchmarks import Row
from synsamp.spiking import Simulation


def blank(case: str) -> Row:
    """A line in which nothing is measured yet."""
    return {
        "case": case,
        "us per spike": None,
        "inputs, potentials, winner": None,
        "learning": None,
        "bound by": "",
        "against": "",
        "ratio": None,
    }


@dataclass
class Timed:
    """A running network; each turn it runs a stretch, and its microseconds per spike are noted."""

    name: str
    sim: Simulation
    times: list[float] = field(default_factory=list)
    stretch_s: float = 20.0

    def turn(self) -> None:
        """Run a stretch, in processor time."""
        before, start = self.sim.n_spikes, time.thread_time()
        self.sim.run(self.stretch_s)
        self.times.append((time.thread_time() - start) / (self.sim.n_spikes - before) * 1e6)

    @property
    def best(self) -> float:
        """Of all turns."""
        return min(self.times)
