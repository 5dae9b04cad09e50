"""Births and deaths of synapses: from places in memory to pre, post and contact, with ages.

The kernel notes them (`synsamp.spiking.kernel.recording`). Here are its arrays, what they mean, and
how birth times pass on to a saved state and to another layout of the same network.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.spiking.kernel.memory import EventBuffer
from synsamp.spiking.kernel.simd import LANE
from synsamp.spiking.layout import Layout
from synsamp.spiking.network import Network

ROOM = 2**14
"""Births and deaths between two returns to Python."""

Columns = dict[str, NDArray[Any]]


def no_births() -> Columns:
    """Arrays of an event buffer that records none."""
    return {
        "change_s": np.zeros(0),
        "change_synapse": np.zeros(0, np.int64),
        "change_age_s": np.zeros(0),
        "change_born": np.zeros(0, bool),
        "functional": np.zeros(0, np.uint16),
        "born_s": np.zeros(0),
        "most_changes": np.zeros(1, np.int64),
    }


def room_for_births(layout: Layout) -> Columns:
    """Arrays of an event buffer that records them; none is functional yet."""
    columns = np.diff(layout.wiring.first_neuron).max() * len(layout.blocks)
    most = int(sum(layout.row_width) + columns + layout.longest_column)
    room = ROOM + 2 * most
    return {
        "change_s": np.zeros(room),
        "change_synapse": np.zeros(room, np.int64),
        "change_age_s": np.zeros(room),
        "change_born": np.zeros(room, bool),
        "functional": np.zeros(layout.n_synapses // LANE, np.uint16),
        "born_s": np.full(layout.n_synapses, np.nan),
        "most_changes": np.array([most], np.int64),
    }


def functional_bits(layout: Layout, theta: NDArray[np.float64]) -> NDArray[np.uint16]:
    """One bit per plastic synapse, 0 for all others: whether θ > 0."""
    bits = np.packbits(theta > 0, bitorder="little").view("<u2").astype(np.uint16)
    starts = [*layout.wiring.first_synapse.tolist(), layout.n_synapses]
    for b, plastic in enumerate(layout.wiring.plastic):
        if not plastic:
            bits[starts[b] // LANE : starts[b + 1] // LANE] = 0
    return bits


def room_for_all(buffer: EventBuffer) -> EventBuffer:
    """The same buffer, emptied, with room for a change of every synapse."""
    n = buffer.born_s.size
    return buffer.replace(
        change_s=np.zeros(n),
        change_synapse=np.zeros(n, np.int64),
        change_age_s=np.zeros(n),
        change_born=np.zeros(n, bool),
        written=np.zeros_like(buffer.written),
    )


def changes_at(buffer: EventBuffer, bits: NDArray[np.uint16], time_s: float) -> None:
    """Write to the buffer what has changed outside of the loop; there must be room for it all."""
    before, now = (np.unpackbits(b.view(np.uint8), bitorder="little") for b in (
        buffer.functional, bits
    ))  # fmt: skip
    changed = np.flatnonzero(before != now)
    n, born = changed.size, now[changed].astype(bool)
    buffer.change_s[:n], buffer.change_synapse[:n], buffer.change_born[:n] = time_s, changed, born
    buffer.change_age_s[:n] = np.where(born, np.nan, time_s - buffer.born_s[changed])
    buffer.born_s[changed] = np.where(born, time_s, np.nan)
    buffer.functional[:] = bits
    buffer.written[3] = n


def named_changes(buffer: EventBuffer, layout: Layout, network: Network) -> Columns:
    """The buffer's births and deaths as columns of the event ``births_deaths``."""
    n = int(buffer.written[3])
    synapse, wiring = buffer.change_synapse[:n], layout.wiring
    row = np.searchsorted(wiring.row_start, synapse, side="right") - 1
    block = np.searchsorted(wiring.first_row, row, side="right") - 1
    offset, post = synapse - wiring.row_start[row], row - wiring.first_row[block]
    projection, pre, contact = (np.zeros(n, np.int32) for _ in range(3))
    order = {p.name: i for i, p in enumerate(network.projections)}
    for p, place in enumerate(layout.places):
        listing = layout.blocks[place.block].listing
        here = block == place.block
        if listing is None:
            here &= (offset >= place.offset) & (offset < place.offset + place.n_pre)
            pre[here] = offset[here] - place.offset
        else:
            own = listing.synapses
            at = own.first[post[here]] + offset[here]
            pre[here], contact[here] = own.pre[at], at % own.contacts
        projection[here] = order[layout.projections[p].name]
    return {
        "time_s": buffer.change_s[:n],
        "projection": projection,
        "post": post.astype(np.int32),
        "pre": pre,
        "contact": contact,
        "born": buffer.change_born[:n],
        "age_s": buffer.change_age_s[:n],
    }


def birth_times(buffer: EventBuffer, layout: Layout) -> dict[str, NDArray[np.float64]]:
    """Birth times by projection, in the shape of θ; empty if births are not recorded."""
    if buffer.born_s.size == 0:
        return {}
    plastic = [(i, p) for i, p in enumerate(layout.projections) if p.plastic]
    return {p.name: layout.read(i, "synapse", buffer.born_s).copy() for i, p in plastic}


def set_birth_times(
    buffer: EventBuffer, layout: Layout, network: Network, saved: Mapping[str, Any], time_s: float
) -> None:
    """Continue with birth times of another layout or of a saved state, as far as they are known."""
    for i, p in enumerate(layout.projections):
        if p.name in saved and buffer.born_s.size:
            what, shape = f"birth times of {p.name!r}", network.shape_of(p)
            found = arguments.numbers(what, saved[p.name], shape=shape, finite=False)
            found[~((found >= 0) & (found <= time_s))] = np.nan
            layout.write(i, "synapse", buffer.born_s, found)
