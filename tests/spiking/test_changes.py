"""Numbers that change in a run: exact, part of the state, and only numbers."""

import numpy as np
import pytest
from numba import njit

from synsamp.errors import SynsampError
from synsamp.priors import CustomPrior, Gaussian, GaussianMixture, Laplace, PriorByGroup
from synsamp.spiking import (
    ChangeClip,
    CustomPlasticity,
    EventLog,
    InputGroup,
    Network,
    Projection,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    WinnerTakeAll,
    winner_take_all_network,
)

QUIET = SpikeLikelihood(data_size=0.0)


LEGS = [
    (2.7, {}),
    (3.1, {"temperature": 0.25}),
    (0.9, {"prior": Gaussian(-1.0, 0.5)}),
    (0.1, {"speed": 0.5}),
]


def moments(legs):
    """Mean and variance of θ after these changes, from θ = 3."""
    now = {"speed": 0.1, "temperature": 1.0, "prior": Gaussian(0.0, 1.0)}
    mean, variance = 3.0, 0.0
    for duration, numbers in legs:
        now |= numbers
        mu, std = now["prior"].parameters
        keep = np.exp(-now["speed"] * duration / std**2)
        mean = mu + keep * (mean - mu)
        variance = keep**2 * variance + now["temperature"] * std**2 * (1 - keep**2)
    return mean, variance


def test_moments_after_changes_are_those_of_the_process_with_these_numbers():
    """Prior and noise alone: θ is an Ornstein–Uhlenbeck process with numbers that jump."""
    model = SynapseModel(Gaussian(0.0, 1.0), plasticity=QUIET, speed=0.1, theta_min=-1e6)
    sim = Simulation(
        winner_take_all_network(2000, 10, model), theta={"x->z": 3.0}, sync_interval_s=1.0
    )
    for duration, numbers in LEGS:
        if numbers:
            sim.change("x->z", **numbers)
        sim.run(duration)
    sim.change("x->z", temperature=1.0)  # brings all up to date
    theta = sim.theta("x->z").ravel()
    n = theta.size
    mean, variance = moments(LEGS)
    assert theta.mean() == pytest.approx(mean, abs=4 * np.sqrt(variance / n))
    assert theta.var() == pytest.approx(variance, rel=4 * np.sqrt(2 / n))


@pytest.mark.parametrize(("late", "by_s"), [(1, 0.5), (2, 0.1), (3, 0.05)])
def test_a_change_that_comes_a_little_late_would_be_noticed(late, by_s):
    """Negative control of the tolerances above."""
    legs = list(LEGS)
    legs[late - 1] = (legs[late - 1][0] + by_s, legs[late - 1][1])
    legs[late] = (legs[late][0] - by_s, legs[late][1])
    (mean, variance), (other, spread) = moments(LEGS), moments(legs)
    off = abs(other - mean) / np.sqrt(variance / 20_000)
    wide = abs(spread / variance - 1) / np.sqrt(2 / 20_000)
    assert max(off, wide) > 4


def test_a_change_of_N_changes_the_jump_at_the_next_spike():
    model = SynapseModel(plasticity=SpikeLikelihood(data_size=10.0), speed=1e-3, temperature=0.0)
    jumps = []
    for N in (10.0, 30.0):
        sim = Simulation(
            winner_take_all_network(1, 1, model), theta={"x->z": 1.0}, sync_interval_s=10.0
        )
        sim.change("x->z", plasticity=SpikeLikelihood(data_size=N), prior=Gaussian(1.0, 1e6))
        sim.replay([0.1, 0.105], [0, 1])
        jumps.append(float(sim.theta("x->z")[0, 0]) - 1.0)
    assert jumps[1] / jumps[0] == pytest.approx(3.0, rel=1e-4)


