import numpy as np
import pytest
from numba import njit

import synsamp as ss
from synsamp.rule.order import in_turn

MEAN = np.array([1.0, -1.0, 0.5])


def _gradient(theta):
    return (MEAN - theta) * 4.0


def _online(theta, x):
    return x - theta


fast_gradient = njit(_gradient)
fast_online = njit(_online)
INPUTS = np.random.default_rng(0).normal(size=(6, 3))


def _sample(rule, **changes):
    settings = dict(steps=200, dt=0.01, chains=3, seed=7, progress=False) | changes
    return ss.sample(rule, np.zeros(3), **settings)


COMPILED = {
    "batch": lambda f: ss.Rule(f(_gradient), ss.Gaussian(0.0, 1.0)),
    "online": lambda f: ss.Rule(
        ss.Online(f(_online), INPUTS, order=in_turn), ss.GaussianMixture(), speed=0.5
    ),
    "per parameter": lambda f: ss.Rule(
        f(_gradient),
        ss.PriorByGroup(
            (ss.Laplace(), ss.Gaussian(np.array([0.0, 1.0]), 1.0)), np.array([1, 0, 1])
        ),
        speed=np.array([0.5, 1.0, 2.0]),
        temperature=lambda t: np.array([1.0, 0.5, 0.1]) * np.exp(-t),
    ),
    "speed of place": lambda f: ss.Rule(
        f(_gradient),
        ss.StudentT(),
        speed=ss.Speed(
            f(lambda x, p: p[0] / (1 + x * x)),
            f(lambda x, p: -2 * p[0] * x / (1 + x * x) ** 2),
            (0.7,),
        ),
    ),
    "no likelihood": lambda f: ss.Rule(prior=ss.Gaussian(), temperature=0.5),
}


@pytest.mark.parametrize("name", [n for n in COMPILED if n != "no likelihood"])
def test_plain_python_is_the_slow_twin_of_the_compiled_loop(name):
    compiled, plain = COMPILED[name](njit), COMPILED[name](lambda f: f)
    assert compiled.compiled
    assert not plain.compiled
    a, b = _sample(compiled), _sample(plain)
    assert np.max(np.abs(a.theta.values - b.theta.values)) < 1e-12
    assert not np.allclose(a.theta.values, _sample(compiled, seed=8).theta.values)


def test_a_compiled_likelihood_goes_with_a_plain_prior():
    def log_density(theta, p):
        return -0.5 * theta**2

    mixed = ss.Rule(fast_gradient, ss.CustomPrior(log_density, lambda theta, p: -theta))
    whole = ss.Rule(fast_gradient, ss.Gaussian())
    assert np.max(np.abs(_sample(mixed).theta.values - _sample(whole).theta.values)) < 1e-12


@pytest.mark.parametrize("name", COMPILED)
def test_bit_identical_on_any_number_of_threads(name):
    rule = COMPILED[name](njit)
    a, b = _sample(rule, threads=1, chains=5), _sample(rule, threads=4, chains=5)
    assert np.array_equal(a.theta.values, b.theta.values)


def test_bit_identical_however_the_steps_are_cut():
    rule = ss.Rule(ss.Online(fast_online, INPUTS), ss.GaussianMixture())

    def run(cuts):
        chains = ss.Chains(rule, np.zeros((2, 3)), 0.01, np.random.SeedSequence(3))
        return np.concatenate([chains.advance(n, thin=4) for n in cuts], axis=1)

    whole = run([700])
    assert whole.shape == (2, 175, 3)
    assert np.array_equal(whole, run([1, 2, 3, 94, 300, 300]))


@pytest.mark.parametrize("plain", [False, True])
def test_continuing_from_a_saved_state_is_bit_identical(plain):
    gradient = _online if plain else fast_online
    rule = ss.Rule(ss.Online(gradient, INPUTS), ss.Gaussian())

    def new():
        return ss.Chains(rule, np.zeros((2, 3)), 0.01, np.random.SeedSequence(3))

    straight = new()
    straight.burn_in(7)
    straight.advance(100)
    state = straight.state()
    expected = straight.advance(200, thin=3)
    resumed = new()
    resumed.restore(state)
    assert np.array_equal(resumed.advance(200, thin=3), expected)


def test_the_result_carries_draws_times_and_diagnostics():
    result = _sample(
        ss.Rule(fast_gradient, ss.Gaussian()), steps=1000, burn_in=50, thin=10, chains=4
    )
    assert result.theta.dims == ("chain", "draw", "parameter")
    assert result.theta.shape == (4, 100, 3)
    assert result.time.values[[0, -1]] == pytest.approx([0.6, 10.5])
    for name in ("r_hat", "ess_bulk", "mcse_mean"):
        assert result[name].shape == (3,)
        assert np.all(np.isfinite(result[name]))


