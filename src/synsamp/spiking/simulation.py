"""The shell that users hold: checks arguments, advances a state, records.

Time is in seconds of biological time. Chopping a run into many calls, recording more or less,
looking and probing leave the dynamics bit for bit alike.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.changes import changed, relaid_state, restore_changes, save_changes
from synsamp.spiking.description import difference, summary
from synsamp.spiking.engine import Engine, default_drift_interval_s
from synsamp.spiking.first_use import announced
from synsamp.spiking.input.schedule import InputFeed
from synsamp.spiking.input.stimulus import parse_stimulus
from synsamp.spiking.instruments.eligibility import Eligibility, read_eligibility
from synsamp.spiking.instruments.given import check_given
from synsamp.spiking.instruments.lesions import Lesion, Scheduled, all_scheduled, apply, next_stop_s
from synsamp.spiking.instruments.probe import Probe, run_probe
from synsamp.spiking.instruments.recording import Recorder, Recording
from synsamp.spiking.instruments.sinks import Sink, as_sink
from synsamp.spiking.instruments.tables import to_pandas, to_xarray
from synsamp.spiking.kernel.acting import on_grid
from synsamp.spiking.kernel.loop import DONE
from synsamp.spiking.kernel.memory import SPIKES, SWEEPS, Acting
from synsamp.spiking.network import Network
from synsamp.spiking.saved import FORMAT, check_saved, translate_errors
from synsamp.spiking.state import State, fresh_copy

BUFFER_SPIKES = 2**14


class Simulation:
    """A running network.

    ``stimulus``: what the inputs show (`synsamp.spiking.input.stimulus`), None for silence.
    ``drift_interval_s``: how often prior and noise are applied to a neuron's synapses (at its next spike
    after that time); 0 is the exact mode, at every spike; default 1e-4/b, that is 1 s in the paper,
    in which noise moves θ by 0.014. ``sync_interval_s``: all synapses are brought up to date at multiples
    of it (default: 10 refreshes, or 10 s).
    ``theta``: start values per projection; others are drawn from their prior.
    """

    def __init__(
        self,
        network: Network,
        stimulus: Any = None,
        seed: int | np.random.SeedSequence = 0,
        *,
        drift_interval_s: float | None = None,
        sync_interval_s: float | None = None,
        record: Recording = Recording(),  # noqa: B008 (frozen)
        sink: Sink | None = None,
        lesions: Sequence[Scheduled] = (),
        theta: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._set_up(network, stimulus, drift_interval_s, sync_interval_s, record, sink, lesions)
        if not isinstance(seed, np.random.SeedSequence):
            seed = np.random.SeedSequence(arguments.seed("seed", seed))
        given = {} if theta is None else theta
        self._state = State.new(self._engine.layout, network, fresh_copy(seed), given)
        self._engine.recompute_potentials(self._state)

    def _set_up(
        self,
        network: Network,
        stimulus: Any,
        drift_interval_s: float | None,
        sync_interval_s: float | None,
        record: Recording,
        sink: Sink | None,
        lesions: Sequence[Scheduled],
    ) -> None:
        """What a new and a restored simulation have in common: all that is not state."""
        with announced():
            self._engine = Engine(network, drift_interval_s, sync_interval_s)
        self.network = self._given = network
        self._drift_interval_given = drift_interval_s is not None
        self._stimulus = stimulus
        self._feed = InputFeed(network, parse_stimulus(stimulus, network))
        self._scheduled = all_scheduled(lesions)
        self._applied = np.zeros(len(self._scheduled), bool)
        self.lesion_log: list[tuple[float, str]] = []
        self.sink: Any = as_sink(sink)
        self._record = record
        self._recorder = Recorder(record, network, self._engine.layout, self.sink)
        self._event_buffer = self._recorder.new_event_buffer(BUFFER_SPIKES)

    def __repr__(self) -> str:
        past = f"{self.n_spikes:,} spikes in {self.time_s:g} s"
        return f"Simulation({summary(self.network)}; {past})"

    # -- running --------------------

    @property
    def time_s(self) -> float:
        """The present, in seconds of biological time."""
        return self._state.time_s

    @property
    def n_spikes(self) -> int:
        """Network spikes so far."""
        return int(self._state.activity.counters[SPIKES])

    @property
    def spike_counts(self) -> NDArray[np.int64]:
        """Spikes of each neuron so far."""
        return self._recorder.spike_counts.copy()

    @property
    def sync_interval_s(self) -> float:
        """All synapses are up to date at multiples of it."""
        return self._engine.layout.sync_interval_s

    @property
    def drift_interval_s(self) -> float:
        """How long a neuron's synapses may go without prior and noise."""
        return self._engine.layout.drift_interval_s

    @property
    def nbytes(self) -> int:
        """Memory of synapses and wiring."""
        arrays = (*self._state.synapses, *self._engine.layout.wiring)
        return sum(values.nbytes for values in arrays)

    def run(self, duration_s: float) -> Simulation:
        """Simulate ``duration_s`` more seconds; returns itself."""
        duration_s = arguments.number("duration_s", duration_s, at_least=0, at_most=1e12)
        return self.run_until(self.time_s + duration_s)

    def run_until(self, time_s: float) -> Simulation:
        """Simulate up to a time, the same one in whatever pieces; returns itself."""
        self.act_until(time_s, None)
        return self

    def act_until(self, time_s: float, acting: Acting | None) -> int:
        """The same with a compiled environment; stops where inputs change, and returns why."""
        end, status = float(on_grid.py_func(float(time_s), self.sync_interval_s)), DONE
        self._lesions_due()
        while self.time_s < end and status == DONE:
            waiting = list(compress(self._scheduled, ~self._applied))
            stop = next_stop_s(waiting, end, self.time_s, (self._sweeps + 1) * self.sync_interval_s)
            take, log = self._recorder.take_events, self._log_presentations
            status = self._engine.advance(
                self._state, self._feed, stop, self._event_buffer, take, log, acting=acting
            )
            self._log_presentations(self.time_s)
            self._lesions_due()
        return status

    @property
    def _sweeps(self) -> int:
        return int(self._state.activity.counters[SWEEPS])

    def _log_presentations(self, until_s: float) -> None:
        if self._recorder.wants_presentations:
            shown = self._feed.shown_before(self._state.inputs, until_s)
            self._recorder.take_presentations(shown)

    def replay(self, time_s: ArrayLike, source: ArrayLike, learning: bool = True) -> Simulation:
        """Let given spikes happen instead of drawn ones, as in a pairing experiment.

        ``source`` counts inputs first (groups in order), then neurons; times must not decrease
        and must lie at or after the present. Drawn spikes go on from the last of them.
        """
        wiring = self._engine.layout.wiring
        times, sources, learning = check_given(
            time_s, source, learning, self.time_s, self.alive, wiring
        )
        if times.size == 0:
            return self
        self._deliver()
        self._engine.replay(
            self._state, times, sources, self._event_buffer, self._recorder.take_events, learning
        )
        inputs, set_s = self._state.inputs, self._state.inputs.set_s
        inputs.restart(self.time_s)
        self._feed = InputFeed(self.network, parse_stimulus(self._stimulus, self.network))
        inputs.set_s = set_s  # given spikes go on as if nothing had happened
        inputs.given = self._feed.given_before(inputs, self.time_s)
        return self

    # -- input --------------------

    @property
    def stimulus(self) -> Any:
        """What is shown; setting it starts the new one at the present time."""
        return self._stimulus

    @stimulus.setter
    def stimulus(self, stimulus: Any) -> None:
        shown = parse_stimulus(stimulus, self.network)
        self._deliver()
        self._stimulus = stimulus
        self._state.inputs.restart(self.time_s)
        self._feed = self._feed.showing(shown)

    def _deliver(self) -> None:
        self._engine.deliver(
            self._state, self._feed, self._event_buffer, self._recorder.take_events
        )
        self._log_presentations(self.time_s)

    # -- looking --------------------

    def theta(self, projection: str) -> NDArray[np.float64]:
        """θ[post, pre] of the state the network runs on, NaN where no synapse exists.

        Exact at multiples of ``sync_interval_s``; in between as of the last refresh of each neuron.
        """
        matrix = self._read(projection, self._state.synapses.theta)
        return np.where(np.isneginf(matrix), np.nan, matrix)

    def weight(self, projection: str) -> NDArray[np.float64]:
        """Efficacies ŵ[post, pre] = max(0, w − f(0)) that act on the potentials now.

        For the paper's mapping f(0) = e^−θ0: a retracted synapse (θ <= 0) has none. As of the
        same moment as `theta`.
        """
        w = self._read(projection, self._state.synapses.weight).astype(np.float64)
        place = self._engine.layout.places[self._engine.layout.place_of(projection)]
        at_zero = float(self._engine.layout.numbers.retracted_weight[place.block])
        effect = np.maximum(w - at_zero, 0.0)
        # w is kept in single precision: next to θ = 0 it may be off by a rounding.
        return np.where(self.active(projection), effect, 0.0)

    def active(self, projection: str) -> NDArray[np.bool_]:
        """Which synapses [post, pre] are functional (θ > 0), as of the same moment as `theta`."""
        return self._read(projection, self._state.synapses.theta) > 0

    def eligibility(self, projection: str) -> Eligibility:
        """Eligibility e and gradient estimate g of synapses that learn from reward, now."""
        return read_eligibility(self._engine, self._state, projection)

    def potentials(self, circuit: str) -> NDArray[np.float64]:
        """u_k of a circuit's neurons now (Eq. membrane-potential)."""
        numbers = self.network.neurons_of(circuit)
        state = self._state.copy()
        self._engine.deliver(state, self._feed, self._event_buffer, lambda buffer: None)
        return self._engine.potentials(state)[numbers]

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which neurons have not been removed."""
        return self._state.activity.bias > -np.inf

    def neurons_of(self, circuit: str) -> NDArray[np.int64]:
        """Numbers of a circuit's neurons as they appear in recorded spikes."""
        return self.network.neurons_of(circuit)

    def probe(self, stimulus: Any, duration_s: float, **options: Any) -> Probe:
        """Show a stimulus with plasticity off on a copy of the state; see `run_probe`."""
        known = ("seed", "start", "burn_in_s", "burn_in")
        for name in options:
            arguments.one_of("option of probe", name, known)
        return run_probe(self._engine, self._state, stimulus, duration_s, **options)

    def to_xarray(self) -> xr.DataTree:
        """θ and ŵ as the node ``now``, and a node per recorded table (``spikes``, ``theta`` …)."""
        return to_xarray(self.network, self.theta, self.weight, self.time_s, self.sink)

    def to_pandas(self, table: str) -> pd.DataFrame:
        """One recorded table, such as ``spikes`` or ``turnover``."""
        return to_pandas(self.sink, table)

    def _read(self, projection: str, values: NDArray[Any]) -> NDArray[Any]:
        layout = self._engine.layout
        return layout.matrix(layout.place_of(self.network.projection(projection).name), values)

    # -- changes --------------------

    def change(self, projection: str | Mapping[str, Mapping[str, Any]], **numbers: Any) -> None:
        """From now on other numbers hold for a projection: speed, temperature, prior, plasticity.

        Several at once as a mapping, ``{"x->z": {"speed": 0.0}, …}``. All synapses are brought up
        to date under the old numbers first. Parts keep their kind: give
        ``prior=Gaussian(1.0, 0.5)`` where a Gaussian was, ``plasticity=SpikeLikelihood(data_size=50.0)``.
        The refresh follows the fastest b unless it was given; the grid stays.
        """
        if not isinstance(projection, Mapping):
            projection = {arguments.text("projection", projection): numbers}
        elif numbers:
            rule = "must have its numbers within the mapping"
            raise refuse("change", rule, sorted(numbers)[0], "put it there")
        network = changed(self.network, projection)
        drift_interval_s = self.drift_interval_s
        if not self._drift_interval_given:
            drift_interval_s = min(default_drift_interval_s(network), self.sync_interval_s)
        engine = Engine(network, drift_interval_s, self.sync_interval_s)
        old, new = self._engine.layout, engine.layout
        self._engine.bring_up_to_date(self._state, self._event_buffer, self._recorder.take_events)
        relaid_state(self._state, old, new)
        self._recorder.move_to(new)
        self._event_buffer = self._recorder.new_event_buffer(BUFFER_SPIKES)
        self.network, self._engine = network, engine
        engine.recompute_potentials(self._state)

    def modulate(self, circuit: str | None, value: float) -> None:
        """Set the modulator that plasticity in a circuit (None: in all) reads from now on."""
        index = slice(None) if circuit is None else self.network.index_of(circuit)
        value = arguments.number("value", value)
        modulator = self._state.activity.modulator
        if (modulator[index] != value).any():
            self._engine.bring_eligibility_up(self._state)
            modulator[index] = value

    def modulator(self, circuit: str) -> float:
        """The present value of a circuit's modulator; 1 unless it was set."""
        return float(self._state.activity.modulator[self.network.index_of(circuit)])

    # -- lesions --------------------

    @property
    def lesions_waiting(self) -> bool:
        """Whether scheduled ones are still to come."""
        return not bool(self._applied.all())

    def lesion(self, lesion: Lesion) -> None:
        """Apply a lesion now."""
        apply(lesion, self._state.copy(), self.network, self._engine.layout)  # refuses a wrong one
        self._deliver()
        apply(lesion, self._state, self.network, self._engine.layout)
        self._feed.forget()
        self._engine.recompute_potentials(self._state)
        self.lesion_log.append((self.time_s, lesion.describe()))
        self._recorder.take_lesion(self.time_s, lesion.describe())

    def _lesions_due(self) -> None:
        for i, scheduled in enumerate(self._scheduled):
            on_grid = self.time_s == self._sweeps * self.sync_interval_s
            if not self._applied[i] and scheduled.is_due(self, on_grid):
                self._applied[i] = True
                self.lesion(scheduled.lesion)

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to go on bit for bit, as arrays, numbers and strings."""
        log = {str(i): {"time_s": t, "what": w} for i, (t, w) in enumerate(self.lesion_log)}
        if not self._recorder.wants_presentations:  # who goes on may: from here on
            self._feed.shown_before(self._state.inputs, self.time_s)
        return {
            "format": FORMAT,
            "drift_interval_s": self._engine.layout.drift_interval_s,
            "drift_interval_given": self._drift_interval_given,
            "sync_interval_s": self.sync_interval_s,
            **self._state.save(self._given),
            "changes": save_changes(self.network, self._given),
            "recorder": self._recorder.state(),
            "applied": self._applied.copy(),
            "lesions": log,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles continue independently and bit-identically."""
        options = {"record": self._record, "sink": self.sink, "lesions": self._scheduled}
        return _continued, (type(self), self._given, self.state(), self._stimulus, options)

    def __copy__(self) -> Simulation:
        return copy.deepcopy(self)

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
        check_saved(state)
        self = cls.__new__(cls)
        with translate_errors():
            differs = difference(state["network"], network)
        if differs:
            raise refuse("network", "must be the one the state was saved from", differs)
        with translate_errors():
            now = restore_changes(network, state["changes"])
        drift_interval_s, sync_interval_s = state["drift_interval_s"], state["sync_interval_s"]
        self._set_up(now, stimulus, drift_interval_s, sync_interval_s, record, sink, lesions)
        self._given, self._drift_interval_given = network, bool(state["drift_interval_given"])
        try:
            applied = np.array(state["applied"])
        except ValueError:
            applied = np.zeros(0)
        if applied.shape != (len(self._scheduled),) or applied.dtype != bool:
            raise refuse("lesions", f"must be the {applied.size} of before", len(self._scheduled))
        with translate_errors():
            self._state = State.restore(self._engine.layout, now, state)
            self._engine.write_columns(self._state)
            self._feed.schedule(self._state.inputs, self._state.activity.drawn_until_s)  # must fit
            self._recorder.restore(state["recorder"])
            entries = (state["lesions"][str(i)] for i in range(len(state["lesions"])))
            self.lesion_log = [(float(e["time_s"]), str(e["what"])) for e in entries]
        self._applied = applied
        return self


def _continued(
    kind: type[Simulation], network: Network, state: Any, stimulus: Any, options: dict[str, Any]
) -> Simulation:
    return kind.from_state(network, state, stimulus, **options)
