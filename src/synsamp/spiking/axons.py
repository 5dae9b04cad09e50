"""Axons: one per source, delay and EPSP kernel; and their columns of efficacies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.spiking.kernel.simd import LANE
from synsamp.spiking.network import Network
from synsamp.spiking.neurons import DoubleExponential

Ints = NDArray[np.int64]


class Family(NamedTuple):
    """Axons of neighbouring sources with the same delay and EPSP kernel."""

    first_source: int
    first_axon: int
    size: int
    delay_s: float
    kernel: int


def families_of(
    network: Network, source_of: dict[str, int], kernels: list[DoubleExponential]
) -> tuple[list[Family], dict[str, list[int]]]:
    """Undelayed inputs; inputs with a delay or another EPSP; all neurons per delay and EPSP.

    And for each projection the families of its delays, in their order.
    """
    families = [
        Family(source_of[g.name], source_of[g.name], g.size, 0.0, 0) for g in network.inputs
    ]
    index = {(g.name, 0.0, 0): i for i, g in enumerate(network.inputs)}
    inputs = {g.name for g in network.inputs}
    n_axons = network.n_inputs
    family_of: dict[str, list[int]] = {p.name: [] for p in network.projections}
    # Delayed inputs first, so that the kernel sees from the first one whether there are any.
    ways = [(p, delay_s) for p in network.projections for delay_s in p.delays_s]
    for p, delay_s in sorted(ways, key=lambda way: (way[0].source not in inputs, way[1])):
        kernel = kernels.index(network.epsp_of(p))
        key = (p.source if p.source in inputs else "", delay_s, kernel)
        if key not in index:
            index[key] = len(families)
            first = source_of[p.source] if p.source in inputs else network.n_inputs
            size = network.size_of(p.source) if p.source in inputs else network.n_neurons
            families.append(Family(first, n_axons, size, delay_s, kernel))
            n_axons += size
        family_of[p.name].append(index[key])
    return families, family_of


def stretches_of(families: list[Family]) -> dict[str, Ints]:
    """Neighbouring axons of one kernel; the last stretch includes the padding."""
    found: list[list[int]] = []
    for family in sorted(families, key=lambda family: family.first_axon):
        if found and found[-1][0] == family.kernel:
            found[-1][2] += family.size
        else:
            found.append([family.kernel, family.first_axon, family.size])
    if found:
        found[-1][2] += LANE
    columns = np.array(found, np.int64).reshape(-1, 3).T
    names = ("kernel", "first", "size")
    return {f"stretch_{n}": np.ascontiguousarray(c) for n, c in zip(names, columns, strict=True)}


def columns_of(
    families: list[Family], reached: Iterable[tuple[int, int]], first_neuron: Ints, n_axons: int
) -> tuple[Ints, Ints, Ints, int]:
    """Per axon: first cell of its column, first neuron the column spans, width; all cells.

    ``reached`` are pairs of a family and a circuit that it reaches.
    """
    hull: dict[int, tuple[int, int]] = {}
    for index, target in reached:
        low, high = hull.get(index, (int(first_neuron[-1]), 0))
        own_low, own_high = int(first_neuron[target]), int(first_neuron[target + 1])
        hull[index] = (min(low, own_low), max(high, own_high))
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
