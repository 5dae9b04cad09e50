"""Stochastic neurons that learn from reward against their slow twin, spike by spike."""

import numpy as np
import pytest

from oracles.stochastic_reward_twin import FreeRewardTwin
from spiking.test_reward_twin import distance, engine, start, twin
from synsamp.mappings import Softplus
from synsamp.priors import Flat, Gaussian
from synsamp.spiking import (
    Homeostasis,
    InputGroup,
    Network,
    Projection,
    RewardGradient,
    StochasticNeurons,
    SynapseModel,
    WinnerTakeAll,
)

FAST = {"speed": 0.1, "temperature": 0.2, "theta_min": -0.2}
DOPAMINE = {"a": (1.0, 2.5, -0.7, 0.0, 1.2), "i": (1.0, 0.3, 3.0, 1.0, -0.5), "z": (1.0,) * 5}


def network(time_s=2.0, refractory_s=0.004, max_rate_hz=np.inf):
    """Reward on excitation and inhibition, a delay, homeostasis, and another circuit."""
    quick = RewardGradient(0.2, 0.7, 2.0, theta_max=1.4)
    equal = RewardGradient(0.5, 0.5, 1.5)
    homeostasis = Homeostasis(rate_hz=20.0, time_s=time_s, start=0.4)
    return Network(
        [InputGroup("x", 12)],
        [
            StochasticNeurons(
                "a",
                4,
                rate_hz=15.0,
                refractory_s=refractory_s,
                homeostasis=homeostasis,
                max_rate_hz=max_rate_hz,
            ),
            StochasticNeurons("i", 3, rate_hz=10.0),
            WinnerTakeAll("z", 3, rate_hz=20.0),
        ],
        [
            Projection("x", "a", SynapseModel(Gaussian(0.5, 1.2), plasticity=quick, **FAST)),
            Projection(
                "a", "i", SynapseModel(Gaussian(0.0, 0.7), plasticity=equal, **FAST), delay_s=0.003
            ),
            Projection(
                "i",
                "a",
                SynapseModel(Flat(), Softplus(0.7), plasticity=quick, **FAST),
                sign=-1,
                delay_s=0.001,
            ),
            Projection("x", "z", plastic=False),
        ],
    )


def ran(net, drift_interval_s=0.04):
    return engine(net, drift_interval_s, DOPAMINE)


def slow_one(net, drift_interval_s=0.04, step_s=2e-4, kind=FreeRewardTwin):
    return twin(net, drift_interval_s, step_s, kind, DOPAMINE)


def apart(sim, slow):
    """Whether other neurons spiked, or at other times, or what they learned differs."""
    spikes = sim.observer["spikes"]
    if not np.array_equal(spikes["neuron"], slow.spike_neuron):
        return True
    if np.abs(spikes["time_s"] - slow.spike_s).max() > 5e-5:
        return True
    return bool((distance(sim, slow) > [5e-4, 1e-2, 2e-3]).any())


@pytest.mark.parametrize("drift_interval_s", [0.0, 0.04])
def test_every_spike_and_all_eligibility_agree(drift_interval_s):
    net = network()
    sim, slow = ran(net, drift_interval_s), slow_one(net, drift_interval_s)
    of_free = np.count_nonzero(np.array(slow.spike_neuron) < 7)
    assert of_free > 100
    assert slow.candidates > 1.5 * of_free  # one in two is rejected at least, on average
    assert not apart(sim, slow), distance(sim, slow)
    moved = np.abs(sim.theta("x->a") - start(net)["x->a"]).max()
    assert moved > 0.3
    assert np.abs(sim.eligibility("i->a").gradient).max() > 0.02


class NeverSaturated(FreeRewardTwin):
    """Eligibility is assigned as if rates continued to rise."""

    def slope(self, c, k):
        return 1.0


def test_rates_that_rise_no_further_bring_no_eligibility():
    net = network(max_rate_hz=25.0)
    sim, slow = ran(net), slow_one(net)
    assert not apart(sim, slow), distance(sim, slow)
    assert 0.1 * slow.candidates < slow.saturated < 0.9 * slow.candidates
    assert apart(sim, slow_one(net, kind=NeverSaturated))
    assert apart(ran(network()), slow)


class NoExpectation(FreeRewardTwin):
    def worth(self, spiked, chance):
        return float(spiked)


class PlainChance(FreeRewardTwin):
    """Every candidate stands for its own chance: right on average, wrong given the spikes."""

    def worth(self, spiked, chance):
        return float(spiked) - chance


class ExpectedWhileDead(FreeRewardTwin):
    """Spikes are expected of neurons that cannot spike."""

    def consider(self, c, k, spiked, chance):
        if chance == 0.0 and self.rewarded(c.name):
            alive = c.rate_hz * np.exp(self.potential(c, self.now))[k]
            chance = alive / self.limit[c.name][k]
        super().consider(c, k, spiked, chance)


class Retracted(FreeRewardTwin):
    def refresh(self, circuit, k, now):
        kept = {name: e.copy() for name, e in self.e.items()}
        super().refresh(circuit, k, now)
        self.e = kept


class NarrowLimits(FreeRewardTwin):
    def margin(self, c):
        return 1.01


@pytest.mark.parametrize(
    "wrong", [NoExpectation, PlainChance, ExpectedWhileDead, Retracted, NarrowLimits]
)
def test_a_twin_with_another_method_parts_ways(wrong):
    net = network()
    assert apart(ran(net), slow_one(net, step_s=1e-3, kind=wrong))


@pytest.mark.parametrize("other", [{"time_s": 2.1}, {"refractory_s": 0.006}])
def test_a_twin_of_another_network_parts_ways(other):
    assert apart(ran(network()), slow_one(network(**other), step_s=1e-3))
