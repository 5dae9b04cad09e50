"""Learning from reward against its slow twin, spike by spike, through changes of dopamine."""

from types import SimpleNamespace

import numpy as np
import pytest

from oracles.reward_twin import RewardTwin
from synsamp.mappings import Softplus
from synsamp.priors import Flat, Gaussian
from synsamp.spiking import (
    EventLog,
    InOrder,
    InputGroup,
    Network,
    Projection,
    RewardGradient,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    WinnerTakeAll,
)

FAST = {"speed": 0.1, "temperature": 0.2, "theta_min": -0.2}
DOPAMINE = {"a": (1.0, 2.5, -0.7, 0.0, 1.2), "b": (1.0, 0.3, 3.0, 1.0, -0.5)}
PIECE_S = 0.4


def network():
    """Two circuits; reward and likelihood, inhibition, a delay, other mapping and prior."""
    rng = np.random.default_rng(4)
    quick = RewardGradient(0.2, 0.7, 2.0, theta_max=1.4)
    equal = RewardGradient(0.5, 0.5, 1.5)
    likelihood = SynapseModel(plasticity=SpikeLikelihood(data_size=5.0), speed=2e-3)
    half = rng.random((4, 12)) < 0.5
    return Network(
        [InputGroup("x", 12)],
        [
            WinnerTakeAll("a", 4, rate_hz=60.0),
            WinnerTakeAll("b", 3, rate_hz=40.0, adaptation_strength=-0.5),
        ],
        [
            Projection(
                "x", "a", SynapseModel(Gaussian(0.5, 1.2), plasticity=quick, **FAST), mask=half
            ),
            Projection("x", "a", likelihood, mask=~half, name="likelihood"),
            Projection(
                "a", "b", SynapseModel(Gaussian(0.0, 0.7), plasticity=equal, **FAST), delay_s=0.003
            ),
            Projection(
                "x",
                "b",
                SynapseModel(Flat(), Softplus(0.7), plasticity=quick, **FAST),
                sign=-1,
            ),
        ],
    )


def start(net, seed=2):
    rng = np.random.default_rng(seed)
    return {p.name: rng.normal(0.5, 0.6, net.mask_of(p).shape) for p in net.projections}


def shown():
    rng = np.random.default_rng(0)
    return [
        SimpleNamespace(
            durations_s=rng.uniform(0.02, 0.06, 2), rates_hz=rng.gamma(0.5, 60.0, (2, 12))
        )
        for _ in range(4)
    ]


def engine(net, drift_interval_s, dopamine=DOPAMINE):
    sim = Simulation(
        net,
        InOrder({"x": shown()}),
        seed=11,
        theta=start(net),
        drift_interval_s=drift_interval_s,
        sync_interval_s=0.25,
        observer=EventLog("spikes"),
    )
    for level in levels(dopamine):
        for circuit, value in level.items():
            sim.modulate(circuit, value)
        sim.run(PIECE_S)
    return sim


def twin(net, drift_interval_s, step_s, kind=RewardTwin, dopamine=DOPAMINE):
    slow = kind(net, {"x": shown()}, 11, start(net), drift_interval_s, 0.25, step_s=step_s)
    for i, level in enumerate(levels(dopamine)):
        for circuit in net.neurons:
            slow.modulate(circuit, level[circuit.name], i * PIECE_S)
        slow.run((i + 1) * PIECE_S)
    for circuit in net.neurons:
        slow.pass_time(circuit, 5 * PIECE_S)
    return slow


def levels(dopamine):
    """What each circuit gets, stretch by stretch."""
    each = zip(*dopamine.values(), strict=True)
    return [dict(zip(dopamine, values, strict=True)) for values in each]


def distance(sim, slow):
    """Largest differences of θ, e and g, of those that learn from reward."""
    found = np.zeros(3)
    for p in slow.rewarded():
        exists = np.isfinite(slow.theta[p.name])
        eligibility = sim.eligibility(p.name)
        pairs = (
            (sim.theta(p.name)[exists], slow.theta[p.name][exists]),
            (eligibility.trace, slow.e[p.name]),
            (eligibility.gradient, slow.g[p.name]),
        )
        found = np.maximum(found, [np.abs(mine - his).max() for mine, his in pairs])
    return found


@pytest.mark.parametrize("drift_interval_s", [0.0, 0.04])
def test_every_spike_agrees_and_euler_steps_converge_to_the_closed_form(drift_interval_s):
    net = network()
    sim = engine(net, drift_interval_s)
    coarse, fine = (twin(net, drift_interval_s, step_s) for step_s in (1e-3, 1.25e-4))
    assert len(fine.spike_s) > 120
    np.testing.assert_array_equal(sim.observer["spikes"]["neuron"], fine.spike_neuron)
    np.testing.assert_allclose(sim.observer["spikes"]["time_s"], fine.spike_s, rtol=1e-13)
    far, near = distance(sim, coarse), distance(sim, fine)
    # Steps an eighth as long are an eighth as wrong: what is left tends to the closed form.
    assert (near < far / 6).all(), (far, near)
    assert (near > far / 10).all(), (far, near)
    assert (near < [1e-4, 1e-3, 2e-4]).all(), near
    # Synapses were born, retracted and stopped by both bounds on the way.
    exists = [np.isfinite(fine.theta[p.name]) for p in fine.rewarded()]
    now, before = (
        np.concatenate(
            [values[p.name][here] for p, here in zip(fine.rewarded(), exists, strict=True)]
        )
        for values in (fine.theta, start(net))
    )
    assert ((now > 0) & (before <= 0)).any()
    assert ((now <= 0) & (before > 0)).any()
    assert fine.met == {"floor", "ceiling"}


class NoExpectation(RewardTwin):
    def eligibility(self, circuit, k, now, p):
        super().eligibility(circuit, k, now, 0.0 * p)


class Retracted(RewardTwin):
    def refresh(self, circuit, k, now):
        kept = {name: e.copy() for name, e in self.e.items()}
        super().refresh(circuit, k, now)
        self.e = kept


class LateDopamine(RewardTwin):
    def modulate(self, circuit, value, now):
        self.dopamine[circuit.name] = value


@pytest.mark.parametrize("wrong", [NoExpectation, Retracted, LateDopamine])
def test_the_twin_would_notice(wrong):
    """Negative controls: each wrong in one point."""
    net = network()
    apart = distance(engine(net, 0.04), twin(net, 0.04, 1e-3, wrong))
    assert apart.max() > 0.02, apart
