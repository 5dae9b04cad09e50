"""One circuit through all phases: what is looked at, and when.

Every ``GRID_S`` seconds: the number of active synapses and θ of some candidate synapses. Every
``TURNOVER_S``: how many connections were born and died. At each snapshot: all of θ, and which
digits each neuron answers to (a probe with plasticity off, from the running state, that leaves the
simulation as it was). Before the phase that brings a new digit the simulation forks: a control
goes on with the old digits for as long, on the same noise, and only its end is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.analysis.tuning import counts_by_label, spike_counts
from synsamp.experiments.base import State
from synsamp.experiments.shared.digit_circuit import (
    SYNAPSES,
    CircuitSection,
    DigitStimulus,
    InputSection,
    RuleSection,
    build_network,
    build_synapses,
)
from synsamp.spiking import Network, Simulation

GRID_S = 10.0
TURNOVER_S = 100.0
POINTS_PER_TURNOVER = round(TURNOVER_S / GRID_S)

Table = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Segment:
    """A stretch of one stimulus; ``control`` forks before it and is dropped after it."""

    stimulus: DigitStimulus
    points: int  # of the grid
    control: bool = False


@dataclass(frozen=True, eq=False)
class CircuitPlan:
    """All that the jobs of an ensemble have in common."""

    segments: tuple[Segment, ...]
    everything: DigitStimulus  # what a probe shows
    digits: tuple[int, ...]  # that a probe can show
    candidates: NDArray[np.int64]  # inputs whose synapses are traced
    snapshot_points: int
    probe_s: float
    n_inputs: int
    rule: RuleSection
    circuit: CircuitSection
    input: InputSection

    @property
    def points(self) -> int:
        """Grid points of the phases, the control not counted."""
        return sum(s.points for s in self.segments if not s.control)

    @property
    def work(self) -> float:
        """Grid points of all segments."""
        return float(sum(s.points for s in self.segments))

    def network(self) -> Network:
        """The circuit."""
        return build_network(self.n_inputs, self.circuit, build_synapses(self.rule))


class PhasesJob:
    """One seed."""

    def __init__(
        self,
        plan: CircuitPlan,
        seed_for: Callable[..., np.random.SeedSequence],
        number: int,
        state: State | None,
    ) -> None:
        self._plan = plan
        self._seed_for = seed_for
        self._number = number
        if state is None:
            self._segment, self._within = 0, 0
            first, seed = plan.segments[0].stimulus.order, seed_for("circuit", number)
            self._sim = Simulation(plan.network(), first, seed=seed, grid_s=GRID_S)
            self._fork: dict[str, Any] = {}
            self.tables = self._empty_tables()
            self._was_active = self._sim.theta(SYNAPSES) > 0
            self._snapshot(0)
        else:
            self._segment, self._within = int(state["segment"]), int(state["within"])
            # Between two segments the simulation still runs on the stimulus of the one before.
            running = self._segment - (self._within == 0 and self._segment > 0)
            shown = plan.segments[running].stimulus.order
            self._sim = Simulation.from_state(plan.network(), state["simulation"], shown)
            self._fork = dict(state["fork"])
            self.tables = {name: np.array(table) for name, table in state["tables"].items()}
            self._was_active = np.array(state["was_active"], bool)

    @property
    def work(self) -> float:
        """Grid points of all segments."""
        return self._plan.work

    @property
    def done(self) -> float:
        """Grid points passed."""
        return float(sum(s.points for s in self._plan.segments[: self._segment]) + self._within)

    def step(self) -> None:
        """Go on to the next point of the turnover grid."""
        segment = self._plan.segments[self._segment]
        if self._within == 0 and self._segment > 0:
            if segment.control:
                self._fork = self._sim.state()
            else:
                self._sim.stimulus = segment.stimulus.order
        for _ in range(POINTS_PER_TURNOVER):
            self._sim.run(GRID_S)
            self._within += 1
            if not segment.control:
                self._look()
        if self._within == segment.points:
            if segment.control:
                self.tables["control_theta"][:] = self._sim.theta(SYNAPSES)
                before = self._plan.segments[self._segment - 1].stimulus.order
                self._sim = Simulation.from_state(self._plan.network(), self._fork, before)
                self._fork = {}
            self._segment, self._within = self._segment + 1, 0

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        return {
            "segment": self._segment,
            "within": self._within,
            "simulation": self._sim.state(),
            "fork": self._fork,
            "was_active": self._was_active.copy(),
            "tables": {name: table.copy() for name, table in self.tables.items()},
        }

    def _look(self) -> None:
        before = self._plan.segments[: self._segment]
        point = sum(s.points for s in before if not s.control) + self._within
        theta = self._sim.theta(SYNAPSES)
        active = theta > 0
        self.tables["active"][point] = active.sum(axis=1)
        self.tables["trace"][point] = theta[:, self._plan.candidates]
        if point % POINTS_PER_TURNOVER == 0:
            row = point // POINTS_PER_TURNOVER - 1
            self.tables["born"][row] = (active & ~self._was_active).sum()
            self.tables["died"][row] = (~active & self._was_active).sum()
            self._was_active = active
        if point % self._plan.snapshot_points == 0:
            self._snapshot(point // self._plan.snapshot_points)

    def _snapshot(self, row: int) -> None:
        plan = self._plan
        theta = self._sim.theta(SYNAPSES)
        self.tables["theta"][row] = theta
        if row == 0:
            self.tables["active"][0] = (theta > 0).sum(axis=1)
            self.tables["trace"][0] = theta[:, plan.candidates]
        seed = self._seed_for("probe", self._number, row)
        probe = self._sim.probe(plan.everything.order, plan.probe_s, seed=seed)
        counts = spike_counts(
            probe.time_s, probe.neuron, probe.shown_at_s, plan.input.digit_s, plan.circuit.neurons
        )
        shown = probe.shown[:, 0]
        self.tables["spikes"][row] = counts_by_label(
            counts, plan.everything.labels[shown], plan.digits
        )

    def _empty_tables(self) -> Table:
        plan = self._plan
        points, neurons = plan.points, plan.circuit.neurons
        snapshots = points // plan.snapshot_points + 1
        changes = points // POINTS_PER_TURNOVER
        return {
            "theta": np.zeros((snapshots, neurons, plan.n_inputs), np.float32),
            "spikes": np.zeros((snapshots, neurons, len(plan.digits)), np.int64),
            "active": np.zeros((points + 1, neurons), np.int32),
            "trace": np.zeros((points + 1, neurons, plan.candidates.size), np.float32),
            "born": np.zeros(changes, np.int32),
            "died": np.zeros(changes, np.int32),
            "control_theta": np.full((neurons, plan.n_inputs), np.nan, np.float32),
        }
