"""The prior term with the printed sign: its closed form against small steps, and in a network."""

from dataclasses import replace

import numpy as np
import pytest

from synsamp.paper.fig3_motility.parameters import MotilityParameters
from synsamp.paper.fig4_adaptation import EXPERIMENT
from synsamp.paper.shared.digit_circuit import SpikingRule, build_prior, build_synapses
from synsamp.paper.shared.printed_prior import PrintedGaussian
from synsamp.priors import Gaussian
from synsamp.runs import execute

PRINTED = SpikingRule(prior_sign="printed")


def test_the_sign_selects_the_prior_term():
    theta = np.array([-1.0, 0.5, 2.0])
    np.testing.assert_allclose(build_prior(PRINTED).gradient(theta), [-1.5, 0.0, 1.5])
    np.testing.assert_allclose(build_prior(SpikingRule()).gradient(theta), [1.5, 0.0, -1.5])
    assert isinstance(build_synapses(PRINTED).prior, PrintedGaussian)
    assert isinstance(build_synapses(SpikingRule()).prior, Gaussian)


def test_the_gradient_is_the_slope_of_its_function():
    prior, theta = PrintedGaussian(0.5, 2.0), np.linspace(-3, 3, 7)
    slope = (prior.log_density(theta + 1e-5) - prior.log_density(theta - 1e-5)) / 2e-5
    np.testing.assert_allclose(prior.gradient(theta), slope, atol=1e-8)


def test_the_transition_has_the_mean_and_spread_of_small_steps():
    b, T, std, elapsed, steps = 0.1, 0.7, 1.3, 5.0, 20_000
    mean, keep, spread = PrintedGaussian.transition_of((0.5, std), b, T, elapsed)
    dt, factor, variance = elapsed / steps, 1.0, 0.0
    for _ in range(steps):  # moments of θ − μ under Euler steps of the printed rule
        growth = 1.0 + b * dt / std**2
        factor, variance = factor * growth, variance * growth**2 + 2 * b * T * dt
    assert mean == 0.5
    assert keep == pytest.approx(factor, rel=1e-4)
    assert spread == pytest.approx(np.sqrt(variance), rel=1e-4)
    # Negative control: the corrected sign draws θ back.
    assert Gaussian.transition_of((0.5, std), b, T, elapsed)[1] < 1 < keep


def test_initial_values_are_drawn_as_in_the_methods():
    drawn = PrintedGaussian(0.5, 1.0).draw(np.random.default_rng(0), 4000)
    assert abs(drawn.mean() - 0.5) < 5 / np.sqrt(4000)
    assert abs(drawn.std() - 1.0) < 5 / np.sqrt(8000)


def test_figure_3_refuses_it_since_its_theory_is_that_of_the_prior():
    with pytest.raises(ValueError, match="prior_sign must be corrected"):
        MotilityParameters(rule=PRINTED)


def test_synapses_without_activity_follow_the_closed_form_in_figure_4(tmp_path):
    settings = ["phase_s=200", "snapshot_every_s=100", "probe_s=5", "circuit.neurons=4"]
    undrawn = replace(EXPERIMENT, draw=lambda parameters, runs: {})  # figures take longest
    found = execute(undrawn, tmp_path / "run", settings=[*settings, "rule.prior_sign=printed"])
    theta = found.results()["no_activity/theta"].theta.values.astype(float) - 0.5
    start, end = theta[0].ravel(), theta[-1].ravel()
    _, keep, spread = PrintedGaussian.transition_of((0.5, 1.0), 1e-4, 1.0, 600.0)
    error = spread / np.sqrt(start @ start)
    slope = start @ end / (start @ start)
    assert abs(slope - keep) < 4 * error
    noise = end - keep * start
    assert abs(noise.std() / spread - 1) < 4 / np.sqrt(2 * noise.size)
    # Negative control: the corrected sign.
    assert abs(slope - Gaussian.transition_of((0.5, 1.0), 1e-4, 1.0, 600.0)[1]) > 4 * error
