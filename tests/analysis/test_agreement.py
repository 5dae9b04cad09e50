"""Deviation of two sets of runs: chance is chance, and a difference is noticed."""

import numpy as np
import pytest
from scipy import stats

from synsamp.analysis.agreement import deviation_of_means, deviation_of_variances
from synsamp.errors import SynsampError

MIX = np.random.default_rng(0).normal(size=(4, 4))


def runs(rng, n, shift=0.0, spread=1.0):
    """Correlated components with unequal scales."""
    return spread * rng.normal(size=(n, 4)) @ MIX * [1, 10, 0.1, 1] + [shift, 0, 0, 0]


@pytest.mark.parametrize("deviation", [deviation_of_means, deviation_of_variances])
def test_p_values_are_uniform_for_equal_distributions(deviation):
    rng = np.random.default_rng(1)
    found = [deviation(runs(rng, 300), runs(rng, 900)).chance for _ in range(400)]
    assert stats.kstest(found, "uniform").pvalue > 1e-3


def test_one_component_is_a_z_test():
    one, two = np.random.default_rng(2).normal(size=(2, 200))
    found = deviation_of_means(one, two)
    z = (one.mean() - two.mean()) / np.sqrt((one.var(ddof=1) + two.var(ddof=1)) / 200)
    assert found.largest == pytest.approx(abs(z))
    assert found.chance == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_different_means_and_variances_are_detected():
    rng = np.random.default_rng(3)
    same, shifted, wider = runs(rng, 2000), runs(rng, 2000, shift=0.5), runs(rng, 2000, spread=1.2)
    assert deviation_of_means(same, shifted).chance < 1e-6
    assert deviation_of_means(same, wider).chance > 1e-3
    assert deviation_of_variances(same, wider).chance < 1e-6
    assert deviation_of_variances(same, shifted).chance > 1e-3


def test_what_never_varies_must_be_equal():
    one, two = np.random.default_rng(4).normal(size=(2, 100, 2))
    one[:, 1] = two[:, 1] = 3.0
    alone = deviation_of_means(one[:, 0], two[:, 0])
    assert deviation_of_means(one, two) == pytest.approx(alone)
    two[:, 1] = 4.0
    assert deviation_of_means(one, two) == (np.inf, 0.0)
    assert deviation_of_means(np.ones(9), np.ones(9)) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("one", "two", "rule"),
    [
        (np.ones((50, 2)), np.ones((50, 3)), "must have the same components in both sets"),
        (np.ones((14, 3)), np.ones((15, 3)), "must be at least five per component"),
        ([1.0], [1.0], "must be at least five per component"),
        ([1.0, np.nan], [1.0, 2.0], "finite"),
    ],
)
def test_invalid_runs_raise_an_error(one, two, rule):
    with pytest.raises(SynsampError, match=rule):
        deviation_of_means(one, two)
