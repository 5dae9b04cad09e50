"""From a description to flat arrays: who reaches whom, and where each synapse lies in memory.

Sources are numbered inputs first, then neurons. An *axon* is a source seen through one delay and
one EPSP kernel: it has one trace, whoever it reaches. Axons 0 … n_inputs−1 are the inputs without
delay and with the network's own kernel. All neurons together seen through one delay and kernel, and
an input group seen through others, are further *families* of axons, whose spikes wait in a queue.

Projections to one circuit that share synapse model and delay and whose axons are neighbours lie
side by side as one *block*, so that a neuron's row is walked in few long stretches (the eight
lateral projections to a circuit of the paper's Fig. 5 are one block).

Synapses lie twice in memory, for two ways of walking: by row (all afferents of one neuron in a
block: θ and w, walked when that neuron spikes) and by column (all efficacies ŵ of one axon,
added to the potentials when the axon spikes). A column spans the smallest range of neurons that
holds all targets of its family, padded to whole lanes. Rows are padded, too, with synapses that
cannot exist. A row's synapses may have different priors: it consists of *pieces* with one prior
each, mostly one piece.

A projection whose potential synapses are listed is a separate, *sparse* block with the same two
stores (`synsamp.spiking.links`). Its rows have different lengths, each padded to whole lanes, and
name their axons; its columns name their neurons. Row and column of a synapse point at each other,
so that a change of ŵ finds its cell, and a spike that arrives its θ.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.spiking.axons import columns_of, families_of, stretches_of
from synsamp.spiking.blocks import Block, blocks_of, column_room, learns_at_arrivals, pieces_of
from synsamp.spiking.kernel.diffusion import weigh_for
from synsamp.spiking.kernel.eligibility import DEPTH, PASSAGE
from synsamp.spiking.kernel.memory import REFRESH_S, SYNC_INTERVAL_S, Numbers, Wiring, Work
from synsamp.spiking.kernel.random import SPIKES_AT_ONCE
from synsamp.spiking.kernel.simd import LANE
from synsamp.spiking.links import link_arrays, padded_rows
from synsamp.spiking.network import Network
from synsamp.spiking.neurons import StochasticNeurons
from synsamp.spiking.populations import neuron_arrays
from synsamp.spiking.projection import Projection

Ints = NDArray[np.int64]
LIMITS_TOGETHER = 1024
"""Neurons whose limits are summed as one group: a candidate costs a walk over groups and one of
them. Networks with several groups are *large* (`synsamp.spiking.kernel.thinning`)."""


class Place(NamedTuple):
    """Where a projection lies: its block, and its first column in there."""

    block: int
    offset: int
    n_pre: int


class Layout(NamedTuple):
    """Wiring, numbers, and sizes."""

    wiring: Wiring
    numbers: Numbers
    projections: tuple[Projection, ...]  # sorted as they lie in memory
    blocks: tuple[Block, ...]
    places: tuple[Place, ...]  # of the projections
    row_width: tuple[int, ...]  # of the blocks, in whole lanes; of a sparse block its longest row
    longest_column: int  # of sparse blocks in which arrivals change synapses, with traces
    n_axons: int
    n_synapses: int
    n_rows: int
    n_cells: int
    n_traces: int  # of all synapses together
    n_traced: int  # synapses that have some
    n_eligibility: int  # numbers of all synapses that are assigned some

    def place_of(self, projection: str) -> int:
        """The place of a projection among those in memory."""
        return [p.name for p in self.projections].index(projection)

    def read(self, p: int, kind: str, values: NDArray[Any]) -> NDArray[Any]:
        """One projection's part of an array over all synapses, in the shape of its θ.

        ``kind`` is that of the array: "synapse" for θ and w; "trace", "traced" and "eligibility"
        have one more axis.
        """
        place, own = self.places[p], self._own(p, kind, values)
        if self.blocks[place.block].listing is None:
            return own[:, place.offset : place.offset + place.n_pre]
        return own[self._exists(place.block)]

    def write(self, p: int, kind: str, values: NDArray[Any], new: ArrayLike) -> None:
        """Set one projection's part of an array over all synapses."""
        place, own = self.places[p], self._own(p, kind, values)
        if self.blocks[place.block].listing is None:
            own[:, place.offset : place.offset + place.n_pre] = new
        else:
            own[self._exists(place.block)] = new

    def synapse(self, p: int, post: int, pre: int, contact: int = 0) -> int:
        """Index of a synapse in arrays over all synapses; −1 if none is listed there."""
        place = self.places[p]
        listing, row = self.blocks[place.block].listing, int(self.wiring.first_row[place.block])
        start = int(self.wiring.row_start[row + post])
        if listing is None:
            return start + place.offset + pre
        found = listing.synapses.place(post, pre, contact)
        return -1 if found < 0 else start + found - int(listing.synapses.first[post])

    def _own(self, p: int, kind: str, values: NDArray[Any]) -> NDArray[Any]:
        """A block's part of an array, with its padding: [post, pre, …] or [synapse, …]."""
        b, wiring = self.places[p].block, self.wiring
        row = int(wiring.first_row[b])
        n_post = int(np.diff(wiring.first_neuron)[self.blocks[b].target])
        n = int(wiring.row_start[row + n_post] - wiring.row_start[row])
        starts = {
            "synapse": wiring.first_synapse,
            "trace": wiring.first_trace,
            "traced": wiring.first_traced,
            "eligibility": wiring.first_eligibility,
        }
        start, traces = int(starts[kind][b]), int(wiring.n_traces[b])
        shape = (n,) if self.blocks[b].listing is not None else (n_post, self.row_width[b])
        if kind == "synapse":
            return values[start : start + n].reshape(shape)
        has_eligibility = wiring.eligibility_function[b] != 0
        depth = {
            "trace": traces,
            "traced": min(traces, 1),
            "eligibility": DEPTH if has_eligibility else 0,
        }[kind]
        return values[start : start + n * depth].reshape(*shape, depth)

    def _exists(self, b: int) -> NDArray[np.bool_]:
        """Which places of a sparse block are synapses, not padding."""
        listing = self.blocks[b].listing
        assert listing is not None
        return padded_rows(listing.synapses)[1]

    @property
    def drift_interval_s(self) -> float:
        """How long a neuron's synapses may go without prior and noise."""
        return float(self.wiring.constants[REFRESH_S])

    @property
    def sync_interval_s(self) -> float:
        """All synapses are up to date at multiples of it."""
        return float(self.wiring.constants[SYNC_INTERVAL_S])


