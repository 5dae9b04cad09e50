"""Blocks: projections that lie side by side in memory, and the pieces of their rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.priors import Prior
from synsamp.spiking.kernel.diffusion import move_for
from synsamp.spiking.links import Listing, rows_listed
from synsamp.spiking.projection import Projection
from synsamp.spiking.synapses import SynapseModel

Ints = NDArray[np.int64]


class Block(NamedTuple):
    """Projections that lie side by side: same target, model and delay, neighbouring axons."""

    synapses: SynapseModel
    plastic: bool
    sign: int
    target: int  # circuit
    family: int
    first_axon: int
    n_pre: int
    members: tuple[int, ...]  # projections
    listing: Listing | None  # of a sparse block


def blocks_of(
    projections: tuple[Projection, ...],
    targets: list[int],
    families: list[int],
    axons: list[list[int]],
    sizes: list[int],
) -> tuple[Block, ...]:
    """Blocks of projections, which are sorted by target and axon."""
    blocks: list[Block] = []
    for i, p in enumerate(projections):
        last, listing = blocks[-1] if blocks else None, None
        first, n_pre = axons[i][0], sizes[i]
        if p.listed is not None:
            first = min(axons[i])
            n_pre = max(axons[i]) + sizes[i] - first
            listing = Listing(p.listed, tuple(axons[i]))
        if (
            last is not None
            and last.listing is None
            and listing is None
            and (last.target, last.family, last.plastic, last.sign)
            == (targets[i], families[i], p.plastic, p.sign)
            and last.first_axon + last.n_pre == first
            and _same(last.synapses, p.synapses)
        ):
            blocks[-1] = last._replace(n_pre=last.n_pre + n_pre, members=(*last.members, i))
        else:
            blocks.append(
                Block(
                    p.synapses,
                    p.plastic,
                    p.sign,
                    targets[i],
                    families[i],
                    first,
                    n_pre,
                    (i,),
                    listing,
                )
            )
    return tuple(blocks)


def _same(one: SynapseModel, two: SynapseModel) -> bool:
    """Whether two models are alike; a prior with numbers per synapse belongs to one projection."""
    if one is two:
        return not _per_synapse(one)
    return (
        isinstance(one.prior, Prior)
        and not _per_synapse(one)
        and not _per_synapse(two)
        and all(getattr(one, f) == getattr(two, f) for f in one.__dataclass_fields__)
    )


def _per_synapse(model: SynapseModel) -> bool:
    return not isinstance(model.prior, Prior) or any(np.ndim(v) for v in model.prior.parameters)


def learns_at_arrivals(block: Block) -> bool:
    """Whether arrivals change the synapses of a block."""
    return block.plastic and block.synapses.plasticity.has_on_pre


def column_room(block: Block) -> int:
    """Working memory for a sparse column in which arrivals change synapses."""
    if block.listing is None or not learns_at_arrivals(block):
        return 0
    longest = int(np.bincount(block.listing.synapses.pre).max(initial=0))
    return longest * max(block.synapses.plasticity.n_traces, 1)


def pieces_of(
    blocks: tuple[Block, ...], n_pre: Ints, n_post: Ints
) -> tuple[dict[str, NDArray[Any]], NDArray[np.float64]]:
    """Per row the stretches with one prior each; and the numbers of all priors."""
    per_row: list[int] = []
    pieces: list[tuple[int, int, bool, int, int, int, int]] = []
    numbers: list[NDArray[np.float64]] = []
    at = 0
    for block, padded, rows in zip(blocks, n_pre.tolist(), n_post.tolist(), strict=True):
        if block.listing is not None:
            own, values = rows_listed(block.listing.synapses, block.synapses.prior, at)
            per_row += [1] * rows
            pieces += own
            numbers += values
            at += sum(v.size for v in values)
            continue
        found: list[list[tuple[int, int, bool, int, int, int, int]]] = [[] for _ in range(rows)]
        for part in block.synapses.prior.parts((rows, block.n_pre)):
            exact = part.prior.transition_of is not None
            shared = not any(np.ndim(v) for v in part.parameters)
            whole = len(part.ranges) == 1 and np.ptp(part.ranges[0]) == rows * block.n_pre
            move = move_for(part.prior, shared and whole)
            values = [np.atleast_1d(np.asarray(v, float)) for v in part.parameters]
            plane = 1 if shared else rows * block.n_pre
            for start, stop in part.ranges.tolist():
                for row in range(start // block.n_pre, -(-stop // block.n_pre)):
                    low = max(start - row * block.n_pre, 0)
                    high = min(stop - row * block.n_pre, block.n_pre)
                    size = padded if shared and whole else high - low
                    first = at if shared else at + row * block.n_pre + low
                    found[row].append((low, size, exact, move, first, plane, int(not shared)))
            numbers += values
            at += sum(v.size for v in values)
        for in_row in found:
            per_row.append(len(in_row))
            pieces += sorted(in_row)
    columns = list(zip(*pieces, strict=True)) if pieces else [()] * 7
    names = ("start", "size", "exact", "move", "number", "plane", "step")
    arrays: dict[str, NDArray[Any]] = {
        f"piece_{name}": np.array(column, bool if name == "exact" else np.int64)
        for name, column in zip(names, columns, strict=True)
    }
    arrays["first_piece"] = np.concatenate([[0], np.cumsum(per_row)]).astype(np.int64)
    return arrays, np.concatenate([*numbers, np.zeros(1)])
