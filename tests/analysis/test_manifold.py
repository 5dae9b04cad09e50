"""Regions of a path: components, separation, and how far it moves."""

import numpy as np
import pytest

from synsamp.analysis.manifold import principal_components, separation, shift
from synsamp.errors import SynsampError


def test_components_are_those_of_the_covariance():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 5)) @ np.diag([5.0, 3.0, 1.0, 0.5, 0.1])
    scores, share = principal_components(x, 3)
    values = np.sort(np.linalg.eigvalsh(np.cov(x.T)))[::-1]
    assert np.allclose(scores.var(axis=0, ddof=1), values[:3])
    assert np.allclose(share, values[:3] / values.sum())
    assert np.allclose(scores.T @ scores, np.diag(np.diag(scores.T @ scores)), atol=1e-8)


def test_separation_is_one_without_regions_and_grows_with_their_distance():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(3000, 10))
    epochs = np.repeat([0, 1, 2], 1000)
    assert separation(x, epochs) == pytest.approx(1.0, abs=0.01)
    # mean squares: within 2·10, between 2·10 + d² with d² = 4·10 for the epoch that moved
    moved = x + 2.0 * (epochs == 1)[:, None]
    assert separation(moved, epochs) == pytest.approx(np.sqrt((20 + 80 / 3) / 20), rel=0.02)


def test_a_path_that_only_drifts_lies_apart_from_itself():
    """Mean squares 2 (1 − exp(−|s − t|/τ)) within and between epochs give the ratio exactly."""
    rng = np.random.default_rng(3)
    n, memory = 60, 100.0
    keep = np.exp(-1 / memory)
    x = np.zeros((3 * n, 4000))
    x[0] = rng.normal(size=4000)
    for i in range(1, len(x)):
        x[i] = keep * x[i - 1] + np.sqrt(1 - keep**2) * rng.normal(size=4000)
    epochs = np.repeat([0, 1, 2], n)
    t = np.arange(3 * n)
    square = 2 * -np.expm1(-np.abs(t[:, None] - t) / memory)
    same, itself = epochs[:, None] == epochs, np.eye(3 * n, dtype=bool)
    expected = np.sqrt(square[~same].mean() / square[same & ~itself].mean())
    assert expected > 1.5
    assert separation(x, epochs) == pytest.approx(expected, rel=0.02)


def test_shift_is_the_distance_of_means():
    x = np.zeros((20, 4))
    x[10:] = 3.0
    assert shift(x, slice(0, 10), slice(10, 20)) == pytest.approx(3.0)
    assert shift(x, slice(0, 5), slice(5, 10)) == 0.0


def test_gaps_and_single_epochs_raise_an_error():
    with pytest.raises(SynsampError, match="finite"):
        separation(np.full((5, 2), np.nan), [0, 0, 1, 1, 1])
    with pytest.raises(SynsampError, match="two"):
        separation(np.ones((5, 2)), np.zeros(5))
