"""From a description to flat arrays: who reaches whom, and where each synapse lies in memory.

Sources are numbered inputs first, then neurons. An *axon* is a source seen through one delay: it
has one EPSP trace, whoever it reaches. Axons 0 … n_inputs−1 are the inputs without delay; each
(population, delay > 0 or lateral) adds a group of axons whose spikes wait in a queue.

Synapses lie twice in memory, for two ways of walking: by row (all afferents of one neuron: θ, w
and α e^w, walked when that neuron spikes) and by column (all efficacies ŵ of one axon, added to
the potentials when the axon spikes). A column spans the smallest range of neurons that holds all
targets of its group, padded to ``LANE``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.spiking.compiling import LANE
from synsamp.spiking.network import ChangeClip, Network, Projection

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Wiring(NamedTuple):
    """Everything about the network that never changes, as the kernel reads it."""

    # per circuit
    first_neuron: Ints  # [n_circuits + 1]
    rate_up_to: Floats  # cumulative ρ_net of the circuits
    adaptation_rise_s: Floats
    adaptation_fall_s: Floats
    adaptation_strength: Floats
    first_projection: Ints  # [n_circuits + 1]: projections lie sorted by their target
    circuit_of: Ints  # per neuron
    # per projection
    kind: Ints
    plastic: NDArray[np.bool_]
    first_axon: Ints
    n_pre: Ints
    first_synapse: Ints
    first_row: Ints  # a row is all synapses of one neuron in one projection
    first_afferent: Ints  # where the per-afferent parameters of the prior start
    first_cell: Ints  # of the column store: synapse (post 0, pre 0)
    column_width: Ints
    # per axon
    axon_cell: Ints
    axon_first_neuron: Ints
    axon_width: Ints
    # per delayed group
    delayed_source: Ints  # [n_delayed, 2]: range of sources
    delayed_axon: Ints
    delay_s: Floats
    # the whole network
    first_input: Ints  # [n_groups + 1]
    constants: Floats  # see the names below


EPSP_RISE_S, EPSP_FALL_S, HORIZON_S, REFRESH_S, GRID_S = range(5)


class RuleNumbers(NamedTuple):
    """Numbers of the rule, one per projection, then parameters of prior and mapping."""

    b: Floats
    T: Floats
    N: Floats
    alpha: Floats
    limit: Floats
    floor: Floats
    splitting_step: Floats
    retracted_weight: Floats  # w at θ = 0; at or below it a synapse has no effect
    prior: Any  # tuple of arrays, one value per afferent
    mapping: Any  # tuple of arrays, one value per projection


class Layout(NamedTuple):
    """Wiring, the rule's numbers by kind, and sizes."""

    wiring: Wiring
    projections: tuple[Projection, ...]  # in the order of the arrays
    kinds: tuple[tuple[Any, ...], ...]
    rules: tuple[RuleNumbers, ...]
    retracted_weight: NDArray[np.float32]
    n_axons: int
    n_synapses: int
    n_rows: int
    n_cells: int


def kind_of(projection: Projection) -> tuple[Any, ...]:
    """What must be compiled in: two projections of one kind differ in numbers only."""
    rule = projection.rule
    per_afferent = any(np.ndim(v) for v in rule.prior.parameters)
    return (
        rule.prior.gradient_of,
        type(rule.prior),
        per_afferent,
        rule.mapping.weight_of,
        rule.mapping.slope_of,
        isinstance(rule.clip, ChangeClip),
    )


