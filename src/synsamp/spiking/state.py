"""The state of a simulation: create, copy, save, restore.

Only `Engine.advance` and lesions change a state. A copy continues with the same noise. Derived
arrays (columns of efficacies) are not saved. Saved values are checked before they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.description import network_properties
from synsamp.spiking.input.position import InputState
from synsamp.spiking.kernel.arrays import zeros_on_cache_lines
from synsamp.spiking.kernel.memory import (
    BOUND,
    BOUND_S,
    CANDIDATE,
    GROUP,
    INPUT_DUE,
    INPUTS_UNTIL,
    NEXT_EVENT,
    NEXT_INPUT,
    REFERENCE,
    SWEEPS,
    Activity,
    Synapses,
)
from synsamp.spiking.kernel.random import Normals, RandomStreams, Words, new_streams
from synsamp.spiking.kernel.simd import LANE
from synsamp.spiking.layout import Layout, sums_per_kernel
from synsamp.spiking.network import Network
from synsamp.spiking.potential import AT_ONCE

SAVED_SYNAPSES = (
    "theta",
    "weight",
    "refreshed_s",
    "trace",
    "traced_s",
    "eligibility",
    "eligibility_updated_s",
)
"""The other arrays of `Synapses` are derived from these."""


@dataclass
class State:
    """State of a network at one time."""

    time_s: float
    synapses: Synapses
    activity: Activity
    random: RandomStreams
    inputs: InputState

    @classmethod
    def new(
        cls,
        layout: Layout,
        network: Network,
        seed: np.random.SeedSequence,
        theta: Mapping[str, ArrayLike] | None,
    ) -> State:
        """At time 0, without activity; θ as given, or drawn from the prior as in the paper."""
        dynamics, start, order = seed.spawn(3)
        return cls(
            0.0,
            _new_synapses(layout, network, np.random.default_rng(start), theta),
            at_rest(layout, network),
            new_streams(dynamics, _longest_row(layout)),
            InputState.new(network, np.random.default_rng(order)),
        )

    def copy(self) -> State:
        """An independent copy that continues with the same noise."""
        synapses, activity = self.synapses.copy(), self.activity.copy()
        return State(self.time_s, synapses, activity, self.random.copy(), self.inputs.copy())

    def save(self, network: Network) -> dict[str, Any]:
        """Nested mappings of arrays, numbers and strings for a bit-identical continuation."""
        kept = {name: getattr(self.synapses, name).copy() for name in SAVED_SYNAPSES}
        return {
            "network": network_properties(network),
            "time_s": self.time_s,
            "synapses": kept,
            "activity": self.activity.copy().arrays(),
            "random": {
                name: stream.copy().arrays() for name, stream in self.random._asdict().items()
            },
            "inputs": self.inputs.save(),
        }

    @classmethod
    def restore(cls, layout: Layout, network: Network, saved: Any) -> State:
        """The saved state of the same network; `Engine.write_columns` adds the columns."""
        time_s = arguments.number("time_s of the saved state", saved["time_s"], at_least=0)
        any_theta = {p.name: 0.0 for p in layout.projections}
        found = cls.new(layout, network, np.random.SeedSequence(0), any_theta)
        random = RandomStreams(
            *(
                _words(saved["random"][name], stream, name)
                for name, stream in found.random._asdict().items()
            )
        )
        return cls(
            time_s,
            _restored_synapses(layout, saved["synapses"], found.synapses, time_s),
            _restored_activity(
                layout, saved["activity"], found.activity, time_s, network.needs_event_order
            ),
            random,
            InputState.restore(network, saved["inputs"]),
        )


# -- new --------------------


def fresh_seed(seed: int | np.random.SeedSequence) -> np.random.SeedSequence:
    """A seed without children, so that the caller can use the one given again."""
    if not isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence(arguments.seed("seed", seed))
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)


def at_rest(layout: Layout, network: Network) -> Activity:
    """Activity at time 0, before any spike."""
    n, circuits, delayed = network.n_neurons, len(network.neurons), layout.wiring.delay_s.size
    sums = sums_per_kernel(network) * layout.wiring.epsp_fall_s.size
    return Activity(
        clock=np.array([0.0, 0.0, *[-1.0] * 6]),  # the kernel draws the first events
        counters=np.zeros(2, np.int64),
        drawn_until_s=np.zeros(len(network.inputs)),
        fall=np.zeros(layout.n_axons + LANE, np.float32),  # the last row may be padded
        rise=np.zeros(layout.n_axons + LANE, np.float32),
        sum_fall=np.zeros(sums, np.float32),
        sum_rise=np.zeros(sums, np.float32),
        adaptation_fall=np.zeros(n),
        adaptation_rise=np.zeros(n),
        modulator=np.ones(circuits),
        limit_hz=np.zeros(n + LANE, np.float32),
        group_hz=np.zeros(-(-n // int(layout.wiring.constants[GROUP]))),
        neuron_adapted_s=np.zeros(n if layout.wiring.one_by_one.any() else 0),
        refractory_until_s=np.zeros(n),
        adapted_s=np.zeros(circuits),
        bias=first_bias(network),
        queue_s=np.zeros((delayed, 1)),
        queue_axon=np.zeros((delayed, 1), np.int64),
        queue_head=np.zeros(delayed, np.int64),
        queue_count=np.zeros(delayed, np.int64),
    )


def first_bias(network: Network) -> NDArray[np.float64]:
    """Initial bias of each neuron."""
    given = [getattr(c, "homeostasis", None) for c in network.neurons]
    start = [0.0 if h is None else h.start for h in given]
    return np.repeat(np.array(start, float), [c.size for c in network.neurons])


def with_room(activity: Activity, layout: Layout, input_rate_hz: float, given: int = 0) -> Activity:
    """The same activity with queues large enough for all spikes in flight."""
    wiring = layout.wiring
    if wiring.delay_s.size == 0:
        return activity
    mean = (input_rate_hz + float(wiring.rate_up_to[-1])) * float(wiring.delay_s.max())
    room = given + int(mean + 20.0 * np.sqrt(mean) + 64)  # 20 standard deviations: never
    old = activity.queue_s.shape[1]
    if old >= room:
        return activity
    if room > 2**28:
        raise refuse(
            "delay_s", "must not keep more than 2**28 spikes in flight", room, "use a shorter delay"
        )
    order = (activity.queue_head[:, None] + np.arange(old)) % old
    times = np.zeros((wiring.delay_s.size, 2 * room))
    axons = np.zeros(times.shape, np.int64)
    times[:, :old] = np.take_along_axis(activity.queue_s, order, axis=1)
    axons[:, :old] = np.take_along_axis(activity.queue_axon, order, axis=1)
    return activity.replace(
        queue_s=times, queue_axon=axons, queue_head=np.zeros_like(activity.queue_head)
    )


def _longest_row(layout: Layout) -> int:
    return max(1, *layout.row_width)


def _new_synapses(
    layout: Layout,
    network: Network,
    rng: np.random.Generator,
    theta_by_name: Mapping[str, ArrayLike] | None,
) -> Synapses:
    given: Any = {} if theta_by_name is None else theta_by_name
    n = layout.n_synapses
    theta, weight = zeros_on_cache_lines(n, np.float64), zeros_on_cache_lines(n, np.float32)
    theta[:] = -np.inf
    names = [p.name for p in layout.projections]
    for name in arguments.instance("theta", given, Mapping, "use {'x->z': values}"):
        arguments.one_of("projection in theta", name, names)
    for p in range(len(layout.projections)):
        _begin(layout, network, p, rng, given, theta, weight)
    return with_columns(
        layout,
        theta,
        weight,
        np.zeros(network.n_neurons),
        zeros_on_cache_lines(layout.n_traces, np.float64),
        zeros_on_cache_lines(layout.n_traced, np.float64),
        zeros_on_cache_lines(layout.n_eligibility, np.float64),
        np.zeros(network.n_neurons),
    )


def _begin(
    layout: Layout,
    network: Network,
    p: int,
    rng: np.random.Generator,
    given: Mapping[str, ArrayLike],
    theta: NDArray[np.float64],
    weight: NDArray[np.float32],
) -> None:
    """θ and w of a projection, −inf and 0 where no synapse can exist; in parts, to save memory."""
    projection = layout.projections[p]
    mask, model = network.mask_of(projection), projection.synapses
    if projection.name in given:
        values = _given_theta(projection.name, given[projection.name], mask)
    else:
        values = np.broadcast_to(model.prior.draw(rng, mask.shape), mask.shape)
    own_theta, own_weight = np.empty(mask.shape), np.empty(mask.shape, np.float32)
    flat = [array.reshape(-1) for array in (values, mask, own_theta, own_weight)]
    for start in range(0, mask.size, AT_ONCE):
        drawn, exists, some_theta, some_weight = (a[start : start + AT_ONCE] for a in flat)
        some_theta[:] = np.where(exists, np.maximum(drawn, model.theta_min), -np.inf)
        with np.errstate(over="ignore"):
            weights = model.mapping.weight(np.where(exists, some_theta, 0.0))
            some_weight[:] = np.where(exists, weights, 0.0)
    layout.write(p, "synapse", theta, own_theta)
    layout.write(p, "synapse", weight, own_weight)


def _given_theta(name: str, given: Any, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    what = f"theta of {name!r}"
    values = arguments.array(what, given)
    if values.dtype.kind not in "iuf":
        raise refuse(what, "must be numbers", values.dtype)
    try:
        values = np.array(np.broadcast_to(values, mask.shape), float)
    except ValueError:
        raise refuse(what, f"must have shape {mask.shape}", np.shape(given)) from None
    if not np.isfinite(values[mask]).all():
        raise refuse(what, "must be finite where a synapse can exist", "NaN or infinity")
    return np.where(mask, values, 0.0)


def with_columns(
    layout: Layout,
    theta: NDArray[np.float64],
    weight: NDArray[np.float32],
    refreshed_s: NDArray[np.float64],
    trace: NDArray[np.float64],
    traced_s: NDArray[np.float64],
    eligibility: NDArray[np.float64],
    eligibility_updated_s: NDArray[np.float64],
) -> Synapses:
    """Synapses with empty columns, which `Engine.recompute_potentials` fills."""
    return Synapses(
        theta=theta,
        weight=weight,
        refreshed_s=refreshed_s,
        trace=trace,
        traced_s=traced_s,
        eligibility=eligibility,
        eligibility_updated_s=eligibility_updated_s,
        column=zeros_on_cache_lines(layout.n_cells, np.float32),
        listed=zeros_on_cache_lines(layout.n_synapses, np.int32),
        is_listed=zeros_on_cache_lines(layout.n_synapses // LANE, np.uint16),
        n_listed=np.zeros(layout.n_rows, np.int64),
    )


# -- restored --------------------


def _arrays(
    saved: Any, like: Mapping[str, NDArray[Any]], of: str, free: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The saved arrays, if they have the types and shapes of a new state."""
    found = {}
    for name, expected in like.items():
        if not hasattr(saved, "keys") or name not in saved:
            raise refuse(f"{name} of the saved {of}", "must exist", "nothing")
        values = arguments.array(f"{name} of the saved {of}", saved[name])
        rows = expected.shape[0]
        fits = values.shape == expected.shape or (
            name in free and values.ndim == 2 and values.shape[0] == rows and values.shape[1] > 0
        )
        if values.dtype != expected.dtype or not fits:
            wanted = f"must be {expected.dtype}{expected.shape}"
            raise refuse(f"{name} of the saved {of}", wanted, f"{values.dtype}{values.shape}")
        found[name] = np.array(values, order="C")
    return found


