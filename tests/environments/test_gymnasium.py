"""The adapter for Gymnasium: episodes, seeds, and what a resume can promise."""

import numpy as np
import pytest

from synsamp.environments import GymnasiumEnvironment, Loop
from synsamp.errors import SynsampError
from synsamp.spiking import Simulation, winner_take_all_network
from tests.environments.two_armed import SYNAPSES, network

MADE = []


class Walk:
    """An integer walks with its own noise; the episode ends at ±4."""

    honest = True

    def __init__(self):
        MADE.append(self)
        self.resets = 0

    def reset(self, *, seed=None):
        self.resets += 1
        self.rng = np.random.default_rng(seed if self.honest else None)
        self.place = 0
        return np.array([0.0]), {}

    def step(self, action):
        assert isinstance(action, int)
        self.place += (1 if action else -1) + int(self.rng.integers(-1, 2))
        ended = abs(self.place) >= 4
        return np.array([float(self.place)]), float(self.place > 0), ended, False, {}


class Dishonest(Walk):
    honest = False


def adapted(make=Walk):
    return GymnasiumEnvironment(
        make,
        encode=lambda seen: np.clip(20 + 10 * seen[0] * np.array([1, 1, -1, -1]), 0, 60),
        decode=lambda counts: int(counts["z"][0] > counts["z"][1]),
        neurons=("z",),
        period_s=0.1,
    )


def simulation():
    return Simulation(network(), seed=1, drift_interval_s=0.05, sync_interval_s=1.0)


def test_episodes_follow_each_other_and_a_resume_plays_to_the_same_point():
    MADE.clear()
    whole = simulation()
    Loop(whole, adapted(), 5).run_until(4.0)
    assert MADE[-1].resets > 3
    parts = simulation()
    loop = Loop(parts, adapted(), 5)
    while len(np.asarray(loop.state_of_environment["actions"])) < 3:
        loop.run_until(parts.time_s + 0.1)
    saved = loop.state()
    parts = Simulation.from_state(parts.network, parts.state(), saved["rates_hz"])
    Loop.restore(parts, adapted(), saved).run_until(4.0)
    np.testing.assert_array_equal(whole.theta(SYNAPSES), parts.theta(SYNAPSES))


def test_two_networks_may_share_one_adapter():
    shared = adapted()
    one, two = (Loop(simulation(), shared, seed) for seed in (5, 6))
    for until_s in (1.0, 2.0, 3.0):
        one.run_until(until_s)
        two.run_until(until_s)
    alone = Loop(simulation(), adapted(), 5)
    alone.run_until(3.0)
    np.testing.assert_array_equal(one.simulation.theta(SYNAPSES), alone.simulation.theta(SYNAPSES))


def test_an_environment_that_ignores_its_seed_raises_an_error():
    sim = simulation()
    loop = Loop(sim, adapted(Dishonest), 5)
    while len(np.asarray(loop.state_of_environment["actions"])) < 3:
        loop.run_until(sim.time_s + 0.1)

    def resume_repeatedly():
        again = loop
        for _ in range(20):  # by chance noise may agree over three steps
            again = Loop.restore(sim, adapted(Dishonest), again.state())
            again.run_until(sim.time_s + 0.1)

    with pytest.raises(SynsampError, match="must depend only on its seed and the actions"):
        resume_repeatedly()


def test_without_gymnasium_a_name_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gymnasium", None)
    with pytest.raises(SynsampError, match=r"make needs Gymnasium.*pip install synsamp\[gym\]"):
        Loop(simulation(), adapted("CartPole-v1"))


def test_an_environment_of_gymnasium_itself():
    pytest.importorskip("gymnasium")
    loop = Loop(
        simulation(),
        GymnasiumEnvironment(
            "CartPole-v1",
            encode=lambda seen: 20 + 15 * np.tanh(seen),
            decode=lambda counts: int(counts["z"][0] > counts["z"][1]),
            neurons=("z",),
            period_s=0.02,
        ),
    )
    loop.run_until(3.0)
    assert int(loop.state_of_environment["episode"]) >= 1