def build_layout(network: Network, drift_interval_s: float, sync_interval_s: float) -> Layout:
    """Lay the network out in memory."""
    first_neuron = np.cumsum([0, *(c.size for c in network.neurons)])
    first_input = np.cumsum([0, *(g.size for g in network.inputs)])
    n_inputs = int(first_input[-1])
    source_of = dict(
        zip(
            (p.name for p in network.populations),
            map(int, (*first_input[:-1], *(n_inputs + first_neuron[:-1]))),
            strict=True,
        )
    )
    kernels = list(dict.fromkeys([network.epsp, *map(network.epsp_of, network.projections)]))
    families, family_of = families_of(network, source_of, kernels)
    circuit_index = {c.name: i for i, c in enumerate(network.neurons)}

    def axons_of(p: Projection) -> list[int]:
        """The axon of its first source, for each of its delays."""
        own = [families[i] for i in family_of[p.name]]
        return [f.first_axon + source_of[p.source] - f.first_source for f in own]

    projections = tuple(
        sorted(network.projections, key=lambda p: (circuit_index[p.target], axons_of(p)))
    )
    blocks = blocks_of(
        projections,
        [circuit_index[p.target] for p in projections],
        [family_of[p.name][0] for p in projections],
        [axons_of(p) for p in projections],
        [network.size_of(p.source) for p in projections],
    )
    places: list[Place] = [Place(0, 0, 0)] * len(projections)
    for b, block in enumerate(blocks):
        offset = 0
        for p in block.members:
            size = network.size_of(projections[p].source)
            places[p] = Place(b, offset, size)
            offset += size
    n_axons = max((f.first_axon + f.size for f in families), default=0)
    axon_cell, axon_first_neuron, axon_width, n_cells = columns_of(
        families,
        ((b.family, b.target) for b in blocks if b.listing is None),
        first_neuron,
        n_axons,
    )
    axon_kernel = np.zeros(n_axons, np.int64)
    for family in families:
        axon_kernel[family.first_axon : family.first_axon + family.size] = family.kernel

    n_pre = np.array(
        [
            -(-b.n_pre // LANE) * LANE
            if b.listing is None
            else int(np.diff(padded_rows(b.listing.synapses)[0]).max(initial=0))
            for b in blocks
        ],
        np.int64,
    )
    targets = np.array([b.target for b in blocks], np.int64)
    n_post = np.diff(first_neuron)[targets]
    first_axon = np.array([b.first_axon for b in blocks], np.int64)
    delayed = [f for i, f in enumerate(families) if i >= len(network.inputs)]
    pieces, prior = pieces_of(blocks, n_pre, n_post)
    sparse = np.array([b.listing is not None for b in blocks], bool)
    links, n_listed = link_arrays(
        [
            (b.listing, b.first_axon, b.n_pre, int(first_neuron[b.target]), learns_at_arrivals(b))
            for b in blocks
        ]
    )
    mapping = [b.synapses.mapping.parameters for b in blocks]
    plasticity = [b.synapses.plasticity.numbers_with(b.synapses.prior) for b in blocks]
    learning = [b.plastic and b.synapses.speed > 0 for b in blocks]
    by_own = [
        x and not b.synapses.plasticity.assigns_eligibility
        for x, b in zip(learning, blocks, strict=True)
    ]
    assigns_eligibility = [b.plastic and b.synapses.plasticity.assigns_eligibility for b in blocks]
    eligibility_functions = np.array(
        [
            b.synapses.plasticity.eligibility_functions(b.synapses.mapping) if c else (0, 0, 0)
            for b, c in zip(blocks, assigns_eligibility, strict=True)
        ],
        np.int64,
    ).reshape(-1, 3)
    traces = np.array([b.synapses.plasticity.n_traces if b.plastic else 0 for b in blocks], int)
    row_sizes = [
        np.full(k, n) if b.listing is None else np.diff(padded_rows(b.listing.synapses)[0])
        for b, n, k in zip(blocks, n_pre, n_post, strict=True)
    ]
    rows = np.array([int(sizes.sum()) for sizes in row_sizes], np.int64)
    with_eligibility = _by_circuit(blocks, assigns_eligibility, network)
    wiring = Wiring(
        **neuron_arrays(network, first_neuron, with_eligibility),
        first_neuron=first_neuron,
        first_block=np.searchsorted(targets, np.arange(len(network.neurons) + 1)),
        learns=_by_circuit(blocks, learning, network),
        learns_by_own=_by_circuit(blocks, by_own, network),
        assigns_eligibility=with_eligibility,
        plastic=np.array(learning, bool),
        first_axon=first_axon,
        n_afferents=np.array([b.n_pre for b in blocks], np.int64),
        one_by_one=_one_by_one(network),
        row_start=np.concatenate([[0], *row_sizes]).cumsum().astype(np.int64),
        first_synapse=_starts(rows),
        first_row=_starts(n_post),
        first_cell=np.where(
            sparse,
            n_cells,
            axon_cell[first_axon] + first_neuron[targets] - axon_first_neuron[first_axon],
        ),
        sparse=sparse,
        **links,
        column_width=axon_width[first_axon],
        weigh=np.array([weigh_for(b.synapses.mapping) for b in blocks], np.int64),
        on_post=np.array(
            [b.synapses.plasticity.spike_function(b.synapses.mapping) for b in blocks], np.int64
        ),
        on_pre=np.array(
            [
                b.synapses.plasticity.arrival_function(b.synapses.mapping) if b.plastic else 0
                for b in blocks
            ],
            np.int64,
        ),
        pass_function=eligibility_functions[:, 0].copy(),
        eligibility_function=eligibility_functions[:, 1].copy(),
        gather_function=eligibility_functions[:, 2].copy(),
        sign=np.array([b.sign for b in blocks], np.float32),
        kernel=axon_kernel[first_axon],
        n_traces=traces,
        first_trace=_starts(rows * traces),
        first_traced=_starts(rows * (traces > 0)),
        first_eligibility=_starts(DEPTH * rows * np.array(assigns_eligibility, np.int64)),
        first_mapping_number=_starts(np.array([len(m) for m in mapping], np.int64)),
        first_plasticity_number=_starts(np.array([len(p) for p in plasticity], np.int64)),
        **pieces,
        axon_cell=axon_cell,
        axon_first_sum=axon_kernel * sums_per_kernel(network) + axon_first_neuron,
        axon_width=axon_width,
        axon_kernel=axon_kernel,
        epsp_rise_s=np.array([k.rise_s for k in kernels]),
        epsp_fall_s=np.array([k.fall_s for k in kernels]),
        epsp_peak=np.array([k.peak for k in kernels]),
        **stretches_of(families),
        delayed_source=np.array(
            [[f.first_source, f.first_source + f.size] for f in delayed], np.int64
        ).reshape(-1, 2),
        delayed_axon=np.array([f.first_axon for f in delayed], np.int64),
        delay_s=np.array([f.delay_s for f in delayed], np.float64),
        first_input=first_input,
        constants=np.array(
            [
                # exp(32) leaves room for many spikes below the largest float32, exp(88)
                32.0 * min(k.rise_s for k in kernels),
                drift_interval_s,
                sync_interval_s,
                0.25 * min(k.fall_s for k in kernels),
                LIMITS_TOGETHER,
            ]
        ),
    )
    models = [b.synapses for b in blocks]
    numbers = Numbers(
        speed=np.array([float(m.speed) for m in models]),
        temperature=np.array([float(m.temperature) for m in models]),
        theta_min=np.array([float(m.theta_min) for m in models]),
        max_euler_step=np.array([float(m.max_euler_step) for m in models]),
        retracted_weight=np.array([m.mapping.weight(0.0) for m in models], np.float32),
        prior=prior,
        mapping=_flat(mapping),
        plasticity=_flat(plasticity),
    )
    return Layout(
        wiring=wiring,
        numbers=numbers,
        projections=projections,
        blocks=blocks,
        places=tuple(places),
        row_width=tuple(n_pre.tolist()),
        longest_column=max((column_room(b) for b in blocks), default=0),
        n_axons=n_axons,
        n_synapses=int(rows.sum()),
        n_rows=int(n_post.sum()),
        n_cells=n_cells + n_listed,
        n_traces=int((rows * traces).sum()),
        n_traced=int((rows * (traces > 0)).sum()),
        n_eligibility=int(DEPTH * (rows * np.array(assigns_eligibility, np.int64)).sum()),
    )


def sums_per_kernel(network: Network) -> int:
    """Neurons, and room for the last lane."""
    return network.n_neurons + LANE


def is_large(network: Network) -> bool:
    """Whether limits of stochastic neurons are summed in several groups."""
    return network.n_neurons > LIMITS_TOGETHER


def _one_by_one(network: Network) -> NDArray[np.bool_]:
    """In a large network the work for one stochastic neuron must not grow with its circuit."""
    stochastic = [isinstance(c, StochasticNeurons) for c in network.neurons]
    return np.array(stochastic, bool) & is_large(network)


def _by_circuit(blocks: tuple[Block, ...], flags: list[bool], network: Network) -> NDArray[Any]:
    """Per circuit whether one of the blocks that reach it has its flag set."""
    found = np.zeros(len(network.neurons), bool)
    found[[b.target for b, flag in zip(blocks, flags, strict=True) if flag]] = True
    return found


def _starts(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)


def _flat(parts: list[tuple[float, ...]]) -> NDArray[np.float64]:
    """All numbers in a row; one more, since an address must point at something."""
    return np.array([float(v) for part in parts for v in part] + [0.0])


def new_work(layout: Layout, network: Network) -> Work:
    """Working memory of the event loop."""
    largest, row = max(c.size for c in network.neurons), max(layout.row_width)
    return Work(
        effect=np.zeros(row, np.float32),
        row_fall=np.zeros(row, np.float32),
        row_rise=np.zeros(row, np.float32),
        grown=np.zeros(LANE),
        column_theta=np.zeros(layout.longest_column),
        column_weight=np.zeros(layout.longest_column, np.float32),
        column_trace=np.zeros(layout.longest_column),
        column_traced_s=np.zeros(layout.longest_column),
        sums=np.zeros(2, np.float32),
        spike_fall=np.zeros(SPIKES_AT_ONCE, np.float32),
        spike_rise=np.zeros(SPIKES_AT_ONCE, np.float32),
        spike_s=np.zeros(SPIKES_AT_ONCE),
        spike_axon=np.zeros(SPIKES_AT_ONCE, np.int64),
        spike_cell=np.zeros(SPIKES_AT_ONCE + 4, np.int64),
        potentials=np.zeros(largest + LANE),
        spiked=np.zeros(largest),
        expected=np.zeros(largest),
        passage=np.zeros(PASSAGE),
        cursor=np.zeros(len(network.inputs), np.int64),
    )
