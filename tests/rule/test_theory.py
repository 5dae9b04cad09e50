import numpy as np
import pytest

import synsamp as ss
from synsamp.rule.theory import fokker_planck

X = np.linspace(-6, 6, 241)


def _moments(theory, density):
    mean = np.sum(density * X) * theory.cell
    return mean, np.sum(density * X**2) * theory.cell - mean**2


def test_ornstein_uhlenbeck_in_closed_form():
    theory = fokker_planck(ss.Rule(prior=ss.Gaussian(0.5, 1.0), speed=2.0, temperature=0.8), X)
    for time in (0.1, 0.5, 2.0):
        mean, variance = _moments(theory, theory.evolve(theory.delta(3.0), time))
        keep = np.exp(-2.0 * time)
        assert mean == pytest.approx(0.5 + 2.5 * keep, abs=2e-3)
        assert variance == pytest.approx(0.8 * (1 - keep**2), abs=2e-3)
    assert theory.relaxation_time() == pytest.approx(0.5, rel=1e-2)


@pytest.mark.parametrize("temperature", [0.25, 1.0, 4.0])
def test_the_target_is_stationary_on_the_grid_exactly(temperature):
    speed = ss.Speed(lambda x, p: 0.3 + x * x / (1 + x * x), lambda x, p: 2 * x / (1 + x * x) ** 2)
    prior = ss.GaussianMixture((-1.0, 1.5), (0.5, 0.4))
    rule = ss.Rule(prior=prior, speed=speed, temperature=temperature)
    coarse = np.linspace(-4, 4, 41)
    theory = fokker_planck(rule, coarse)
    expected = np.exp(prior.log_density(coarse) / temperature)
    expected /= expected.sum() * theory.cell
    assert theory.stationary == pytest.approx(expected, rel=1e-12)
    rest = theory.generator @ theory.stationary
    assert np.abs(rest).max() < 1e-10 * np.abs(theory.generator).max() * theory.stationary.max()
    late = theory.evolve(theory.delta(-1.0), 40 * theory.relaxation_time())
    assert late == pytest.approx(theory.stationary, abs=1e-7)


def test_without_the_correction_for_the_speed_the_target_is_not_stationary():
    # The flux of a rule without T b′ is b f p − ∂(T b p): the target is not its rest state.
    b = 0.3 + X**2 / (1 + X**2)
    log_p = ss.GaussianMixture((-1.0, 1.5), (0.5, 0.4)).log_density(X)
    p = np.exp(log_p)
    with_term = b * np.gradient(log_p, X) * p - b * np.gradient(p, X)
    without = b * np.gradient(log_p, X) * p - np.gradient(b * p, X)
    assert np.abs(without).max() > 20 * np.abs(with_term).max()


def test_mass_is_kept_and_stays_positive_in_two_dimensions():
    x, y = np.linspace(-3, 3, 41), np.linspace(-2, 4, 31)
    rule = ss.Rule(
        lambda theta: np.stack([-theta[..., 1], -theta[..., 0]], axis=-1), ss.Gaussian(0.5, 1.0)
    )
    theory = fokker_planck(rule, x, y, log_likelihood=lambda t: -t[:, 0] * t[:, 1])
    density = theory.evolve(theory.delta([1.0, 0.0]), 0.7)
    assert density.sum() * theory.cell == pytest.approx(1, abs=1e-7)
    assert density.min() > -1e-12
    rest = theory.generator @ theory.stationary.ravel()
    assert np.abs(rest).max() < 1e-11 * np.abs(theory.generator).max()


def test_a_gradient_that_does_not_fit_the_likelihood_is_found_before_running():
    rule = ss.Rule(lambda theta: -2.0 * theta, ss.Gaussian())
    with pytest.raises(ss.SynsampError, match="likelihood gradient of parameter 0"):
        fokker_planck(rule, X, log_likelihood=lambda t: -0.5 * t[:, 0] ** 2)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: fokker_planck(ss.Rule(prior=ss.Gaussian())), "number of axes"),
        (lambda: fokker_planck(ss.Rule(temperature=0.0), X), "temperature"),
        (lambda: fokker_planck(ss.Rule(), X**3), "evenly spaced"),
        (lambda: fokker_planck(ss.Rule(), X[::-1]), "increase"),
        (lambda: fokker_planck(ss.Rule(lambda t: t), X), "log_likelihood"),
        (lambda: fokker_planck(ss.Rule(), X).evolve(np.ones(3), 1.0), "density"),
        (lambda: fokker_planck(ss.Rule(), X).evolve(np.ones(X.size), -1.0), "time"),
    ],
)
def test_bad_input_raises_an_error(make, word):
    with pytest.raises(ss.SynsampError, match=word):
        make()
