"""What one does with a simulation every day: look, convert, show, and mistype."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numba import njit

from synsamp.errors import SynsampError
from synsamp.mappings import CustomMapping, Exponential
from synsamp.priors import CustomPrior, Gaussian, Laplace, PriorByGroup
from synsamp.spiking import (
    EventLog,
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    SilenceInputs,
    Simulation,
    SpikeLikelihood,
    SpikeTimes,
    SynapseModel,
    WinnerTakeAll,
    winner_take_all_network,
)


def small(**options):
    return Simulation(winner_take_all_network(4, 3), np.full(4, 20.0), seed=1, **options)


def test_a_network_loads_neither_tables_nor_the_sampler():
    """They take longer to load than a script's first spike should."""
    script = "import sys; from synsamp.spiking import Simulation; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "synsamp.rule.equation" in loaded
    slow = {"xarray", "pandas", "rich", "scipy.sparse", "scipy.spatial", "synsamp.rule.sampler"}
    assert not slow & loaded


def test_a_simulation_says_what_it_is():
    text = repr(small().run(2.0))
    assert text.startswith("Simulation(x: 4 inputs, z: 3 neurons; 12 potential synapses; ")
    assert text.endswith(" spikes in 2 s)")


def test_an_event_log_keeps_what_it_is_asked_for():
    sim = small(observer=EventLog("spikes", traces={"x->z": [(0, 1)]})).run(2.0)
    assert repr(sim.observer).startswith(f"EventLog({sim.n_spikes} spikes, ")
    with pytest.raises(SynsampError, match="event must be one of spikes, traces"):
        sim.observer["spike"]
    assert small(observer=EventLog("spikes")).observer["spikes"]["neuron"].dtype == np.int32


def test_a_simulation_as_xarray():
    now = small().run(20.0).to_xarray()
    np.testing.assert_array_equal(now["theta x->z"], small().run(20.0).theta("x->z"))
    assert now["theta x->z"].dims == ("z neuron", "x neuron")
    assert now.attrs["time_s"] == 20.0


# -- stimuli --------------------


def two_groups(stimulus, **options):
    net = Network(
        [InputGroup("x", 2), InputGroup("y", 3)],
        [WinnerTakeAll("z", 2)],
        [Projection("x", "z"), Projection("y", "z", delay_s=0.002)],
    )
    return Simulation(net, stimulus, 2, observer=EventLog("input_spikes"), **options)


def shown(rates, seconds):
    return SimpleNamespace(durations_s=np.array([seconds]), rates_hz=np.atleast_2d(rates))


def test_arrays_lists_and_spike_times_side_by_side():
    stimulus = {
        "x": [shown([0.0, 50.0], 0.2), shown([0.0, 10.0], 0.1)],
        "y": np.array([20.0, 0, 0]),
    }
    sim = two_groups(stimulus).run(400.0)
    counts = np.bincount(sim.observer["input_spikes"]["input"], minlength=5)
    expected = np.array([0, 400 * (50 * 2 + 10) / 3, 8000, 0, 0])
    assert (np.abs(counts - expected) <= 4.5 * np.sqrt(expected)).all()
    given = SpikeTimes([0.5, 0.25, 3.0], [0, 1, 1])
    sim = two_groups({"x": given, "y": np.zeros(3)}).run(2.0)
    spikes = sim.observer["input_spikes"]
    assert spikes["time_s"].tolist() == [0.25, 0.5]
    assert spikes["input"].tolist() == [1, 0]


def test_given_spikes_drive_the_potentials_as_drawn_ones_do():
    """One spike at 1 s: the potential follows the EPSP kernel times ŵ."""
    net = winner_take_all_network(
        2, 1, SynapseModel(speed=0.0), rate_hz=1e-9, adaptation_strength=0.0
    )
    sim = Simulation(net, {"x": SpikeTimes([1.0], [1])}, theta={"x->z": 4.0})
    weight = np.exp(1.0) - np.exp(-3.0)
    for s in (0.002, 0.01, 0.05):
        sim.run(1.0 + s - sim.time_s)
        expected = weight * (np.exp(-s / 0.02) - np.exp(-s / 0.002))
        assert sim.potentials("z")[0] == pytest.approx(expected, rel=1e-5)


