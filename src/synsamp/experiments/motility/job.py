"""One circuit watched for days or weeks: which synapses are active, on a fixed grid.

Every circuit first settles at the larger b. The stationary law of the rule does not depend on b
(Theorem 1), so a circuit that is then watched at a smaller b need not settle for months again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.experiments.base import State
from synsamp.experiments.shared.digit_circuit import (
    SYNAPSES,
    CircuitSection,
    DigitStimulus,
    RuleSection,
    build_network,
    build_synapses,
)
from synsamp.spiking import Network, Simulation

CHUNK_S = 200.0
"""Biological time simulated at a stretch: about a tenth of a second of wall time."""
N_TRACED = 200
N_PAIRS = 12
"""Synapses whose θ is kept at every grid point; times at which all of θ is kept."""


@dataclass(frozen=True, eq=False)
class WatchPlan:
    """What the circuits watched at one b have in common."""

    b: float
    settle_b: float
    settle_s: float
    grid_s: float
    points: int
    pair_steps: tuple[int, ...]  # grid steps after which all of θ is kept once more
    stimulus: DigitStimulus
    n_inputs: int
    rule: RuleSection
    circuit: CircuitSection

    @property
    def work(self) -> float:
        """Seconds of biological time."""
        return self.settle_s + self.points * self.grid_s

    @property
    def pair_points(self) -> NDArray[np.int64]:
        """Grid points at which pairs start, evenly spread."""
        last = self.points - max(self.pair_steps)
        return np.unique(np.linspace(0, max(last, 0), N_PAIRS).astype(np.int64))

    def network(self, b: float) -> Network:
        """The circuit with its speed set."""
        return build_network(self.n_inputs, self.circuit, build_synapses(self.rule, b))


class WatchJob:
    """One seed at one b."""

    def __init__(
        self,
        plan: WatchPlan,
        seed_for: Callable[..., np.random.SeedSequence],
        name: str,
        number: int,
        state: State | None,
    ) -> None:
        self._plan, self._seed_for, self._name, self._number = plan, seed_for, name, number
        n_synapses = plan.circuit.neurons * plan.n_inputs
        rng = np.random.default_rng(seed_for("traced", number))
        self._traced = np.sort(rng.choice(n_synapses, min(N_TRACED, n_synapses), replace=False))
        self._pairs = {int(p): i for i, p in enumerate(plan.pair_points)}
        if state is None:
            self._settled = False
            self._done_s, self._chunk = 0.0, 0
            self._sim = Simulation(
                plan.network(plan.settle_b), plan.stimulus.order, seed=seed_for("settle", number)
            )
            self.tables = self._empty_tables(n_synapses)
        else:
            self._settled, self._chunk = bool(state["settled"]), int(state["chunk"])
            self._done_s = float(state["done_s"])
            b = plan.b if self._settled else plan.settle_b
            self._sim = Simulation.from_state(
                plan.network(b), state["simulation"], plan.stimulus.order
            )
            self.tables = {name: np.array(table) for name, table in state["tables"].items()}

    @property
    def work(self) -> float:
        """Seconds of biological time."""
        return self._plan.work

    @property
    def done(self) -> float:
        """Seconds passed."""
        return self._done_s

    def step(self) -> None:
        """Go on for a chunk; at a grid point, look."""
        plan = self._plan
        length_s = plan.grid_s if self._settled else plan.settle_s
        chunks = max(1, int(np.ceil(length_s / CHUNK_S)))
        self._sim.run(length_s / chunks)
        self._done_s += length_s / chunks
        self._chunk += 1
        if not self._settled and self._chunk == chunks:
            self._start_watching()
        elif self._settled and self._chunk % chunks == 0:
            point = self._chunk // chunks
            self._look(point)
            if point == plan.points:
                self._done_s = plan.work

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        return {
            "settled": self._settled,
            "chunk": self._chunk,
            "done_s": self._done_s,
            "simulation": self._sim.state(),
            "tables": {name: table.copy() for name, table in self.tables.items()},
        }

    def _start_watching(self) -> None:
        plan = self._plan
        self._sim = Simulation(
            plan.network(plan.b),
            plan.stimulus.order,
            seed=self._seed_for("watch", self._name, self._number),
            grid_s=plan.grid_s,
            theta={SYNAPSES: self._sim.theta(SYNAPSES)},
        )
        self._settled, self._chunk, self._done_s = True, 0, plan.settle_s
        self._look(0)

    def _look(self, point: int) -> None:
        theta = self._sim.theta(SYNAPSES).ravel()
        self.tables["active"][point] = np.packbits(theta > 0)
        self.tables["trace"][point] = theta[self._traced]
        if point in self._pairs:
            self.tables["start"][self._pairs[point]] = theta
        for which, steps in enumerate(self._plan.pair_steps):
            if point - steps in self._pairs:
                self.tables["later"][which, self._pairs[point - steps]] = theta

    def _empty_tables(self, n_synapses: int) -> dict[str, NDArray[Any]]:
        points, pairs = self._plan.points + 1, len(self._pairs)
        return {
            "active": np.zeros((points, (n_synapses + 7) // 8), np.uint8),
            "trace": np.zeros((points, self._traced.size), np.float32),
            "traced": self._traced.copy(),
            "start": np.zeros((pairs, n_synapses), np.float32),
            "later": np.zeros((len(self._plan.pair_steps), pairs, n_synapses), np.float32),
        }


def unpack(active: NDArray[np.uint8], n_synapses: int) -> NDArray[np.bool_]:
    """States [time, synapse] from the packed bits of a table."""
    return np.unpackbits(np.asarray(active), axis=-1, count=n_synapses).astype(bool)
