"""Soft rewiring without data: a share p0 active, exponential; dormant ones uniform to the floor."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import synsamp as ss
import synsamp.jax as sj

pytestmark = pytest.mark.statistical

SHARE, COST, T = 0.2, 2.0, 0.5
COPIES = 20_000
MEAN = T / COST
FLOOR = -MEAN * (1 - SHARE) / SHARE
SPEED = 4e-4  # a step's noise, sqrt(2·T·b) = 0.02, is small against the mean of 0.25
# θ lives on a stretch of about 1.25; its slowest mode decays at π²·T/1.25² = 3.2 per unit of
# b·steps, so that 3 units leave e^-9.5 of the start.
STEPS = 7_500


def _wiring(share=SHARE):
    return sj.SoftRewiring(sj.random_signs(0, (COPIES,)), share, COST, T)


def _thetas(start, floor, prior=None):
    wiring = _wiring()
    algorithm = sj.sampler(
        lambda w: jnp.zeros(()),
        prior=prior or wiring.prior,
        mapping=wiring.mapping,
        floor=floor,
        temperature=T,
        speed=SPEED,
    )
    return sj.run(algorithm, start, steps=STEPS, thin=STEPS, key=7, progress=False).at(0, 0)


def _p_values(theta):
    """(fraction active, distribution of active θ, distribution of dormant θ)."""
    active, dormant = theta[theta > 0], theta[theta <= 0]
    return (
        stats.binomtest(active.size, theta.size, SHARE).pvalue,
        stats.kstest(active, stats.expon(scale=MEAN).cdf).pvalue,
        stats.kstest(dormant, stats.uniform(FLOOR, -FLOOR).cdf).pvalue,
    )


@pytest.fixture(scope="module")
def reflected():
    # All start active at one value, far from the stationary distribution.
    return _thetas(jnp.full(COPIES, MEAN), _wiring().floor)


def test_the_distribution_without_data(reflected):
    assert min(_p_values(reflected)) > 0.01 / 3
    assert reflected.min() >= FLOOR * (1 + 1e-6)


def test_another_fraction_or_cost_would_be_detected(reflected):
    active = reflected[reflected > 0]
    assert stats.binomtest(active.size, COPIES, SHARE + 0.02).pvalue < 1e-6
    assert stats.kstest(active, stats.expon(scale=1.1 * MEAN).cdf).pvalue < 1e-6


def test_clipping_leaves_an_atom_at_the_floor(reflected):
    theta = _thetas(jnp.full(COPIES, MEAN), sj.ClippingFloor(FLOOR))
    # Density 0.8 times a part of a step's noise of 0.02: some thousandths sit exactly on the floor.
    assert np.mean(theta == np.float32(FLOOR)) > 0.002
    assert np.mean(reflected == np.float32(FLOOR)) == 0


def test_a_cost_for_dormant_ones_too_is_rejected():
    everywhere = ss.CustomPrior(lambda x, p: -COST * x, lambda x, p: -COST + 0.0 * x)
    theta = _thetas(jnp.full(COPIES, MEAN), _wiring().floor, everywhere)
    assert min(_p_values(theta)) < 1e-6


def test_the_start_follows_the_distribution_without_data():
    theta = np.asarray(_wiring().start(3))
    assert min(_p_values(theta)) > 0.01 / 3


def test_a_start_with_a_scale_has_weights_of_that_scale():
    theta = np.asarray(_wiring().start(3, scale=0.1))
    active = theta[theta > 0]
    assert stats.kstest(active, stats.halfnorm(scale=0.1).cdf).pvalue > 0.01
    assert stats.binomtest(active.size, theta.size, SHARE).pvalue > 0.01


def test_a_start_may_have_another_fraction():
    theta = np.asarray(_wiring().start(3, scale=0.1, active_share=SHARE / 2))
    assert stats.binomtest(int(np.sum(theta > 0)), theta.size, SHARE / 2).pvalue > 0.01
    dormant = theta[theta <= 0]
    assert stats.kstest(dormant, stats.uniform(FLOOR, -FLOOR).cdf).pvalue > 0.01


@pytest.mark.parametrize("at_floor", ["reflects", "clips"])
def test_a_long_step_down_comes_back_active_from_a_reflecting_floor_only(at_floor):
    wiring = sj.SoftRewiring(np.ones(3), SHARE, COST, T, at_floor)
    floor = -T / COST * (1 - SHARE) / SHARE
    overshoot = np.array([0.5, 0.9, 1.5]) * -floor  # in the third beyond the floor's own depth
    landed = np.asarray(wiring.floor(jnp.asarray(floor - overshoot)))
    wanted = floor + overshoot if at_floor == "reflects" else np.full(3, floor)
    np.testing.assert_allclose(landed, wanted, rtol=1e-5)
    assert list(landed > 0) == [False, False, at_floor == "reflects"]


def test_dormant_connections_have_no_weight_and_no_gradient():
    wiring = sj.SoftRewiring(np.array([1, -1, 1, -1]), 0.1, 1.0, 1.0)
    theta = jnp.array([2.0, 3.0, -2.0, -3.0])
    np.testing.assert_array_equal(sj.weights(wiring.mapping, theta), [2.0, -3.0, 0.0, 0.0])
    np.testing.assert_array_equal(wiring.mapping.slope(np.asarray(theta)), [1, -1, 0, 0])
    np.testing.assert_array_equal(wiring.prior.gradient(np.asarray(theta)), [-1, -1, 0, 0])
