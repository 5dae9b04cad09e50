"""The process against exact simulations of it: estimates, and how long it stays up."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.analysis.ornstein_uhlenbeck import (
    estimate_ornstein_uhlenbeck,
    first_passage_survival,
)
from synsamp.analysis.survival import loss_deviations, new_lifetimes
from synsamp.errors import SynsampError
from synsamp.spines.filter import survival_between_sessions
from synsamp.spines.process import OneTimeScale

MEAN, SPREAD, NOISE = 0.5, 1.2, 0.02


def steps(rng, n_spines=100, n_steps=20, noise=NOISE):
    """Exact transitions at irregular times, started from the stationary distribution."""
    x = MEAN + SPREAD * rng.standard_normal(n_spines)
    before, after, interval = [], [], []
    for _ in range(n_steps):
        dt = rng.uniform(1.0, 40.0, n_spines)
        keep = np.exp(-noise * dt / SPREAD**2)
        y = MEAN + keep * (x - MEAN) + SPREAD * np.sqrt(1 - keep**2) * rng.standard_normal(n_spines)
        before.append(x)
        after.append(y)
        interval.append(dt)
        x = y
    return np.concatenate(before), np.concatenate(after), np.concatenate(interval)


def deviations(estimate, noise=NOISE):
    return np.array(
        [
            (estimate.mean - MEAN) / estimate.mean_error,
            (estimate.spread - SPREAD) / estimate.spread_error,
            (estimate.noise - noise) / estimate.noise_error,
        ]
    )


def test_the_truth_is_recovered_with_honest_errors():
    rng = np.random.default_rng(1)
    z = np.array([deviations(estimate_ornstein_uhlenbeck(*steps(rng))) for _ in range(40)])
    assert np.abs(z).max() < 4.5
    # Standard deviation of 40 standard normals: 1 ± 0.11.
    assert (np.abs(z.std(axis=0) - 1) < 0.45).all()
    assert (np.abs(z.mean(axis=0)) < 4 / np.sqrt(40)).all()


def test_leaving_out_the_root_of_two_is_noticed():
    """Negative control: noise of sqrt(b T) instead of sqrt(2 b T) halves b·T."""
    estimate = estimate_ornstein_uhlenbeck(*steps(np.random.default_rng(2), noise=NOISE / 2))
    assert np.abs(deviations(estimate)[2]) > 5


def test_selected_starts_cause_no_bias():
    before, after, interval = steps(np.random.default_rng(3))
    large = before > MEAN + 0.5
    estimate = estimate_ornstein_uhlenbeck(before[large], after[large], interval[large])
    assert np.abs(deviations(estimate)).max() < 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x, y, t: (x[:5], y[:5], t[:5]), "at least ten"),
        (lambda x, y, t: (x, y[:-1], t), "equally long"),
        (lambda x, y, t: (np.full_like(x, 1.0), np.full_like(y, 1.0), t), "must vary"),
        (lambda x, y, t: (x, y, -t), "interval must be finite > 0"),
        (lambda x, y, t: (x * np.nan, y, t), "must be finite"),
    ],
)
def test_too_little_data_raises_an_error(change, words):
    with pytest.raises(SynsampError, match=words):
        estimate_ornstein_uhlenbeck(*change(*steps(np.random.default_rng(4))))


# -- first passage --------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "window"), [(0.003, 1), (0.1, 4), (1.5, 2)])
def test_the_first_session_with_the_threshold_at_the_mean_is_an_orthant_probability(step, window):
    """Three values of the process are normal; P(all above their mean) is known in closed form."""
    now, past, both = (np.exp(-step * n) for n in (1, window, window + 1))
    two = 0.25 + np.arcsin([now, past]) / (2 * np.pi)
    three = 0.125 + np.arcsin([now, past, both]).sum() / (4 * np.pi)
    expected = (two[0] - three) / (0.5 - two[1])
    found = first_passage_survival(0.7, 1.3, 10.0, 10.0 * step, 1, window, threshold=0.7)
    assert found == pytest.approx([1.0, expected], abs=1e-9)


def test_a_simulated_process_has_the_predicted_survival():
    rng = np.random.default_rng(12)
    keep, rows = np.exp(-0.1), []
    x = rng.normal(0.5, 1.0, 20_000)
    for _ in range(61):
        rows.append(x > 0)
        x = 0.5 + keep * (x - 0.5) + np.sqrt(1 - keep**2) * rng.standard_normal(x.size)
    lifetimes = new_lifetimes(np.array(rows), 1.0, 5)
    expected = first_passage_survival(0.5, 1.0, 10.0, 1.0, 60, 5)
    assert np.abs(loss_deviations(lifetimes, 1.0, expected)).max() < 4.0
    for wrong in ((0.5, 1.0, 12.0, 1.0, 60, 5), (0.5, 1.0, 10.0, 1.0, 60, 4)):
        off = loss_deviations(lifetimes, 1.0, first_passage_survival(*wrong))
        assert np.abs(off).max() > 6.0


def test_first_passage_matches_the_filter_without_noise():
    process = OneTimeScale(0.4, 0.9, 12.0, 0.0)
    seen = survival_between_sessions(process, 0.1, 2.0, 20, threshold_on="true")
    found = first_passage_survival(0.4, 0.9, 12.0, 2.0, 20, threshold=0.1)
    assert found == pytest.approx(seen, abs=1e-6)


def test_the_prediction_is_nan_if_nothing_is_ever_new():
    for mean in (9.0, -9.0):
        assert np.isnan(first_passage_survival(mean, 1.0, 1.0, 0.1, 3)).all()
    with pytest.raises(SynsampError, match=r"step must be at least 0\.0004"):
        first_passage_survival(0.5, 1.0, 2.0, 1e-4, 3)


def test_far_below_the_relaxation_time_survival_is_scale_free():
    """On this scale the process is a random walk, so survival in sessions has no time scale."""
    fine, coarse = (first_passage_survival(0.5, 1.0, 1.0, step, 8, 2) for step in (2.5e-4, 1e-3))
    assert fine == pytest.approx(coarse, abs=0.01)
    assert abs(first_passage_survival(0.5, 1.0, 1.0, 1.0, 8, 2) - fine).max() > 0.2