def two_alike():
    """Two projections that share one block, until one of them is changed."""
    same = SynapseModel(speed=1e-3, plasticity=SpikeLikelihood(data_size=20.0))
    return Network(
        [InputGroup("x", 6)],
        [WinnerTakeAll("a", 3), WinnerTakeAll("b", 4)],
        [
            Projection("x", "a", same),
            Projection("a", "b", same, delay_s=0.004),
            Projection("b", "b", same, delay_s=0.004),
        ],
    )


def test_a_change_of_one_of_two_that_lay_together_leaves_the_other_alone():
    net = two_alike()
    record = EventLog("spikes", traces={"a->b": [(0, 0), (3, 2)], "b->b": [(1, 2)]})
    sim = Simulation(net, np.full(6, 20.0), seed=1, observer=record, sync_interval_s=1.0).run(3.0)
    before = {name: sim.theta(name) for name in ("x->a", "a->b", "b->b")}
    sim.change("b->b", temperature=0.0, speed=1e-9)
    sim.run(0.5)
    np.testing.assert_allclose(sim.theta("b->b"), before["b->b"], atol=1e-6)
    assert np.nanmax(np.abs(sim.theta("a->b") - before["a->b"])) > 1e-3
    sim.run(2.5)
    traces = sim.observer["traces"]
    last = traces["theta"][traces["synapse"] == 2][-1]  # the third asked for: b->b (1, 2)
    assert last == pytest.approx(sim.theta("b->b")[1, 2], abs=1e-6)
    assert sim.network.projection("b->b").synapses.temperature == 0.0
    assert net.projection("b->b").synapses.temperature == 1.0


@pytest.mark.parametrize(
    ("prior", "other"),
    [
        (Gaussian(0.5, 1.0), Gaussian(np.linspace(0, 1, 6), 0.7)),
        (GaussianMixture(), GaussianMixture()),
        (
            PriorByGroup(
                (Gaussian(0.0, 1.0), Laplace(0.0, 1.0)), np.tile([0, 1, 0, 1, 1, 0], (3, 1))
            ),
            PriorByGroup(
                (Gaussian(1.0, 0.5), Laplace(0.2, 2.0)), np.tile([0, 1, 0, 1, 1, 0], (3, 1))
            ),
        ),
    ],
)
def test_changes_are_part_of_the_state(prior, other):
    model = SynapseModel(prior, speed=1e-3, max_euler_step=1e-2)
    net = winner_take_all_network(6, 3, model)
    sim = Simulation(net, np.full(6, 20.0), seed=2, sync_interval_s=0.5).run(2.2)
    sim.change(
        "x->z", prior=other, temperature=0.3, plasticity=SpikeLikelihood(data_size=7.0, alpha=0.2)
    )
    sim.run(1.1)
    again = Simulation.from_state(net, sim.state(), np.full(6, 20.0))
    assert again.network.projection("x->z").synapses.plasticity == SpikeLikelihood(
        data_size=7.0, alpha=0.2
    )
    np.testing.assert_array_equal(again.run(3.0).theta("x->z"), sim.run(3.0).theta("x->z"))
    plain = Simulation(net, np.full(6, 20.0), seed=2, sync_interval_s=0.5).run(6.3)
    assert np.abs(plain.theta("x->z") - sim.theta("x->z")).max() > 1e-2


def test_the_refresh_follows_the_speed_and_the_grid_stays():
    sim = Simulation(winner_take_all_network(3, 2, SynapseModel(speed=1e-3)))
    assert sim.drift_interval_s == pytest.approx(0.1)
    sync_interval_s = sim.sync_interval_s
    sim.change("x->z", speed=1e-2)
    assert (sim.drift_interval_s, sim.sync_interval_s) == (pytest.approx(0.01), sync_interval_s)
    sim.change("x->z", speed=1e-9)
    assert sim.drift_interval_s == sync_interval_s  # never longer than the grid
    given = Simulation(
        winner_take_all_network(3, 2, SynapseModel(speed=1e-3)), drift_interval_s=0.05
    )
    given.change("x->z", speed=1e-2)
    assert given.drift_interval_s == 0.05


@njit
def nothing(synapse, traces, p):
    return 0.0


@njit
def gradient(theta, p):
    return -theta


