"""The filters against sums over all that can happen, and against each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from spines.tables import truth
from synsamp.spines.filter import (
    Resolution,
    log_likelihoods,
    resolution,
    survival_between_sessions,
)
from synsamp.spines.gaussian_filter import gaussian_log_likelihoods
from synsamp.spines.observations import observations
from synsamp.spines.process import OneTimeScale, RandomWalk, TwoTimeScales

TIMES = np.array([0.0, 3.0, 4.0, 9.0])
THRESHOLD = 0.1


def gaussian_moments(process, times):
    """Mean and covariance of the measured log sizes at some times."""
    cov = np.zeros((times.size, times.size))
    if isinstance(process, RandomWalk):
        cov += process.start_spread**2
        cov += 2 * process.diffusion * np.minimum.outer(times - times[0], times - times[0])
    else:
        for spread, relaxation in process.parts():
            cov += spread**2 * np.exp(-np.abs(np.subtract.outer(times, times)) / relaxation)
    return np.full(times.size, process.start()[0]), cov + process.noise**2 * np.eye(times.size)


def probability(process, times, seen, values):
    """P(absent where not seen, and the density of the values), by a multivariate Gaussian."""
    mean, cov = gaussian_moments(process, times)
    s, a = np.flatnonzero(seen), np.flatnonzero(~seen)
    log_p = 0.0
    if s.size:
        log_p += stats.multivariate_normal(mean[s], cov[np.ix_(s, s)]).logpdf(values[s])
        gain = cov[np.ix_(a, s)] @ np.linalg.inv(cov[np.ix_(s, s)])
        mean_a = mean[a] + gain @ (values[s] - mean[s])
        cov_a = cov[np.ix_(a, a)] - gain @ cov[np.ix_(s, a)]
    else:
        mean_a, cov_a = mean[a], cov[np.ix_(a, a)]
    if a.size:
        log_p += np.log(below(np.full(a.size, THRESHOLD), mean_a, cov_a))
    return log_p


def below(x, mean, cov):
    """P(all below x) of a Gaussian; it may be 1e-14, so only the relative error is bounded."""
    precise = {"abseps": 1e-40, "releps": 1e-5, "maxpts": 10**5 * len(x)}
    return stats.multivariate_normal.cdf(x, mean, cov, allow_singular=True, **precise)


def exact(process, state, values):
    rows = []
    for row, value in zip(state, values, strict=True):
        imaged = row >= 0
        times, seen = TIMES[imaged], row[imaged] == 1
        never = probability(process, times, np.zeros(times.size, bool), value[imaged])
        rows.append(probability(process, times, seen, value[imaged]) - np.log(-np.expm1(never)))
    return np.array(rows)


STATE = np.array(
    [[1, 1, 1, 1], [0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 0], [1, -1, 0, 0], [0, 1, -1, 1]]
)
VALUES = np.where(STATE == 1, np.linspace(0.15, 1.9, STATE.size).reshape(STATE.shape), np.nan)


def by_true_size(process, state, values):
    """Reference with the threshold on x: joint density of x and y, truncated in x."""
    rows = []
    for row, value in zip(state, values, strict=True):
        imaged = row >= 0
        times, seen, y = TIMES[imaged], row[imaged] == 1, value[imaged]
        quiet = OneTimeScale(process.mean, process.spread, process.relaxation, 0.0)
        mean, cov = gaussian_moments(quiet, times)
        never = below(np.full(times.size, THRESHOLD), mean, cov)
        log_p = 0.0
        s = np.flatnonzero(seen)
        gain = cov[:, s] @ np.linalg.inv(cov[np.ix_(s, s)] + process.noise**2 * np.eye(s.size))
        distribution = stats.multivariate_normal(
            mean[s], cov[np.ix_(s, s)] + process.noise**2 * np.eye(s.size)
        )
        log_p += distribution.logpdf(y[s])
        after_mean, after_cov = mean + gain @ (y[s] - mean[s]), cov - gain @ cov[s]
        sign = np.where(seen, -1.0, 1.0)  # above the threshold is below it in −x
        flipped = below(sign * THRESHOLD, sign * after_mean, sign[:, None] * after_cov * sign)
        rows.append(log_p + np.log(flipped) - np.log1p(-never))
    return np.array(rows)


@pytest.mark.parametrize(
    "process", [OneTimeScale(-0.5, 1.0, 6.0, 0.3), OneTimeScale(0.4, 0.7, 12.0, 0.15)]
)
def test_the_filter_is_exact_where_the_true_size_decides(process):
    seen = observations(TIMES, STATE.astype(np.int8), VALUES, THRESHOLD).with_threshold(
        THRESHOLD, "true"
    )
    wanted = by_true_size(process, STATE, VALUES)
    found = log_likelihoods(process, seen, resolution(process, seen))
    np.testing.assert_allclose(found, wanted, atol=3e-4)
    assert (
        np.median(np.abs(gaussian_log_likelihoods(process, seen) - wanted)) < 0.05
    )  # the quick one
    assert np.abs(exact(process, STATE, VALUES) - wanted).max() > 0.02  # the other way differs


@pytest.mark.parametrize(
    "process",
    [
        OneTimeScale(-0.5, 1.0, 6.0, 0.3),
        OneTimeScale(0.4, 0.7, 40.0, 0.05),
        OneTimeScale(-0.2, 0.8, 2.0, 0.6),
        RandomWalk(-0.3, 0.9, 0.05, 0.2),
    ],
)
def test_the_filter_on_nodes_is_exact(process):
    seen = observations(TIMES, STATE.astype(np.int8), VALUES, THRESHOLD)
    found = log_likelihoods(process, seen, resolution(process, seen))
    np.testing.assert_allclose(found, exact(process, STATE, VALUES), atol=2e-4)


def test_a_spine_seen_without_a_size_counts_as_seen():
    process = OneTimeScale(-0.5, 1.0, 6.0, 0.3)
    state = np.array([[1, 1, 0, 0]], np.int8)
    seen = observations(TIMES, state, np.array([[0.4, np.nan, np.nan, np.nan]]), THRESHOLD)
    found = log_likelihoods(process, seen, resolution(process, seen))
    # The same by summing over the size that was not measured.
    width = 0.05
    sizes = THRESHOLD + (np.arange(120) + 0.5) * width
    summed = np.concatenate([observed(process, state, [0.4, z, np.nan, np.nan]) for z in sizes])
    assert found[0] == pytest.approx(np.log(np.exp(summed).sum() * width), abs=2e-3)


def observed(process, state, values):
    seen = observations(TIMES, state, np.array([values]), THRESHOLD)
    return log_likelihoods(process, seen, resolution(process, seen))


@pytest.mark.parametrize(
    "process", [OneTimeScale(-0.5, 1.0, 20.0, 0.2), TwoTimeScales(-0.5, 0.9, 40.0, 0.4, 4.0, 0.1)]
)
def test_the_gaussian_filter_is_exact_for_sizes_and_near_for_absences(process):
    state = STATE.astype(np.int8)
    whole = observations(TIMES, np.ones((3, 4), np.int8), VALUES[:1] + np.zeros((3, 1)), THRESHOLD)
    found = gaussian_log_likelihoods(process, whole)
    # With every spine always seen, only the chance of never being seen is approximate.
    wanted = exact(process, np.ones((3, 4)), VALUES[:1].repeat(3, 0))
    np.testing.assert_allclose(found, wanted, atol=0.05)
    some = observations(TIMES, state, VALUES, THRESHOLD)
    gaps = gaussian_log_likelihoods(process, some) - exact(process, STATE, VALUES)
    # It is off where a size leaps far up from nothing, which is rare; hence the middle.
    assert np.median(np.abs(gaps)) < 0.1


def test_a_broken_threshold_is_seen_by_this_test():
    """The negative control: the likelihood without the threshold is far from the exact one."""
    process = OneTimeScale(-0.5, 1.0, 6.0, 0.3)
    seen = observations(TIMES, STATE.astype(np.int8), VALUES, -8.0)
    found = log_likelihoods(process, seen, resolution(process, seen))
    assert np.abs(found - exact(process, STATE, VALUES)).max() > 1


def test_more_nodes_change_nothing():
    table = truth(noise=0.3)
    seen, process = table.observations(), OneTimeScale(-0.5, 1.0, 20.0, 0.3)
    nodes = resolution(process, seen)
    finer = Resolution(2 * nodes.sized, 2 * nodes.edge, 2 * nodes.tail)
    gap = log_likelihoods(process, seen, nodes) - log_likelihoods(process, seen, finer)
    assert np.abs(gap).sum() < 0.05  # of the log-likelihood of the whole table


def test_first_passage_is_what_simulated_spines_do():
    process, step = OneTimeScale(-0.5, 1.0, 20.0, 0.2), 3.0
    alive = survival_between_sessions(process, 0.0, step, 4)
    table = truth(n_spines=6000, times=np.arange(6) * step, noise=0.2)
    new = (table.state[:, 0] == 0) & (table.state[:, 1] == 1)
    rows = table.state[new, 1:]
    for k in range(1, 5):
        fraction = (rows[:, : k + 1] == 1).all(axis=1).mean()
        error = np.sqrt(alive[k] * (1 - alive[k]) / new.sum())
        assert abs(fraction - alive[k]) < 4.5 * error
