"""New neurons: synapses drawn from their prior, all others unchanged; a step of protocols."""

import numpy as np
import pytest
from scipy.stats import kstest

from synsamp.errors import SynsampError
from synsamp.priors import Gaussian
from synsamp.protocol import (
    AddNeurons,
    Branch,
    Lesion,
    Protocol,
    Silence,
    births_deaths,
    every,
    theta,
)
from synsamp.spiking import (
    CustomPlasticity,
    EventLog,
    InputGroup,
    Network,
    Plane,
    Projection,
    RandomPairs,
    RemoveNeurons,
    Simulation,
    StochasticNeurons,
    SynapseModel,
)

LATER = np.arange(40, 60)


def falling(d):
    return 1.0 - 3.0 * d


def network(speed=1e-3):
    """Potential synapses with a prior mean by distance, and a matrix."""
    model = SynapseModel(Gaussian(0.0, 0.7), plasticity=CustomPlasticity(), speed=speed)
    return Network(
        [InputGroup("x", 30)],
        [StochasticNeurons("e", 60, positions=Plane())],
        [
            Projection("e", "e", model, potential=RandomPairs(0.6), prior_mean=falling, contacts=2),
            Projection("x", "e", model),
        ],
    )


@pytest.fixture(scope="module")
def grown():
    """Before and after neurons are added to those of time 0; one of the later ones is left out."""
    log = EventLog("births_deaths")
    sim = Simulation(network(), seed=3, observer=log)
    sim.lesion(RemoveNeurons("e", LATER))
    sim.run(3.0)
    before = {name: sim.theta(name) for name in ("e->e", "x->e")}
    sim.add_neurons("e", LATER[1:], seed=8)
    return sim, before, log


def new_places(sim):
    listed = sim.network.synapses_of("e->e")
    new, left_out = (np.isin(listed.post, k) | np.isin(listed.pre, k) for k in (LATER, LATER[:1]))
    return new & ~left_out, left_out


def test_their_synapses_follow_the_prior(grown):
    sim, _, _ = grown
    new, left_out = new_places(sim)
    drawn, prior = sim.theta("e->e"), sim.network.projection("e->e").synapses.prior
    z = (drawn[new] - prior.mean[new]) / 0.7
    assert new.sum() > 2000
    assert kstest(z, "norm").pvalue > 1e-3
    assert kstest(drawn[new] / 0.7, "norm").pvalue < 1e-6  # without the rule of distance
    first, second = z[::2], z[1::2]  # the two contacts of a pair
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(first.size)
    assert np.isnan(drawn[left_out]).all()
    assert kstest(sim.theta("x->e")[LATER[1:]].ravel() / 0.7, "norm").pvalue > 1e-3


def test_everything_else_stays(grown):
    sim, before, _ = grown
    new, _ = new_places(sim)
    # drift up to the present is all that happened to the others
    moved = np.abs(sim.theta("e->e") - before["e->e"])[~new]
    assert np.nanmax(moved) < 6 * np.sqrt(2 * 1e-3 * 3.0)
    np.testing.assert_array_equal(np.isnan(sim.theta("x->e")[:40]), np.isnan(before["x->e"][:40]))
    assert sim.alive.sum() == 59


def test_their_synapses_are_born_when_they_are_added(grown):
    sim, _, log = grown
    new, _ = new_places(sim)
    found = log["births_deaths"]
    at_that_time = (found["projection"] == 0) & (found["time_s"] == 3.0) & found["born"]
    theirs = np.isin(found["post"], LATER) | np.isin(found["pre"], LATER)
    assert (at_that_time & theirs).sum() == (sim.theta("e->e")[new] > 0).sum() > 500


def test_who_else_is_added_does_not_matter():
    found = []
    for neurons in (LATER, LATER[:3]):
        sim = Simulation(network(), seed=3)
        sim.lesion(RemoveNeurons("e", LATER))
        sim.add_neurons("e", neurons, seed=8)
        found.append(sim.theta("x->e")[LATER[:3]])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("population", "neurons", "words"),
    [
        ("e", [3], "must have been removed"),
        ("e", [60], "must be an array|<= 59|at most 59"),
        ("e", [41.5], "whole numbers"),
        ("x", [3], "circuit"),
    ],
)
def test_neurons_that_cannot_be_added_raise_an_error_of_one_line(population, neurons, words):
    sim = Simulation(network(), seed=3)
    sim.lesion(RemoveNeurons("e", LATER))
    with pytest.raises(SynsampError, match=words) as caught:
        sim.add_neurons(population, neurons, seed=1)
    assert "\n" not in str(caught.value)


def missing(view):
    return np.flatnonzero(~view.alive)


def test_a_branch_that_adds_the_same_neurons_is_bit_identical():
    steps = [Silence(10), AddNeurons("e", missing), Silence(10)]
    data = Protocol(
        network(0.01),
        [Lesion(RemoveNeurons("e", LATER)), Branch("twin", steps), *steps, Branch("alone", [])],
        {"theta": every(10, theta("e->e")), "events": births_deaths("e->e")},
    ).run(seed=4)
    after_lesion = data["theta/theta"].values[1:]
    np.testing.assert_array_equal(after_lesion, data["twin/theta/theta"])
    assert np.isfinite(data["theta/theta"].values[-1]).all()
    log = data["steps"]
    assert set(log.chosen.values[log.what == "neurons added to e"]) == {str(LATER.tolist())}
    other = Protocol(
        network(0.01),
        [Lesion(RemoveNeurons("e", LATER)), *steps],
        {"theta": every(10, theta("e->e"))},
    ).run(seed=5)
    assert not np.array_equal(other["theta/theta"], data["theta/theta"], equal_nan=True)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda: AddNeurons("f", [1]), "circuit must be one of e"),
        (lambda: AddNeurons("e", [60]), "59"),
        (lambda: AddNeurons("e", [-1]), ">= 0"),
        (lambda: AddNeurons("", [1]), "population"),
    ],
)
def test_a_step_that_cannot_be_taken_raises_an_error_before_the_run(step, words):
    with pytest.raises(SynsampError, match=words) as caught:
        Protocol(network(), [step()], {})
    assert "\n" not in str(caught.value)