@njit
def density(theta, p):
    return -0.5 * theta**2


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({}, "must name at least one number"),
        ({"mapping": 1}, "what to change must be one of speed, temperature, prior, plasticity"),
        ({"speed": -1.0}, "speed must be"),
        ({"prior": Laplace(0.0, 1.0)}, "prior must be of the same kind"),
        ({"prior": CustomPrior(density, gradient)}, "prior must be of the same kind"),
        ({"prior": Gaussian(np.zeros(5), 1.0)}, "must"),
        ({"plasticity": CustomPlasticity(nothing)}, "plasticity must be of the same kind"),
        ({"plasticity": SpikeLikelihood(clip=ChangeClip())}, "plasticity must be of the same kind"),
    ],
)
def test_only_numbers_change(numbers, words):
    sim = Simulation(winner_take_all_network(3, 2)).run(0.5)
    before = sim.state()
    with pytest.raises(SynsampError, match=words):
        sim.change("x->z", **numbers)
    after = sim.state()
    np.testing.assert_array_equal(before["synapses"]["theta"], after["synapses"]["theta"])
    assert before["changes"] == after["changes"] == {}


def test_several_at_once_are_as_one_after_the_other():
    """Without noise, so that nothing is drawn in between; a refused one leaves all as they were."""
    quiet = SynapseModel(temperature=0.0, speed=1e-3)
    net = Network(
        [InputGroup("x", 6)],
        [WinnerTakeAll("a", 3), WinnerTakeAll("b", 4)],
        [Projection("x", "a", quiet), Projection("a", "b", quiet, delay_s=0.004)],
    )
    changes = {"x->a": {"speed": 1e-2}, "a->b": {"prior": Gaussian(-1.0, 0.5), "speed": 0.0}}
    one, all_at_once = (Simulation(net, np.full(6, 20.0), seed=1).run(2.0) for _ in range(2))
    for name, numbers in changes.items():
        one.change(name, **numbers)
    with pytest.raises(SynsampError, match="speed must be"):
        all_at_once.change(changes | {"a->b": {"speed": -1.0}})
    with pytest.raises(SynsampError, match="within the mapping"):
        all_at_once.change(changes, speed=0.0)
    all_at_once.change(changes)
    for sim in (one, all_at_once):
        sim.run(2.0)
    for name in changes:
        np.testing.assert_array_equal(one.theta(name), all_at_once.theta(name))
    assert one.n_spikes == all_at_once.n_spikes


def test_a_fixed_projection_has_nothing_to_change():
    net = Network(
        [InputGroup("x", 2)], [WinnerTakeAll("z", 2)], [Projection("x", "z", plastic=False)]
    )
    with pytest.raises(SynsampError, match="must be plastic"):
        Simulation(net).change("x->z", temperature=0.5)


@pytest.mark.parametrize("damage", ["speed", "prior", "plasticity", "name"])
def test_damaged_changes_raise_an_error(damage):
    sim = Simulation(winner_take_all_network(3, 2)).run(0.5)
    sim.change("x->z", temperature=0.5)
    state = sim.state()
    saved = state["changes"]["x->z"]
    if damage == "name":
        state["changes"] = {"y->z": saved}
    else:
        saved[damage] = {"speed": np.nan, "prior": {}, "plasticity": np.zeros(2)}[damage]
    with pytest.raises(SynsampError):
        Simulation.from_state(winner_take_all_network(3, 2), state)


def test_time_without_speed_is_not_caught_up():
    sim = Simulation(
        winner_take_all_network(8, 2, SynapseModel(speed=1e-2)), seed=1, sync_interval_s=1.0
    ).run(2.0)
    sim.change("x->z", speed=0.0)
    before = sim.run(500.0).theta("x->z")
    sim.change("x->z", speed=1e-2)
    sim.run(0.001).change("x->z", temperature=1.0)
    np.testing.assert_allclose(sim.theta("x->z"), before, atol=0.05)  # noise of 1 ms: 0.004
