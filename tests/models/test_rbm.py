import numpy as np
import pytest
from numba import njit
from scipy import stats

from oracles.distributions import chi_square_p_value
from oracles.tiny_rbm import TinyRBM
from synsamp import SynsampError
from synsamp.models import rbm_kernel
from synsamp.models.rbm import RBM
from synsamp.noise.streams import new_stream
from synsamp.priors import CustomPrior, Flat, Gaussian, GaussianMixture
from synsamp.rule import Chains, Rule

MACHINE = RBM(4, 3)
THETA = np.random.default_rng(5).normal(0.0, 1.0, MACHINE.size)
GRAY = np.array([0.9, 0.1, 0.5, 1.0])
TINY = TinyRBM(THETA, 4, 3)


@njit
def _mean_and_spread(theta, gray, rng, n, gradient, respond, data):
    total, squares = np.zeros(theta.size), np.zeros(theta.size)
    for _ in range(n):
        g = gradient(theta, gray, respond(theta, gray, rng, *data), *data)
        total += g
        squares += g * g
    mean = total / n
    return mean, np.sqrt((squares / n - mean * mean) / n)


def estimate(cycles, n, persistent=False, seed=1):
    """The mean CD estimate over many presentations and its standard error."""
    likelihood = MACHINE.likelihood(GRAY[None], cycles, persistent)
    data = (*likelihood.data, *likelihood.init_memory(np.random.SeedSequence(seed)))
    rng = np.random.default_rng(seed)
    return _mean_and_spread(THETA, GRAY, rng, n, likelihood.gradient, likelihood.respond, data)


def p_value(mean, error, expected):
    """The smallest p-value over the parameters, corrected for their number."""
    certain = error < 1e-12  # a pixel that is always on leaves nothing to chance
    assert np.allclose(mean[certain], expected[certain], atol=1e-12)
    z = (mean - expected)[~certain] / error[~certain]
    return min(1.0, float((2 * stats.norm.sf(np.abs(z))).min() * z.size))


@pytest.mark.parametrize(("cycles", "other"), [(1, 2), (5, 2)])
def test_contrastive_divergence_has_the_mean_of_its_definition(cycles, other):
    mean, error = estimate(cycles, 200_000)
    assert p_value(mean, error, TINY.contrastive_divergence(GRAY, cycles)) > 1e-4
    # The test can fail: another number of cycles is seen.
    assert p_value(mean, error, TINY.contrastive_divergence(GRAY, other)) < 1e-6


def test_many_cycles_give_the_gradient_of_the_likelihood():
    mean, error = estimate(60, 100_000)
    assert p_value(mean, error, TINY.gradient(GRAY)) > 1e-4
    few, few_error = estimate(1, 100_000)
    assert p_value(few, few_error, TINY.gradient(GRAY)) < 1e-6


def test_the_oracle_gradient_is_the_derivative_of_log_p():
    def mean_log_p(theta):
        tiny = TinyRBM(theta, 4, 3)
        return tiny.presented(GRAY) @ np.log(tiny.of_x)

    h = 1e-5
    steps = np.eye(THETA.size) * h
    measured = [(mean_log_p(THETA + s) - mean_log_p(THETA - s)) / (2 * h) for s in steps]
    assert np.allclose(measured, TINY.gradient(GRAY), atol=1e-8)


def test_persistent_chains_give_the_gradient_of_the_likelihood_with_few_cycles():
    runs = [estimate(2, 20_000, persistent=True, seed=s)[0] for s in range(20)]
    # Successive reconstructions are correlated, so the error comes from independent runs.
    mean, error = np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1) / np.sqrt(len(runs))
    expected = TINY.gradient(GRAY)
    certain = error < 1e-12
    t = (mean - expected)[~certain] / error[~certain]
    assert (2 * stats.t.sf(np.abs(t), len(runs) - 1)).min() * t.size > 1e-3
    plain = [estimate(2, 20_000, seed=s)[0] for s in range(20)]
    apart = np.abs(np.mean(plain, axis=0) - expected) / error.max()
    assert apart.max() > 8


def test_a_large_layer_fires_with_the_logistic_probability():
    machine, n = RBM(784, 9), 4000
    theta = machine.start(np.random.SeedSequence(1), std=1.0)
    weights, _, visible_bias = machine.parts(theta)
    z = np.array([1.0, 0, 1, 1, 0, 0, 0, 1, 0])
    stream = new_stream(np.random.SeedSequence(2))
    counts = sum(rbm_kernel.draw_visible(theta, z, stream) for _ in range(n))
    p = 1 / (1 + np.exp(-(z @ weights + visible_bias)))
    scores = (counts - n * p) / np.sqrt(n * p * (1 - p))
    assert np.sum(scores**2) == pytest.approx(784, abs=5 * np.sqrt(2 * 784))
    assert np.abs(scores).max() < 5
    wrong = (counts - n * np.roll(p, 1)) / np.sqrt(n * p * (1 - p))
    assert np.sum(wrong**2) > 2 * 784


