"""A network as JavaScript reads it: arrays of the kernel's records, in one binary file.

What never changes (`Wiring`, `Numbers`) is written out; of the state, the shapes and what it holds
at time 0. θ is drawn by the page itself from its seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.mappings import Exponential
from synsamp.specialise import compiled_at
from synsamp.spiking.engine import Engine
from synsamp.spiking.kernel.arrays import KernelArrays
from synsamp.spiking.kernel.random import new_streams
from synsamp.spiking.layout import Layout, new_work
from synsamp.spiking.network import Network
from synsamp.spiking.recorder import new_event_buffer, nothing_traced
from synsamp.spiking.state import at_rest, with_columns, with_room

FUNCTIONS = (
    "weigh",
    "on_post",
    "on_pre",
    "pass_function",
    "eligibility_function",
    "gather_function",
    "piece_move",
)
"""Arrays of `Wiring` with addresses of compiled functions."""
SPIKES = 2**14


class Binary:
    """Arrays one after the other, each on a multiple of eight bytes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, values: NDArray[Any]) -> dict[str, Any]:
        """Append an array; where it lies, and what it is."""
        at, data = self._size, np.ascontiguousarray(values).tobytes()
        data += bytes(-len(data) % 8)
        self._parts.append(data)
        self._size += len(data)
        return {"dtype": str(values.dtype), "at": at, "shape": list(values.shape)}

    def bytes(self) -> bytes:
        """All of them."""
        return b"".join(self._parts)


class FunctionNames:
    """Short names of the compiled functions that networks refer to by address."""

    def __init__(self) -> None:
        self.compiled: dict[str, Any] = {}

    def of(self, address: int) -> str:
        """The name of a function in the module; empty for none."""
        if address == 0:
            return ""
        found = compiled_at(address)
        for name, known in self.compiled.items():
            if known is found:
                return name
        template = found.__name__.rpartition("_")[0].strip("_")
        name = f"{template}_{len(self.compiled)}"
        self.compiled[name] = found
        return name


def network_image(
    network: Network,
    drift_interval_s: float,
    sync_interval_s: float,
    names: FunctionNames,
    binary: Binary,
    most_input_hz: float,
) -> dict[str, Any]:
    """Everything that JavaScript needs of a network.

    ``most_input_hz``: the largest total rate of all inputs, for which queues have room.
    """
    layout = Engine(network, drift_interval_s, sync_interval_s).layout
    wiring = layout.wiring
    functions = {
        name: [names.of(int(address)) for address in getattr(wiring, name)] for name in FUNCTIONS
    }
    cleared = wiring.replace(**{n: np.zeros_like(getattr(wiring, n)) for n in FUNCTIONS})
    activity = with_room(at_rest(layout, network), layout, most_input_hz)
    first_input = wiring.first_input
    return {
        "Wiring": _written(cleared, binary),
        "Numbers": _written(layout.numbers, binary),
        "functions": functions,
        "state": _shapes(layout, network, activity),
        "start": {"Activity": {k: _filled(v) for k, v in activity.arrays().items()}},
        "inputs": [
            {"name": g.name, "size": g.size, "first": int(first)}
            for g, first in zip(network.inputs, first_input, strict=False)
        ],
        "projections": [_projection(network, layout, p) for p in range(len(layout.projections))],
        "blocks": [
            {
                "plastic": bool(wiring.plastic[b]),
                "plasticity": int(wiring.first_plasticity_number[b]),
                "prior": int(wiring.piece_number[wiring.first_piece[wiring.first_row[b]]]),
                "precision": _precision(layout, b),
            }
            for b in range(len(layout.blocks))
        ],
        "sync_interval_s": sync_interval_s,
    }


def _precision(layout: Layout, b: int) -> int | None:
    """Where the plasticity of a block reads 1/σ² of the prior; None if it does not."""
    model = layout.blocks[b].synapses
    own, all_numbers = model.plasticity.numbers, model.plasticity.numbers_with(model.prior)
    if len(all_numbers) == len(own):
        return None
    return int(layout.wiring.first_plasticity_number[b]) + len(own)


def _written(record: KernelArrays, binary: Binary) -> dict[str, Any]:
    return {name: binary.add(values) for name, values in record.arrays().items()}


def _shapes(layout: Layout, network: Network, activity: Any) -> dict[str, Any]:
    """Shapes of all arrays of the state and of working memory, by record."""
    streams = new_streams(np.random.SeedSequence(0), max(1, *layout.row_width))
    n, zeros = network.n_neurons, np.zeros
    synapses = with_columns(
        layout,
        zeros(layout.n_synapses),
        zeros(layout.n_synapses, np.float32),
        zeros(n),
        zeros(layout.n_traces),
        zeros(layout.n_traced),
        zeros(layout.n_eligibility),
        zeros(n),
    )
    records = {
        "Synapses": synapses,
        "Activity": activity,
        "Work": new_work(layout, network),
        "EventBuffer": new_event_buffer(nothing_traced(layout), SPIKES),
        **streams._asdict(),
    }
    return {
        kind: {name: list(values.shape) for name, values in record.arrays().items()}
        for kind, record in records.items()
    }


def _filled(values: NDArray[Any]) -> Any:
    """One number if all are alike, else all of them."""
    flat = values.ravel()
    if flat.size == 0 or (flat == flat[0]).all():
        return flat[0].item() if flat.size else 0
    return flat.tolist()


def _projection(network: Network, layout: Layout, p: int) -> dict[str, Any]:
    """Where a projection's synapses lie, and how their weights follow from θ."""
    projection = layout.projections[p]
    mapping = projection.synapses.mapping
    if not isinstance(mapping, Exponential) or projection.listed is not None:
        rule = "must have the exponential mapping and no list of synapses in a scene"
        raise refuse(f"projection {projection.name!r}", rule, type(mapping).__name__)
    n_post, n_pre = network.shape_of(projection)
    place = layout.places[p]
    mask = network.mask_of(projection)
    sources = {c.name: int(network.neurons_of(c.name)[0]) for c in network.neurons}
    return {
        "name": projection.name,
        "n_post": n_post,
        "n_pre": n_pre,
        "first": layout.synapse(p, 0, 0),
        "stride": layout.row_width[place.block],
        "mask": None if mask.all() else mask.astype(int).ravel().tolist(),
        "plastic": projection.plastic,
        "theta_min": float(projection.synapses.theta_min),
        "theta_0": float(mapping.offset),
        "retracted": float(layout.numbers.retracted_weight[place.block]),
        "to_neuron": sources[projection.target],
        "from_neuron": sources.get(projection.source),
    }


def record_fields(kinds: Mapping[str, type[KernelArrays]]) -> dict[str, list[tuple[str, str, int]]]:
    """Fields of the kernel's records: name, type of number, axes."""
    return {
        name: [(field, f.dtype, f.dimensions) for field, f in kind.fields.items()]
        for name, kind in kinds.items()
    }
