"""Theory of the bandit in parts: who wins, what g estimates, the overlap of reward and e."""

import numpy as np
import pytest

from synsamp.beyond.bandit.parameters import BanditParameters, BanditTask
from synsamp.beyond.bandit.protocol import SYNAPSE, Bandit, build_network
from synsamp.beyond.bandit.theory import (
    GRID,
    INPUT_HZ,
    OTHER_THETA,
    chance_of_best,
    expected_reward,
    gradient_weight,
    moments,
    stationary,
)
from synsamp.environments import Dopamine, Loop
from synsamp.spiking import Simulation

P = BanditParameters()


def still(p, theta, seed=1):
    """The circuit with constant θ."""
    start = {SYNAPSE: theta, "other": OTHER_THETA}
    return Simulation(
        build_network(p, 0.0, 1.0, True),
        [INPUT_HZ],
        seed=seed,
        theta=start,
        drift_interval_s=0.1,
        sync_interval_s=2.0,
    )


@pytest.mark.parametrize("theta", [-0.5, 0.4, 1.3])
def test_the_first_neuron_wins_as_often_as_derived(theta):
    sim = still(BanditParameters(task=BanditTask(rate_hz=500.0)), theta).run(5.0)
    before = sim.spike_counts
    wins, losses = sim.run(40.0).spike_counts - before
    error = 0.5 / np.sqrt(wins + losses)
    share = wins / (wins + losses)
    assert abs(share - chance_of_best(np.array(theta))) < 5 * error
    assert abs(share - chance_of_best(np.array(max(theta, 0.0) + 0.2))) > 5 * error


@pytest.mark.parametrize(
    "task", [BanditTask(), BanditTask(eligibility_s=0.3, period_s=0.1, exponent=3.0)]
)
def test_the_overlap_of_reward_and_eligibility(task):
    step = task.period_s / 400
    earned = np.arange(step / 2, task.period_s, step)
    given = earned + task.period_s
    mean = np.exp(-(given[:, None] - earned) / task.eligibility_s).mean()
    weight = gradient_weight(BanditParameters(task=task))
    assert weight * task.gradient_s * mean == pytest.approx(task.exponent, rel=1e-4)


@pytest.mark.parametrize("shuffled", [False, True])
def test_g_estimates_the_gradient_of_log_reward(shuffled):
    theta, blocks = 1.0, 40
    sim = still(P, theta)
    loop = Loop(sim, Bandit(P.task, shuffled), 3, dopamine=Dopamine(mean_s=P.task.mean_s))
    loop.run_until(20.0)
    means = np.zeros(blocks)
    for block in range(blocks):
        seen = []
        for _ in range(16):
            loop.run_until(sim.time_s + 0.5)
            seen.append(sim.eligibility(SYNAPSE).gradient[0, 0])
        means[block] = np.mean(seen)
    error = means.std() / np.sqrt(blocks)
    step = 1e-4
    up, down = (np.log(expected_reward(P, np.array(theta + s * step))) for s in (1, -1))
    derived = P.task.exponent / gradient_weight(P) * (up - down) / (2 * step)
    near, far = (0.0, derived) if shuffled else (derived, 0.0)
    assert abs(means.mean() - near) < 4 * error + 0.1 * derived  # the exponent is good to a tenth
    assert abs(means.mean() - far) > 4 * error + 0.1 * derived


def test_the_stationary_distribution_is_prior_times_reward():
    found = stationary(P, 0.5)
    log = 2 * (
        -0.5 * ((GRID - P.rule.prior.mean) / P.rule.prior.std) ** 2
        + P.task.exponent * np.log(expected_reward(P, GRID))
    )
    density = np.exp(log - log.max())
    np.testing.assert_allclose(found.stationary, density / density.sum() / found.cell, rtol=1e-9)
    np.testing.assert_allclose(found.generator @ found.stationary, 0.0, atol=1e-8)
    mean, std = moments(found)
    assert P.rule.prior.mean + 0.2 < mean < 1.5
    assert std < P.rule.prior.std
