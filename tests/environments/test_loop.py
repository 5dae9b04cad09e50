"""The closed loop: when it asks, what it does with answers, and what it refuses."""

import sys

import numpy as np
import pytest

from synsamp.environments import Dopamine, Environment, Loop, Response, filtered_rate_hz
from synsamp.errors import SynsampError
from synsamp.priors import Gaussian
from synsamp.spiking import (
    EventLog,
    InputGroup,
    Network,
    Projection,
    RewardGradient,
    Simulation,
    SynapseModel,
    WinnerTakeAll,
)
from tests.environments.two_armed import SYNAPSES, TwoArmed, network


def simulation(seed=1, **options):
    return Simulation(network(), seed=seed, drift_interval_s=0.05, sync_interval_s=1.0, **options)


class Noted(TwoArmed):
    """Writes down what it is asked."""

    def __init__(self, **options):
        super().__init__(**options)
        self.asked = []

    def respond(self, state, counts):
        self.asked.append(counts["z"].copy())
        return super().respond(state, counts)


def test_it_is_asked_once_per_period_with_the_spikes_of_it():
    sim, environment = simulation(observer=EventLog("spikes")), Noted()
    Loop(sim, environment).run_until(4.0)
    times, neurons = sim.observer["spikes"]["time_s"], sim.observer["spikes"]["neuron"]
    edges = 0.05 * np.arange(81)
    expected = [np.histogram(times[neurons == k], edges)[0] for k in range(2)]
    np.testing.assert_array_equal(np.array(environment.asked).T, expected)
    assert sim.time_s == 4.0
    assert sim.spike_counts.sum() == sim.n_spikes == times.size


def test_reward_becomes_dopamine_by_its_running_mean():
    environment, dopamine = TwoArmed(), Dopamine(mean_s=2.0, least=0.1, offset=0.05)
    sim = simulation()
    loop = Loop(sim, environment, dopamine=dopamine)
    rewards, levels = [], []
    answer = environment.start(0)
    mean = total = 0.0
    for k in range(1, 61):
        before = sim.spike_counts
        loop.run_until(0.05 * k)
        answer = environment.respond(answer.state, {"z": sim.spike_counts - before})
        mean += (answer.reward - mean) * (1 - np.exp(-0.05 / 2.0))
        total += 0.05 * answer.reward
        rewards.append(answer.reward / max(mean, 0.1) + 0.05)
        levels.append(sim.modulator("z"))
    np.testing.assert_allclose(levels, rewards, rtol=1e-12)
    assert loop.total_reward == pytest.approx(total)
    assert loop.mean_reward == pytest.approx(mean)
    assert len(set(levels)) > 10


def test_reward_can_be_withheld():
    sim = simulation()
    loop = Loop(sim, TwoArmed(), rewarded=False)
    loop.run_until(3.0)
    assert loop.total_reward > 0  # it is still earned
    assert loop.mean_reward == 0
    assert sim.modulator("z") == 0.02


def test_pieces_and_a_resume_change_no_bit():
    whole, parts = simulation(), simulation()
    one = Loop(whole, TwoArmed(), 7)
    one.run_until(6.0)
    loop = Loop(parts, TwoArmed(), 7)
    for until_s in (0.31, 0.7, 2.0, 3.333):
        loop.run_until(until_s)
    saved = loop.state()
    parts = Simulation.from_state(parts.network, parts.state(), saved["rates_hz"])
    two = Loop.restore(parts, TwoArmed(), saved)
    two.run_until(6.0)
    past = [each.state_of_environment["past"] for each in (one, two)]
    np.testing.assert_array_equal(*past)
    assert one.total_reward == two.total_reward
    assert one.mean_reward == two.mean_reward
    for mine, his in zip(whole.eligibility(SYNAPSES), parts.eligibility(SYNAPSES), strict=True):
        np.testing.assert_array_equal(mine, his)
    np.testing.assert_array_equal(whole.theta(SYNAPSES), parts.theta(SYNAPSES))
    other = simulation()
    Loop(other, TwoArmed(), 8).run_until(6.0)
    assert not np.array_equal(other.theta(SYNAPSES), parts.theta(SYNAPSES))


class Restless(TwoArmed):
    """Other rates and another reward at each answer."""

    def respond(self, state, counts):
        answer = super().respond(state, counts)
        step = answer.state["step"]
        return answer._replace(rates_hz=answer.rates_hz + step % 5, reward=0.1 * (step % 7))


