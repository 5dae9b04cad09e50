"""A fuzzer of the spiking engine: hypothesis draws networks, stimuli, lesions and states.

A separate program, so that a crash of the interpreter is seen, and so that the engine can be
compiled with bounds checks: ``SYNSAMP_BOUNDS_CHECKS=1 python networks.py 100``.
"""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace

import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from numba import njit

from synsamp.errors import SynsampError
from synsamp.mappings import Exponential, Softplus
from synsamp.priors import Gaussian, GaussianMixture, Laplace, PriorByGroup
from synsamp.spiking import (
    ChangeClip,
    CustomPlasticity,
    DistanceRule,
    DoubleExponential,
    EdgeList,
    EventLog,
    Homeostasis,
    InOrder,
    InputGroup,
    Network,
    Plane,
    Projection,
    RandomOrder,
    RandomPairs,
    RemoveNeurons,
    RemoveSynapses,
    RewardGradient,
    SilenceInputs,
    Simulation,
    SpikeLikelihood,
    SpikeTimes,
    StochasticNeurons,
    SynapseModel,
    TermClip,
    Torus,
    Volume,
    WinnerTakeAll,
    layout,
)
from synsamp.spiking.kernel.compiling import CHECKED

sizes = st.integers(1, 40)
seeds = st.integers(0, 2**32 - 1)


SHARED = ["gaussian", "laplace", "mixture"]


@st.composite
def priors(draw, n_post, n_pre, listed=False):
    rng = np.random.default_rng(draw(seeds))
    per_synapse = [] if listed else ["per input", "per synapse", "groups"]
    kind = draw(st.sampled_from([*SHARED, *per_synapse]))
    mean, std = draw(st.floats(-2, 2)), draw(st.floats(0.2, 3))
    if kind == "gaussian":
        return Gaussian(mean, std)
    if kind == "per input":
        return Gaussian(rng.normal(size=n_pre), std)
    if kind == "per synapse":
        return Gaussian(rng.normal(size=(n_post, n_pre)), rng.uniform(0.5, 2, (n_post, n_pre)))
    if kind == "laplace":
        return Laplace(mean, std)
    if kind == "mixture":
        return GaussianMixture()
    labels = rng.integers(0, 2, (n_post, n_pre))
    return PriorByGroup((Gaussian(mean, std), Laplace(0.0, 1.0)), labels)


@njit
def on_post(synapse, traces, p):
    traces[1] += 1.0
    return p[0] * (traces[0] + synapse.x) - 0.1 * synapse.w * synapse.modulator


@njit
def on_pre(synapse, traces, p):
    traces[0] += 1.0
    return -p[0] * traces[1] - 0.1 * synapse.slope


OWN = [
    CustomPlasticity(on_post, on_pre, (1.0,), (0.02, 0.03)),
    CustomPlasticity(on_post, None, (2.0,), (0.02, 0.03, 1.0)),
]


@st.composite
def rewarded(draw):
    """Synapses that learn from reward, with prior and bounds of all kinds that they allow."""
    mean, std = draw(st.sampled_from([-1.0, 0.0, 0.8])), draw(st.sampled_from([0.3, 2.0]))
    taus = st.sampled_from([0.01, 0.5, 50.0])
    plasticity = RewardGradient(
        draw(taus), draw(taus), draw(st.floats(0, 10)), draw(st.sampled_from([0.5, 5.0, np.inf]))
    )
    return SynapseModel(
        prior=Gaussian(mean, std),
        mapping=draw(st.sampled_from([Exponential(3.0), Exponential(0.0), Softplus(0.7)])),
        plasticity=plasticity,
        speed=draw(st.sampled_from([0.0, 1e-2, 0.3])),
        temperature=draw(st.sampled_from([0.0, 1.0])),
        theta_min=draw(st.sampled_from([-5.0, -0.5, 0.0])),
    )