@pytest.mark.parametrize("weight_prior", [Flat(), GaussianMixture()])
def test_one_update_is_the_equation_of_the_paper(weight_prior):
    # Biases so strong that every draw is certain: wake sample and reconstruction are known.
    machine, eta, data_size = RBM(3, 2), 1e-4, 100.0
    x, z, x_hat = np.array([1.0, 0, 1]), np.array([1.0, 0]), np.array([0.0, 1, 1])
    weights = np.array([[0.3, 0.9, -0.2], [0.1, 1.1, 0.6]])
    theta = np.concatenate([weights.ravel(), 200 * z - 100, 200 * x_hat - 100])
    rule = Rule(
        machine.likelihood(x[None], data_size=data_size),
        machine.prior(weight_prior),
        temperature=0.0,
    )
    chains = Chains(rule, theta[None], eta, np.random.SeedSequence(1))
    chains.advance(1)
    change = machine.parts(chains.theta[0] - theta)
    pull = weight_prior.gradient(weights)
    expected = eta * (pull + data_size * (np.outer(z, x) - np.outer(z, x_hat)))
    assert np.allclose(change.weights, expected, rtol=0, atol=1e-14)
    assert np.allclose(change.hidden_bias, 0.0, atol=1e-12)
    assert np.allclose(change.visible_bias, eta * data_size * (x - x_hat), rtol=0, atol=1e-12)


def _machine_chains(persistent, threads=1):
    rule = Rule(MACHINE.likelihood(GRAY[None], 2, persistent), MACHINE.prior(GaussianMixture()))
    return Chains(rule, np.stack([THETA] * 3), 1e-3, np.random.SeedSequence(3), threads)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_stopped_machine_continues_bit_identically(persistent):
    straight = _machine_chains(persistent)
    straight.burn_in(50)
    state = straight.state()
    expected = straight.advance(60)
    resumed = _machine_chains(persistent, threads=3)
    resumed.restore(state)
    assert np.array_equal(resumed.advance(60), expected)
    # Chains have separate streams (and hidden states).
    assert not np.array_equal(expected[0], expected[1])
    forgetful = _machine_chains(persistent)
    forgetful.restore(state | {"memories": _machine_chains(persistent).state()["memories"]})
    assert not np.array_equal(forgetful.advance(60), expected)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_plain_prior_does_not_change_the_compiled_machine(persistent):
    def path(prior):
        rule = Rule(MACHINE.likelihood(GRAY[None], 2, persistent), prior)
        return Chains(rule, THETA[None], 1e-3, np.random.SeedSequence(3)).advance(50)

    plain = CustomPrior(lambda theta, p: -0.5 * theta**2, lambda theta, p: -theta)
    assert np.max(np.abs(path(plain) - path(Gaussian(0.0, 1.0)))) < 1e-12


def test_generated_images_follow_the_distribution_of_the_machine():
    images = MACHINE.generate(THETA, 20_000, 40, np.random.SeedSequence(1))
    numbers, edges = images @ [8, 4, 2, 1], np.arange(17) - 0.5
    assert chi_square_p_value(numbers, edges, TINY.of_x) > 1e-3
    assert chi_square_p_value(numbers, edges, TINY.of_x[::-1]) < 1e-6


def test_start_values_are_those_of_the_paper():
    machine = RBM()
    assert (machine.n_visible, machine.n_hidden, machine.size) == (784, 9, 7849)
    weights, *biases = machine.parts(machine.start(np.random.SeedSequence(1)))
    for values, mean in ((weights.ravel(), 0.0), (np.concatenate(biases), -1.0)):
        assert abs(values.mean() - mean) < 4.5 * 0.25 / np.sqrt(values.size)
        assert abs(values.std() / 0.25 - 1) < 4.5 / np.sqrt(2 * values.size)


def test_biases_have_no_prior():
    gradient = MACHINE.prior(GaussianMixture()).gradient(THETA)
    assert np.all(gradient[: MACHINE.n_weights] != 0)
    assert np.all(gradient[MACHINE.n_weights :] == 0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RBM(0, 3), ["n_visible", ">= 1", "0"]),
        (lambda: MACHINE.likelihood(np.ones((2, 5))), ["images", "(n, 4)", "(2, 5)"]),
        (lambda: MACHINE.likelihood(255 * np.ones((2, 4))), ["images", "[0, 1]", "255"]),
        (lambda: MACHINE.likelihood(GRAY[None], cycles=0), ["cycles", ">= 1", "0"]),
        (lambda: MACHINE.parts(np.zeros(3)), ["theta", str(MACHINE.size), "(3,)"]),
    ],
)
def test_arrays_that_do_not_fit_raise_an_error(make, words):
    with pytest.raises(SynsampError) as error:
        make()
    for word in words:
        assert word in str(error.value)
