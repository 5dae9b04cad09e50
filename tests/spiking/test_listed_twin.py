"""Listed synapses, delays and prior by distance, contacts: the engine against its slow twin."""

import heapq
from dataclasses import replace

import numpy as np
import pytest

from oracles.listed_twin import ListedTwin
from spiking.test_event_by_event_twin import (
    BOTH_SIDES,
    HEBB,
    SLOW,
    THETA_TOLERANCE,
    TIME_TOLERANCE_S,
    pair,
)
from spiking.test_spiking_twin import FAST
from synsamp.priors import Gaussian
from synsamp.spiking import (
    DistanceRule,
    DoubleExponential,
    EdgeList,
    Homeostasis,
    InputGroup,
    Network,
    Plane,
    Projection,
    RandomPairs,
    RemoveNeurons,
    SilenceInputs,
    StochasticNeurons,
    SynapseModel,
    WinnerTakeAll,
    layout,
)


def near(reach):
    return lambda d: np.exp(-((d / reach) ** 2))


def delay(d):
    return 0.001 + 0.006 * d


def far_below(d):
    return 1.2 - 2.0 * d


def sheet(rule=HEBB):
    """Everything at once: positions, delays, contacts, two EPSPs, inhibition, a matrix."""
    model = SynapseModel(Gaussian(0.8, 1.0), plasticity=rule, speed=2e-3)
    one, two = model, replace(model, theta_min=-4.0)
    adapting = {"adaptation": DoubleExponential(0.01, 0.1), "adaptation_strength": -0.5}
    e = StochasticNeurons(
        "e", 20, 12.0, 0.003, homeostasis=Homeostasis(12.0, 2.0), positions=Plane(), **adapting
    )
    i = StochasticNeurons("i", 7, 6.0, positions=Plane(seed=1), max_rate_hz=150.0)
    by_distance = {"delay_s": delay, "delay_resolution_s": 0.001, "contacts": 2}
    return Network(
        [InputGroup("x", 12, Plane(seed=2)), InputGroup("y", 5)],
        [e, i, WinnerTakeAll("z", 4, rate_hz=20.0)],
        [
            Projection(
                "x", "e", one, potential=DistanceRule(near(0.5)), prior_mean=far_below, contacts=2
            ),
            Projection("y", "i", plastic=False, potential=RandomPairs(0.5), delay_s=0.004),
            Projection("e", "e", two, potential=DistanceRule(near(0.4), within=0.6), **by_distance),
            Projection("e", "i", plastic=False, delay_s=0.003),
            Projection("i", "e", two, sign=-1, potential=RandomPairs(0.4, 3), epsp=SLOW),
            Projection(
                "e", "z", SynapseModel(**FAST), potential=EdgeList([0, 5, 19, 7], [1, 1, 2, 0])
            ),
        ],
    )


def agree(twin, sim):
    spikes = sim.observer["spikes"]
    np.testing.assert_array_equal(spikes["neuron"], twin.spike_neuron)
    np.testing.assert_allclose(spikes["time_s"], twin.spike_s, rtol=0, atol=TIME_TOLERANCE_S)
    for p in sim.network.projections:
        mine, its = sim.theta(p.name), twin.theta_of(p)
        exists = np.isfinite(its)
        np.testing.assert_array_equal(np.isfinite(mine), exists)
        np.testing.assert_allclose(
            mine[exists], its[exists], atol=THETA_TOLERANCE, rtol=0, err_msg=p.name
        )


@pytest.fixture(params=[1024, 16], ids=["small", "large"])
def together(request, monkeypatch):
    """With 16 limits in a group these networks are large ones."""
    monkeypatch.setattr(layout, "LIMITS_TOGETHER", request.param)


