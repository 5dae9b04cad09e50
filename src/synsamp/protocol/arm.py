"""One arm of a protocol, the trunk or a branch: its simulation and what its records remember."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.columns import Column, Table
from synsamp.environments import Loop
from synsamp.protocol.every import Every
from synsamp.protocol.records import AtMarks, Presentations, Spikes, Traces
from synsamp.protocol.steps import TIMED, Act
from synsamp.protocol.tables import AS_THEY_COME, TIME, Tables
from synsamp.protocol.view import View
from synsamp.seeds import named_seed
from synsamp.spiking import Network, Recording, Simulation

UNNAMED = "trunk"
"""What seeds call the arm without a name."""


class Arm:
    """Steps, records and the simulation that goes through them."""

    def __init__(
        self,
        name: str,
        steps: Sequence[Any],
        record: Mapping[str, Any],
        seed: int,
        sync_interval_s: float,
        tables: Tables,
    ) -> None:
        self.name, self.steps, self.record = name, tuple(steps), dict(record)
        self.index = 0
        self.began_s: float | None = None  # of the step that is under way
        self.repeated: list[Every] = []
        self._seed, self._sync_interval_s, self._tables = seed, sync_interval_s, tables
        self._memory: dict[str, Any] = {}
        self._counts: NDArray[np.int64] | None = None
        self.loop: Loop | None = None  # with the environment that is acted on
        self._mean_reward, self._total_reward = 0.0, 0.0  # up to the loop
        self.simulation: Simulation

    # -- setting up --------------------

    def start_with(self, network: Network, seed: np.random.SeedSequence, **options: Any) -> None:
        """Begin with a new simulation."""
        self._set_up(network)
        self.simulation = Simulation(
            network,
            seed=seed,
            sync_interval_s=self._sync_interval_s,
            **options,
            **self._listening(),
        )

    def go_on_from(self, network: Network, state: Any, stimulus: Any) -> None:
        """Begin or go on with the state of a simulation."""
        self._set_up(network)
        self.simulation = Simulation.from_state(network, state, stimulus, **self._listening())

    def _set_up(self, network: Network) -> None:
        if any(getattr(r.what, "counts_spikes", False) for r in self._on_grid().values()):
            self._counts = np.zeros(network.n_neurons, np.int64)
        for name, record in self.record.items():
            if isinstance(record, Spikes):
                self._tables.open(self.path(name), AS_THEY_COME["spikes"])
            elif isinstance(record, Traces):
                self._tables.open(self.path(name), AS_THEY_COME["traces"])
            elif isinstance(record, Presentations):
                index = Column(
                    "<i8", {"group": len(network.inputs)}, description="index in the library"
                )
                columns = {"time": TIME, "index": index}
                self._tables.open(self.path(name), Table("presentation", columns))

    def _listening(self) -> dict[str, Any]:
        """What the engine is asked to note, and who listens."""
        kinds = {type(r): r for r in self.record.values()}
        traced = kinds.get(Traces)
        recording = Recording(
            spikes=Spikes in kinds or self._counts is not None,
            presentations=Presentations in kinds,
            traces={} if traced is None else traced.synapses,
        )
        return {"record": recording, "sink": _Events(self)}

    # -- looking --------------------

    def path(self, name: str) -> str:
        """Where something of this arm stands in the results."""
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
        for name, record in self._on_grid().items():
            if hasattr(record.what, "row"):
                self._memory[name] = record.what.begin(self.view(name))
        self.take_rows()

    def take_rows(self, due: int | None = None) -> None:
        """Take a row of every record on a grid, or of those due at this number of the grid."""
        for name, record in self.record.items():
            if isinstance(record, Every) and (due is None or due % self.steps_of(record) == 0):
                self._take(name, record.what, None)

    def mark(self, mark: str) -> None:
        """Take a row of every record that is taken at this mark."""
        for name, record in self.record.items():
            if isinstance(record, AtMarks) and (not record.names or mark in record.names):
                self._take(name, record.what, mark)

    def _take(self, name: str, what: Any, mark: str | None) -> None:
        view = self.view(name)
        if hasattr(what, "row"):
            value, self._memory[name] = what.row(view, self._memory[name])
        else:
            value = what(view)
        self._tables.add_row(self.path(name), value, view.time_s, mark)

    def _on_grid(self) -> dict[str, Any]:
        return {n: r for n, r in self.record.items() if isinstance(r, (Every, AtMarks))}

    # -- time --------------------

    def begin_step(self, step: Any) -> None:
        """A step that takes time begins: something is shown, or an environment opens."""
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
        """Let time pass."""
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
        """The step whose stimulus this arm runs on by itself, or None."""
        begun = self.steps[: self.index + (self.began_s is not None)]
        return next((step for step in reversed(begun) if isinstance(step, TIMED)), None)

    def steps_of(self, every: Every) -> int:
        """An interval in steps of the grid."""
        return round(every.seconds / self._sync_interval_s)

    @property
    def grid_point(self) -> int:
        """Number of the last point of the grid that was reached."""
        return int(self.simulation.time_s / self._sync_interval_s + 1e-9)

    def next_stop_s(self) -> float:
        """The next time at which something is due."""
        recorded = [r for r in self.record.values() if isinstance(r, Every)]
        lengths = [self.steps_of(each) for each in (*recorded, *self.repeated)]
        here = self.grid_point
        return min(((here // n + 1) * n * self._sync_interval_s for n in lengths), default=np.inf)

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
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
        """Go on where a saved state left it; ``index`` and ``began_s`` are set already."""
        loop = state["loop"]
        if loop is not None:
            stimulus = {group: np.array(rates) for group, rates in loop["rates_hz"].items()}
        self.go_on_from(network, state["simulation"], stimulus)
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

    def fork(self, other: Arm, network: Network, stimulus: Any) -> None:
        """Let this arm begin as a copy of another."""
        self.go_on_from(network, other.simulation.state(), stimulus)
        self.repeated = list(other.repeated)
        self._mean_reward, self._total_reward = other.mean_reward, other.total_reward
        if self._counts is not None and other.counted is not None:
            self._counts[:] = other.counted

    @property
    def counted(self) -> NDArray[np.int64] | None:
        """Spikes of each neuron so far, if they are counted."""
        return self._counts

    # -- as they come --------------------

    def take_spikes(self, time_s: NDArray[np.float64], neuron: NDArray[np.int32]) -> None:
        """Count spikes and write them down."""
        if self._counts is not None:
            self._counts += np.bincount(neuron, minlength=self._counts.size)
        for name, record in self.record.items():
            if isinstance(record, Spikes):
                use: Any = slice(None)
                if record.between_s is not None:
                    use = (time_s >= record.between_s[0]) & (time_s < record.between_s[1])
                rows = {"time": time_s[use], "neuron": neuron[use]}
                self._tables.add_rows(self.path(name), rows)

    def take(self, kind: type, rows: Mapping[str, Any]) -> None:
        """Write down rows of a record that is written as they come."""
        for name, record in self.record.items():
            if isinstance(record, kind):
                self._tables.add_rows(self.path(name), rows)


class _Events:
    """Hands what the engine notes to an arm; see `synsamp.spiking.Sink`."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm

    def open(self, name: str, table: Any) -> None:
        """The arm opens its own tables."""

    def append(self, name: str, columns: Mapping[str, Any]) -> None:
        """Pass on; lesions stand in the log of steps."""
        if name == "spikes":
            self._arm.take_spikes(columns["time_s"], columns["neuron"])
        elif name == "traces":
            rows = {k: columns[k] for k in ("synapse", "theta")}
            self._arm.take(Traces, {"time": columns["time_s"], **rows})
        elif name == "presentations":
            rows = {"time": columns["start_s"], "index": columns["index"]}
            self._arm.take(Presentations, rows)

    def length(self, name: str) -> int:
        """Tables are cut back by who keeps them."""
        return 0

    def truncate(self, name: str, length: int) -> None:
        """Tables are cut back by who keeps them."""
