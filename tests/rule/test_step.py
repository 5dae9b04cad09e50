"""A time step that is too large triggers a warning with a suggestion; a good one does not."""

import re
import warnings

import numpy as np
import pytest
from numba import njit

import synsamp as ss
from synsamp.rule.overdamped import spread_inflation
from synsamp.rule.step import check_step


def _run(rule, dt, start=(0.0, 0.0), steps=4000, **changes):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = ss.sample(rule, start, steps=steps, dt=dt, progress=False, **changes)
    return result, [w for w in told if issubclass(w.category, ss.StepSizeWarning)]


def _advised(told):
    return float(re.search(r"use dt = (\S+) or smaller", str(told[0].message))[1])


COVARIANCE = np.array([[1.0, 0.95], [0.95, 1.0]])
PRECISION = np.linalg.inv(COVARIANCE)  # the sharpest direction has variance 0.05


@njit
def _correlated(theta):
    return -PRECISION @ theta


def _of_one(theta, x):
    return (x - theta) / 0.25


RULES = {
    "prior": (ss.Rule(prior=ss.Gaussian(0.0, 0.1)), 100.0),
    "prior, one parameter sharp": (ss.Rule(prior=ss.Gaussian(0.0, [3.0, 0.1])), 100.0),
    "speed": (ss.Rule(prior=ss.Gaussian(0.0, 0.5), speed=25.0), 100.0),
    "compiled": (ss.Rule(_correlated), 20.0),
    "plain": (ss.Rule(lambda theta: -theta @ PRECISION), 20.0),
    "with a prior": (ss.Rule(_correlated, ss.Gaussian(0.0, 0.25)), 36.0),
    "online": (ss.Rule(ss.Online(_of_one, np.zeros((25, 2)))), 100.0),
    "online, compiled": (ss.Rule(ss.Online(njit(_of_one), np.zeros((25, 2)))), 100.0),
    "mapping": (ss.Rule(lambda w: -w, mapping=ss.CustomMapping(
        lambda theta, p: 10.0 * theta, lambda theta, p: 10.0 + 0.0 * theta)), 100.0),
    "temperature": (ss.Rule(prior=ss.Gaussian(0.0, 0.1), temperature=0.2), 100.0),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_a_spread_six_per_cent_too_wide_warns_and_the_suggested_step_is_accurate(name):
    rule, sharpest = RULES[name]
    dt = 0.22 / sharpest  # 1/sqrt(1 − 0.11) = 1.06
    result, told = _run(rule, dt)
    assert result.attrs["spread_inflation"] == pytest.approx(0.06, abs=0.005)
    assert len(told) == 1
    assert "6% too wide" in str(told[0].message)
    assert told[0].filename == __file__
    advised = _advised(told)
    assert 0.01 < advised * sharpest <= 0.04
    assert _run(rule, advised)[1] == []


def test_the_measured_spread_is_as_wide_as_reported():
    result, told = _run(ss.Rule(prior=ss.Gaussian(0.0, 1.0)), 0.4, np.zeros(100), steps=3000)
    wide = float(result.theta[:, 100:].std()) - 1
    assert told
    # λΔt = 0.4 leaves about 4·100·3000·0.2 independent draws: an error of 0.3 % at most.
    assert wide == pytest.approx(result.attrs["spread_inflation"], abs=0.01)


def test_the_spread_inflation_has_a_closed_form_and_a_pole():
    assert spread_inflation(0.0) == 0.0
    assert spread_inflation(1.0) == pytest.approx(np.sqrt(2) - 1)
    assert spread_inflation(2.0) == np.inf


def test_chains_that_overshoot_warn_even_if_they_stay_finite():
    bounded = ss.Rule(lambda theta: -50.0 * np.tanh(theta), ss.Gaussian(0.0, 10.0))
    _, told = _run(bounded, 0.5)
    assert len(told) == 1


def test_a_kink_is_detected_at_the_width_of_a_step():
    assert _run(ss.Rule(prior=ss.Laplace(0.0, 0.1)), 0.01)[1]
    assert _run(ss.Rule(prior=ss.Laplace(0.0, 0.1)), 1e-5)[1] == []


def test_between_two_modes_the_sharp_direction_is_still_found():
    # At the origin the first parameter curves the other way, and more than the second holds.
    def gradient(theta):
        return np.stack([8.0 * theta[:, 0], -4.0 * theta[:, 1]], axis=1)

    with pytest.warns(ss.StepSizeWarning):
        share = check_step(ss.Rule(gradient), np.zeros((2, 2)), 0.1, 0.0, gradient)
    assert share == pytest.approx(float(spread_inflation(0.4)), rel=1e-3)


def test_without_noise_only_a_step_that_overshoots_warns():
    rule = ss.Rule(prior=ss.Gaussian(0.0, 0.1), temperature=0.0)
    assert _run(rule, 0.01, start=(1.0, 1.0))[1] == []  # λΔt = 1: straight to the maximum
    assert _run(rule, 0.0201, start=(1.0, 1.0), steps=50)[1]  # 2.01: to and fro, ever further


def test_a_function_that_relies_on_the_number_of_chains_is_checked_too():
    centres = np.zeros((4, 2))  # one row per chain

    def gradient(theta):
        return (centres - theta) * 100.0

    assert "6% too wide" in str(_run(ss.Rule(gradient), 0.0022, chains=4)[1][0].message)
