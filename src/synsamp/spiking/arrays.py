"""Making the arrays a simulation consists of, and knowing whose they are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.errors import refuse
from synsamp.spiking.activity import Activity
from synsamp.spiking.draws import SPIKES_AT_ONCE
from synsamp.spiking.inputs import Work
from synsamp.spiking.lanes import LANE
from synsamp.spiking.layout import Layout
from synsamp.spiking.network import Network
from synsamp.spiking.synapses import Synapses


def matrix(layout: Layout, p: int, values: NDArray[Any]) -> NDArray[Any]:
    """The view [post, pre] of one projection's part of an array over all synapses."""
    place = layout.places[p]
    starts = [*layout.wiring.first_synapse, layout.n_synapses]
    block = values[int(starts[place.block]) : int(starts[place.block + 1])]
    rows = block.reshape(-1, int(layout.wiring.n_pre[place.block]))
    return rows[:, place.offset : place.offset + place.n_pre]


def new_synapses(
    layout: Layout, network: Network, rng: np.random.Generator, given: Mapping[str, ArrayLike]
) -> Synapses:
    """Start values: given ones, or independent draws from the prior as in the paper."""
    n = layout.n_synapses
    synapses = Synapses(
        theta=np.full(n, -np.inf),
        weight=np.zeros(n, np.float32),
        column=np.zeros(layout.n_cells, np.float32),
        listed=np.zeros(n, np.int32),
        is_listed=np.zeros(n // LANE, np.uint16),
        n_listed=np.zeros(layout.n_rows, np.int64),
        refreshed_s=np.zeros(network.n_neurons),
    )
    unknown = set(given) - {p.name for p in layout.projections}
    if unknown:
        names = ", ".join(p.name for p in layout.projections)
        raise refuse("theta", f"must name projections among {names}", sorted(unknown))
    for p, projection in enumerate(layout.projections):
        mask, rule = network.mask_of(projection), projection.rule
        if projection.name in given:
            try:
                values = np.array(np.broadcast_to(given[projection.name], mask.shape), float)
            except ValueError:
                shape = np.shape(given[projection.name])
                raise refuse(
                    f"theta of {projection.name!r}", f"must have shape {mask.shape}", shape
                ) from None
            if not np.isfinite(values[mask]).all():
                raise refuse(f"theta of {projection.name!r}", "must be finite", "NaN or infinity")
        else:
            values = np.asarray(rule.prior.draw(rng, mask.shape))
        values = np.where(mask, np.maximum(values, rule.floor), -np.inf)
        weight = np.where(mask, rule.mapping.weight(np.where(mask, values, 0.0)), 0.0)
        matrix(layout, p, synapses.theta)[:] = values
        matrix(layout, p, synapses.weight)[:] = weight
    return synapses


def rest(layout: Layout, network: Network) -> Activity:
    """The fast state of a network in which nothing has happened yet, at time 0."""
    n, circuits, delayed = network.n_neurons, len(network.circuits), layout.wiring.delay_s.size
    return Activity(
        clock=np.array([0.0, 0.0, -1.0]),  # the first spike is drawn by the kernel
        counters=np.zeros(2, np.int64),
        fall=np.zeros(layout.n_axons + LANE, np.float32),  # the last row may be padded
        rise=np.zeros(layout.n_axons + LANE, np.float32),
        sum_fall=np.zeros(n + LANE, np.float32),
        sum_rise=np.zeros(n + LANE, np.float32),
        adaptation_fall=np.zeros(n),
        adaptation_rise=np.zeros(n),
        adapted_s=np.zeros(circuits),
        bias=np.zeros(n),
        queue_s=np.zeros((delayed, 1)),
        queue_axon=np.zeros((delayed, 1), np.int64),
        queue_head=np.zeros(delayed, np.int64),
        queue_count=np.zeros(delayed, np.int64),
    )


def with_room(activity: Activity, layout: Layout, input_rate_hz: float) -> Activity:
    """The same state with queues that hold all spikes that can be in flight."""
    wiring = layout.wiring
    if wiring.delay_s.size == 0:
        return activity
    mean = (input_rate_hz + float(wiring.rate_up_to[-1])) * float(wiring.delay_s.max())
    room = int(mean + 20.0 * np.sqrt(mean) + 64)  # 20 standard deviations: never
    old = activity.queue_s.shape[1]
    if old >= room:
        return activity
    order = (activity.queue_head[:, None] + np.arange(old)) % old
    times = np.zeros((wiring.delay_s.size, 2 * room))
    axons = np.zeros(times.shape, np.int64)
    times[:, :old] = np.take_along_axis(activity.queue_s, order, axis=1)
    axons[:, :old] = np.take_along_axis(activity.queue_axon, order, axis=1)
    return activity._replace(
        queue_s=times, queue_axon=axons, queue_head=np.zeros_like(activity.queue_head)
    )


def new_work(layout: Layout, network: Network) -> Work:
    """Working memory for the kernel."""
    row = int(layout.wiring.n_pre.max())
    largest = max(c.size for c in network.circuits)
    return Work(
        np.zeros(row, np.float32),
        np.zeros(row, np.float32),
        np.zeros(SPIKES_AT_ONCE, np.float32),
        np.zeros(SPIKES_AT_ONCE, np.float32),
        np.zeros(SPIKES_AT_ONCE),
        np.zeros(SPIKES_AT_ONCE, np.int64),
        np.zeros(SPIKES_AT_ONCE + 4, np.int64),
        np.zeros(largest + LANE),
    )


def digest(layout: Layout) -> str:
    """A short name of wiring and numbers, to recognise the network a state belongs to."""
    sha = hashlib.sha256()
    for array in (*layout.wiring, *(a for r in layout.rules for a in r[:8])):
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()[:16]


def copies(arrays: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a named tuple, copied, by name."""
    return {name: array.copy() for name, array in arrays._asdict().items()}


def arrays(saved: Any) -> dict[str, NDArray[Any]]:
    """The reverse of `copies`, for the constructor of the named tuple."""
    return {name: np.array(value) for name, value in saved.items()}
