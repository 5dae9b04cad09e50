"""Lifetimes, Kaplan–Meier and losses against a theory, by hand and against simulated truth."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.analysis.survival import (
    Lifetimes,
    joined,
    kaplan_meier,
    loss_deviations,
    new_lifetimes,
)
from synsamp.errors import SynsampError


def on_a_grid(lifetimes, step, end):
    """Lifetimes as observed every ``step`` until ``end``."""
    steps = np.floor(lifetimes / step)
    ended = (steps + 1) * step <= end
    last = np.where(ended, steps * step, np.floor(end / step) * step)
    return Lifetimes(last, np.where(ended, (steps + 1) * step, np.inf))


def exponential_lives(rng, tau, n):
    return rng.exponential(tau, n)


# -- lifetimes from states ------------------------------------------------------------------------


def test_lifetimes_of_new_connections_by_hand():
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
    lifetimes = new_lifetimes(states, step=10.0, window_steps=2)
    # Cohorts are taken at points 2 and 4; the fourth was active two points before the first.
    assert lifetimes.last_seen.tolist() == [10.0, 30.0]
    assert lifetimes.first_missed.tolist() == [20.0, np.inf]


def test_a_connection_is_new_only_once_per_formation():
    states = np.zeros((9, 1), bool)
    states[3:] = True
    assert len(new_lifetimes(states, 1.0, 2)) == 1


def test_no_new_connection_gives_no_life():
    assert len(new_lifetimes(np.ones((6, 5), bool), 1.0, 1)) == 0


@pytest.mark.parametrize(
    ("last", "missed"), [([1.0], [1.0]), ([-1.0], [2.0]), ([np.nan], [2.0]), ([1.0, 2.0], [3.0])]
)
def test_invalid_lifetimes_raise_an_error(last, missed):
    with pytest.raises(SynsampError):
        Lifetimes(np.array(last), np.array(missed))


# -- Kaplan–Meier ---------------------------------------------------------------------------------


def test_kaplan_meier_by_hand():
    # Losses at 1 and 3, one life censored after 2: S = 3/4, then 3/4 · 1/2.
    lifetimes = Lifetimes(np.array([0.0, 2.0, 2.0, 5.0]), np.array([1.0, np.inf, 3.0, np.inf]))
    curve = kaplan_meier(lifetimes)
    found = dict(zip(curve.time.tolist(), curve.survival.tolist(), strict=True))
    assert found[0.0] == 1.0
    assert found[1.0] == pytest.approx(0.75)
    assert found[3.0] == pytest.approx(0.375)
    assert (curve.low <= curve.survival).all()
    assert (curve.survival <= curve.high).all()


def test_censored_lifetimes_do_not_bias_the_curve():
    rng = np.random.default_rng(1)
    lifetimes = on_a_grid(exponential_lives(rng, 10.0, 20000), 0.5, 60.0)
    leaves = rng.uniform(0, 20, len(lifetimes))
    cut = lifetimes.last_seen > leaves
    censored = Lifetimes(
        np.where(cut, np.floor(leaves * 2) / 2, lifetimes.last_seen),
        np.where(cut, np.inf, lifetimes.first_missed),
    )
    curve = kaplan_meier(censored)
    at = curve.survival[np.searchsorted(curve.time, 8.0)]
    assert at == pytest.approx(np.exp(-0.8), abs=4 * 0.006)
    naive = (censored.last_seen >= 8.0).mean()
    assert naive < np.exp(-0.8) - 0.1, "the control must show what censoring does"


def test_the_band_has_95_percent_coverage():
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(300):
        curve = kaplan_meier(on_a_grid(exponential_lives(rng, 10.0, 60), 1.0, 30.0))
        k = np.searchsorted(curve.time, 10.0, side="right") - 1
        hits += curve.low[k] <= np.exp(-1.0) <= curve.high[k]
    # Binomial with p = 0.95, n = 300: standard deviation 3.8.
    assert 285 - 5 * 3.8 < hits <= 300


def test_no_lifetimes_raise_an_error():
    with pytest.raises(SynsampError, match="must not be empty"):
        kaplan_meier(joined([]))


def test_at_time_zero_all_live_for_certain():
    lifetimes = on_a_grid(exponential_lives(np.random.default_rng(10), 5.0, 50), 1.0, 30.0)
    curve = kaplan_meier(lifetimes)
    first = (curve.time[0], curve.survival[0], curve.low[0], curve.high[0], curve.at_risk[0])
    assert first == (0.0, 1.0, 1.0, 1.0, 50)


# -- losses against a theory ----------------------------------------------------------------------


def test_losses_against_a_theory_by_hand():
    # Of 20, two are lost by the first session (expected: 0.2 · 20 = 4). Then two leave, seen
    # and not imaged again. Of the remaining 16 eight are lost, where 0.25 · 16 = 4 were expected.
    lost_first, left, lost_second, stay = [(0, 10)] * 2, [(10, np.inf)] * 2, [(10, 20)] * 8, 8
    pairs = np.array([*lost_first, *left, *lost_second, *[(20, np.inf)] * stay], float)
    lifetimes = Lifetimes(pairs[:, 0], pairs[:, 1])
    alive = [1.0, 0.8, 0.6, 0.3]
    both = loss_deviations(lifetimes, 10.0, alive, ages=2)
    assert both == pytest.approx([-2 / np.sqrt(20 * 0.2 * 0.8), 4 / np.sqrt(16 * 0.25 * 0.75)])
    (one,) = loss_deviations(lifetimes, 10.0, alive, ages=1)
    assert one == pytest.approx(2 / np.sqrt(3.2 + 3.0))
    with pytest.raises(SynsampError, match="must extend beyond the last session"):
        loss_deviations(lifetimes, 10.0, alive[:3])
    with pytest.raises(SynsampError, match="must be the time between sessions"):
        loss_deviations(lifetimes, 4.0, alive)


def test_loss_deviations_are_standard_normal_under_any_censoring():
    rng = np.random.default_rng(11)
    truth, other = np.exp(-np.arange(32) / 10.0), np.exp(-np.arange(32) / 11.5)
    z, wrong = [], []
    for _ in range(200):
        lifetimes = on_a_grid(exponential_lives(rng, 10.0, 400), 1.0, 30.0)
        leaves = rng.integers(1, 30, 400)
        cut = lifetimes.last_seen >= leaves
        lifetimes = Lifetimes(
            np.where(cut, leaves, lifetimes.last_seen),
            np.where(cut, np.inf, lifetimes.first_missed),
        )
        z.append(loss_deviations(lifetimes, 1.0, truth))
        wrong.append(loss_deviations(lifetimes, 1.0, other))
    z = np.array(z)
    # 800 entries: mean 0 ± 0.035, variance 1 ± 0.05.
    assert abs(z.mean()) < 4 * 0.035
    assert abs(z.var() - 1.0) < 4 * 0.05
    assert np.mean(wrong) > 0.5, "the control has losses at another rate"


def test_at_risk_counts_before_the_losses():
    """Losses at 1, 1 and 3, one connection last seen at 3 and one at 2."""
    lifetimes = Lifetimes(
        np.array([0.0, 0.0, 2.0, 3.0, 2.0]), np.array([1.0, 1.0, 3.0, np.inf, np.inf])
    )
    curve = kaplan_meier(lifetimes)
    assert curve.time.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert curve.at_risk.tolist() == [5, 5, 3, 2]
    np.testing.assert_allclose(curve.survival, [1.0, 3 / 5, 3 / 5, 3 / 10])


def test_lifetimes_and_curves_can_be_keys_since_arrays_have_no_single_equality():
    one = Lifetimes(np.array([0.0]), np.array([1.0]))
    assert one == one
    assert one != Lifetimes(np.array([0.0]), np.array([1.0]))
    assert len({one, one}) == 1