def test_maximum_likelihood_is_the_same_call_without_prior_and_noise():
    eta, n = 0.01, 6.0
    rule = ss.Rule(ss.Online(fast_online, INPUTS, order=in_turn), temperature=0.0, speed=eta / n)
    result = ss.sample(rule, np.zeros(3), steps=6, dt=1.0, chains=1, progress=False)
    theta = np.zeros(3)
    for x, drawn in zip(INPUTS, result.theta.values[0], strict=True):
        theta = theta + eta * _online(theta, x)  # Δθ^ML = η ∂log p_N(xⁿ|θ)
        assert drawn == pytest.approx(theta, abs=1e-14)


def test_interruption_returns_the_draws_so_far(monkeypatch):
    calls = []
    advance = ss.Chains.advance

    def interrupted(self, n_steps, thin=1):
        calls.append(n_steps)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return advance(self, n_steps, thin)

    monkeypatch.setattr(ss.Chains, "advance", interrupted)
    result = _sample(ss.Rule(fast_gradient, ss.Gaussian()), steps=10_000)
    assert result.attrs["interrupted"] == 1
    assert result.theta.shape == (3, sum(calls[:3]), 3)


def test_the_noise_has_the_variance_of_the_equation():
    rule = ss.Rule(speed=0.5, temperature=2.0)
    chains = ss.Chains(rule, np.zeros((1, 200_000)), 0.1, np.random.SeedSequence(1))
    chains.advance(1)
    variance, expected = chains.theta.var(), 2 * 2.0 * 0.5 * 0.1
    assert abs(variance / expected - 1) < 4.5 * np.sqrt(2 / 200_000)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (dict(steps=0), ["steps", ">= 1", "0"]),
        (dict(chains=0), ["chains", ">= 1"]),
        (dict(thin=500), ["thin", "<= steps"]),
        (dict(burn_in=-1), ["burn_in", ">= 0"]),
        (dict(dt=-0.1), ["dt", "> 0", "-0.1"]),
        (dict(dt=np.nan), ["dt", "nan"]),
    ],
)
def test_bad_settings_raise_an_error(change, words):
    with pytest.raises(ss.SynsampError) as error:
        _sample(ss.Rule(prior=ss.Gaussian()), **change)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ss.Rule("no"), ["likelihood", "function"]),
        (lambda: ss.Rule(prior=3), ["prior", "Prior"]),
        (lambda: ss.Rule(speed=-1), ["speed", "> 0", "-1"]),
        (lambda: ss.Rule(speed=np.ones((2, 3))), ["speed", "one per parameter", "(2, 3)"]),
        (lambda: ss.Rule(temperature=-1), ["temperature", ">= 0"]),
        (lambda: ss.Online(_online, np.zeros((0, 3))), ["inputs", "at least one"]),
        (lambda: ss.HiddenStates(_online, INPUTS), ["respond"]),
        (lambda: _sample(ss.Rule(temperature=lambda t: -1.0)), ["temperature", ">= 0"]),
        (lambda: _sample(ss.Rule(temperature=np.ones(5))), ["temperature", "3 numbers"]),
        (lambda: _sample(ss.Rule(lambda theta: np.zeros(5))), ["gradient", "shape"]),
        (
            lambda: _sample(ss.Rule(prior=ss.PriorByGroup((ss.Flat(),), np.zeros(5, int)))),
            ["start", "5 parameters", "3"],
        ),
    ],
)
def test_bad_rules_raise_an_error(make, words):
    with pytest.raises(ss.SynsampError) as error:
        make()
    for word in words:
        assert word in str(error.value)


def test_a_wrong_derivative_of_the_speed_raises_an_error():
    wrong = ss.Speed(lambda x, p: 1 + x * x, lambda x, p: x)
    with pytest.raises(ss.SynsampError, match="derivative of speed"):
        ss.sample(ss.Rule(speed=wrong), np.array([0.0, 1.0]), steps=5, dt=0.1, progress=False)


def test_the_right_derivative_of_the_speed_is_accepted_where_it_is_not_zero():
    right = ss.Speed(lambda x, p: 1 + x * x, lambda x, p: 2 * x)
    ss.sample(ss.Rule(speed=right), np.array([-3.0, 0.5, 40.0]), steps=1, dt=1e-6, progress=False)


def test_a_run_that_explodes_raises_an_error():
    with pytest.raises(ss.SynsampError, match=r"theta must stay finite.*smaller dt"):
        _sample(ss.Rule(lambda theta: theta**3 * 1e6), steps=500)
