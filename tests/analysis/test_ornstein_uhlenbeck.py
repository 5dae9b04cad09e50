"""Estimates of the process against exact simulations of it."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.analysis.ornstein_uhlenbeck import estimate_ornstein_uhlenbeck
from synsamp.errors import SynsampError

MEAN, SPREAD, NOISE = 0.5, 1.2, 0.02


def steps(rng, n_spines=100, n_steps=20, noise=NOISE):
    """Exact transitions at irregular times, started in the stationary law."""
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


def test_selected_starts_do_no_harm():
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
def test_what_cannot_be_estimated_is_refused(change, words):
    with pytest.raises(SynsampError, match=words):
        estimate_ornstein_uhlenbeck(*change(*steps(np.random.default_rng(4))))