def test_given_spikes_are_counted_from_when_they_are_set_and_survive_a_resume():
    sim = two_groups(None).run(5.0)
    given = {"y": SpikeTimes([0.5, 1.5, 2.5], [0, 1, 2])}
    sim.stimulus = given
    sim.run(1.0)
    again = Simulation.from_state(
        sim.network, sim.state(), given, observer=EventLog("input_spikes")
    ).run(4.0)
    sim.run(4.0)
    assert sim.observer["input_spikes"]["time_s"].tolist() == [5.5, 6.5, 7.5]
    assert again.n_spikes == sim.n_spikes
    sim.lesion(SilenceInputs("y", [2]))
    sim.stimulus = given
    assert sim.run(5.0).observer["input_spikes"]["input"][3:].tolist() == [2, 3]


# -- mistakes --------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RemoveNeurons("z", []), "neurons must not be empty, got 0"),
        (lambda: SilenceInputs("x", []), "inputs must not be empty, got 0"),
        (lambda: RemoveNeurons("z", [0.5]), "neurons must be an array of whole numbers"),
        (lambda: Simulation("network"), "network must be a Network"),
        (
            lambda: Simulation(winner_take_all_network(3, 2), "digits"),
            "rates for 'x' must be an array",
        ),
        (
            lambda: Simulation(winner_take_all_network(3, 2), np.ones(5)),
            "rates for 'x' must have shape (3,)",
        ),
        (
            lambda: Simulation(winner_take_all_network(3, 2), {"q": 1.0}),
            "stimulus must be one of x",
        ),
        (
            lambda: Simulation(winner_take_all_network(3, 2), seed="one"),
            "seed must be a whole number",
        ),
        (
            lambda: Simulation(winner_take_all_network(3, 2), seed=-1),
            "seed must be a whole number >= 0",
        ),
        (lambda: Simulation(winner_take_all_network(3, 2), theta=[1.0]), "theta must be a Mapping"),
        (
            lambda: Simulation(winner_take_all_network(3, 2), theta={"x->z": "a"}),
            "must be an array of numbers",
        ),
        (
            lambda: Simulation(winner_take_all_network(3, 2), observer=True),
            "observer must have events, traced and take",
        ),
        (
            lambda: Simulation(winner_take_all_network(3, 2), sync_interval_s="long"),
            "sync_interval_s must be a finite number",
        ),
        (lambda: small().run("long"), "duration_s must be a finite number"),
        (lambda: small().run(None), "duration_s must be a finite number"),
        (lambda: small().theta(3), "projection must be one of x->z"),
        (lambda: small().lesion("z"), "lesion must be a"),
        (lambda: small().probe(None, 1.0, warm_up=1.0), "option of probe must be one of"),
        (lambda: small().replay("now", [0]), "time_s must be an array of numbers"),
        (lambda: winner_take_all_network(3.5, 2), "must be a whole number"),
        (lambda: winner_take_all_network(3, 2, "rule"), "must be a SynapseModel"),
        (lambda: SynapseModel(prior=3), "prior must be a Prior"),
        (lambda: SynapseModel(speed=1e300), "speed must be a finite number"),
        (lambda: Network(InputGroup("x", 2), [WinnerTakeAll("z", 2)]), "inputs must be a list of"),
        (lambda: WinnerTakeAll("a/b", 2), "must not have a slash"),
        (lambda: EventLog("spike"), "event must be one of spikes"),
        (lambda: small().run_until(np.inf), "time_s must be a finite number"),
        (lambda: small().run_until(np.nan), "time_s must be a finite number"),
        (lambda: small().run_until(-1.0), "time_s must be a finite number >= 0"),
        (lambda: small().change({"x->z": 5}), "numbers for 'x->z' must be a Mapping"),
        (lambda: small().change({}), "change must name a projection"),
        (lambda: small(observer=EventLog(traces={"x->z": [(9, 9)]})), "must lie within"),
    ],
)
def test_a_wrong_argument_gets_one_line(make, words):
    with pytest.raises(SynsampError) as caught:
        make()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


# -- custom mappings and priors --------------------


@njit
def falling(theta, p):
    return -np.exp(theta)


@njit
def square(theta, p):
    return theta * theta


