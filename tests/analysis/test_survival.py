"""Lifetimes, Kaplan–Meier and the two laws, against closed forms and simulated truth."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.analysis.survival import (
    Lifetimes,
    _standard_errors,
    fit_exponential,
    fit_power_law,
    joined,
    kaplan_meier,
    new_lifetimes,
)
from synsamp.errors import SynsampError


def on_a_grid(lives, step, end):
    """What an observer sees who looks every ``step`` until ``end``."""
    steps = np.floor(lives / step)
    ended = (steps + 1) * step <= end
    last = np.where(ended, steps * step, np.floor(end / step) * step)
    return Lifetimes(last, np.where(ended, (steps + 1) * step, np.inf))


def exponential_lives(rng, tau, n):
    return rng.exponential(tau, n)


def power_law_lives(rng, tau, gamma, n):
    return tau * (rng.random(n) ** (-1.0 / gamma) - 1.0)


# -- lifetimes from states ------------------------------------------------------------------------


def test_lives_of_new_connections_by_hand():
    states = np.array(
        [
            # always, born at 2 and gone at 4, born at 2 and staying, back after being seen
            [1, 0, 0, 1],
            [1, 0, 0, 0],
            [1, 1, 1, 1],
            [1, 1, 1, 1],
            [1, 0, 1, 1],
            [1, 0, 1, 0],
        ],
        bool,
    )
    lives = new_lifetimes(states, step=10.0, window_steps=2)
    # Cohorts are taken at points 2 and 4; the fourth was active two points before the first.
    assert lives.last_seen.tolist() == [10.0, 30.0]
    assert lives.first_missed.tolist() == [20.0, np.inf]


def test_a_connection_is_new_only_once_per_formation():
    states = np.zeros((9, 1), bool)
    states[3:] = True
    assert len(new_lifetimes(states, 1.0, 2)) == 1


def test_no_new_connection_gives_no_life():
    assert len(new_lifetimes(np.ones((6, 5), bool), 1.0, 1)) == 0


@pytest.mark.parametrize(
    ("last", "missed"), [([1.0], [1.0]), ([-1.0], [2.0]), ([np.nan], [2.0]), ([1.0, 2.0], [3.0])]
)
def test_impossible_lives_are_refused(last, missed):
    with pytest.raises(SynsampError):
        Lifetimes(np.array(last), np.array(missed))


# -- Kaplan–Meier ---------------------------------------------------------------------------------


def test_kaplan_meier_by_hand():
    # Losses at 1 and 3, one life censored after 2: S = 3/4, then 3/4 · 1/2.
    lives = Lifetimes(np.array([0.0, 2.0, 2.0, 5.0]), np.array([1.0, np.inf, 3.0, np.inf]))
    curve = kaplan_meier(lives)
    found = dict(zip(curve.time.tolist(), curve.survival.tolist(), strict=True))
    assert found[0.0] == 1.0
    assert found[1.0] == pytest.approx(0.75)
    assert found[3.0] == pytest.approx(0.375)
    assert (curve.low <= curve.survival).all()
    assert (curve.survival <= curve.high).all()


def test_censored_lives_do_not_pull_the_curve_down():
    rng = np.random.default_rng(1)
    lives = on_a_grid(exponential_lives(rng, 10.0, 20000), 0.5, 60.0)
    leaves = rng.uniform(0, 20, len(lives))
    cut = lives.last_seen > leaves
    censored = Lifetimes(
        np.where(cut, np.floor(leaves * 2) / 2, lives.last_seen),
        np.where(cut, np.inf, lives.first_missed),
    )
    curve = kaplan_meier(censored)
    at = curve.survival[np.searchsorted(curve.time, 8.0)]
    assert at == pytest.approx(np.exp(-0.8), abs=4 * 0.006)
    naive = (censored.last_seen >= 8.0).mean()
    assert naive < np.exp(-0.8) - 0.1, "the control must show what censoring does"


def test_the_band_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(300):
        curve = kaplan_meier(on_a_grid(exponential_lives(rng, 10.0, 60), 1.0, 30.0))
        k = np.searchsorted(curve.time, 10.0, side="right") - 1
        hits += curve.low[k] <= np.exp(-1.0) <= curve.high[k]
    # Binomial with p = 0.95, n = 300: standard deviation 3.8.
    assert 285 - 5 * 3.8 < hits <= 300


# -- fits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [0.1, 5.0])
def test_exponential_is_recovered_whatever_the_grid(step):
    lives = on_a_grid(exponential_lives(np.random.default_rng(3), 7.0, 5000), step, 30.0)
    fit = fit_exponential(lives)
    assert abs(fit.tau - 7.0) < 4 * fit.tau_error
    assert fit.tau_error < 0.3


@pytest.mark.parametrize(("tau", "gamma"), [(2.0, 0.5), (10.0, 1.4), (0.5, 3.0)])
def test_power_law_is_recovered(tau, gamma):
    lives = on_a_grid(power_law_lives(np.random.default_rng(4), tau, gamma, 20000), 0.25, 200.0)
    fit = fit_power_law(lives)
    assert abs(fit.tau - tau) < 4 * fit.tau_error
    assert abs(fit.gamma - gamma) < 4 * fit.gamma_error
    assert fit.gamma_error < 0.2 * gamma


def test_errors_of_the_power_law_are_honest():
    rng = np.random.default_rng(5)
    z = []
    for _ in range(30):
        fit = fit_power_law(on_a_grid(power_law_lives(rng, 4.0, 1.0, 800), 1.0, 100.0))
        z.append(np.log(fit.gamma / 1.0) / (fit.gamma_error / fit.gamma))
    assert 0.6 < np.std(z) < 1.5


def test_each_law_wins_on_its_own_data():
    rng = np.random.default_rng(6)
    own = on_a_grid(power_law_lives(rng, 3.0, 1.0, 1000), 1.0, 100.0)
    other = on_a_grid(exponential_lives(rng, 10.0, 1000), 1.0, 100.0)
    assert fit_exponential(own).aic - fit_power_law(own).aic > 100
    # The exponential is a limit of the power law: it can win by its one parameter less at most.
    assert -2.1 < fit_exponential(other).aic - fit_power_law(other).aic < 6


def test_ignoring_censoring_would_bias_the_fit():
    lives = on_a_grid(power_law_lives(np.random.default_rng(7), 3.0, 0.7, 5000), 1.0, 50.0)
    right = fit_power_law(lives)
    dropped = Lifetimes(lives.last_seen[lives.ended], lives.first_missed[lives.ended])
    assert abs(right.gamma - 0.7) < 4 * right.gamma_error
    assert abs(fit_power_law(dropped).gamma - 0.7) > 0.3


def test_other_units_of_time_scale_the_fit():
    lives = on_a_grid(power_law_lives(np.random.default_rng(8), 3.0, 1.0, 2000), 1.0, 60.0)
    days, seconds = fit_power_law(lives), fit_power_law(lives.scaled(86400.0))
    assert seconds.tau == pytest.approx(86400.0 * days.tau, rel=1e-3)
    assert seconds.gamma == pytest.approx(days.gamma, rel=1e-3)
    assert seconds.median == pytest.approx(86400.0 * days.median, rel=1e-3)
    assert days.survival(days.median) == pytest.approx(0.5)


def test_too_few_lives_are_refused_in_words():
    few = Lifetimes(np.array([1.0, 2.0]), np.array([2.0, np.inf]))
    with pytest.raises(SynsampError, match="at least three"):
        fit_power_law(few)
    with pytest.raises(SynsampError, match="must not be empty"):
        kaplan_meier(joined([]))


def test_akaikes_criterion_counts_the_parameters_of_each_law():
    lives = on_a_grid(power_law_lives(np.random.default_rng(9), 3.0, 1.0, 500), 1.0, 60.0)
    for fit, parameters in ((fit_exponential(lives), 1), (fit_power_law(lives), 2)):
        assert fit.aic == pytest.approx(2 * parameters - 2 * fit.log_likelihood)


def test_at_time_zero_all_live_for_certain():
    lives = on_a_grid(exponential_lives(np.random.default_rng(10), 5.0, 50), 1.0, 30.0)
    curve = kaplan_meier(lives)
    first = (curve.time[0], curve.survival[0], curve.low[0], curve.high[0], curve.at_risk[0])
    assert first == (0.0, 1.0, 1.0, 1.0, 50)


def test_errors_come_from_the_whole_curvature():
    """Of a quadratic cost the covariance is the inverse matrix, off-diagonal terms included."""
    matrix = np.array([[4.0, 1.5, 0.2], [1.5, 3.0, -0.7], [0.2, -0.7, 2.0]])
    found = _standard_errors(lambda x: 0.5 * x @ matrix @ x, np.array([0.3, -0.2, 0.1]))
    assert found == pytest.approx(np.sqrt(np.diag(np.linalg.inv(matrix))), rel=1e-6)
    assert np.isnan(_standard_errors(lambda x: x[0] ** 2, np.zeros(2))).all()
