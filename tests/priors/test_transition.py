"""The exact transition of a prior: what it says, and who may inherit it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numba import njit
from scipy import stats

import synsamp as ss

B, T, ELAPSED = 0.7, 0.6, 1.3


@pytest.mark.parametrize("prior", [ss.Gaussian(0.4, 0.8), ss.Flat()])
def test_one_exact_step_is_the_limit_of_many_small_ones(prior):
    n, steps, start = 40_000, 400, 2.0
    mean, keep, spread = prior.transition_of(prior.for_kernel(1), B, T, ELAPSED)
    rule = ss.Rule(prior=prior, speed=B, temperature=T)
    moving = ss.Chains(rule, np.full((1, n), start), ELAPSED / steps, np.random.SeedSequence(11))
    moving.burn_in(steps)
    expected = stats.norm(mean + keep * (start - mean), spread)
    # Euler–Maruyama is off by about b·dt/2σ² = 0.2 %, far below what n draws can tell.
    assert stats.kstest(moving.theta[0], expected.cdf).pvalue > 1e-3
    assert stats.kstest(moving.theta[0] * 1.05, expected.cdf).pvalue < 1e-6


def test_two_short_intervals_make_a_long_one():
    prior = ss.Gaussian(0.4, 0.8)
    p = prior.for_kernel(1)
    _, keep, spread = prior.transition_of(p, B, T, ELAPSED)
    _, first, noise = prior.transition_of(p, B, T, 0.25 * ELAPSED)
    _, second, more = prior.transition_of(p, B, T, 0.75 * ELAPSED)
    assert keep == pytest.approx(first * second, rel=1e-12)
    assert spread**2 == pytest.approx((second * noise) ** 2 + more**2, rel=1e-12)


def _other_gradient(theta: float, p: Any) -> float:
    return -(theta**3)


def test_a_subclass_with_another_density_does_not_inherit_the_transition():
    @dataclass(frozen=True)
    class Steeper(ss.Gaussian):
        gradient_of: ClassVar[Any] = staticmethod(njit(_other_gradient))

    class Mixin:
        log_density_of = staticmethod(_other_gradient)

    class Mixed(Mixin, ss.Gaussian):
        pass

    class ByMethod(ss.Gaussian):
        def gradient(self, theta):
            return -(np.asarray(theta) ** 3)

    @dataclass(frozen=True, kw_only=True)
    class ByField(ss.Gaussian):
        gradient_of: Any

    class Below(Steeper):
        pass

    for other in (Steeper, Mixed, ByMethod, ByField, Below):
        assert other.transition_of is None, other


def test_a_subclass_with_the_same_density_keeps_or_replaces_it():
    class Renamed(ss.Gaussian):
        """Only a name."""

    @njit
    def transition(p, b, T, elapsed):
        return 0.0, 0.5, 0.5

    class Own(ss.Gaussian):
        gradient_of = staticmethod(njit(_other_gradient))
        transition_of = staticmethod(transition)

    assert Renamed.transition_of is ss.Gaussian.transition_of
    assert Own.transition_of is transition
    assert ss.CustomPrior(_other_gradient, _other_gradient).transition_of is None
    given = ss.CustomPrior(_other_gradient, _other_gradient, transition_of=transition)
    assert given.transition_of is transition
    assert ss.Laplace.transition_of is None
