"""The shell around the kernel: allocates, feeds, records, lesions, saves and restores.

``Simulation`` owns all state as plain arrays. Time is in seconds of biological time. Chopping a run
into many calls, recording more or less, looking and probing leave the dynamics bit for bit alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.errors import SynsampError, refuse
from synsamp.spiking.activity import INPUTS_UNTIL, NEXT_EVENT, SPIKES, SWEEPS
from synsamp.spiking.arrays import (
    matrix,
    new_synapses,
    new_work,
    rest,
    with_room,
)
from synsamp.spiking.draws import (
    new_streams,
)
from synsamp.spiking.events import (
    BROKEN,
    DONE,
    INPUT_WANTED,
    QUEUE_FULL,
    TAPE_FULL,
    kernel_for,
)
from synsamp.spiking.feed import Feed
from synsamp.spiking.inputs import Schedule
from synsamp.spiking.layout import GRID_S, build_layout
from synsamp.spiking.lesions import Lesion, Scheduled, apply
from synsamp.spiking.looking import Looker
from synsamp.spiking.network import Network
from synsamp.spiking.notice import compiling
from synsamp.spiking.probing import Probe, run_probe
from synsamp.spiking.recording import Recorder, Recording
from synsamp.spiking.saving import restore, save
from synsamp.spiking.sinks import MemorySink, Sink

TAPE_SPIKES = 2**14


class Simulation:
    """A running network.

    ``refresh_s``: how often prior and noise are applied to a neuron's synapses (at its next spike
    after that time); 0 is the exact mode, at every spike; default 1e-4/b, that is 1 s in the paper,
    in which noise moves θ by 0.014. ``grid_s``: all synapses are brought up to date at multiples
    of it, and grids of the recording must be multiples of it (default: 10 refreshes, or 10 s).
    """

    def __init__(
        self,
        network: Network,
        stimulus: Any = None,
        seed: int | np.random.SeedSequence = 0,
        *,
        refresh_s: float | None = None,
        grid_s: float | None = None,
        record: Recording = Recording(),  # noqa: B008 (frozen)
        sink: Sink | None = None,
        lesions: Sequence[Scheduled] = (),
        theta: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._set_up(network, refresh_s, grid_s, record, sink, lesions)
        root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        dynamics, start, order, looks = root.spawn(4)
        self._streams = new_streams(dynamics, int(self.layout.wiring.n_pre.max()))
        self._feed = Feed(network, stimulus, np.random.default_rng(order), 0.0)
        self._looker = Looker(np.random.default_rng(looks))
        self._synapses = new_synapses(
            self.layout, network, np.random.default_rng(start), theta or {}
        )
        self._activity = rest(self.layout, network)
        self._activity.bias[:] = 0.0
        self._kernel.settle_all(*self._for_settling())
        self._recorder.at_start(self._synapses.theta)

    def _set_up(
        self,
        network: Network,
        refresh_s: float | None,
        grid_s: float | None,
        record: Recording,
        sink: Sink | None,
        lesions: Sequence[Scheduled],
    ) -> None:
        """What a new and a restored simulation have in common: all that is not state."""
        if not network.projections:
            raise refuse("projections", "must not be empty", 0, "add a Projection")
        fastest = (
            max(p.rule.b for p in network.projections if p.plastic)
            if any(p.plastic for p in network.projections)
            else 0.0
        )
        if refresh_s is None:
            refresh_s = 1e-4 / fastest if fastest > 0 else 1.0
        if not (np.isfinite(refresh_s) and refresh_s >= 0):
            raise refuse("refresh_s", "must be >= 0", refresh_s, "0 is the exact mode")
        if grid_s is None:
            grid_s = 10.0 * refresh_s if refresh_s > 0 else 10.0
        if not (np.isfinite(grid_s) and grid_s > 0 and grid_s >= refresh_s):
            raise refuse("grid_s", "must be > 0 and >= refresh_s", grid_s)
        self.network = network
        self.layout = build_layout(network, refresh_s, grid_s)
        self.time_s = 0.0
        self.lesion_log: list[tuple[float, str]] = []
        self._scheduled = tuple(lesions)
        self._applied = np.zeros(len(lesions), bool)
        self.sink: Any = MemorySink() if sink is None else sink
        self._recorder = Recorder(record, network, self.layout, self.sink)
        self._tape = self._recorder.new_tape(network.n_neurons, TAPE_SPIKES)
        self._work = new_work(self.layout, network)
        self._kernel = kernel_for(self.layout)
        self._schedule: Schedule | None = None

    # -- running --------------------

    def run(self, duration_s: float) -> Simulation:
        """Simulate ``duration_s`` more seconds; returns itself."""
        if not (np.isfinite(duration_s) and duration_s >= 0):
            raise refuse("duration_s", "must be >= 0 and finite", duration_s)
        end = self.time_s + duration_s
        self._lesions_due()
        while self.time_s < end:
            sweeps = int(self._activity.counters[SWEEPS])
            stop = min(end, self._next_stop_s(sweeps))
            self._advance(stop)
            sweeps_now = int(self._activity.counters[SWEEPS])
            if sweeps_now > sweeps and stop == sweeps_now * self._grid_s:
                self._recorder.at_grid(sweeps_now, stop, self._synapses.theta)
            self._lesions_due()
        return self

    def _next_stop_s(self, sweeps: int) -> float:
        stops = [self._recorder.next_grid_s(sweeps)]
        for lesion, done in zip(self._scheduled, self._applied, strict=True):
            if not done:
                at_s = (sweeps + 1) * self._grid_s if lesion.at_s is None else lesion.at_s
                stops.append(max(at_s, self.time_s))
        return min(stops)

    def _advance(self, stop_s: float) -> None:
        with compiling(self._kernel.run):
            while True:
                if self._schedule is None:
                    self._make_schedule()
                status = self._kernel.run(
                    stop_s,
                    self._feed.covered_s,
                    True,
                    self.layout.wiring,
                    self.layout.rules,
                    self.layout.retracted_weight,
                    self._synapses,
                    self._activity,
                    self._streams,
                    self._schedule,
                    self._tape,
                    self._work,
                )
                self._take_tape()
                if status == DONE:
                    break
                if status == INPUT_WANTED:
                    self._log_presentations(self._activity.clock[INPUTS_UNTIL])
                    self._feed.extend(float(self._activity.clock[INPUTS_UNTIL]))
                    self._schedule = None
                elif status == BROKEN:
                    raise self._broken()
                elif status == QUEUE_FULL:
                    raise RuntimeError("more spikes in flight than the queue was made for")
                else:
                    assert status == TAPE_FULL
        self.time_s = stop_s
        self._log_presentations(stop_s)

    def _take_tape(self) -> None:
        self._recorder.take_tape(self._tape)
        self._tape.written[:] = 0

    def _make_schedule(self) -> None:
        self._schedule = self._feed.schedule(float(self._activity.clock[INPUTS_UNTIL]))
        self._activity = with_room(self._activity, self.layout, self._feed.peak_rate_hz)

    def _log_presentations(self, until_s: float) -> None:
        if self._recorder.wants_presentations:
            self._recorder.take_presentations(self._feed.shown_before(until_s))

    @property
    def stimulus(self) -> Any:
        """What is shown; setting it starts the new one at the present time."""
        return self._feed.stimulus

    @stimulus.setter
    def stimulus(self, stimulus: Any) -> None:
        self._flush()
        self._feed.change(stimulus, self.time_s)
        self._schedule = None

    def _flush(self) -> None:
        """Deliver inputs up to the present, so that from here on something else may hold."""
        while self._feed.covered_s < self.time_s:
            self._feed.extend(float(self._activity.clock[INPUTS_UNTIL]))
        self._make_schedule()
        if self._activity.clock[INPUTS_UNTIL] < self.time_s:
            self._kernel.flush(
                self.time_s,
                self.layout.wiring,
                self._synapses,
                self._activity,
                self._streams,
                self._schedule,
                self._work,
            )
        self._log_presentations(self.time_s)

    # -- looking --------------------

    @property
    def n_spikes(self) -> int:
        """Network spikes so far."""
        return int(self._activity.counters[SPIKES])

    @property
    def _grid_s(self) -> float:
        return float(self.layout.wiring.constants[GRID_S])

    def theta(self, projection: str) -> NDArray[np.float64]:
        """θ[post, pre] at this very moment, NaN where no synapse can exist.

        A look never moves the dynamics: see `synsamp.spiking.looking`.
        """
        p = self._index(projection)
        values = self._looker.look(self)
        matrix = self._matrix(p, values)
        return np.where(np.isneginf(matrix), np.nan, matrix)

    def weight(self, projection: str) -> NDArray[np.float64]:
        """Efficacies ŵ[post, pre] that act on the potentials now."""
        p = self._index(projection)
        w = self._matrix(p, self._synapses.weight).astype(np.float64)
        retracted = self.layout.retracted_weight[self.layout.places[p].block]
        return np.maximum(w - float(retracted), 0.0)

    def active(self, projection: str) -> NDArray[np.bool_]:
        """Which synapses [post, pre] are functional (θ > 0) in the state the network runs on."""
        return self._matrix(self._index(projection), self._synapses.theta) > 0

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which neurons have not been removed."""
        return self._activity.bias == 0.0

    def neurons_of(self, circuit: str) -> NDArray[np.int64]:
        """Numbers of a circuit's neurons as they appear in recorded spikes."""
        names = [c.name for c in self.network.circuits]
        if circuit not in names:
            raise refuse("circuit", f"must be one of {', '.join(names)}", circuit)
        first = self.layout.wiring.first_neuron
        i = names.index(circuit)
        return np.arange(first[i], first[i + 1])

    def probe(self, stimulus: Any, duration_s: float, **options: Any) -> Probe:
        """Show a stimulus with plasticity off on a copy of the state; see `run_probe`."""
        return run_probe(self, stimulus, duration_s, **options)

    def _index(self, projection: str) -> int:
        names = [p.name for p in self.layout.projections]
        if projection not in names:
            raise refuse("projection", f"must be one of {', '.join(names)}", projection)
        return names.index(projection)

    def _matrix(self, p: int, values: NDArray[Any]) -> NDArray[Any]:
        return matrix(self.layout, p, values)

    def replay(self, time_s: ArrayLike, source: ArrayLike, learning: bool = True) -> Simulation:
        """Let given spikes happen instead of drawn ones, as in a pairing experiment.

        ``source`` counts inputs first (groups in order), then neurons; times must not decrease
        and must lie at or after the present. Drawn spikes go on from the last of them.
        """
        times, sources = np.array(time_s, float), np.array(source, np.int64)
        count = self.network.n_inputs + self.network.n_neurons
        if times.shape != sources.shape or times.ndim != 1:
            raise refuse("source", f"must be one per time, shape {times.shape}", sources.shape)
        if times.size == 0:
            return self
        if not (np.isfinite(times).all() and (np.diff(times) >= 0).all()):
            raise refuse("time_s", "must be finite and not decrease", "others")
        if times[0] < self.time_s:
            raise refuse("time_s", f"must be >= {self.time_s} (now)", float(times[0]))
        if not (0 <= sources.min() <= sources.max() < count):
            raise refuse("source", f"must lie in 0..{count - 1}", [sources.min(), sources.max()])
        self._flush()
        rate = times.size / max(float(times[-1] - self.time_s), 1e-3)
        self._activity = with_room(self._activity, self.layout, max(rate, 1e3) * 10)
        for at in range(0, times.size, TAPE_SPIKES):
            part = slice(at, at + TAPE_SPIKES)
            self._kernel.replay(
                times[part],
                sources[part],
                learning,
                self.layout.wiring,
                self.layout.rules,
                self.layout.retracted_weight,
                self._synapses,
                self._activity,
                self._streams,
                self._tape,
                self._work,
            )
            self._take_tape()
        self.time_s = float(times[-1])
        self._activity.clock[NEXT_EVENT] = -1.0
        self._feed.change(self._feed.stimulus, self.time_s)
        self._schedule = None
        return self

    # -- lesions --------------------

    def lesion(self, lesion: Lesion) -> None:
        """Apply a lesion now."""
        self._flush()
        apply(lesion, self)
        self._schedule = None
        self._kernel.settle_all(*self._for_settling())
        self.lesion_log.append((self.time_s, lesion.describe()))
        self._recorder.take_lesion(self.time_s, lesion.describe())

    def _lesions_due(self) -> None:
        for i, scheduled in enumerate(self._scheduled):
            if self._applied[i]:
                continue
            if scheduled.when is not None:
                due = bool(scheduled.when(self))
            else:
                assert scheduled.at_s is not None
                due = self.time_s >= scheduled.at_s
            if due:
                self._applied[i] = True
                self.lesion(scheduled.lesion)

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to go on bit for bit, as arrays, numbers and strings."""
        return save(self)

    @classmethod
    def from_state(
        cls,
        network: Network,
        state: Any,
        stimulus: Any = None,
        *,
        record: Recording = Recording(),  # noqa: B008 (frozen)
        sink: Sink | None = None,
        lesions: Sequence[Scheduled] = (),
    ) -> Simulation:
        """Go on from ``state()``; network, stimulus and scheduled lesions as they were."""
        sim = cls.__new__(cls)
        restore(sim, network, state, stimulus, record, sink, lesions)
        return sim

    # -- making arrays --------------------

    def _for_settling(self) -> tuple[Any, ...]:
        layout = self.layout
        return layout.wiring, layout.retracted_weight, self._synapses, self._activity, self._work

    def _broken(self) -> SynsampError:
        bad = [
            p.name
            for i, p in enumerate(self.layout.projections)
            if not np.isfinite(self._matrix(i, self._synapses.weight)).all()
        ]
        where = f"; synapses of {', '.join(bad)} are no longer finite" if bad else ""
        return SynsampError(
            f"the network's potentials must be finite, got NaN or overflow at "
            f"{float(self._activity.clock[INPUTS_UNTIL]):.3f} s{where}; "
            "the last checkpoint is kept; use a smaller b or N, or the clip of the paper"
        )
