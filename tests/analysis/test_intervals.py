import numpy as np
import pytest

from synsamp import SynsampError
from synsamp.analysis.intervals import mean_interval, ratio_interval, share_interval


def test_the_interval_of_a_mean_covers_it_as_often_as_it_says():
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(2000):
        _, low, high = mean_interval(rng.normal(3.0, 2.0, 6))
        covered += low < 3.0 < high
    assert abs(covered / 2000 - 0.95) < 4.5 * np.sqrt(0.95 * 0.05 / 2000)


def test_one_trial_says_nothing_about_the_spread():
    assert mean_interval([2.0]) == (2.0, -np.inf, np.inf)


def test_a_share_of_all_trials_is_not_certain():
    value, low, high = share_interval([True] * 100)
    z2 = 1.959964**2
    assert (value, high) == (1.0, 1.0)
    assert low == pytest.approx(100 / (100 + z2), rel=1e-5)  # Wilson's formula at 100 of 100


def test_words_and_refusals():
    assert mean_interval([-1.0, -1.0]).text() == "−1.0 (95 % interval −1.0 to −1.0)"
    with pytest.raises(SynsampError, match="values"):
        mean_interval([])
    with pytest.raises(SynsampError, match="hits"):
        share_interval([[True]])


def test_ratio_interval_holds_the_ratio_of_the_means_in_95_of_100():
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(400):
        wholes = rng.normal(2.0, 0.3, 8)
        parts = 0.5 * wholes + rng.normal(0.0, 0.2, 8)
        _, low, high = ratio_interval(parts, wholes)
        hits += low < 0.5 < high
    assert abs(hits / 400 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 400)
    assert ratio_interval([1.0], [2.0]) == (0.5, -np.inf, np.inf)
    assert np.isnan(ratio_interval([1.0, 2.0], [-1.0, 1.0]).value)
    with pytest.raises(SynsampError, match="one pair"):
        ratio_interval([1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("parts", "wholes"), [([1.0, np.nan], [1.0, 2.0]), ([1.0, 2.0], [1.0, np.inf])]
)
def test_a_ratio_of_what_is_not_finite_is_not_known(parts, wholes):
    value, low, high = ratio_interval(parts, wholes)
    assert np.isnan(value)
    assert (low, high) == (-np.inf, np.inf)