def _require(holds: Any, name: str, of: str, rule: str) -> None:
    if not np.all(holds):
        raise refuse(f"{name} of the saved {of}", f"must be {rule}", "other values")


def _restored_synapses(layout: Layout, saved: Any, like: Synapses, time_s: float) -> Synapses:
    found = _arrays(saved, {name: getattr(like, name) for name in SAVED_SYNAPSES}, "synapses")
    theta, weight, refreshed_s, trace, traced_s, eligibility, eligibility_updated_s = (
        found[name] for name in SAVED_SYNAPSES
    )
    exists = theta > -np.inf
    possible = like.theta > -np.inf
    _require(np.isfinite(theta[exists]), "theta", "synapses", "finite, or −inf for none")
    _require(possible | ~exists, "theta", "synapses", "−inf where the mask allows none")
    _require(np.isfinite(weight), "weight", "synapses", "finite")
    _require(weight[~exists] == 0, "weight", "synapses", "0 where no synapse exists")
    _require((refreshed_s >= 0) & (refreshed_s <= time_s), "refreshed_s", "synapses", "in the past")
    _require(np.isfinite(trace), "trace", "synapses", "finite")
    _require((traced_s >= 0) & (traced_s <= time_s), "traced_s", "synapses", "in the past")
    _require(np.isfinite(eligibility), "eligibility", "synapses", "finite")
    _require(
        (eligibility_updated_s >= 0) & (eligibility_updated_s <= time_s),
        "eligibility_updated_s",
        "synapses",
        "in the past",
    )
    return with_columns(
        layout, theta, weight, refreshed_s, trace, traced_s, eligibility, eligibility_updated_s
    )


