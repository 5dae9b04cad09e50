"""A rule with a mapping: the likelihood speaks of w, and the chain rule is the package's."""

import numpy as np
import pytest
from numba import njit

import synsamp as ss
from synsamp.rule.order import in_turn

WANTED = np.array([0.4, 1.5, 0.9])
INPUTS = np.random.default_rng(0).normal(1.0, 0.3, (5, 3))


def _in_w(w):
    return (WANTED - w) * 3.0


def _one_in_w(w, x):
    return x - w


SQUARE = (lambda theta, p: p[0] * theta * theta, lambda theta, p: 2.0 * p[0] * theta)
MAPPINGS = {
    "exponential": lambda f: ss.Exponential(1.0),
    "softplus": lambda f: ss.Softplus(0.5),
    "own": lambda f: ss.CustomMapping(f(SQUARE[0]), f(SQUARE[1]), (0.7,)),
}


def _draws(rule, **changes):
    settings = dict(steps=300, dt=0.01, chains=2, seed=5, progress=False) | changes
    return ss.sample(rule, np.full(3, 0.5), **settings).theta.values


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("name", MAPPINGS)
def test_the_chain_rule_is_applied_as_if_written_by_hand(name, compiled):
    mapping = MAPPINGS[name](njit if compiled else lambda f: f)

    def by_hand(theta):
        return _in_w(mapping.weight(theta)) * mapping.slope(theta)

    in_w = njit(_in_w) if compiled else _in_w
    given = ss.Rule(in_w, ss.Gaussian(), mapping=mapping)
    assert given.compiled == compiled
    assert _draws(given) == pytest.approx(_draws(ss.Rule(by_hand, ss.Gaussian())), abs=1e-12)
    assert not np.allclose(_draws(given), _draws(ss.Rule(in_w, ss.Gaussian())))


def test_inputs_one_at_a_time_go_through_the_mapping_too():
    def rule(f):
        online = ss.Online(f(_one_in_w), INPUTS, order=in_turn)
        return ss.Rule(online, ss.Gaussian(), mapping=ss.Exponential(1.0))

    assert _draws(rule(njit)) == pytest.approx(_draws(rule(lambda f: f)), abs=1e-12)


def test_a_mapping_without_a_likelihood_is_bit_identical():
    plain, mapped = (ss.Rule(prior=ss.Gaussian(), **m) for m in ({}, {"mapping": ss.Softplus()}))
    assert np.array_equal(_draws(plain), _draws(mapped))


def test_fokker_planck_takes_the_likelihood_in_w():
    grid = np.linspace(-4, 4, 401)
    mapping = ss.Exponential(0.5)

    def log_likelihood(w):
        return -0.5 * ((w[:, 0] - 2.0) / 0.3) ** 2

    rule = ss.Rule(lambda w: (2.0 - w) / 0.09, ss.Gaussian(), mapping=mapping)
    theory = ss.fokker_planck(rule, grid, log_likelihood=log_likelihood)
    log_law = -0.5 * grid**2 + log_likelihood(np.exp(grid - 0.5)[:, None])
    law = np.exp(log_law - log_law.max())
    assert theory.stationary == pytest.approx(law / (law.sum() * 0.02), rel=1e-9, abs=1e-12)
    wrong = ss.Rule(lambda w: (2.1 - w) / 0.09, ss.Gaussian(), mapping=mapping)
    with pytest.raises(ss.SynsampError, match="likelihood gradient"):
        ss.fokker_planck(wrong, grid, log_likelihood=log_likelihood)


@pytest.mark.parametrize("bad", [None, "exponential", 3.0, ss.Exponential])
def test_a_mapping_that_is_none_raises_an_error(bad):
    with pytest.raises(ss.SynsampError, match="mapping must be a Mapping"):
        ss.Rule(_in_w, mapping=bad)