@njit
def twice(theta, p):
    return 2.0 * theta


@njit
def exponential(theta, p):
    return np.exp(theta - 3.0)


@njit
def wrong_slope(theta, p):
    return 2.0 * np.exp(theta - 3.0)


@njit
def below_zero(theta, p):
    return theta - 1.0


@njit
def one(theta, p):
    return 1.0


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        (CustomMapping(falling, falling), "must have f(0) >= 0"),
        (CustomMapping(square, twice), "must not exceed f(0) for θ <= 0"),
        (CustomMapping(exponential, wrong_slope), "must be dw/dθ"),
        (CustomMapping(below_zero, one), "must have f(0) >= 0"),
    ],
)
def test_a_mapping_that_the_engine_cannot_serve_raises_an_error(mapping, words):
    with pytest.raises(SynsampError) as caught:
        SynapseModel(mapping=mapping)
    assert words in str(caught.value)


def test_a_mapping_of_ones_own_agrees_with_the_built_in_one():
    own = CustomMapping(exponential, njit(lambda theta, p: np.exp(theta - 3.0)))
    sims = [
        Simulation(
            winner_take_all_network(30, 4, SynapseModel(mapping=m)), np.full(30, 30.0), 3
        ).run(5.0)
        for m in (Exponential(3.0), own)
    ]
    np.testing.assert_allclose(sims[0].theta("x->z"), sims[1].theta("x->z"), atol=2e-5)


class Pulled(Gaussian):
    """A Gaussian whose gradient a subclass makes ten times as strong."""

    gradient_of = staticmethod(njit(lambda theta, p: 10.0 * (p[0] - theta) / (p[1] * p[1])))


def test_a_subclass_of_a_prior_follows_its_own_gradient():
    """With ten times the force the variance is a tenth: 0.1, not 1."""
    model = SynapseModel(prior=Pulled(0.5, 1.0), speed=0.05, max_euler_step=2e-3)
    net = winner_take_all_network(2000, 2, model, rate_hz=1e-9)
    theta = Simulation(net, theta={"x->z": 0.5}, drift_interval_s=1.0).run(60.0).theta("x->z")
    error = 0.1 * np.sqrt(2 / theta.size)
    assert abs(theta.var() - 0.1) < 4.5 * error + 0.1 * 10 * 2e-3  # and the step's own bias


def test_priors_per_synapse_and_by_group():
    """Without spikes each synapse relaxes to the prior that its place has."""
    labels = np.arange(2000).reshape(4, 500) % 3
    mean = np.where(labels == 0, -2.0, 3.0)
    grouped = PriorByGroup((Gaussian(-2.0, 0.5), Laplace(3.0, 0.5), Gaussian(3.0, 0.5)), labels)
    for prior in (Gaussian(mean, 0.5), grouped):
        model = SynapseModel(prior=prior, speed=0.05, max_euler_step=2e-3)
        net = winner_take_all_network(500, 4, model, rate_hz=1e-9)
        sim = Simulation(net, theta={"x->z": 0.0}, drift_interval_s=1.0).run(80.0)
        found = sim.theta("x->z")
        for label in range(3):
            own = found[labels == label]
            expected = -2.0 if label == 0 else 3.0
            assert abs(own.mean() - expected) < 4.5 * own.std() / np.sqrt(own.size)
    with pytest.raises(SynsampError, match=r"must have shape \[post, pre\] = \(3, 2\)"):
        winner_take_all_network(
            2, 3, SynapseModel(prior=PriorByGroup((Gaussian(),), np.zeros((2, 3), int)))
        )
    with pytest.raises(SynsampError, match="must be single numbers, or arrays that fit"):
        winner_take_all_network(2, 3, SynapseModel(prior=Gaussian(np.zeros(7), 1.0)))


def test_a_prior_without_numbers_runs():
    flat = CustomPrior(njit(lambda theta, p: 0.0), njit(lambda theta, p: 0.0))
    model = SynapseModel(
        prior=flat, speed=1e-3, temperature=0.0, plasticity=SpikeLikelihood(data_size=0.0)
    )
    sim = Simulation(winner_take_all_network(3, 2, model), theta={"x->z": 0.7}).run(20.0)
    np.testing.assert_array_equal(sim.theta("x->z"), 0.7)