# -- one adapter, several loops; interrupts; kinds of action and observation --------------------


class VectorWalk:
    """A walk whose reward is its position; the episode ends after ``length`` steps."""

    def __init__(self, length=50, shape=(), seeds=None, observe=float):
        self.length, self.shape, self.observe = length, shape, observe
        self.seeds = [] if seeds is None else seeds

    def reset(self, seed):
        self.seeds.append(seed)
        self.position, self.steps = np.random.default_rng(seed).normal(size=self.shape), 0
        return self._seen(), {}

    def _seen(self):
        return self.observe(np.sum(self.position))

    def step(self, action):
        assert np.shape(action) == self.shape
        self.position = self.position + np.asarray(action)
        self.steps += 1
        return self._seen(), float(np.sum(self.position)), self.steps >= self.length, False, {}


def walking(walk, decode=lambda counts: int(counts["z"][0] - counts["z"][1])):
    return GymnasiumEnvironment(walk, lambda seen: np.full(2, 10.0), decode, ("z",), 0.1)


def walked(environment, sim_seed):
    sim = Simulation(winner_take_all_network(2, 2), seed=sim_seed)
    return Loop(sim, environment, seed=5)


def test_one_adapter_in_two_loops_keeps_them_apart():
    alone = []
    for sim_seed in (1, 2):
        loop = walked(walking(VectorWalk), sim_seed)
        loop.run_until(4.0)
        alone.append(loop.total_reward)
    shared = walking(VectorWalk)
    loops = [walked(shared, sim_seed) for sim_seed in (1, 2)]
    for until_s in (0.5, 1.7, 4.0):
        for loop in loops:
            loop.run_until(until_s)
    assert [loop.total_reward for loop in loops] == alone
    assert alone[0] != alone[1]


def test_an_interrupt_inside_step_applies_no_action_twice():
    class Interrupted(VectorWalk):
        calls = 0

        def step(self, action):
            answer = super().step(action)
            Interrupted.calls += 1
            if Interrupted.calls == 7:
                raise KeyboardInterrupt
            return answer

    whole = walked(walking(VectorWalk), 1)
    whole.run_until(4.0)
    loop = walked(walking(Interrupted), 1)
    with pytest.raises(KeyboardInterrupt):
        loop.run_until(4.0)
    loop.run_until(4.0)
    assert loop.total_reward == whole.total_reward


def test_every_episode_has_another_seed():
    seeds = []
    walked(walking(lambda: VectorWalk(4, seeds=seeds)), 1).run_until(4.0)
    assert len(seeds) >= 10
    assert len(set(seeds)) == len(seeds)


@pytest.mark.parametrize(
    "observe",
    [
        lambda x: {"b": np.array([x, 1.0]), "a": int(x), "text": "go"},
        lambda x: (np.full((2, 2), x), 3),
        lambda x: np.array([x]),
    ],
    ids=["dict", "tuple", "array"],
)
def test_vector_actions_and_nested_observations_resume(observe):
    def environment():
        return walking(
            lambda: VectorWalk(15, (2,), observe=observe), lambda counts: counts["z"].astype(float)
        )

    whole = walked(environment(), 1)
    whole.run_until(4.0)
    half = walked(environment(), 1)
    half.run_until(1.05)
    saved, state = half.state(), half.simulation.state()
    sim = Simulation.from_state(half.simulation.network, state, saved["rates_hz"])
    resumed = Loop.restore(sim, environment(), saved)
    resumed.run_until(4.0)
    assert resumed.total_reward == whole.total_reward


def test_an_action_that_is_no_array_raises_an_error():
    loop = walked(walking(VectorWalk, lambda counts: {"left": 1}), 1)
    with pytest.raises(SynsampError, match="must be an array of numbers"):
        loop.run_until(1.0)
