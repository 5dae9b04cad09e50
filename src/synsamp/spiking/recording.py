"""What to record of a run, and the recorder that writes it down.

Spikes and traces come off the tape of the event loop; everything on a grid is read where the loop
has brought all synapses up to date anyway, so recording never touches the dynamics.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.spiking.arrays import matrix
from synsamp.spiking.events import Tape
from synsamp.spiking.layout import GRID_S, Layout
from synsamp.spiking.network import Network
from synsamp.spiking.sinks import ColumnSpec, Sink, StreamSpec


@dataclass(frozen=True)
class Recording:
    """What to record; grids are in seconds and whole multiples of the simulation's ``grid_s``.

    ``spikes``: all of them, or those in a window (start_s, stop_s). ``presentations``: when what
    was shown. ``traces``: θ of chosen synapses ``{projection: [(post, pre), …]}`` at each update.
    ``turnover_every_s``: which synapses were born (θ > 0) or died between two grid points.
    Lesions are always recorded.
    """

    spikes: bool | tuple[float, float] = False
    presentations: bool = False
    theta_every_s: float | None = None
    active_every_s: float | None = None
    turnover_every_s: float | None = None
    traces: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)


def column_name(projection: str) -> str:
    """A projection's name as a column: ``x->z`` becomes ``x_to_z``."""
    return re.sub(r"[^A-Za-z0-9_]", "_", projection.replace("->", "_to_"))