def build_layout(network: Network, refresh_s: float, grid_s: float) -> Layout:
    """Lay the network out in memory."""
    first_neuron = np.cumsum([0, *(c.size for c in network.circuits)])
    first_input = np.cumsum([0, *(g.size for g in network.inputs)])
    n_inputs, n_neurons = int(first_input[-1]), int(first_neuron[-1])
    circuit_index = {c.name: i for i, c in enumerate(network.circuits)}
    projections = tuple(sorted(network.projections, key=lambda p: circuit_index[p.target]))
    targets = np.array([circuit_index[p.target] for p in projections], np.int64)

    source_range = {
        g.name: (int(first_input[i]), int(first_input[i + 1])) for i, g in enumerate(network.inputs)
    } | {
        c.name: (n_inputs + int(first_neuron[i]), n_inputs + int(first_neuron[i + 1]))
        for i, c in enumerate(network.circuits)
    }

    # Axon groups: what reaches the network directly, and what waits in a queue.
    groups: dict[tuple[str, float], int] = {}
    group_ranges: list[tuple[int, int]] = []
    n_axons = n_inputs
    delayed: list[tuple[int, int, int, float]] = []
    for group in network.inputs:
        groups[(group.name, 0.0)] = len(group_ranges)
        group_ranges.append(source_range[group.name])
    # Inputs first, so that the kernel sees from the first group whether any input is delayed.
    for p in sorted(projections, key=lambda p: source_range[p.source][0]):
        key = (p.source, p.delay_s)
        if key in groups:
            continue
        low, high = source_range[p.source]
        groups[key] = len(group_ranges)
        group_ranges.append((n_axons, n_axons + high - low))
        delayed.append((low, high, n_axons, p.delay_s))
        n_axons += high - low

    # Column of a group: the hull of the neurons it reaches.
    hull: dict[int, tuple[int, int]] = {}
    for p, target in zip(projections, targets, strict=True):
        g = groups[(p.source, p.delay_s)]
        low, high = hull.get(g, (n_neurons, 0))
        hull[g] = (
            min(low, int(first_neuron[target])),
            max(high, int(first_neuron[target + 1])),
        )
    axon_cell = np.zeros(n_axons, np.int64)
    axon_first_neuron = np.zeros(n_axons, np.int64)
    axon_width = np.zeros(n_axons, np.int64)
    n_cells = 0
    for g, (low, high) in sorted(hull.items()):
        width = -(-(high - low) // LANE) * LANE
        start, stop = group_ranges[g]
        axon_cell[start:stop] = n_cells + width * np.arange(stop - start)
        axon_first_neuron[start:stop] = low
        axon_width[start:stop] = width
        n_cells += width * (stop - start)

    kinds = tuple(dict.fromkeys(kind_of(p) for p in projections))
    n_pre = np.array([network.size_of(p.source) for p in projections], np.int64)
    n_post = np.array([network.size_of(p.target) for p in projections], np.int64)
    first_axon = np.array(
        [group_ranges[groups[(p.source, p.delay_s)]][0] for p in projections], np.int64
    )
    wiring = Wiring(
        first_neuron=first_neuron,
        rate_up_to=np.cumsum([c.rate_hz for c in network.circuits]),
        adaptation_rise_s=np.array([c.adaptation.rise_s for c in network.circuits]),
        adaptation_fall_s=np.array([c.adaptation.fall_s for c in network.circuits]),
        adaptation_strength=np.array([float(c.adaptation_strength) for c in network.circuits]),
        first_projection=np.searchsorted(targets, np.arange(len(network.circuits) + 1)),
        circuit_of=np.repeat(np.arange(len(network.circuits)), np.diff(first_neuron)),
        kind=np.array([kinds.index(kind_of(p)) for p in projections], np.int64),
        plastic=np.array([p.plastic and p.rule.b > 0 for p in projections], bool),
        first_axon=first_axon,
        n_pre=n_pre,
        first_synapse=_starts(n_pre * n_post),
        first_row=_starts(n_post),
        first_afferent=_starts(n_pre),
        first_cell=axon_cell[first_axon] + first_neuron[targets] - axon_first_neuron[first_axon]
        if len(projections)
        else np.zeros(0, np.int64),
        column_width=axon_width[first_axon] if len(projections) else np.zeros(0, np.int64),
        axon_cell=axon_cell,
        axon_first_neuron=axon_first_neuron,
        axon_width=axon_width,
        delayed_source=np.array([d[:2] for d in delayed], np.int64).reshape(-1, 2),
        delayed_axon=np.array([d[2] for d in delayed], np.int64),
        delay_s=np.array([d[3] for d in delayed], np.float64),
        first_input=first_input,
        constants=np.array(
            [
                network.epsp.rise_s,
                network.epsp.fall_s,
                # exp(32) leaves room for many spikes below the largest float32, exp(88)
                32.0 * network.epsp.rise_s,
                refresh_s,
                grid_s,
            ]
        ),
    )
    rules = tuple(_rule_numbers(kind, projections, n_pre) for kind in kinds)
    retracted = np.array([float(p.rule.mapping.weight(0.0)) for p in projections], np.float32)
    return Layout(
        wiring,
        projections,
        kinds,
        rules,
        retracted,
        n_axons,
        int((n_pre * n_post).sum()),
        int(n_post.sum()),
        n_cells,
    )


def _starts(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)


def _rule_numbers(
    kind: tuple[Any, ...], projections: tuple[Projection, ...], n_pre: Ints
) -> RuleNumbers:
    """Numbers of all projections; those of another kind hold zeros that nobody reads."""
    own = [kind_of(p) == kind for p in projections]
    example = projections[own.index(True)].rule

    def numbers(name: str) -> Floats:
        return np.array([float(getattr(p.rule, name)) for p in projections])

    n_prior, n_mapping = len(example.prior.parameters), len(example.mapping.parameters)
    prior = np.zeros((n_prior, int(n_pre.sum())))
    mapping = np.zeros((n_mapping, len(projections)))
    starts = _starts(n_pre)
    for i, p in enumerate(projections):
        if own[i]:
            for j, value in enumerate(p.rule.prior.for_kernel(int(n_pre[i]))):
                prior[j, starts[i] : starts[i] + n_pre[i]] = value
            mapping[:, i] = p.rule.mapping.parameters
    return RuleNumbers(
        b=numbers("b"),
        T=numbers("T"),
        N=numbers("N"),
        alpha=numbers("alpha"),
        limit=np.array([float(p.rule.clip.limit) for p in projections]),
        floor=numbers("floor"),
        splitting_step=numbers("splitting_step"),
        retracted_weight=np.array([float(p.rule.mapping.weight(0.0)) for p in projections]),
        prior=tuple(np.ascontiguousarray(row) for row in prior),
        mapping=tuple(np.ascontiguousarray(row) for row in mapping),
    )
