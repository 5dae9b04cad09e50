"""Regions of a path: components, separation, and a test that keeps its level despite memory."""

import numpy as np
import pytest

from synsamp.analysis.manifold import (
    principal_components,
    separation,
    separation_p_value,
    shift,
)
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


def _walk(rng, n, memory, features=5):
    x = np.zeros((n, features))
    for i in range(1, n):
        x[i] = memory * x[i - 1] + rng.normal(size=features)
    return x


def test_p_value_is_small_for_regions_and_keeps_its_level_without_them():
    rng = np.random.default_rng(3)
    epochs = np.repeat([0, 1, 2], 60)
    p = [
        separation_p_value(_walk(rng, 180, 0.5), epochs, permutations=199, seed=i)
        for i in range(100)
    ]
    false_alarms = np.mean(np.array(p) < 0.05)
    assert false_alarms < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 100)
    regions = _walk(rng, 180, 0.5) + 6.0 * epochs[:, None]
    assert separation_p_value(regions, epochs, permutations=199) < 0.02


def test_shuffling_single_points_would_find_regions_where_there_are_none():
    # The negative control: with one point per stretch the same paths fool the test.
    rng = np.random.default_rng(3)
    epochs = np.repeat([0, 1, 2], 60)
    p = [
        separation_p_value(_walk(rng, 180, 0.5), epochs, 60, permutations=99, seed=i)
        for i in range(40)
    ]
    assert np.mean(np.array(p) < 0.05) > 0.3


def test_shift_is_the_distance_of_means():
    x = np.zeros((20, 4))
    x[10:] = 3.0
    assert shift(x, slice(0, 10), slice(10, 20)) == pytest.approx(3.0)
    assert shift(x, slice(0, 5), slice(5, 10)) == 0.0


def test_refuses_gaps_and_single_epochs():
    with pytest.raises(SynsampError, match="finite"):
        separation(np.full((5, 2), np.nan), [0, 0, 1, 1, 1])
    with pytest.raises(SynsampError, match="two"):
        separation(np.ones((5, 2)), np.zeros(5))


def test_more_stretches_than_points_are_as_many_as_there_are_points():
    points = np.random.default_rng(0).normal(size=(4, 2))
    many, each = (separation_p_value(points, [0, 0, 1, 1], n, 50) for n in (9, 2))
    assert many == each


def test_four_stretches_are_the_rule_and_one_epoch_is_no_question():
    rng = np.random.default_rng(5)
    points, epochs = _walk(rng, 60, 0.9), np.repeat([0, 1, 2], 20)
    default, four, three = (
        separation_p_value(points, epochs, permutations=400, **stretches)
        for stretches in ({}, {"stretches": 4}, {"stretches": 3})
    )
    assert default == four != three
    with pytest.raises(SynsampError, match="epochs must be at least two"):
        separation_p_value(points, np.zeros(60))