def test_an_answer_takes_few_steps_of_python():
    """Counted in calls of functions, which do not depend on the machine: 241 when it was written,
    269 with a new feed per answer, 1526 when types were inspected and arrays rebuilt."""
    loop = Loop(simulation(), Restless())
    loop.run_until(1.0)
    calls = []
    sys.setprofile(lambda frame, event, arg: calls.append(event.endswith("call")))
    try:
        loop.run_until(3.0)
    finally:
        sys.setprofile(None)
    assert sum(calls) / 40 < 255


def test_dopamine_for_all_is_that_for_each():
    synapses = SynapseModel(
        Gaussian(0.0, 2.0), plasticity=RewardGradient(0.5, 2.0, 3.0), speed=0.02
    )
    several = Network(
        [InputGroup("x", 4)],
        [WinnerTakeAll("a", 2, rate_hz=40.0), WinnerTakeAll("b", 3, rate_hz=40.0)],
        [Projection("x", "a", synapses), Projection("x", "b", synapses)],
    )
    together, apart = (Simulation(several, np.full(4, 30.0), seed=2) for _ in range(2))
    for level in (0.3, -2.0, 5.0):
        together.modulate(None, level)
        apart.modulate("a", level)
        apart.modulate("b", level)
        assert together.modulator("a") == together.modulator("b") == level
        for sim in (together, apart):
            sim.run(0.7)
    for name in ("x->a", "x->b"):
        np.testing.assert_array_equal(together.theta(name), apart.theta(name))
        for one, other in zip(together.eligibility(name), apart.eligibility(name), strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_filter_forgets_exponentially():
    rate = filtered_rate_hz(np.zeros(2), np.array([3, 0]), 0.1, 0.5)
    np.testing.assert_allclose(rate, [30 * (1 - np.exp(-0.2)), 0.0])
    constant = filtered_rate_hz(20.0, np.array([2]), 0.1, 0.5)
    np.testing.assert_allclose(constant, 20.0)


# -- errors --------------------


class Bad(TwoArmed):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def respond(self, state, counts):
        if int(state["step"]) == 2:
            return self.answer(super().respond(state, counts))
        return super().respond(state, counts)


def raises(response):
    raise RuntimeError("out of cheese")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda r: r._replace(reward=np.nan), "reward of TwoArmed.* at 0.150 s must be .* got nan"),
        (lambda r: r._replace(reward=np.inf), "reward of TwoArmed.* at 0.150 s must be"),
        (lambda r: r._replace(reward="much"), "reward of TwoArmed"),
        (lambda r: r._replace(rates_hz=np.full(4, np.nan)), "rates_hz of TwoArmed.* for 'x' must"),
        (lambda r: r._replace(rates_hz=-np.ones(4)), "rates_hz of TwoArmed.* for 'x' must"),
        (lambda r: r._replace(rates_hz=np.ones(3)), "rates_hz of TwoArmed.* for 'x' must"),
        (lambda r: r._replace(rates_hz={"y": np.ones(4)}), "input group of TwoArmed"),
        (lambda r: r._replace(state=3), "state of TwoArmed"),
        (lambda r: (r.state, r.rates_hz), "answer of TwoArmed.* must be"),
        (
            raises,
            "environment TwoArmed.* at 0.150 s must answer, got 'RuntimeError: out of cheese'",
        ),
    ],
)
def test_a_bad_answer_is_named_in_one_line(answer, words):
    loop = Loop(simulation(), Bad(answer))
    with pytest.raises(SynsampError, match=words) as caught:
        loop.run_until(1.0)
    assert "\n" not in str(caught.value)


class NoPopulation(TwoArmed):
    def __init__(self):
        super().__init__()
        self.neurons = ("motor",)


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (NoPopulation(), "neurons of TwoArmed.* must be .*'motor'"),
        (TwoArmed(period_s=0.0), "period_s of TwoArmed.* must be"),
        (object(), "environment must be"),
    ],
)
def test_what_is_no_environment_for_this_network_raises_an_error(environment, words):
    with pytest.raises(SynsampError, match=words):
        Loop(simulation(), environment)


def test_another_environment_cannot_continue():
    sim = simulation()
    loop = Loop(sim, TwoArmed())
    loop.run_until(0.2)
    with pytest.raises(SynsampError, match="environment must be TwoArmed"):
        Loop.restore(sim, TwoArmed(swapped=True), loop.state())


def test_an_environment_must_have_both_functions():
    class Half(Environment):
        def start(self, seed):
            return Response({}, np.zeros(4))

    with pytest.raises(TypeError):
        Half()