class Recorder:
    """Writes to a sink what a `Recording` asks for."""

    def __init__(self, recording: Recording, network: Network, layout: Layout, sink: Sink) -> None:
        self._recording = recording
        self._layout = layout
        self._sink = sink
        self._potential = [network.mask_of(p) for p in layout.projections]
        self._was_active: NDArray[np.bool_] | None = None
        self._columns = [column_name(p.name) for p in layout.projections]
        self._grids = {
            name: every
            for name, every in (
                ("theta", recording.theta_every_s),
                ("active", recording.active_every_s),
                ("turnover", recording.turnover_every_s),
            )
            if every is not None
        }
        self._steps = {name: self._whole_steps(name, every) for name, every in self._grids.items()}
        self._traced = self._traced_synapses()
        self._specs = self._stream_specs(len(network.inputs))
        for name, spec in self._specs.items():
            sink.open(name, spec)

    # -- while running --------------------

    def next_grid_s(self, sweeps_done: int) -> float:
        """The next time at which something on a grid is due."""
        grid = float(self._layout.wiring.constants[GRID_S])
        due = [(sweeps_done // n + 1) * n for n in self._steps.values()]
        return min(due) * grid if due else np.inf

    def at_start(self, theta: NDArray[np.float64]) -> None:
        """Record the start values."""
        self._on_grid(0, 0.0, theta)

    def at_grid(self, sweeps_done: int, time_s: float, theta: NDArray[np.float64]) -> None:
        """Record what is due at this grid point."""
        self._on_grid(sweeps_done, time_s, theta)

    def take_tape(self, tape: Tape) -> None:
        """Write down what the loop noted."""
        n_spikes, n_traces = (int(n) for n in tape.written)
        if self._recording.spikes and n_spikes:
            times, neurons = tape.spike_s[:n_spikes], tape.spike_neuron[:n_spikes]
            if not isinstance(self._recording.spikes, bool):
                start, stop = self._recording.spikes
                inside = (times >= start) & (times < stop)
                times, neurons = times[inside], neurons[inside]
            self._sink.append("spikes", time_s=times, neuron=neurons)
        if n_traces:
            self._sink.append(
                "traces",
                time_s=tape.trace_s[:n_traces],
                synapse=tape.trace_which[:n_traces],
                theta=tape.trace_theta[:n_traces],
            )

    @property
    def wants_presentations(self) -> bool:
        """Whether what is shown is to be written down."""
        return self._recording.presentations

    def take_presentations(self, shown: Mapping[str, NDArray[Any]]) -> None:
        """Write down what was shown."""
        if len(shown["start_s"]):
            self._sink.append("presentations", **shown)

    def take_lesion(self, time_s: float, text: str) -> None:
        """Write down a lesion."""
        self._sink.append(
            "lesions",
            time_s=np.array([time_s]),
            what=np.frombuffer(text.encode()[:200].ljust(200), np.uint8)[None],
        )

    def _on_grid(self, sweep: int, time_s: float, theta: NDArray[np.float64]) -> None:
        due = {name for name, steps in self._steps.items() if sweep % steps == 0}
        now = np.array([time_s])
        if "theta" in due:
            values = {c: t[None] for c, t in zip(self._columns, self._matrices(theta), strict=True)}
            self._sink.append("theta", time_s=now, **values)
        if "active" in due:
            counts = {
                c: np.array([(t > 0).sum()])
                for c, t in zip(self._columns, self._matrices(theta), strict=True)
            }
            self._sink.append("active", time_s=now, **counts)
        if "turnover" in due:
            active = theta > 0
            if self._was_active is not None:
                self._turnover(time_s, active)
            self._was_active = active

    def _turnover(self, time_s: float, active: NDArray[np.bool_]) -> None:
        assert self._was_active is not None
        for number in range(len(self._columns)):
            now = matrix(self._layout, number, active)
            post, pre = np.nonzero(now != matrix(self._layout, number, self._was_active))
            if post.size:
                self._sink.append(
                    "turnover",
                    time_s=np.full(post.size, time_s),
                    projection=np.full(post.size, number),
                    post=post,
                    pre=pre,
                    born=now[post, pre],
                )

    # -- setting up --------------------

    def new_tape(self, n_neurons: int, spikes: int) -> Tape:
        """A tape with room for the traced synapses."""
        traced, first = self._traced
        room = max(4 * traced.size, 16 * spikes if traced.size else 0, 1)
        return Tape(
            np.zeros(spikes),
            np.zeros(spikes, np.int32),
            np.zeros(room),
            np.zeros(room, np.int32),
            np.zeros(room),
            np.zeros(2, np.int64),
            first,
            traced,
        )

    def _whole_steps(self, name: str, every_s: float) -> int:
        grid = float(self._layout.wiring.constants[GRID_S])
        steps = round(every_s / grid)
        if steps < 1 or abs(steps * grid - every_s) > 1e-9 * every_s:
            raise refuse(
                f"{name}_every_s", f"must be a whole multiple of grid_s = {grid:g}", every_s
            )
        return steps

    def _matrices(self, theta: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return [matrix(self._layout, p, theta) for p in range(len(self._columns))]

    def _traced_synapses(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Traced synapses sorted by neuron, and where each neuron's start."""
        wiring = self._layout.wiring
        names = [p.name for p in self._layout.projections]
        rows = []
        for name, pairs in self._recording.traces.items():
            if name not in names:
                raise refuse("traces", f"must name a projection among {', '.join(names)}", name)
            p = names.index(name)
            place = self._layout.places[p]
            target = self._layout.blocks[place.block].target
            row = int(wiring.n_pre[place.block])
            start = int(wiring.first_synapse[place.block]) + place.offset
            for post, pre in pairs:
                n_post, n_pre = self._potential[p].shape
                if not (0 <= post < n_post and 0 <= pre < n_pre):
                    raise refuse(
                        f"traced synapse of {name}", f"must lie in {(n_post, n_pre)}", (post, pre)
                    )
                neuron = int(wiring.first_neuron[target]) + post
                rows.append((neuron, start + post * row + pre))
        order = sorted(range(len(rows)), key=lambda i: rows[i][0])
        neurons = np.array([rows[i][0] for i in order], np.int64)
        first = np.searchsorted(neurons, np.arange(wiring.circuit_of.size + 1))
        self.trace_order = np.array(order, np.int64)
        return np.array([rows[i][1] for i in order], np.int64), first.astype(np.int64)

    def _stream_specs(self, n_groups: int) -> dict[str, StreamSpec]:
        time = ColumnSpec("float64", unit="s", description="biological time")
        specs = {
            "lesions": StreamSpec(
                "lesion",
                {
                    "time_s": time,
                    "what": ColumnSpec("uint8", {"character": 200}, description="UTF-8 text"),
                },
            )
        }
        if self._recording.spikes:
            neuron = ColumnSpec("int32", description="number of the neuron, circuits in order")
            specs["spikes"] = StreamSpec("spike", {"time_s": time, "neuron": neuron})
        if self._recording.presentations:
            index = ColumnSpec(
                "int64", {"group": n_groups}, description="index in the library, −1: none"
            )
            specs["presentations"] = StreamSpec("presentation", {"start_s": time, "index": index})
        if self._traced[0].size:
            specs["traces"] = StreamSpec(
                "update",
                {
                    "time_s": time,
                    "synapse": ColumnSpec("int32", description="place in the list, by neuron"),
                    "theta": ColumnSpec("float64", description="θ after the update"),
                },
            )
        shapes = dict(zip(self._columns, (m.shape for m in self._potential), strict=True))
        if "theta" in self._grids:
            specs["theta"] = StreamSpec(
                "snapshot",
                {"time_s": time}
                | {
                    c: ColumnSpec("float32", {f"{c}_post": n, f"{c}_pre": m}, description="θ")
                    for c, (n, m) in shapes.items()
                },
            )
        if "active" in self._grids:
            specs["active"] = StreamSpec(
                "snapshot",
                {"time_s": time}
                | {c: ColumnSpec("int64", description="synapses with θ > 0") for c in shapes},
            )
        if "turnover" in self._grids:
            specs["turnover"] = StreamSpec(
                "change",
                {
                    "time_s": time,
                    "projection": ColumnSpec("int16", description=", ".join(shapes)),
                    "post": ColumnSpec("int32"),
                    "pre": ColumnSpec("int32"),
                    "born": ColumnSpec("bool", description="True: θ > 0 now; False: no longer"),
                },
            )
        return specs

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """Lengths of the streams and what turnover compares with."""
        was = self._was_active
        return {
            "lengths": {name: self._sink.length(name) for name in self._specs},
            "was_active": None if was is None else np.packbits(was),
        }

    def restore(self, state: Any) -> None:
        """Cut the sink back to the saved lengths."""
        for name, length in state["lengths"].items():
            if name in self._specs:
                self._sink.truncate(name, int(length))
        bits = state["was_active"]
        if bits is not None:
            count = self._layout.n_synapses
            self._was_active = np.unpackbits(np.asarray(bits), count=count).astype(bool)
