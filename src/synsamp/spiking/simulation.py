"""The shell around the kernel: allocates, feeds, records, lesions, saves and restores.

``Simulation`` owns all state as plain arrays. Time is in seconds of biological time. Chopping a run
into many calls, recording more or less, looking and probing leave the dynamics bit for bit alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.errors import SynsampError, refuse
from synsamp.spiking.activity import INPUTS_UNTIL, NEXT_EVENT, SPIKES, SWEEPS, Activity
from synsamp.spiking.draws import (
    SPIKES_AT_ONCE,
    Normals,
    Streams,
    Words,
    exponential,
    new_streams,
)
from synsamp.spiking.events import (
    BROKEN,
    DONE,
    INPUT_WANTED,
    QUEUE_FULL,
    TAPE_FULL,
    Schedule,
    Work,
    kernel_for,
)
from synsamp.spiking.feed import Feed
from synsamp.spiking.layout import GRID_S, LANE, Layout, build_layout
from synsamp.spiking.lesions import (
    Lesion,
    RemoveNeurons,
    RemoveSynapses,
    Scheduled,
    SilenceInputs,
)
from synsamp.spiking.looking import Looker
from synsamp.spiking.network import Network
from synsamp.spiking.notice import compiling
from synsamp.spiking.probing import Probe, run_probe
from synsamp.spiking.recording import Recorder, Recording
from synsamp.spiking.sinks import MemorySink, Sink
from synsamp.spiking.synapses import Synapses

FORMAT = 1
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
        self._synapses = self._new_synapses(np.random.default_rng(start), theta or {})
        self._activity = rest(self.layout, network)
        self._draw_first_event()
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
        fastest = max(p.rule.b for p in network.projections if p.plastic) if any(
            p.plastic for p in network.projections
        ) else 0.0
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
        self._kernel = kernel_for(self.layout, exact=refresh_s == 0)
        self._schedule: Schedule | None = None

    # -- running -----------------------------------------------------------------------------------

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
                self._recorder.take_tape(self._tape)
                self._tape.written[:] = 0
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

    def _make_schedule(self) -> None:
        self._schedule = self._feed.schedule(float(self._activity.clock[INPUTS_UNTIL]))
        self._activity = with_room(self._activity, self.layout, self._feed.peak_rate_hz)

    def _log_presentations(self, until_s: float) -> None:
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

    # -- looking -----------------------------------------------------------------------------------

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
        return np.maximum(w - float(self.layout.retracted_weight[p]), 0.0)

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
        n_post = self.network.size_of(self.layout.projections[p].target)
        n_pre = int(self.layout.wiring.n_pre[p])
        start = int(self.layout.wiring.first_synapse[p])
        return values[start : start + n_post * n_pre].reshape(n_post, n_pre)

    # -- lesions -----------------------------------------------------------------------------------

    def lesion(self, lesion: Lesion) -> None:
        """Apply a lesion now."""
        self._flush()
        if isinstance(lesion, RemoveNeurons):
            self._remove_neurons(lesion)
        elif isinstance(lesion, RemoveSynapses):
            self._remove_synapses(lesion)
        elif isinstance(lesion, SilenceInputs):
            size = self.network.size_of(lesion.group)
            self._feed.silence(lesion.group, _indices("inputs", lesion.inputs, size))
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

    def _remove_neurons(self, lesion: RemoveNeurons) -> None:
        numbers = self.neurons_of(lesion.circuit)
        local = _indices("neurons", lesion.neurons, numbers.size)
        self._activity.bias[numbers[local]] = -np.inf
        for p, projection in enumerate(self.layout.projections):
            theta = self._matrix(p, self._synapses.theta)
            gone = np.zeros(theta.shape, bool)
            if projection.target == lesion.circuit:
                gone[local, :] = True
            if projection.source == lesion.circuit:
                gone[:, local] = True
            self._set_theta(p, gone, -np.inf)

    def _remove_synapses(self, lesion: RemoveSynapses) -> None:
        p = self._index(lesion.projection)
        theta = self._matrix(p, self._synapses.theta)
        gone = theta > 0 if isinstance(lesion.which, str) else np.asarray(lesion.which)
        if gone.shape != theta.shape or gone.dtype != bool:
            raise refuse("which", f"must be boolean with shape {theta.shape}", gone.shape)
        if lesion.regrow:
            gone = gone & (theta > lesion.theta)
        self._set_theta(p, gone, lesion.theta if lesion.regrow else -np.inf)

    def _set_theta(self, p: int, where: NDArray[np.bool_], value: float) -> None:
        rule = self.layout.projections[p].rule
        weight = float(rule.mapping.weight(value)) if value > -np.inf else 0.0
        self._matrix(p, self._synapses.theta)[where] = value
        self._matrix(p, self._synapses.weight)[where] = weight
        self._matrix(p, self._synapses.expected)[where] = rule.alpha * np.exp(weight)

    # -- state -------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to go on bit for bit, as arrays, numbers and strings."""
        streams = self._streams
        return {
            "format": FORMAT,
            "network": digest(self.layout),
            "time_s": self.time_s,
            "refresh_grid_s": self.layout.wiring.constants[-2:].copy(),
            "synapses": _copies(self._synapses),
            "activity": _copies(self._activity),
            "streams": {name: _copies(getattr(streams, name)) for name in streams._fields},
            "feed": self._feed.state(),
            "looker": self._looker.state(),
            "recorder": self._recorder.state(),
            "applied": self._applied.copy(),
            "lesions": {str(i): {"time_s": t, "what": w} for i, (t, w) in enumerate(self.lesion_log)},
        }

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
        if state.get("format") != FORMAT:
            raise refuse("state format", f"must be {FORMAT}", state.get("format"))
        sim = cls.__new__(cls)
        refresh_s, grid_s = (float(v) for v in state["refresh_grid_s"])
        sim._set_up(network, refresh_s, grid_s, record, sink, lesions)
        if digest(sim.layout) != state["network"]:
            raise refuse("network", "must be the one the state was saved from", "another one")
        if len(state["applied"]) != len(lesions):
            raise refuse("lesions", f"must be the {len(state['applied'])} of before", len(lesions))
        sim.time_s = float(state["time_s"])
        saved = state["streams"]
        sim._streams = Streams(
            Words(**_arrays(saved["events"])),
            Words(**_arrays(saved["inputs"])),
            Normals(**_arrays(saved["noise"])),
        )
        sim._synapses = Synapses(**_arrays(state["synapses"]))
        sim._activity = Activity(**_arrays(state["activity"]))
        sim._feed = Feed(network, stimulus, np.random.default_rng(0), 0.0)
        sim._feed.restore(state["feed"])
        sim._looker = Looker(np.random.default_rng(0))
        sim._looker.restore(state["looker"])
        sim._recorder.restore(state["recorder"])
        sim._applied = np.array(state["applied"], bool)
        entries = (state["lesions"][str(i)] for i in range(len(state["lesions"])))
        sim.lesion_log = [(float(e["time_s"]), str(e["what"])) for e in entries]
        return sim

    # -- making arrays -----------------------------------------------------------------------------

    def _new_synapses(
        self, rng: np.random.Generator, given: Mapping[str, ArrayLike]
    ) -> Synapses:
        n = self.layout.n_synapses
        synapses = Synapses(
            np.zeros(n),
            np.zeros(n, np.float32),
            np.zeros(n, np.float32),
            np.zeros(self.layout.n_cells, np.float32),
            np.zeros(self.network.n_neurons),
        )
        for name in given:
            self._index(name)
        for p, projection in enumerate(self.layout.projections):
            mask, rule = self.network.mask_of(projection), projection.rule
            if projection.name in given:
                values = np.array(np.broadcast_to(given[projection.name], mask.shape), float)
                if np.isnan(values[mask]).any():
                    raise refuse(f"theta of {projection.name!r}", "must be numbers", "NaN")
            else:
                values = np.asarray(rule.prior.draw(rng, mask.shape))
            values = np.where(mask, np.maximum(values, rule.floor), -np.inf)
            weight = np.where(mask, rule.mapping.weight(np.where(mask, values, 0.0)), 0.0)
            self._matrix(p, synapses.theta)[:] = values
            self._matrix(p, synapses.weight)[:] = weight
            self._matrix(p, synapses.expected)[:] = rule.alpha * np.exp(np.minimum(weight, 80.0))
        return synapses

    def _draw_first_event(self) -> None:
        rate = float(self.layout.wiring.rate_up_to[-1])
        self._activity.clock[NEXT_EVENT] = exponential(self._streams.events, rate)

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
            f"{float(self._activity.clock[INPUTS_UNTIL]):.3f} s{where}; the last checkpoint is kept; "
            "use a smaller b or N, or the clip of the paper"
        )