@st.composite
def models(draw, n_post, n_pre, own=False, listed=False):
    clip = draw(st.sampled_from([TermClip(), ChangeClip(), TermClip(np.inf), ChangeClip(1e3)]))
    plasticity = SpikeLikelihood(
        data_size=draw(st.floats(0, 200)),
        alpha=draw(st.floats(0.01, 2)),
        clip=clip,
        learn_when_retracted=draw(st.booleans()),
    )
    return SynapseModel(
        prior=draw(priors(n_post, n_pre, listed)),
        mapping=draw(st.sampled_from([Exponential(3.0), Exponential(0.0), Softplus(0.7)])),
        plasticity=draw(st.sampled_from(OWN)) if own or draw(st.booleans()) else plasticity,
        speed=draw(st.sampled_from([0.0, 1e-4, 1e-2, 0.3])),
        temperature=draw(st.sampled_from([0.0, 1.0, 5.0])),
        theta_min=draw(st.sampled_from([-5.0, -0.5, 0.0])),
        max_euler_step=0.05,
    )


def near(d):
    return np.exp(-d / 0.3)


@st.composite
def listings(draw, n_post, n_pre, same, gaussian):
    """Potential synapses one by one: which, how many per pair, and what distance does to them."""
    kind = draw(st.sampled_from(["edges", "probability", "distance", "within", "matrix"]))
    rng = np.random.default_rng(draw(seeds))
    chosen = rng.random((n_post, n_pre)) < draw(st.sampled_from([0.0, 0.2, 1.0]))
    if same:
        np.fill_diagonal(chosen, False)
    potential = {
        "edges": EdgeList(*np.nonzero(chosen)[::-1]),
        "probability": RandomPairs(draw(st.floats(0, 1)), draw(seeds)),
        "distance": DistanceRule(near, seed=draw(seeds)),
        "within": DistanceRule(near, within=0.4, seed=draw(seeds)),
        "matrix": chosen,
    }[kind]
    more = {"potential": potential, "contacts": draw(st.integers(1, 3))}
    if draw(st.booleans()):
        more |= {"delay_s": lambda d: 0.004 * d, "delay_resolution_s": 0.001}
    if gaussian and draw(st.booleans()):
        more["prior_mean"] = lambda d: 1.0 - 2.0 * d
    return more


@st.composite
def networks(draw):
    where = {"positions": draw(st.sampled_from([Plane(), Torus(), Volume()]))}
    inputs = [InputGroup(f"x{i}", draw(sizes), **where) for i in range(draw(st.integers(0, 2)))]
    circuits = [
        WinnerTakeAll(
            f"z{i}",
            draw(sizes),
            rate_hz=draw(st.sampled_from([1e-6, 5.0, 100.0, 400.0])),
            adaptation_strength=draw(st.sampled_from([-8.0, 0.0, 2.0])),
            **where,
        )
        for i in range(draw(st.integers(1, 3)))
    ]
    if draw(st.booleans()):
        dead_s = draw(st.sampled_from([0.0, 0.005]))
        place = draw(st.integers(0, len(circuits)))
        bias = draw(st.sampled_from([None, Homeostasis(5.0, 0.5, -1.0), Homeostasis(0.1, 50.0)]))
        most_hz = draw(st.sampled_from([math.inf, 30.0]))
        free = StochasticNeurons(
            "h", draw(sizes), 5.0, dead_s, homeostasis=bias, max_rate_hz=most_hz, **where
        )
        circuits.insert(place, free)
    size = {p.name: p.size for p in (*inputs, *circuits)}
    projections = []
    for number in range(draw(st.integers(1, 5))):
        source = draw(st.sampled_from([*size]))
        target = draw(st.sampled_from([c.name for c in circuits]))
        delay_s = draw(st.sampled_from([0.0, 0.005, 0.3]))
        if any((p.source, p.target, p.delay_s) == (source, target, delay_s) for p in projections):
            continue
        sign = draw(st.sampled_from([1, 1, -1]))
        shape = (size[target], size[source])
        mask, listed = None, draw(st.booleans())
        if not listed and draw(st.booleans()):
            mask = np.random.default_rng(draw(seeds)).random(shape) < draw(st.floats(0, 1))
        model = draw(
            rewarded()
            if draw(st.integers(0, 3)) == 0
            else models(*shape, own=sign < 0 or target == "h", listed=listed)
        )
        more = {"delay_s": delay_s}
        if listed:
            gaussian = isinstance(model.prior, Gaussian)
            more |= draw(listings(*shape, source == target, gaussian))
        projections.append(
            Projection(
                source,
                target,
                model,
                sign=sign,
                epsp=draw(st.sampled_from([None, None, DoubleExponential(0.004, 0.05)])),
                **more,
                mask=mask,
                plastic=draw(st.booleans()),
                allow_self=draw(st.booleans()),
                name=f"p{number}",
            )
        )
    epsp = draw(st.sampled_from([DoubleExponential(), DoubleExponential(1e-4, 1.0)]))
    return Network(inputs, circuits, projections, epsp)


