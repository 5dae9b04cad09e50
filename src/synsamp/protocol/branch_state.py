"""The state of the trunk or of a branch: its simulation and what its records remember."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.environments import Loop
from synsamp.protocol.every import Every
from synsamp.protocol.records.at_marks import AtMarks
from synsamp.protocol.records.base import EventRecord, IntervalRecord, SyncRecord
from synsamp.protocol.records.traces import Traces
from synsamp.protocol.steps import TIMED, Act
from synsamp.protocol.tables import Tables
from synsamp.protocol.view import View
from synsamp.seeds import named_seed
from synsamp.spiking import Network, Simulation

UNNAMED = "trunk"
"""The name of the trunk in seeds."""


class BranchState:
    """Steps, records and the simulation that goes through them."""

    def __init__(
        self,
        name: str,
        steps: Sequence[Any],
        record: Mapping[str, Any],
        seed: int,
        sync_interval_s: float,
        tables: Tables,
        has_lesions: bool,
    ) -> None:
        self.name, self.steps, self.record = name, tuple(steps), dict(record)
        self.index = 0
        self.began_s: float | None = None  # of the step that is under way
        self.repeated: list[Every] = []
        self._seed, self._sync_interval_s, self._tables = seed, sync_interval_s, tables
        self._has_lesions = has_lesions  # of the protocol, so that branches have equal coordinates
        self._memory: dict[str, Any] = {}
        self._counts: NDArray[np.int64] | None = None
        self.loop: Loop | None = None  # with the environment that is acted on
        self._mean_reward, self._total_reward = 0.0, 0.0  # up to the loop
        self.simulation: Simulation
        self._network: Network

    # -- setting up --------------------

    def start_with(self, network: Network, seed: np.random.SeedSequence, **options: Any) -> None:
        """Begin with a new simulation."""
        self._set_up(network)
        self.simulation = Simulation(
            network,
            seed=seed,
            sync_interval_s=self._sync_interval_s,
            **options,
            observer=self,
        )

    def continue_from(self, network: Network, state: Any, stimulus: Any) -> None:
        """Begin or continue with the state of a simulation."""
        self._set_up(network)
        self.simulation = Simulation.from_state(network, state, stimulus, observer=self)

    def _set_up(self, network: Network) -> None:
        self._network = network
        if any(getattr(r.what, "counts_spikes", False) for r in self._timed_records().values()):
            self._counts = np.zeros(network.n_neurons, np.int64)
        for name, record in self.record.items():
            if isinstance(record, (EventRecord, SyncRecord)):
                self._tables.open(self.path(name), record.table(network))

    # -- events of the engine; see `synsamp.spiking.events.Observer` --------------------

    def _event_records(self) -> dict[str, EventRecord]:
        return {n: r for n, r in self.record.items() if isinstance(r, EventRecord)}

    @property
    def events(self) -> set[str]:
        """Kinds of event that the records need."""
        counted = set() if self._counts is None else {"spikes"}
        return counted | {record.event for record in self._event_records().values()}

    @property
    def traced(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """Synapses whose θ is recorded at each update."""
        records = (r for r in self.record.values() if isinstance(r, Traces))
        return next((r.synapses for r in records), {})

    def take(self, event: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Count spikes, and hand events to their records."""
        if event == "spikes" and self._counts is not None:
            self._counts += np.bincount(columns["neuron"], minlength=self._counts.size)
        for name, record in self._event_records().items():
            if record.event == event:
                self._tables.add_rows(self.path(name), record.rows(columns, self._network))

    # -- reading --------------------

    def path(self, name: str) -> str:
        """Path in the results of something of this branch."""
        return f"{self.name}/{name}" if self.name else name

    def view(self, *key: str) -> View:
        """The network now, for a record or a step of that name."""
        branch = self.name or UNNAMED
        seeds = partial(named_seed, self._seed, "view", branch, *key, self.simulation.time_s)
        environment = None if self.loop is None else self.loop.state_of_environment
        total = self.total_reward
        return View(self.simulation, self.name, seeds, self._counts, total, environment)

    def begin(self) -> None:
        """Take the first rows."""
        for name, record in self._timed_records().items():
            if isinstance(record.what, IntervalRecord):
                self._memory[name] = record.what.begin(self.view(name))
        for name, sync in self._sync_records().items():
            self._memory.setdefault(name, sync.begin(self.view(name)))
        self.take_rows()

    def take_rows(self, point: int | None = None, after_lesion: bool = False) -> None:
        """Take a row of every periodic record, or of those due at this sync point."""
        marked = after_lesion if self._has_lesions else None
        for name, record in self.record.items():
            if isinstance(record, Every) and (point is None or point % self.steps_of(record) == 0):
                self._take(name, record.what, None, marked)
        for name, sync in self._sync_records().items():
            rows, self._memory[name] = sync.rows(self.view(name), self._memory[name])
            self._tables.add_rows(self.path(name), rows)

    def _sync_records(self) -> dict[str, SyncRecord]:
        return {n: r for n, r in self.record.items() if isinstance(r, SyncRecord)}

    def mark(self, mark: str) -> None:
        """Take a row of every record taken at this mark."""
        for name, record in self.record.items():
            if isinstance(record, AtMarks) and (not record.names or mark in record.names):
                self._take(name, record.what, mark)

    def _take(
        self, name: str, what: Any, mark: str | None, after_lesion: bool | None = None
    ) -> None:
        view = self.view(name)
        if isinstance(what, IntervalRecord):
            value, self._memory[name] = what.row(view, self._memory[name]), what.begin(view)
        else:
            value = what(view)
        self._tables.add_row(self.path(name), value, view.time_s, mark, after_lesion)

    def _timed_records(self) -> dict[str, Any]:
        return {n: r for n, r in self.record.items() if isinstance(r, (Every, AtMarks))}

    # -- time --------------------

    def begin_step(self, step: Any) -> None:
        """Begin a step that takes time."""
        self._mean_reward, self._total_reward = self.mean_reward, self.total_reward
        self.loop = None
        if isinstance(step, Act):
            seed = named_seed(self._seed, "environment", self.simulation.time_s)
            self.loop = Loop(
                self.simulation,
                step.environment,
                int(seed.generate_state(1)[0]),
                dopamine=step.dopamine,
                rewarded=step.rewarded,
                mean_reward=self._mean_reward,
            )
        else:
            self.simulation.stimulus = step.stimulus
        self.began_s = self.simulation.time_s

    def run_until(self, time_s: float) -> None:
        """Simulate up to a time."""
        if self.loop is None:
            self.simulation.run_until(time_s)
        else:
            self.loop.run_until(time_s)

    @property
    def mean_reward(self) -> float:
        """The running mean."""
        return self._mean_reward if self.loop is None else self.loop.mean_reward

    @property
    def total_reward(self) -> float:
        """The integral of reward over time since the protocol began."""
        return self._total_reward + (0.0 if self.loop is None else self.loop.total_reward)

    @property
    def shown(self) -> Any:
        """The step whose stimulus this branch shows by itself, or None."""
        begun = self.steps[: self.index + (self.began_s is not None)]
        return next((step for step in reversed(begun) if isinstance(step, TIMED)), None)

    def steps_of(self, every: Every) -> int:
        """An interval in steps of ``sync_interval_s``."""
        return round(every.seconds / self._sync_interval_s)

    @property
    def sync_point(self) -> int:
        """Number of the last sync point that was reached."""
        return int(self.simulation.time_s / self._sync_interval_s + 1e-9)

    def next_stop_s(self) -> float:
        """The next time at which a record or change is due."""
        recorded = [r for r in self.record.values() if isinstance(r, Every)]
        lengths = [self.steps_of(each) for each in (*recorded, *self.repeated)]
        lengths += [1] * bool(self._sync_records())
        here = self.sync_point
        return min(((here // n + 1) * n * self._sync_interval_s for n in lengths), default=np.inf)

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to continue."""
        return {
            "index": self.index,
            "began_s": self.began_s,
            "memory": dict(self._memory),
            "counts": None if self._counts is None else self._counts.copy(),
            "simulation": self.simulation.state(),
            "mean_reward": self._mean_reward,
            "total_reward": self._total_reward,
            "loop": None if self.loop is None else self.loop.state(),
        }

    def restore(self, network: Network, state: Any, stimulus: Any) -> None:
        """Continue from a saved state; ``index`` and ``began_s`` are set already."""
        loop = state["loop"]
        if loop is not None:
            stimulus = {group: np.array(rates) for group, rates in loop["rates_hz"].items()}
        self.continue_from(network, state["simulation"], stimulus)
        self._mean_reward = float(state["mean_reward"])
        self._total_reward = float(state["total_reward"])
        if loop is not None:
            act = self.shown
            self.loop = Loop.restore(
                self.simulation,
                act.environment,
                loop,
                dopamine=act.dopamine,
                rewarded=act.rewarded,
            )
        self._memory = dict(state["memory"])
        if self._counts is not None:
            self._counts[:] = state["counts"]

    def fork(self, other: BranchState, network: Network, stimulus: Any) -> None:
        """Begin as a copy of another branch."""
        self.continue_from(network, other.simulation.state(), stimulus)
        self.repeated = list(other.repeated)
        self._mean_reward, self._total_reward = other.mean_reward, other.total_reward
        if self._counts is not None and other.counted is not None:
            self._counts[:] = other.counted
        for name, record in self._sync_records().items():
            if other.record.get(name) is record:
                self._memory[name] = other.remembered(name)

    def remembered(self, name: str) -> Any:
        """What a record remembers."""
        return self._memory[name]

    @property
    def counted(self) -> NDArray[np.int64] | None:
        """Spikes of each neuron so far, if they are counted."""
        return self._counts
