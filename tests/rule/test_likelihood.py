"""How a likelihood is asked: one chain or all, one input or several, compiled or plain."""

import numpy as np
import pytest
from numba import njit

import synsamp as ss
from synsamp.rule.order import in_turn

INPUTS = np.random.default_rng(0).normal(size=(7, 4))  # three features and a response


def _regression(theta, x):
    """For one chain and one input, as documented: x[:3] @ theta explains x[3]."""
    return (x[3] - np.dot(x[:3], theta)) * x[:3]


def _regression_of_all(theta, x):
    return (x[:, 3:] - (x[:, :3] * theta).sum(axis=1, keepdims=True)) * x[:, :3]


def _draws(rule, chains=3, **changes):
    settings = dict(steps=120, dt=0.01, seed=7, progress=False, chains=chains) | changes
    return ss.sample(rule, np.full(3, 0.2), **settings).theta.values


def _online(gradient, **options):
    return ss.Rule(ss.Online(gradient, INPUTS, **options), ss.Gaussian())


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("order", ["in turn", "at random"])
def test_an_online_gradient_compiled_plain_or_vectorised_gives_one_path(order, batch):
    options = {"batch": batch} | ({"order": in_turn} if order == "in turn" else {})
    compiled = _draws(_online(njit(_regression), **options))
    assert _draws(_online(_regression, **options)) == pytest.approx(compiled, abs=1e-12)
    assert _draws(_online(_regression_of_all, **options)) == pytest.approx(compiled, abs=1e-12)


@pytest.mark.parametrize("gradient", [_regression, _regression_of_all, njit(_regression)])
def test_what_a_chain_sees_does_not_depend_on_the_number_of_chains(gradient):
    few, many = (_draws(_online(gradient), chains=n) for n in (1, 5))
    assert many[:1] == pytest.approx(few, abs=1e-12)


def test_a_minibatch_of_all_inputs_in_turn_is_the_whole_batch():
    whole = _online(njit(_regression), order=in_turn, batch=len(INPUTS))

    def of_all(theta):
        return sum(_regression(theta, x) for x in INPUTS)

    assert _draws(whole) == pytest.approx(_draws(ss.Rule(of_all, ss.Gaussian())), abs=1e-12)


def test_minibatches_make_the_gradient_less_noisy():
    def spread(batch):
        rule = ss.Rule(
            ss.Online(njit(_regression), INPUTS, batch=batch), temperature=0.0, speed=0.01
        )
        ends = ss.sample(
            rule, np.zeros(3), steps=1, dt=1.0, chains=4000, seed=3, progress=False
        ).theta.values[:, 0]
        return ends.var(axis=0)

    # The variance of a mean of 5 is a fifth; each of the two is known to about √(2/4000).
    assert spread(1) / spread(5) == pytest.approx(5.0, rel=5 * 2 * np.sqrt(2 / 4000))


def test_hidden_states_may_be_plain_and_keep_a_memory():
    def respond(theta, x, rng, count):
        count[0] += 1.0
        return rng.random()

    def gradient(theta, x, z, count):
        return x[:3] * (z + 0.01 * count[0]) - theta

    def rule(f, batch=1):
        hidden = ss.HiddenStates(
            f(gradient), INPUTS, respond=f(respond), memory=lambda s: (np.zeros(1),), batch=batch
        )
        return ss.Rule(hidden, ss.Gaussian())

    for batch in (1, 4):
        compiled = _draws(rule(njit, batch))
        plain = _draws(rule(lambda f: f, batch))
        assert plain == pytest.approx(compiled, abs=1e-12)
    assert _draws(rule(lambda f: f), chains=1) == pytest.approx(compiled_first(rule), abs=1e-12)


def compiled_first(rule):
    return _draws(rule(njit), chains=5)[:1]


def test_a_gradient_that_only_takes_one_chain_needs_no_vmap():
    def strict(theta):  # as jax.grad: a scalar function of a vector, nothing else
        if np.ndim(theta) != 1:
            raise TypeError("Gradient only defined for scalar-output functions.\nMore lines.")
        return -4.0 * theta

    assert _draws(ss.Rule(strict)) == pytest.approx(_draws(ss.Rule(njit(strict_twin))), abs=1e-12)


def strict_twin(theta):
    return -4.0 * theta


def test_a_gradient_that_would_mix_chains_is_called_chain_by_chain():
    def coupled(theta):  # right for one chain; on all at once sum() would add up the chains
        return -theta.sum() * np.ones_like(theta)

    assert _draws(ss.Rule(coupled)) == pytest.approx(_draws(ss.Rule(njit(coupled))), abs=1e-12)


def test_a_vectorised_gradient_is_called_once_per_step():
    calls = []

    def gradient(theta):
        calls.append(theta.shape)
        return -theta

    _draws(ss.Rule(gradient), steps=50)
    assert calls.count((3, 3)) >= 50
    assert calls.count((3,)) <= 4  # detected before the run, and when the step size is checked


def test_jax_gradients_work_unchanged():
    jax = pytest.importorskip("jax", reason="JAX is not installed here")

    def log_likelihood(theta):
        return -2.0 * (theta**2).sum()

    given = _draws(ss.Rule(jax.grad(log_likelihood)))
    assert given == pytest.approx(_draws(ss.Rule(lambda theta: -4.0 * theta)), abs=1e-4)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ss.Rule(njit(lambda theta: theta[:2])), ["shape of θ (3,)", "(2,)"]),
        (lambda: ss.Rule(njit(lambda theta: 1.0)), ["array of numbers", "float"]),
        (lambda: ss.Rule(njit(lambda theta, x: theta)), ["one chain's θ"]),
        (lambda: ss.Rule(lambda theta: theta[:2]), ["shape of θ, (3,)", "(2,)"]),
        (lambda: ss.Rule(lambda theta: 1 / 0), ["ZeroDivisionError"]),
        (lambda: _online(njit(lambda theta, x: x)), ["shape of θ (3,)", "(4,)"]),
        (lambda: _online(lambda theta, x: x), ["shape of θ, (3,)", "(4,)"]),
    ],
)
def test_a_gradient_that_does_not_fit_raises_an_error_before_the_run(make, words):
    with pytest.raises(ss.SynsampError) as error:
        _draws(make())
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)
