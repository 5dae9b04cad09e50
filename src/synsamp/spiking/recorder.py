"""From the buffer of the event loop to an observer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.births import (
    changes_at,
    functional_bits,
    named_changes,
    no_births,
    room_for_all,
    room_for_births,
    set_birth_times,
)
from synsamp.spiking.events import Observer
from synsamp.spiking.kernel.inputs import SPIKES_PER_STRETCH
from synsamp.spiking.kernel.memory import EventBuffer
from synsamp.spiking.layout import Layout
from synsamp.spiking.network import Network
from synsamp.spiking.state import State


class Recorder:
    """Counts spikes and reports to an observer the events that it wants."""

    def __init__(self, observer: Observer, network: Network, layout: Layout) -> None:
        self._observer = observer
        self._events = frozenset(observer.events)
        self._shapes = {
            p.name: (network.size_of(p.target), network.size_of(p.source))
            for p in layout.projections
        }
        self._traced = _traced_synapses(observer.traced, layout, self._shapes)
        self._network, self._layout = network, layout
        self.spike_counts = np.zeros(network.n_neurons, np.int64)

    def take_events(self, buffer: EventBuffer) -> None:
        """Report what the event loop wrote."""
        n_spikes, n_traces, n_inputs, n_changes = buffer.written[:4].tolist()
        if n_spikes:
            times, neurons = buffer.spike_s[:n_spikes], buffer.spike_neuron[:n_spikes]
            self.spike_counts += np.bincount(neurons, minlength=self.spike_counts.size)
            self._report("spikes", {"time_s": times, "neuron": neurons})
        if n_inputs:
            times, sources = buffer.input_s[:n_inputs], buffer.input_source[:n_inputs]
            self._report("input_spikes", {"time_s": times, "input": sources})
        if n_traces:
            columns = {
                "time_s": buffer.trace_s[:n_traces],
                "synapse": self._traced.place[buffer.trace_which[:n_traces]].astype(np.int32),
                "theta": buffer.trace_theta[:n_traces],
            }
            self._report("traces", columns)
        if n_changes:
            self._report("births_deaths", named_changes(buffer, self._layout, self._network))

    def take_presentations(self, shown: Mapping[str, NDArray[Any]]) -> None:
        """Report what was shown."""
        if len(shown["start_s"]):
            self._report("presentations", {"time_s": shown["start_s"], "index": shown["index"]})

    def _report(self, event: str, columns: Mapping[str, NDArray[Any]]) -> None:
        if event in self._events:
            self._observer.take(event, columns)

    @property
    def wants_presentations(self) -> bool:
        """Whether presentations are reported."""
        return "presentations" in self._events

    def move_to(self, layout: Layout) -> None:
        """Continue with another layout of the synapses."""
        self._traced = _traced_synapses(self._observer.traced, layout, self._shapes)
        self._layout = layout

    def new_event_buffer(self, spikes: int) -> EventBuffer:
        """A buffer with room for the events to report."""
        inputs = 4 * SPIKES_PER_STRETCH if "input_spikes" in self._events else 0
        wanted = "births_deaths" in self._events
        births = room_for_births(self._layout) if wanted else no_births()
        return new_event_buffer(self._traced, spikes, inputs, births)

    def watch(self, buffer: EventBuffer, state: State, births: Mapping[str, Any]) -> None:
        """Note which synapses are functional and when they were born, as far as that is known."""
        if buffer.functional.size:
            buffer.functional[:] = functional_bits(self._layout, state.synapses.theta)
            set_birth_times(buffer, self._layout, self._network, births, state.time_s)

    def note_changes(self, buffer: EventBuffer, state: State) -> None:
        """Report synapses that were born or died outside of the event loop."""
        if buffer.functional.size:
            wide = room_for_all(buffer)
            changes_at(wide, functional_bits(self._layout, state.synapses.theta), state.time_s)
            self.take_events(wide)

    def restore(self, spike_counts: Any) -> None:
        """Continue with saved counts."""
        what, shape = "spike_counts of the saved state", self.spike_counts.shape
        self.spike_counts[:] = arguments.wholes(what, spike_counts, shape=shape, at_least=0)


@dataclass(frozen=True)
class Traced:
    """Traced synapses, sorted by neuron as the event loop needs them."""

    synapse: NDArray[np.int64]  # index in the arrays of synapses
    first: NDArray[np.int64]  # [neuron + 1]
    place: NDArray[np.int64]  # in the user's list


def _traced_synapses(
    asked: Mapping[str, Any],
    layout: Layout,
    shapes: Mapping[str, tuple[int, ...]],
) -> Traced:
    wiring = layout.wiring
    rows: list[tuple[int, int]] = []
    for name, pairs in asked.items():
        arguments.one_of("projection in traces", name, shapes)
        p = layout.place_of(name)
        target = layout.blocks[layout.places[p].block].target
        n_post, n_pre = shapes[name]
        if isinstance(pairs, str) or not isinstance(pairs, Iterable):
            raise refuse(f"traces of {name!r}", "must be a list of (post, pre)", pairs)
        for pair in pairs:
            what = f"traced synapse of {name!r}"
            post, pre = arguments.wholes(what, pair, shape=(2,), at_least=0).tolist()
            if not (post < n_post and pre < n_pre):
                raise refuse(what, f"must lie within [post, pre] = {(n_post, n_pre)}", (post, pre))
            place = layout.synapse(p, post, pre)
            if place < 0:
                raise refuse(what, "must be a potential synapse", (post, pre))
            rows.append((int(wiring.first_neuron[target]) + post, place))
    order = sorted(range(len(rows)), key=lambda i: rows[i][0])
    neurons = np.array([rows[i][0] for i in order], np.int64)
    first = np.searchsorted(neurons, np.arange(wiring.circuit_of.size + 1)).astype(np.int64)
    synapse = np.array([rows[i][1] for i in order], np.int64)
    return Traced(synapse, first, np.array(order, np.int64))


def nothing_traced(layout: Layout) -> Traced:
    """For a run without traces."""
    return _traced_synapses({}, layout, {})


def new_event_buffer(
    traced: Traced, spikes: int, inputs: int = 0, births: Mapping[str, Any] | None = None
) -> EventBuffer:
    """A buffer with room for this many spikes and input spikes, and for traces."""
    room = max(4 * traced.synapse.size, 16 * spikes if traced.synapse.size else 0, 1)
    return EventBuffer(
        spike_s=np.zeros(spikes),
        spike_neuron=np.zeros(spikes, np.int32),
        trace_s=np.zeros(room),
        trace_which=np.zeros(room, np.int32),
        trace_theta=np.zeros(room),
        input_s=np.zeros(inputs),
        input_source=np.zeros(inputs, np.int32),
        written=np.zeros(5, np.int64),
        first_traced=traced.first,
        traced=traced.synapse,
        **(no_births() if births is None else births),
    )
