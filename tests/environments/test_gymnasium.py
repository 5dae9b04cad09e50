"""The adapter for Gymnasium: episodes, seeds, and what a resume can promise."""

import numpy as np
import pytest

from synsamp.environments import GymnasiumEnvironment, Loop
from synsamp.errors import SynsampError
from synsamp.spiking import Simulation
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
        circuits=("z",),
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


def test_one_that_does_not_follow_its_seed_is_told():
    sim = simulation()
    loop = Loop(sim, adapted(Dishonest), 5)
    while len(np.asarray(loop.state_of_environment["actions"])) < 3:
        loop.run_until(sim.time_s + 0.1)

    def go_on_again_and_again():
        again = loop
        for _ in range(20):  # by chance noise may agree over three steps
            again = Loop.restore(sim, adapted(Dishonest), again.state())
            again.run_until(sim.time_s + 0.1)

    with pytest.raises(SynsampError, match="must depend on its seed and the actions alone"):
        go_on_again_and_again()


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
            circuits=("z",),
            period_s=0.02,
        ),
    )
    loop.run_until(3.0)
    assert int(loop.state_of_environment["episode"]) >= 1
