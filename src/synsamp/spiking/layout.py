"""From a description to flat arrays: who reaches whom, and where each synapse lies in memory.

Sources are numbered inputs first, then neurons. An *axon* is a source seen through one delay: it
has one EPSP trace, whoever it reaches. Axons 0 … n_inputs−1 are the inputs without delay. All
neurons together seen through one delay, and an input group seen through a delay, are further
*families* of axons, whose spikes wait in a queue.

Projections to one circuit that share rule and delay and whose axons are neighbours lie side by side
as one *block*, so that a neuron's row is walked in few long stretches (the eight lateral
projections to a circuit of the paper's Fig. 5 are one block).

Synapses lie twice in memory, for two ways of walking: by row (all afferents of one neuron in a
block: θ, w and α e^w, walked when that neuron spikes) and by column (all efficacies ŵ of one axon,
added to the potentials when the axon spikes). A column spans the smallest range of neurons that
holds all targets of its family, padded to whole lanes. Rows are padded, too, with synapses that
cannot exist.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.spiking.lanes import LANE
from synsamp.spiking.network import ChangeClip, Network, Projection, Rule

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
    first_block: Ints  # [n_circuits + 1]: blocks lie sorted by their target
    learns: NDArray[np.bool_]  # whether any synapse of the circuit is plastic
    circuit_of: Ints  # per neuron
    # per block
    kind: Ints
    plastic: NDArray[np.bool_]
    first_axon: Ints
    n_pre: Ints  # padded to ``LANE``
    first_synapse: Ints
    first_row: Ints  # a row is all synapses of one neuron in one block
    first_afferent: Ints  # where the per-afferent parameters of the prior start
    first_cell: Ints  # of the column store: synapse (post 0, pre 0)
    column_width: Ints
    # per axon
    axon_cell: Ints
    axon_first_neuron: Ints
    axon_width: Ints
    # per delayed family
    delayed_source: Ints  # [n_delayed, 2]: range of sources
    delayed_axon: Ints
    delay_s: Floats
    # the whole network
    first_input: Ints  # [n_groups + 1]
    constants: Floats  # see the names below


EPSP_RISE_S, EPSP_FALL_S, HORIZON_S, REFRESH_S, GRID_S = range(5)


class RuleNumbers(NamedTuple):
    """Numbers of the rule, one per block, then parameters of prior and mapping."""

    b: Floats
    T: Floats
    N: Floats
    alpha: Floats
    most_expected_at: Floats  # the w from which on α e^w is clipped
    most_change: Floats  # of θ at a spike
    floor: Floats
    splitting_step: Floats
    retracted_weight: Floats  # w at θ = 0; at or below it a synapse has no effect
    prior: Any  # tuple of arrays, one value per afferent
    mapping: Any  # tuple of arrays, one value per block


class Block(NamedTuple):
    """Projections that lie side by side: same target, rule and delay, neighbouring axons."""

    rule: Rule
    plastic: bool
    target: int  # circuit
    family: int
    first_axon: int
    n_pre: int
    members: tuple[int, ...]  # projections


class Place(NamedTuple):
    """Where a projection lies: its block, and its first column in there."""

    block: int
    offset: int
    n_pre: int


class Layout(NamedTuple):
    """Wiring, the rule's numbers by kind, and sizes."""

    wiring: Wiring
    projections: tuple[Projection, ...]  # sorted as they lie in memory
    blocks: tuple[Block, ...]
    places: tuple[Place, ...]  # of the projections
    kinds: tuple[tuple[Any, ...], ...]
    rules: tuple[RuleNumbers, ...]
    retracted_weight: NDArray[np.float32]  # per block
    n_axons: int
    n_synapses: int
    n_rows: int
    n_cells: int


class _Family(NamedTuple):
    """Axons of neighbouring sources seen through one delay."""

    first_source: int
    first_axon: int
    size: int
    delay_s: float


def kind_of(rule: Rule) -> tuple[Any, ...]:
    """What must be compiled in: two blocks of one kind differ in numbers only."""
    per_afferent = any(np.ndim(v) for v in rule.prior.parameters)
    return (
        rule.prior.gradient_of,
        type(rule.prior),
        per_afferent,
        rule.mapping.weight_of,
        rule.mapping.slope_of,
        isinstance(rule.clip, ChangeClip),
        0.0 <= _most_expected_at(rule) <= 4.0,
    )