@pytest.mark.parametrize("rule", [HEBB, BOTH_SIDES], ids=["at spikes", "at arrivals"])
def test_every_spike_and_every_theta_agree(rule, together):
    twin, sim = pair(sheet(rule), kind=ListedTwin)
    start = {p.name: sim.theta(p.name) for p in sim.network.projections if p.plastic}
    assert len(sim.network.projection("e->e").delays_s) > 2
    agree(twin.run(1.0), sim.run(1.0))
    assert len(twin.spike_s) > 250
    assert twin.candidates > 200
    for name, before in start.items():
        assert np.nanmax(np.abs(sim.theta(name) - before)) > 100 * THETA_TOLERANCE


def test_they_agree_through_a_change_and_lesions(together):
    twin, sim = pair(sheet(BOTH_SIDES), kind=ListedTwin)
    twin.run(0.3), sim.run(0.3)
    sim.change("e->e", speed=4e-3, temperature=0.5, prior=Gaussian(0.3, 0.7))
    twin.change(sim.network)
    twin.run(0.4), sim.run(0.1)
    sim.lesion(RemoveNeurons("e", [1, 6]))
    sim.lesion(SilenceInputs("x", range(4)))
    twin.remove("e", [1, 6])
    twin.silence("x", range(4))
    before = len(twin.spike_s)
    agree(twin.run(0.9), sim.run(0.5))
    assert len(twin.spike_s) - before > 80


def renewed(kind=ListedTwin):
    """New neurons take the places of those that spiked last, whose spikes are still under way."""
    twin, sim = pair(sheet(BOTH_SIDES), kind=kind)
    twin.run(0.3), sim.run(0.3)
    last = [k for k in reversed(twin.spike_neuron) if k < 20]
    *new, gone = dict.fromkeys(last[:9])
    for population, removed, added in (("e", [gone, *new], new), ("z", [2], [2])):
        sim.lesion(RemoveNeurons(population, removed))
        twin.remove(population, removed)
        sim.add_neurons(population, added, seed=5)
        theta = {p.name: sim.theta(p.name) for p in twin.projections}
        under_way = twin.add(population, added, theta)
        assert under_way or population == "z"
    return twin, sim, gone, [*new, sim.neurons_of("z")[2]]


def test_new_neurons_have_no_past(together):
    twin, sim, gone, new = renewed()
    before = len(twin.spike_s)
    agree(twin.run(1.1), sim.run(0.8))
    assert set(new) <= set(twin.spike_neuron[before:])
    assert gone not in twin.spike_neuron[before:]


# -- twins that are wrong in one point must part ways --------------------


class ContactsShareNoise(ListedTwin):
    def move(self, rule, prior, places, row, exists, elapsed):
        super().move(rule, prior, places, row, exists, elapsed)
        if row.size > 1:
            row[1] = row[0]


class MeanOff(ListedTwin):
    """The rule for the prior's mean is off by a factor."""

    def move(self, rule, prior, places, row, exists, elapsed):
        if np.ndim(prior.mean):
            prior = replace(prior, mean=1.5 * prior.mean)
        super().move(rule, prior, places, row, exists, elapsed)


class DelayOff(ListedTwin):
    def send(self, source, i):
        self.now += 2e-4
        super().send(source, i)
        self.now -= 2e-4


class RemembersSpikes(ListedTwin):
    """Spikes of the old neuron that are under way reach the synapses of the new one."""

    def add(self, circuit, neurons, theta):
        gone = super().add(circuit, neurons, theta)
        for spike in gone:
            heapq.heappush(self.under_way, spike)
        return gone


def test_a_twin_that_remembers_spikes_of_the_old_neuron_parts_ways():
    twin, sim, *_ = renewed(RemembersSpikes)
    with pytest.raises(AssertionError):
        agree(twin.run(1.1), sim.run(0.8))


@pytest.mark.parametrize("kind", [ContactsShareNoise, MeanOff, DelayOff])
def test_a_twin_that_is_wrong_parts_ways(kind):
    twin, sim = pair(sheet(BOTH_SIDES), kind=kind)
    with pytest.raises(AssertionError):
        agree(twin.run(1.0), sim.run(1.0))