def _restored_activity(
    layout: Layout, saved: Any, like: Activity, time_s: float, event_by_event: bool
) -> Activity:
    of = "activity"
    found = _arrays(saved, like.arrays(), of, free=("queue_s", "queue_axon"))
    activity = Activity(**found)
    clock, wiring = activity.clock, layout.wiring
    for name in ("drawn_until_s", "fall", "rise", "sum_fall", "sum_rise", "queue_s"):
        _require(np.isfinite(found[name]), name, of, "finite")
    _require(np.isfinite(clock[:NEXT_EVENT]), "clock", of, "finite")
    _require(np.isfinite(activity.refractory_until_s), "refractory_until_s", of, "finite")
    for name in ("adaptation_fall", "adaptation_rise", "adapted_s", "modulator", "limit_hz"):
        _require(np.isfinite(found[name]), name, of, "finite")
    _require(np.isfinite(activity.group_hz), "group_hz", of, "finite")
    own_s = activity.neuron_adapted_s
    _require((own_s >= 0) & (own_s <= time_s), "neuron_adapted_s", of, "in the past")
    _require(0 <= clock[REFERENCE] <= clock[INPUTS_UNTIL] <= time_s, "clock", of, "in the past")
    to_come = clock[[NEXT_EVENT, NEXT_INPUT, CANDIDATE, BOUND_S]]
    later = (to_come == -1.0) | (to_come >= clock[INPUTS_UNTIL])
    _require(later, "clock", of, "ahead where it names the next spike")
    _require((clock[[INPUT_DUE, BOUND]] >= -1.0), "clock", of, ">= -1")
    drawn = activity.drawn_until_s
    _require((drawn >= 0) & np.isfinite(drawn), "drawn_until_s", of, "finite")
    if not event_by_event:
        past = (drawn >= clock[INPUTS_UNTIL]) & (drawn <= time_s)
        _require(past, "drawn_until_s", of, "in the past")
    _require((activity.adapted_s >= 0) & (activity.adapted_s <= time_s), "adapted_s", of, "past")
    _require(activity.counters >= 0, "counters", of, ">= 0")
    passed = activity.counters[SWEEPS] - time_s / layout.sync_interval_s
    _require(-1.0 - 1e-6 < passed < 1e-6, "counters", of, "the grid points passed")
    bias, varies = activity.bias, wiring.bias_per_s[wiring.circuit_of] > 0
    of_alive = np.isfinite(bias) & (varies | (bias == 0))
    _require(of_alive | np.isneginf(bias), "bias", of, "0, or any with homeostasis, or −inf")
    _require(activity.queue_s.shape == activity.queue_axon.shape, "queue_axon", of, "as queue_s")
    room = activity.queue_s.shape[1] if activity.queue_s.ndim == 2 else 0
    head, count = activity.queue_head, activity.queue_count
    _require((head >= 0) & (head < max(room, 1)), "queue_head", of, f"below {room}")
    _require((count >= 0) & (count <= room), "queue_count", of, f"at most {room}")
    for family, (low, high) in enumerate(wiring.delayed_source):
        waiting = (head[family] + np.arange(count[family])) % max(room, 1)
        axons = activity.queue_axon[family, waiting] - wiring.delayed_axon[family]
        _require((axons >= 0) & (axons < high - low), "queue_axon", of, "an axon of its family")
    return activity


def _words(saved: Any, like: Words | Normals, name: str) -> Any:
    of = f"random stream {name!r}"
    stream = type(like)(**_arrays(saved, like.arrays(), of))
    taken = stream.taken[0]
    _require((taken >= 0) & (taken <= stream.buffer.size), "taken", of, "within the buffer")
    _require(stream.state.any(axis=0), "state", of, "other than 0")
    if isinstance(stream, Normals):
        _require(np.isfinite(stream.buffer), "buffer", of, "finite")
    return stream
