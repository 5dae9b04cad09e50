"""What to record of a run, and the recorder that writes it down.

Spikes and traces come off the buffer of the event loop, so recording never touches the dynamics. What
is looked at on a grid of times is recorded by a `synsamp.protocol.Protocol`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.columns import Column, Table
from synsamp.errors import refuse
from synsamp.spiking.instruments.sinks import Sink
from synsamp.spiking.kernel.inputs import SPIKES_PER_STRETCH
from synsamp.spiking.kernel.memory import EventBuffer
from synsamp.spiking.layout import Layout
from synsamp.spiking.network import Network


@dataclass(frozen=True)
class Recording:
    """What to write down as it comes.

    ``spikes``: all of them, or those in a window (start_s, stop_s). ``input_spikes``: likewise,
    of the input groups. ``presentations``: when what was shown. ``traces``: θ of chosen synapses
    ``{projection: [(post, pre), …]}`` at each update. Lesions are always recorded.
    """

    spikes: bool | tuple[float, float] = False
    input_spikes: bool | tuple[float, float] = False
    presentations: bool = False
    traces: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("spikes", "input_spikes"):
            window = getattr(self, name)
            if isinstance(window, (bool, np.bool_)):
                continue
            found = arguments.numbers(name, window, shape=(2,), remedy="True, or (start_s, stop_s)")
            object.__setattr__(self, name, (float(found[0]), float(found[1])))
        arguments.flag("presentations", self.presentations)
        arguments.instance("traces", self.traces, Mapping, "use {'x->z': [(post, pre)]}")


class Recorder:
    """Writes to a sink what a `Recording` asks for."""

    def __init__(self, recording: Recording, network: Network, layout: Layout, sink: Sink) -> None:
        self._recording = arguments.instance("record", recording, Recording)
        self._layout = layout
        self._sink = sink
        self._shapes = {p.name: network.mask_of(p).shape for p in layout.projections}
        self._traced = _traced_synapses(recording.traces, layout, self._shapes)
        self.spike_counts = np.zeros(network.n_neurons, np.int64)
        self._tables = self._tables_of(len(network.inputs))
        for name, table in self._tables.items():
            sink.open(name, table)

    # -- while running --------------------

    def take_events(self, buffer: EventBuffer) -> None:
        """Write down what the loop noted."""
        n_spikes, n_traces, n_inputs = buffer.written.tolist()
        if n_spikes:
            spiked = buffer.spike_neuron[:n_spikes]
            self.spike_counts += np.bincount(spiked, minlength=self.spike_counts.size)
        if self._recording.spikes and n_spikes:
            times, neurons = buffer.spike_s[:n_spikes], buffer.spike_neuron[:n_spikes]
            inside = _inside(times, self._recording.spikes)
            self._sink.append("spikes", {"time_s": times[inside], "neuron": neurons[inside]})
        if self._recording.input_spikes and n_inputs:
            times, sources = buffer.input_s[:n_inputs], buffer.input_source[:n_inputs]
            inside = _inside(times, self._recording.input_spikes)
            self._sink.append("input_spikes", {"time_s": times[inside], "input": sources[inside]})
        if n_traces:
            self._sink.append(
                "traces",
                {
                    "time_s": buffer.trace_s[:n_traces],
                    "synapse": self._traced.asked_as[buffer.trace_which[:n_traces]],
                    "theta": buffer.trace_theta[:n_traces],
                },
            )

    @property
    def wants_presentations(self) -> bool:
        """Whether what is shown is to be written down."""
        return self._recording.presentations

    def take_presentations(self, shown: Mapping[str, NDArray[Any]]) -> None:
        """Write down what was shown."""
        if len(shown["start_s"]):
            self._sink.append("presentations", shown)

    def take_lesion(self, time_s: float, text: str) -> None:
        """Write down a lesion."""
        letters = np.frombuffer(text.encode()[:200].ljust(200), np.uint8)[None]
        self._sink.append("lesions", {"time_s": np.array([time_s]), "what": letters})

    # -- setting up --------------------

    def move_to(self, layout: Layout) -> None:
        """Go on with synapses that lie elsewhere."""
        self._layout = layout
        self._traced = _traced_synapses(self._recording.traces, layout, self._shapes)

    def new_event_buffer(self, spikes: int) -> EventBuffer:
        """A buffer with room for what is recorded."""
        inputs = 4 * SPIKES_PER_STRETCH if self._recording.input_spikes else 0
        return new_event_buffer(self._traced, spikes, inputs)

    def _tables_of(self, n_groups: int) -> dict[str, Table]:
        time = Column("float64", unit="s", description="biological time")
        recording = self._recording
        text = Column("uint8", {"character": 200}, description="UTF-8 text")
        tables = {"lesions": Table("lesion", {"time_s": time, "what": text})}
        if recording.spikes:
            neuron = Column("int32", description="number of the neuron, circuits in order")
            tables["spikes"] = Table("spike", {"time_s": time, "neuron": neuron})
        if recording.input_spikes:
            source = Column("int32", description="number of the input, groups in order")
            tables["input_spikes"] = Table("input_spike", {"time_s": time, "input": source})
        if recording.presentations:
            index = Column(
                "int64", {"group": n_groups}, description="index in the library, −1: none"
            )
            tables["presentations"] = Table("presentation", {"start_s": time, "index": index})
        if self._traced.synapse.size:
            which = Column("int32", description="place in this list: " + self._traced.words)
            theta = Column("float64", description="θ after the update")
            tables["traces"] = Table("update", {"time_s": time, "synapse": which, "theta": theta})
        return tables

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """Lengths of the tables; spikes of each neuron."""
        lengths = {name: self._sink.length(name) for name in self._tables}
        return {"lengths": lengths, "spike_counts": self.spike_counts.copy()}

    def restore(self, state: Any) -> None:
        """Cut the sink back to the saved lengths."""
        for name, length in state["lengths"].items():
            if name in self._tables:
                rows = arguments.whole(f"length of {name!r} in the saved state", length, at_least=0)
                self._sink.truncate(name, rows)
        what, shape = "spike_counts of the saved state", self.spike_counts.shape
        counts = arguments.wholes(what, state["spike_counts"], shape=shape, at_least=0)
        self.spike_counts[:] = counts


@dataclass(frozen=True)
class Traced:
    """Traced synapses sorted by neuron, as the loop walks them, and the way back."""

    synapse: NDArray[np.int64]  # places in memory
    first: NDArray[np.int64]  # [neuron + 1]
    asked_as: NDArray[np.int64]  # place in the user's list
    words: str = ""


def _traced_synapses(
    asked: Mapping[str, Sequence[tuple[int, int]]],
    layout: Layout,
    shapes: Mapping[str, tuple[int, ...]],
) -> Traced:
    wiring = layout.wiring
    rows: list[tuple[int, int]] = []
    words: list[str] = []
    for name, pairs in asked.items():
        arguments.one_of("projection in traces", name, shapes)
        place = layout.places[layout.place_of(name)]
        target = layout.blocks[place.block].target
        row = int(wiring.n_pre[place.block])
        start = int(wiring.first_synapse[place.block]) + place.offset
        n_post, n_pre = shapes[name]
        if isinstance(pairs, str) or not isinstance(pairs, Iterable):
            raise refuse(f"traces of {name!r}", "must be a list of (post, pre)", pairs)
        for pair in pairs:
            what = f"traced synapse of {name!r}"
            post, pre = arguments.wholes(what, pair, shape=(2,), at_least=0).tolist()
            if not (post < n_post and pre < n_pre):
                raise refuse(what, f"must lie within [post, pre] = {(n_post, n_pre)}", (post, pre))
            neuron = int(wiring.first_neuron[target]) + post
            rows.append((neuron, start + post * row + pre))
            words.append(f"{name} ({post}, {pre})")
    order = sorted(range(len(rows)), key=lambda i: rows[i][0])
    neurons = np.array([rows[i][0] for i in order], np.int64)
    first = np.searchsorted(neurons, np.arange(wiring.circuit_of.size + 1)).astype(np.int64)
    shown = "; ".join(words[:20]) + ("; …" if len(words) > 20 else "")
    synapse = np.array([rows[i][1] for i in order], np.int64)
    return Traced(synapse, first, np.array(order, np.int64), shown)


def nothing_traced(layout: Layout) -> Traced:
    """For a run of which only spikes are wanted."""
    return _traced_synapses({}, layout, {})


def new_event_buffer(traced: Traced, spikes: int, inputs: int = 0) -> EventBuffer:
    """Room for so many spikes and input spikes, and for traces."""
    room = max(4 * traced.synapse.size, 16 * spikes if traced.synapse.size else 0, 1)
    return EventBuffer(
        spike_s=np.zeros(spikes),
        spike_neuron=np.zeros(spikes, np.int32),
        trace_s=np.zeros(room),
        trace_which=np.zeros(room, np.int32),
        trace_theta=np.zeros(room),
        input_s=np.zeros(inputs),
        input_source=np.zeros(inputs, np.int32),
        written=np.zeros(3, np.int64),
        first_traced=traced.first,
        traced=traced.synapse,
    )


def _inside(times: NDArray[np.float64], window: bool | tuple[float, float]) -> Any:
    if isinstance(window, tuple):
        return (times >= window[0]) & (times < window[1])
    return slice(None)
