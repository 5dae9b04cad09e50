"""`Simulation`: run a network, change it, read its state.

Time is in seconds of biological time. Results are bit-identical however a run is divided into
calls, and whether or not the network is recorded, read or probed.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.births import birth_times
from synsamp.spiking.changes import changed, relaid_state, restore_changes, save_changes
from synsamp.spiking.dataset import synapse_dataset
from synsamp.spiking.description import difference, summary
from synsamp.spiking.eligibility import Eligibility, read_eligibility
from synsamp.spiking.engine import Engine
from synsamp.spiking.events import Observer, as_observer
from synsamp.spiking.first_use import announced
from synsamp.spiking.input.schedule import InputFeed
from synsamp.spiking.input.stimulus import StimulusLike, parse_stimulus
from synsamp.spiking.kernel.acting import nearest_grid_point
from synsamp.spiking.kernel.loop import DONE
from synsamp.spiking.kernel.memory import SPIKES, Acting
from synsamp.spiking.lesions.base import NetworkLesion
from synsamp.spiking.network import Network, default_drift_interval_s
from synsamp.spiking.new_neurons import add_neurons, places_to_fill
from synsamp.spiking.probe import Probe, run_probe
from synsamp.spiking.recorder import Recorder
from synsamp.spiking.replay import check_given
from synsamp.spiking.saved import FORMAT, check_saved, translate_errors
from synsamp.spiking.state import State, fresh_seed

if TYPE_CHECKING:
    import xarray as xr

BUFFER_SPIKES = 2**14


class Simulation:
    """A running network.

    Parameters
    ----------
    network
        The network, e.g. `winner_take_all_network`.
    stimulus
        Input rates in Hz [input], a list of presentations, `SpikeTimes`, a dictionary of these by
        input group, or an object with ``library`` and ``choose``; None for silence.
    seed
        Seed of all random numbers.
    drift_interval_s
        Prior and noise are applied to a neuron's synapses at its first spike after this time (s).
        0 applies them at every spike (exact mode). Default: 1e-4/b of the fastest synapses, which
        is 1 s for the paper's b.
    sync_interval_s
        All synapses are brought up to date at multiples of this time (s). Default: 10 drift
        intervals, or 10 s in exact mode.
    observer
        Receives events, e.g. ``EventLog("spikes")``.
    theta
        Initial θ [post, pre] by projection; other projections are drawn from their prior.

    Examples
    --------
    >>> from synsamp.spiking import Simulation, winner_take_all_network
    >>> sim = Simulation(winner_take_all_network(12, 3), [40.0] * 12, seed=1)
    >>> sim.run(10.0).theta("x->z").shape
    (3, 12)
    """

    def __init__(
        self,
        network: Network,
        stimulus: StimulusLike = None,
        seed: int | np.random.SeedSequence = 0,
        *,
        drift_interval_s: float | None = None,
        sync_interval_s: float | None = None,
        observer: Observer | None = None,
        theta: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._set_up(network, stimulus, drift_interval_s, sync_interval_s, observer)
        self._state = State.new(self._engine.layout, network, fresh_seed(seed), theta)
        self._engine.recompute_potentials(self._state)
        self._recorder.watch(self._event_buffer, self._state, {})

    def _set_up(
        self,
        network: Network,
        stimulus: Any,
        drift_interval_s: float | None,
        sync_interval_s: float | None,
        observer: Observer | None,
    ) -> None:
        """Set everything that is not state, for new and restored simulations."""
        with announced():
            self._engine = Engine(network, drift_interval_s, sync_interval_s)
        self.network = self._given = network
        self._drift_interval_given = drift_interval_s is not None
        self._shown = parse_stimulus(stimulus, network)
        self._feed = InputFeed(network, self._shown)
        self.observer: Any = as_observer(observer)
        self._recorder = Recorder(self.observer, network, self._engine.layout)
        self._event_buffer = self._recorder.new_event_buffer(BUFFER_SPIKES)

    def __repr__(self) -> str:
        return f"Simulation({summary(self.network)}; {self.n_spikes:,} spikes in {self.time_s:g} s)"

    # -- running --------------------

    @property
    def time_s(self) -> float:
        """Present biological time (s)."""
        return self._state.time_s

    @property
    def n_spikes(self) -> int:
        """Number of spikes of all neurons so far."""
        return int(self._state.activity.counters[SPIKES])

    @property
    def spike_counts(self) -> NDArray[np.int64]:
        """Number of spikes of each neuron so far, [neuron]."""
        return self._recorder.spike_counts.copy()

    @property
    def sync_interval_s(self) -> float:
        """Interval (s) at whose multiples all synapses are up to date."""
        return self._engine.layout.sync_interval_s

    @property
    def drift_interval_s(self) -> float:
        """Interval (s) after which prior and noise are applied at a neuron's next spike."""
        return self._engine.layout.drift_interval_s

    @property
    def nbytes(self) -> int:
        """Memory (bytes) of synapses and wiring."""
        return sum(a.nbytes for a in (*self._state.synapses, *self._engine.layout.wiring))

    def run(self, duration_s: float) -> Simulation:
        """Simulate ``duration_s`` more seconds and return the simulation itself."""
        duration_s = arguments.number("duration_s", duration_s, at_least=0, at_most=1e12)
        return self.run_until(self.time_s + duration_s)

    def run_until(self, time_s: float) -> Simulation:
        """Simulate up to ``time_s`` (s) and return the simulation itself."""
        self.act_until(arguments.number("time_s", time_s, at_least=0, at_most=1e13), None)
        return self

    def act_until(self, time_s: float, acting: Acting | None) -> int:
        """Simulate with a compiled environment until inputs change; return why it stopped."""
        end, status = float(nearest_grid_point.py_func(float(time_s), self.sync_interval_s)), DONE
        if self.time_s < end:
            take, log = self._recorder.take_events, self._log_presentations
            status = self._engine.advance(
                self._state, self._feed, end, self._event_buffer, take, log, acting=acting
            )
            self._log_presentations(self.time_s)
        return status

    def _log_presentations(self, until_s: float) -> None:
        if self._recorder.wants_presentations:
            shown = self._feed.shown_before(self._state.inputs, until_s)
            self._recorder.take_presentations(shown)

    def replay(self, time_s: ArrayLike, source: ArrayLike, learning: bool = True) -> Simulation:
        """Apply given spikes instead of random ones, as in a pairing experiment.

        ``time_s``: sorted spike times (s), none in the past; time advances to the last one.
        ``source``: what spikes, numbered with inputs first (groups in order), then neurons.
        """
        times, sources, learning = check_given(
            time_s, source, learning, self.time_s, self.alive, self._engine.layout.wiring
        )
        if times.size == 0:
            return self
        self._deliver()
        self._engine.replay(
            self._state, times, sources, self._event_buffer, self._recorder.take_events, learning
        )
        inputs, set_s = self._state.inputs, self._state.inputs.set_s
        inputs.restart(self.time_s)
        self._feed = InputFeed(self.network, self._shown)
        inputs.set_s = set_s  # given spikes continue as if nothing had happened
        inputs.given = self._feed.given_before(inputs, self.time_s)
        return self

    # -- input --------------------

    @property
    def stimulus(self) -> StimulusLike:
        """The present stimulus; a new one starts when it is set."""
        return self._shown.given

    @stimulus.setter
    def stimulus(self, stimulus: StimulusLike) -> None:
        shown = parse_stimulus(stimulus, self.network)
        self._deliver()
        self._shown = shown
        self._state.inputs.restart(self.time_s)
        self._feed = self._feed.showing(shown)

    def _deliver(self) -> None:
        self._engine.deliver(
            self._state, self._feed, self._event_buffer, self._recorder.take_events
        )
        self._log_presentations(self.time_s)

    # -- reading --------------------

    def theta(self, projection: str) -> NDArray[np.float64]:
        """Return θ [post, pre], NaN where no synapse exists; [synapse] if synapses are listed.

        Up to date at multiples of ``sync_interval_s``; in between, as of each neuron's last update.
        """
        matrix = self._read(projection, self._state.synapses.theta)
        return np.where(np.isneginf(matrix), np.nan, matrix)

    def weight(self, projection: str) -> NDArray[np.float64]:
        """Return the efficacies ŵ [post, pre] = max(0, w − f(0)) that act on the potentials.

        With the paper's mapping, f(0) = exp(−θ0). A retracted synapse (θ <= 0) has ŵ = 0. As up to
        date as `theta`.
        """
        w = self._read(projection, self._state.synapses.weight).astype(np.float64)
        at_zero = self.network.projection(projection).synapses.mapping.weight(0.0)
        # w has single precision: near θ = 0 it may be off by rounding.
        return np.where(self.active(projection), np.maximum(w - np.float32(at_zero), 0.0), 0.0)

    def active(self, projection: str) -> NDArray[np.bool_]:
        """Return which synapses [post, pre] are functional (θ > 0); as up to date as `theta`."""
        return self._read(projection, self._state.synapses.theta) > 0

    def eligibility(self, projection: str) -> Eligibility:
        """Return eligibility e and gradient estimate g of synapses that learn from reward."""
        return read_eligibility(self._engine, self._state, projection)

    def potentials(self, circuit: str) -> NDArray[np.float64]:
        """Return the present membrane potentials u [neuron] of a circuit."""
        numbers = self.network.neurons_of(circuit)
        copied = self._state.copy()
        self._engine.deliver(copied, self._feed, self._event_buffer, lambda buffer: None)
        return self._engine.potentials(copied)[numbers]

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which neurons have not been removed by a lesion, [neuron]."""
        return self._state.activity.bias > -np.inf

    def neurons_of(self, circuit: str) -> NDArray[np.int64]:
        """Return the numbers of a circuit's neurons, as in recorded spikes."""
        return self.network.neurons_of(circuit)

    def probe(self, stimulus: StimulusLike, duration_s: float, **options: Any) -> Probe:
        """Show a stimulus for ``duration_s`` to a copy with plasticity off; see `run_probe`."""
        for name in options:
            arguments.one_of("option of probe", name, ("seed", "start", "burn_in_s", "burn_in"))
        return run_probe(self._engine, self._state, stimulus, duration_s, **options)

    def to_xarray(self) -> xr.Dataset:
        """Return θ and ŵ of all projections as variables ``theta x->z`` and ``weight x->z``."""
        return synapse_dataset(self.network, self.theta, self.weight, self.time_s)

    def _read(self, projection: str, values: NDArray[Any]) -> NDArray[Any]:
        place = self._engine.layout.place_of(self.network.projection(projection).name)
        return self._engine.layout.read(place, "synapse", values)

    # -- changes --------------------

    def change(self, projection: str | Mapping[str, Mapping[str, Any]], **numbers: Any) -> None:
        """Change parameters of a projection from now on.

        They are ``speed``, ``temperature``, ``prior`` and ``plasticity``; the class of prior and
        plasticity stays the same. Several projections: ``{"x->z": {"speed": 0.0}, …}``. Synapses
        are first brought up to date with the old parameters. A default drift interval follows the
        new speeds; the sync interval stays.
        """
        network = changed(self.network, projection, numbers)
        drift_interval_s = self.drift_interval_s
        if not self._drift_interval_given:
            drift_interval_s = min(default_drift_interval_s(network), self.sync_interval_s)
        engine = Engine(network, drift_interval_s, self.sync_interval_s)
        old, new = self._engine.layout, engine.layout
        self._bring_up_to_date()
        relaid_state(self._state, old, new)
        births = birth_times(self._event_buffer, old)
        self._recorder.move_to(new)
        self._event_buffer = self._recorder.new_event_buffer(BUFFER_SPIKES)
        self.network, self._engine = network, engine
        self._recorder.watch(self._event_buffer, self._state, births)
        engine.recompute_potentials(self._state)

    def _bring_up_to_date(self) -> None:
        take = self._recorder.take_events
        self._engine.bring_up_to_date(self._state, self._event_buffer, take)

    def modulate(self, circuit: str | None, value: float) -> None:
        """Set the modulator (dopamine) of plasticity in a circuit, or in all if None."""
        index = slice(None) if circuit is None else self.network.index_of(circuit)
        value = arguments.number("value", value)
        modulator = self._state.activity.modulator
        if (modulator[index] != value).any():
            self._engine.bring_eligibility_up(self._state)
            modulator[index] = value

    def modulator(self, circuit: str) -> float:
        """Return the present modulator of a circuit; 1 unless it was set."""
        return float(self._state.activity.modulator[self.network.index_of(circuit)])

    def lesion(self, lesion: NetworkLesion) -> None:
        """Apply a lesion now: `RemoveNeurons`, `RemoveSynapses` or `SilenceInputs`."""
        arguments.instance("lesion", lesion, NetworkLesion, "e.g. RemoveNeurons('z', [0])")
        layout = self._engine.layout
        lesion.apply(self._state.copy(), self.network, layout)  # checks the lesion
        self._deliver()
        lesion.apply(self._state, self.network, layout)
        self._feed.forget()
        self._use_other_synapses()

    def add_neurons(
        self, population: str, neurons: ArrayLike, seed: int | np.random.SeedSequence
    ) -> None:
        """Add neurons at rest in places of removed ones, with synapses drawn from their prior."""
        places = places_to_fill(self._state, self.network, population, neurons)
        rng = np.random.default_rng(fresh_seed(seed))
        self._deliver()
        self._bring_up_to_date()
        add_neurons(self._state, self.network, self._engine.layout, population, places, rng)
        self._use_other_synapses()

    def _use_other_synapses(self) -> None:
        self._recorder.note_changes(self._event_buffer, self._state)
        self._engine.recompute_potentials(self._state)

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """Return everything needed to continue bit-identically, as arrays, numbers and strings."""
        if not self._recorder.wants_presentations:  # a restored simulation may record them
            self._feed.shown_before(self._state.inputs, self.time_s)
        return {
            "format": FORMAT,
            "drift_interval_s": self._engine.layout.drift_interval_s,
            "drift_interval_given": self._drift_interval_given,
            "sync_interval_s": self.sync_interval_s,
            **self._state.save(self._given),
            "changes": save_changes(self.network, self._given),
            "spike_counts": self.spike_counts,
            "births": birth_times(self._event_buffer, self._engine.layout),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy or pickle by `state`: copies continue independently and bit-identically."""
        saved = (type(self), self._given, self.state(), self._shown, self.observer)
        return _continued, saved

    def __copy__(self) -> Simulation:
        return copy.deepcopy(self)

    @classmethod
    def from_state(
        cls,
        network: Network,
        state: Any,
        stimulus: StimulusLike = None,
        *,
        observer: Observer | None = None,
    ) -> Simulation:
        """Continue bit-identically from ``state()``, given the first network and the stimulus."""
        check_saved(state)
        self = cls.__new__(cls)
        with translate_errors():
            differs = difference(state["network"], network)
            if differs:
                raise refuse("network", "must be the one the state was saved from", differs)
            now = restore_changes(network, state["changes"])
        self._set_up(now, stimulus, state["drift_interval_s"], state["sync_interval_s"], observer)
        self._given, self._drift_interval_given = network, bool(state["drift_interval_given"])
        with translate_errors():
            self._state = State.restore(self._engine.layout, now, state)
            self._engine.write_columns(self._state)
            self._feed.schedule(self._state.inputs, self._state.activity.drawn_until_s)  # must fit
            self._recorder.restore(state["spike_counts"])
            self._recorder.watch(self._event_buffer, self._state, state["births"])
        return self


def _continued(
    kind: type[Simulation], network: Network, state: Any, stimulus: Any, observer: Observer
) -> Simulation:
    return kind.from_state(network, state, stimulus, observer=observer)
