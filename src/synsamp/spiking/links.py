"""Sparse blocks in memory: rows that name their axons, columns that name their neurons.

Bytes per potential synapse: θ 8, w 4, list of functional synapses 4, axon 4 and cell 4 of the row;
ŵ 4 and neuron 4 of the column, and 4 from cell to synapse where arrivals change synapses. With 4
for the description that makes 36 to 40, and padding to whole lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.spiking.kernel.diffusion import move_for
from synsamp.spiking.kernel.simd import LANE
from synsamp.spiking.potential import SynapseList

Ints = NDArray[np.int64]


class Listing(NamedTuple):
    """The synapses of a sparse block, and the axon of its first source for each delay."""

    synapses: SynapseList
    axons: tuple[int, ...]


def padded_rows(synapses: SynapseList) -> tuple[Ints, NDArray[np.bool_]]:
    """Where rows begin in whole lanes, [post + 1]; and which places are synapses."""
    sizes = np.diff(synapses.first)
    start = np.concatenate([[0], np.cumsum(-(-sizes // LANE) * LANE)]).astype(np.int64)
    runs = np.stack([sizes, np.diff(start) - sizes], axis=1).reshape(-1)
    return start, np.repeat(np.tile([True, False], sizes.size), runs)


def link_arrays(
    blocks: Sequence[tuple[Listing | None, int, int, int, bool]],
) -> tuple[dict[str, NDArray[Any]], int]:
    """Fields of `Wiring` for sparse blocks, and the number of their cells.

    A block is its listing, its first axon, the number of axons from there on, the first neuron of
    its target, and whether arrivals change its synapses.
    """
    first_link, first_column = (np.zeros(len(blocks), np.int64) for _ in range(2))
    axons, cells, starts, neurons, ways_back = ([] for _ in range(5))
    n_links, n_columns, n_cells = 0, 0, 0
    back = any(listing is not None and arrives for listing, *_, arrives in blocks)
    for b, (listing, first_axon, n_axons, first_neuron, _) in enumerate(blocks):
        if listing is None:
            continue
        first_link[b], first_column[b] = n_links, n_columns
        own, cell, start, neuron, place = _link(listing, first_axon, n_axons)
        axons.append(own + np.int32(first_axon))
        cells.append(cell + np.int32(n_cells))
        starts.append(start.astype(np.int64) + n_cells)
        neurons.append(neuron + np.int32(first_neuron))
        ways_back.append(place if back else np.zeros(0, np.int32))  # a part would keep the whole
        n_links, n_columns = n_links + own.size, n_columns + start.size
        n_cells += neuron.size
    sparse = [b for b, (listing, *_) in enumerate(blocks) if listing is not None]
    return {
        "first_link": first_link,
        "first_column": first_column,
        "sparse_blocks": np.array(sparse, np.int64),
        "synapse_axon": _joined(axons, np.int32),
        "synapse_cell": _joined(cells, np.int32),
        "column_start": _joined(starts, np.int64),
        "cell_neuron": _joined(neurons, np.int32),
        "cell_synapse": _joined(ways_back, np.int32),
    }, n_cells


def _joined(parts: list[Any], dtype: Any) -> NDArray[Any]:
    if len(parts) == 1:  # without a copy: this is most of the memory
        return np.ascontiguousarray(parts[0], dtype)
    return np.concatenate([np.zeros(0, dtype), *parts]).astype(dtype)


def _link(listing: Listing, first_axon: int, n_axons: int) -> tuple[Any, ...]:
    """Per place of a row its axon and cell; columns: starts; per cell its neuron and place."""
    from scipy.sparse import csr_array  # takes a tenth of a second

    synapses = listing.synapses
    start, exists = padded_rows(synapses)
    axon = synapses.pre + np.int32(listing.axons[0] - first_axon)
    if synapses.delay.size:
        per_delay = np.array(listing.axons, np.int32) - np.int32(first_axon)
        axon = synapses.pre + per_delay[synapses.delay]
    places = np.flatnonzero(exists).astype(np.int32)
    shape = (start.size - 1, n_axons)
    columns = csr_array((places, axon, synapses.first), shape=shape).tocsc()
    own = np.zeros(exists.size, np.int32)
    own[exists] = axon
    cell = np.zeros(exists.size, np.int32)
    cell[columns.data] = np.arange(columns.data.size, dtype=np.int32)
    return own, cell, columns.indptr, columns.indices.astype(np.int32), columns.data


def rows_listed(
    synapses: SynapseList, prior: Any, at: int
) -> tuple[list[tuple[int, int, bool, int, int, int, int]], list[NDArray[np.float64]]]:
    """One piece per row of a sparse block; and the parameters of its prior, from ``at`` on."""
    parameters = prior.for_kernel(synapses.size)
    shared = not any(np.ndim(v) for v in parameters)
    exact, move = prior.transition_of is not None, move_for(prior, shared)
    sizes = np.diff(padded_rows(synapses)[0] if shared else synapses.first).tolist()
    plane = 1 if shared else synapses.size
    firsts = synapses.first[:-1].tolist()
    pieces = [
        (0, size, exact, move, at if shared else at + first, plane, int(not shared))
        for size, first in zip(sizes, firsts, strict=True)
    ]
    return pieces, [np.atleast_1d(np.asarray(v, float)) for v in parameters]