def rest(layout: Layout, network: Network) -> Activity:
    """The fast state of a network in which nothing has happened yet, at time 0."""
    n, circuits, delayed = network.n_neurons, len(network.circuits), layout.wiring.delay_s.size
    return Activity(
        clock=np.zeros(3),
        counters=np.zeros(2, np.int64),
        fall=np.zeros(layout.n_axons, np.float32),
        rise=np.zeros(layout.n_axons, np.float32),
        sum_fall=np.zeros(n + LANE, np.float32),
        sum_rise=np.zeros(n + LANE, np.float32),
        adaptation_fall=np.zeros(n),
        adaptation_rise=np.zeros(n),
        adapted_s=np.zeros(circuits),
        bias=np.zeros(n),
        queue_s=np.zeros((delayed, 1)),
        queue_axon=np.zeros((delayed, 1), np.int64),
        queue_head=np.zeros(delayed, np.int64),
        queue_count=np.zeros(delayed, np.int64),
    )


def with_room(activity: Activity, layout: Layout, input_rate_hz: float) -> Activity:
    """The same state with queues that hold all spikes that can be in flight."""
    wiring = layout.wiring
    if wiring.delay_s.size == 0:
        return activity
    mean = (input_rate_hz + float(wiring.rate_up_to[-1])) * float(wiring.delay_s.max())
    room = int(mean + 20.0 * np.sqrt(mean) + 64)  # 20 standard deviations: never
    old = activity.queue_s.shape[1]
    if old >= room:
        return activity
    order = (activity.queue_head[:, None] + np.arange(old)) % old
    times = np.zeros((wiring.delay_s.size, 2 * room))
    axons = np.zeros(times.shape, np.int64)
    times[:, :old] = np.take_along_axis(activity.queue_s, order, axis=1)
    axons[:, :old] = np.take_along_axis(activity.queue_axon, order, axis=1)
    return activity._replace(
        queue_s=times, queue_axon=axons, queue_head=np.zeros_like(activity.queue_head)
    )


