import numpy as np
import pytest

from synsamp.analysis.distance import total_variation, total_variation_by_chance
from synsamp.errors import SynsampError


def test_total_variation_of_equal_and_disjoint_distributions():
    assert total_variation(np.array([2.0, 2.0]), np.array([0.5, 0.5])) == 0
    assert total_variation(np.array([4.0, 0.0]), np.array([0.0, 1.0])) == 1
    assert total_variation(np.array([3.0, 1.0]), np.array([0.5, 0.5])) == pytest.approx(0.25)


def _chains(rng, chains, length, stay):
    """Markov chains over 12 states that keep their state with probability ``stay``."""
    counts = np.zeros((chains, 12))
    for c in range(chains):
        state = rng.integers(12)
        for _ in range(length):
            state = state if rng.random() < stay else rng.integers(12)
            counts[c, state] += 1
    return counts


def test_the_null_quantile_is_calibrated_for_correlated_chains():
    rng = np.random.default_rng(3)
    truth, inside, trials = np.full(12, 1 / 12), 0, 120
    for _ in range(trials):
        counts = _chains(rng, 16, 200, stay=0.9)
        band = total_variation_by_chance(counts, 0.9, rng, repeats=400)
        inside += total_variation(counts.sum(axis=0), truth) <= band
    # 90 % of 120 with a binomial error of 2.7 %; the bootstrap of 16 chains is a little off too.
    assert 0.78 < inside / trials < 0.98


def test_another_truth_falls_outside():
    rng = np.random.default_rng(4)
    counts = _chains(rng, 16, 2000, stay=0.5)
    band = total_variation_by_chance(counts, 0.999, rng)
    wrong = np.linspace(0.5, 1.5, 12) / 12
    assert total_variation(counts.sum(axis=0), wrong) > band


def test_one_chain_raises_an_error():
    with pytest.raises(SynsampError, match="at least two chains"):
        total_variation_by_chance(np.ones((1, 12)), 0.9, np.random.default_rng(0))
    assert total_variation_by_chance(np.ones((2, 12)), 0.9, np.random.default_rng(0)) == 0.0