def build_layout(network: Network, refresh_s: float, grid_s: float) -> Layout:
    """Lay the network out in memory."""
    first_neuron = np.cumsum([0, *(c.size for c in network.circuits)])
    first_input = np.cumsum([0, *(g.size for g in network.inputs)])
    n_inputs = int(first_input[-1])
    source_of = dict(
        zip(
            (p.name for p in network.populations),
            map(int, (*first_input[:-1], *(n_inputs + first_neuron[:-1]))),
            strict=True,
        )
    )
    families, family_of = _families(network, source_of)
    circuit_index = {c.name: i for i, c in enumerate(network.circuits)}

    def axon_of(p: Projection) -> int:
        family = families[family_of[p.name]]
        return family.first_axon + source_of[p.source] - family.first_source

    projections = tuple(
        sorted(network.projections, key=lambda p: (circuit_index[p.target], axon_of(p)))
    )
    blocks = _blocks(
        projections,
        [circuit_index[p.target] for p in projections],
        [family_of[p.name] for p in projections],
        [axon_of(p) for p in projections],
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
    axon_cell, axon_first_neuron, axon_width, n_cells = _columns(
        families, blocks, first_neuron, n_axons
    )

    kinds = tuple(dict.fromkeys(kind_of(b.rule) for b in blocks))
    n_pre = np.array([-(-b.n_pre // LANE) * LANE for b in blocks], np.int64)
    targets = np.array([b.target for b in blocks], np.int64)
    n_post = np.diff(first_neuron)[targets]
    first_axon = np.array([b.first_axon for b in blocks], np.int64)
    delayed = [f for i, f in enumerate(families) if i >= len(network.inputs)]
    wiring = Wiring(
        first_neuron=first_neuron,
        rate_up_to=np.cumsum([float(c.rate_hz) for c in network.circuits]),
        adaptation_rise_s=np.array([float(c.adaptation.rise_s) for c in network.circuits]),
        adaptation_fall_s=np.array([float(c.adaptation.fall_s) for c in network.circuits]),
        adaptation_strength=np.array([float(c.adaptation_strength) for c in network.circuits]),
        first_block=np.searchsorted(targets, np.arange(len(network.circuits) + 1)),
        learns=np.array(
            [
                any(b.plastic and b.rule.b > 0 for b in blocks if b.target == c)
                for c in range(len(network.circuits))
            ],
            bool,
        ),
        circuit_of=np.repeat(np.arange(len(network.circuits)), np.diff(first_neuron)),
        kind=np.array([kinds.index(kind_of(b.rule)) for b in blocks], np.int64),
        plastic=np.array([b.plastic and b.rule.b > 0 for b in blocks], bool),
        first_axon=first_axon,
        n_pre=n_pre,
        first_synapse=_starts(n_pre * n_post),
        first_row=_starts(n_post),
        first_afferent=_starts(n_pre),
        first_cell=axon_cell[first_axon] + first_neuron[targets] - axon_first_neuron[first_axon],
        column_width=axon_width[first_axon],
        axon_cell=axon_cell,
        axon_first_neuron=axon_first_neuron,
        axon_width=axon_width,
        delayed_source=np.array(
            [[f.first_source, f.first_source + f.size] for f in delayed], np.int64
        ).reshape(-1, 2),
        delayed_axon=np.array([f.first_axon for f in delayed], np.int64),
        delay_s=np.array([f.delay_s for f in delayed], np.float64),
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
    return Layout(
        wiring=wiring,
        projections=projections,
        blocks=blocks,
        places=tuple(places),
        kinds=kinds,
        rules=tuple(_rule_numbers(kind, blocks, n_pre) for kind in kinds),
        retracted_weight=np.array([b.rule.mapping.weight(0.0) for b in blocks], np.float32),
        n_axons=n_axons,
        n_synapses=int((n_pre * n_post).sum()),
        n_rows=int(n_post.sum()),
        n_cells=n_cells,
    )


def _families(network: Network, source_of: dict[str, int]) -> tuple[list[_Family], dict[str, int]]:
    """Inputs without delay; inputs with a delay; all neurons, once per delay."""
    families = [_Family(source_of[g.name], source_of[g.name], g.size, 0.0) for g in network.inputs]
    index = {(g.name, 0.0): i for i, g in enumerate(network.inputs)}
    inputs = {g.name for g in network.inputs}
    n_axons = network.n_inputs
    family_of = {}
    # Delayed inputs first, so that the kernel sees from the first one whether there are any.
    for p in sorted(network.projections, key=lambda p: (p.source not in inputs, p.delay_s)):
        key = (p.source if p.source in inputs else "", p.delay_s)
        if key not in index:
            index[key] = len(families)
            first = source_of[p.source] if p.source in inputs else network.n_inputs
            size = network.size_of(p.source) if p.source in inputs else network.n_neurons
            families.append(_Family(first, n_axons, size, p.delay_s))
            n_axons += size
        family_of[p.name] = index[key]
    return families, family_of


def _blocks(
    projections: tuple[Projection, ...],
    targets: list[int],
    families: list[int],
    axons: list[int],
    sizes: list[int],
) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for i, p in enumerate(projections):
        last = blocks[-1] if blocks else None
        if (
            last is not None
            and (last.target, last.family, last.plastic) == (targets[i], families[i], p.plastic)
            and last.first_axon + last.n_pre == axons[i]
            and _same(last.rule, p.rule)
        ):
            blocks[-1] = last._replace(n_pre=last.n_pre + sizes[i], members=(*last.members, i))
        else:
            blocks.append(
                Block(p.rule, p.plastic, targets[i], families[i], axons[i], sizes[i], (i,))
            )
    return tuple(blocks)


def _same(one: Rule, two: Rule) -> bool:
    """Whether two rules are alike; arrays in a prior belong to one projection alone."""
    if any(np.ndim(v) for rule in (one, two) for v in rule.prior.parameters):
        return False
    return one == two


def _columns(
    families: list[_Family], blocks: tuple[Block, ...], first_neuron: Ints, n_axons: int
) -> tuple[Ints, Ints, Ints, int]:
    """Per axon: first cell of its column, first neuron the column spans, width; all cells."""
    hull: dict[int, tuple[int, int]] = {}
    for block in blocks:
        low, high = hull.get(block.family, (int(first_neuron[-1]), 0))
        own_low, own_high = int(first_neuron[block.target]), int(first_neuron[block.target + 1])
        hull[block.family] = (min(low, own_low), max(high, own_high))
    cell, neuron, width = (np.zeros(n_axons, np.int64) for _ in range(3))
    n_cells = 0
    for index, (low, high) in sorted(hull.items()):
        family = families[index]
        span = -(-(high - low) // LANE) * LANE
        axons = slice(family.first_axon, family.first_axon + family.size)
        cell[axons] = n_cells + span * np.arange(family.size)
        neuron[axons] = low
        width[axons] = span
        n_cells += span * family.size
    return cell, neuron, width, n_cells


def _starts(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)


def _most_expected_at(rule: Rule) -> float:
    """min(limit, α e^w) = α e^min(w, log(limit/α)): the clip as a bound on w."""
    if isinstance(rule.clip, ChangeClip):
        return np.inf
    return float(np.log(rule.clip.limit / rule.alpha))


def _rule_numbers(kind: tuple[Any, ...], blocks: tuple[Block, ...], n_pre: Ints) -> RuleNumbers:
    """Numbers of all blocks; those of another kind hold zeros that nobody reads."""
    own = [kind_of(b.rule) == kind for b in blocks]
    example = blocks[own.index(True)].rule

    def numbers(name: str) -> Floats:
        return np.array([float(getattr(b.rule, name)) for b in blocks])

    n_prior, n_mapping = len(example.prior.parameters), len(example.mapping.parameters)
    prior = np.zeros((n_prior, int(n_pre.sum())))
    mapping = np.zeros((n_mapping, len(blocks)))
    starts = _starts(n_pre)
    for i, b in enumerate(blocks):
        if own[i]:
            for j, value in enumerate(b.rule.prior.for_kernel(b.n_pre)):
                prior[j, starts[i] : starts[i] + b.n_pre] = value
                prior[j, starts[i] + b.n_pre : starts[i] + n_pre[i]] = np.ravel(value)[-1]
            mapping[:, i] = b.rule.mapping.parameters
    return RuleNumbers(
        b=numbers("b"),
        T=numbers("T"),
        N=numbers("N"),
        alpha=numbers("alpha"),
        most_expected_at=np.array([_most_expected_at(b.rule) for b in blocks]),
        most_change=np.array([float(b.rule.clip.limit * b.rule.b) for b in blocks]),
        floor=numbers("floor"),
        splitting_step=numbers("splitting_step"),
        retracted_weight=np.array([float(b.rule.mapping.weight(0.0)) for b in blocks]),
        prior=tuple(np.ascontiguousarray(row) for row in prior),
        mapping=tuple(np.ascontiguousarray(row) for row in mapping),
    )