def presentations(draw, size):
    rng = np.random.default_rng(draw(seeds))
    count = draw(st.integers(1, 3))
    return [
        SimpleNamespace(
            durations_s=np.array([0.05, 0.2]),
            rates_hz=rng.choice([0.0, 1.0, 50.0, 2000.0], size=(2, size)),
        )
        for _ in range(count)
    ]


@st.composite
def stimuli(draw, network):
    kind = draw(st.sampled_from(["none", "constant", "order", "random", "times", "mixed"]))
    if kind == "none" or not network.inputs:
        return None
    first = network.inputs[0]
    rng = np.random.default_rng(draw(seeds))
    times = SpikeTimes(rng.uniform(0, 3, 50), rng.integers(0, first.size, 50))
    if kind == "constant":
        return {g.name: rng.uniform(0, 60, g.size) for g in network.inputs}
    if kind == "order":
        return InOrder({first.name: presentations(draw, first.size)})
    if kind == "random":
        return RandomOrder(presentations(draw, first.size), group=first.name)
    if kind == "times":
        return {first.name: times}
    return {first.name: times} | {g.name: np.full(g.size, 20.0) for g in network.inputs[1:]}


@st.composite
def lesions(draw, network):
    kind = draw(st.sampled_from(["neurons", "active", "mask", "inputs"]))
    rng = np.random.default_rng(draw(seeds))
    if kind == "neurons":
        circuit = draw(st.sampled_from(network.neurons))
        return RemoveNeurons(circuit.name, rng.integers(0, circuit.size, 3).tolist())
    if kind == "inputs" and network.inputs:
        group = draw(st.sampled_from(network.inputs))
        return SilenceInputs(group.name, rng.integers(0, group.size, 3).tolist())
    projection = draw(st.sampled_from(network.projections))
    shape = network.shape_of(projection)
    which = rng.random(shape) < 0.5 if kind == "mask" else "active"
    return RemoveSynapses(projection.name, which, regrow=draw(st.booleans()))


def check(sim):
    """What must hold at any moment."""
    heaviest = 0.0
    for p in sim.network.projections:
        theta, weight, active = sim.theta(p.name), sim.weight(p.name), sim.active(p.name)
        exists = ~np.isnan(theta)
        assert not exists[~sim.network.mask_of(p)].any()
        assert (theta[exists] >= p.synapses.theta_min).all()
        assert np.array_equal(active, np.nan_to_num(theta, nan=-1.0) > 0)
        assert (weight[~active] == 0).all()
        heaviest = max(heaviest, float(np.abs(weight).max(initial=0.0)))
    # The potentials kept from event to event are those that sums over all synapses give.
    engine, state = sim._engine, sim._state.copy()
    kept = engine.potentials(state)
    engine.recompute_potentials(state)
    anew = engine.potentials(state)
    alive = np.isfinite(kept) & np.isfinite(anew)
    scale = 1.0 + np.abs(anew[alive]).max(initial=0.0)
    # Traces below 1e-20 are dropped: next to weights that ran away (1e36) even those would count.
    dropped = 1e-18 * heaviest
    assert np.abs(kept[alive] - anew[alive]).max(initial=0.0) < 1e-3 * scale + dropped


