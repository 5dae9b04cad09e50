"""New neurons in places of removed ones: at rest, with synapses drawn from their prior.

Populations keep their size, so that arrays, records and saved states do. To let a network grow,
create the population in its final size and remove the later neurons at time 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.layout import Layout
from synsamp.spiking.network import Network
from synsamp.spiking.projection import Projection
from synsamp.spiking.state import State, first_bias


def places_to_fill(
    state: State, network: Network, population: str, neurons: ArrayLike
) -> NDArray[np.int64]:
    """Sorted indices within the population; raises an error if one of them is alive."""
    numbers = network.neurons_of(population)
    found = np.unique(arguments.wholes("neurons", neurons, at_least=0, at_most=numbers.size - 1))
    alive = found[state.activity.bias[numbers[found]] > -np.inf]
    if alive.size:
        rule, remedy = "must have been removed before they are added", "use RemoveNeurons first"
        raise refuse(f"neurons of {population!r}", rule, int(alive[0]), remedy)
    return found


def add_neurons(
    state: State,
    network: Network,
    layout: Layout,
    population: str,
    local: NDArray[np.int64],
    rng: np.random.Generator,
) -> None:
    """Bring removed neurons back as new ones; all synapses must be up to date.

    Each potential synapse between a new neuron and one that is alive gets a θ from its prior. One
    value per potential synapse is drawn, so that it does not depend on who else is added.
    """
    numbers, activity = network.neurons_of(population)[local], state.activity
    circuit = network.index_of(population)
    since_s = activity.adapted_s[circuit]
    if layout.wiring.one_by_one[circuit]:
        since_s = activity.neuron_adapted_s[numbers] = state.time_s
    grown = layout.wiring.bias_per_s[circuit] * (state.time_s - since_s)  # until now, from then on
    activity.bias[numbers] = first_bias(network)[numbers] - grown
    for values in (
        activity.adaptation_fall,
        activity.adaptation_rise,
        activity.refractory_until_s,
    ):
        values[numbers] = 0.0
    state.synapses.eligibility_updated_s[numbers] = state.time_s
    _silence_axons(state, layout, network.n_inputs + numbers)
    for p, projection in enumerate(layout.projections):
        if population in (projection.source, projection.target):
            new = _new_synapses(state, network, projection, population, local)
            _begin_synapses(state, layout, p, new, rng)


def _silence_axons(state: State, layout: Layout, sources: NDArray[np.int64]) -> None:
    """No trace of earlier spikes, and none under way."""
    wiring, activity = layout.wiring, state.activity
    for family, (low, high) in enumerate(wiring.delayed_source.tolist()):
        here = sources[(sources >= low) & (sources < high)]
        axons = wiring.delayed_axon[family] + here - low
        activity.fall[axons] = activity.rise[axons] = 0.0
        times, waiting = activity.queue_s[family], activity.queue_axon[family]
        count = activity.queue_count[family]
        order = (activity.queue_head[family] + np.arange(count)) % times.size
        kept = order[~np.isin(waiting[order], axons)]
        times[: kept.size], waiting[: kept.size] = times[kept], waiting[kept]
        activity.queue_head[family], activity.queue_count[family] = 0, kept.size


def _new_synapses(
    state: State,
    network: Network,
    projection: Projection,
    population: str,
    local: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which potential synapses have a new neuron at one end, and one that is alive at the other."""

    def ends(name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        size = network.size_of(name)
        new, alive = np.zeros(size, bool), np.ones(size, bool)
        if name == population:
            new[local] = True
        if name not in {g.name for g in network.inputs}:
            alive = state.activity.bias[network.neurons_of(name)] > -np.inf
        return new, alive

    (new_pre, pre), (new_post, post) = ends(projection.source), ends(projection.target)
    if projection.listed is None:
        exists = network.mask_of(projection) & post[:, None] & pre
        return exists & (new_post[:, None] | new_pre)
    i, k = projection.listed.pre, projection.listed.post
    found: NDArray[np.bool_] = (new_post[k] | new_pre[i]) & post[k] & pre[i]
    return found


def _begin_synapses(
    state: State, layout: Layout, p: int, new: NDArray[np.bool_], rng: np.random.Generator
) -> None:
    model, synapses = layout.projections[p].synapses, state.synapses
    theta = np.maximum(np.asarray(model.prior.draw(rng, new.shape))[new], model.theta_min)
    with np.errstate(over="ignore"):
        weight = model.mapping.weight(theta)
    for kind, values, value in (
        ("synapse", synapses.theta, theta),
        ("synapse", synapses.weight, weight),
        ("trace", synapses.trace, 0.0),
        ("traced", synapses.traced_s, state.time_s),
        ("eligibility", synapses.eligibility, 0.0),
    ):
        own = layout.read(p, kind, values)
        own[new] = value
        layout.write(p, kind, values, own)