def new_work(layout: Layout, network: Network) -> Work:
    """Working memory for the kernel."""
    row = int(layout.wiring.n_pre.max())
    largest = max(c.size for c in network.circuits)
    return Work(
        np.zeros(row, np.float32),
        np.zeros(row, np.float32),
        np.zeros(row, np.float32),
        np.zeros(SPIKES_AT_ONCE, np.float32),
        np.zeros(SPIKES_AT_ONCE, np.float32),
        np.zeros(SPIKES_AT_ONCE),
        np.zeros(largest),
    )


def digest(layout: Layout) -> str:
    """A short name of wiring and numbers, to recognise the network a state belongs to."""
    sha = hashlib.sha256()
    for array in (*layout.wiring, *(a for r in layout.rules for a in r[:8])):
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()[:16]


def _copies(arrays: Any) -> dict[str, NDArray[Any]]:
    return {name: array.copy() for name, array in arrays._asdict().items()}


def _arrays(saved: Any) -> dict[str, NDArray[Any]]:
    return {name: np.array(value) for name, value in saved.items()}


def _indices(name: str, values: Sequence[int], size: int) -> NDArray[np.int64]:
    numbers = np.unique(np.asarray(values, np.int64))
    if numbers.size and not 0 <= numbers[0] <= numbers[-1] < size:
        raise refuse(name, f"must lie in 0..{size - 1}", [int(numbers[0]), int(numbers[-1])])
    return numbers