def can_replay(network):
    """Stochastic neurons that learn from reward do so from drawn spikes alone."""
    return not any(
        p.target == "h" and p.plastic and isinstance(p.synapses.plasticity, RewardGradient)
        for p in network.projections
    )


def records(draw, network):
    projection = network.projections[0]
    listed = network.synapses_of(projection.name)
    if listed.size == 0:
        return EventLog("spikes", "births_deaths")
    pairs = [(int(listed.post[i]), int(listed.pre[i])) for i in (-1, 0)]
    return EventLog(
        "spikes",
        "input_spikes",
        "presentations",
        "births_deaths",
        traces={projection.name: pairs},
    )


@given(st.data())
@settings(
    max_examples=int(sys.argv[1]) if len(sys.argv) > 1 else 10,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
@seed(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
def one_network(data):
    try:
        use(data)
    except SynsampError as error:
        # Weights without a clip may run away: the run then ends in one line, as it should.
        if not any(words in str(error) for words in ("must be finite", "must stay below")):
            raise


def use(data):
    # In groups of sixteen most of these networks are large ones for the engine.
    layout.LIMITS_TOGETHER = data.draw(st.sampled_from([1024, 16]))
    network = data.draw(networks())
    if not network.projections:
        return
    stimulus = data.draw(stimuli(network))
    record = records(data.draw, network)
    sim = Simulation(
        network,
        stimulus,
        data.draw(seeds),
        drift_interval_s=data.draw(st.sampled_from([0.0, 0.2, 1.0])),
        sync_interval_s=1.0,
        observer=record,
    )
    global tried
    tried += 1
    check(sim.run(data.draw(st.floats(0, 2))))
    for lesion in data.draw(st.lists(lesions(network), max_size=2)):
        sim.lesion(lesion)
        check(sim)
    for circuit in network.neurons:
        missing = np.flatnonzero(~sim.alive[sim.neurons_of(circuit.name)])
        if missing.size and data.draw(st.booleans()):
            sim.add_neurons(circuit.name, missing[: data.draw(st.integers(1, 3))], seed=1)
            check(sim)
    plastic = [p for p in network.projections if p.plastic]
    if plastic and data.draw(st.booleans()):
        changed = data.draw(st.sampled_from(plastic)).name
        sim.change(changed, temperature=0.5, speed=data.draw(st.sampled_from([0.0, 1e-3])))
        sim.modulate(network.neurons[0].name, -1.0)
    sim.probe(stimulus, 0.3, burn_in_s=0.1, seed=1)
    sim.probe(stimulus, 0.2, start="rest")
    rng = np.random.default_rng(data.draw(seeds))
    alive = np.concatenate([np.ones(network.n_inputs, bool), sim.alive])
    if alive.any():
        sources = rng.choice(np.flatnonzero(alive), 20)
        sim.replay(sim.time_s + np.sort(rng.uniform(0, 5.0, 20)), sources, can_replay(network))
    check(sim)
    forked = Simulation.from_state(
        network, sim.state(), stimulus, observer=records(data.draw, network)
    )
    check(sim.run(1.5))
    forked.run(1.5)
    for p in network.projections:
        assert np.array_equal(sim.theta(p.name), forked.theta(p.name), equal_nan=True)
    assert sim.n_spikes == forked.n_spikes
    sim.stimulus = None
    check(sim.run(0.5))


tried = 0

if __name__ == "__main__":
    unraisable = []
    sys.unraisablehook = unraisable.append  # an error in a function called by its address
    one_network()
    assert not unraisable, unraisable[0]
    print(f"tried {tried} networks, bounds checks {'on' if CHECKED else 'off'}")
