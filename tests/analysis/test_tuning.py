"""Counting spikes by what was shown, and likeness to patterns."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.analysis.tuning import (
    correlations,
    counts_by_label,
    label_fractions,
    spike_counts,
)
from synsamp.errors import SynsampError

STARTS = [0.0, 0.25, 0.5]


def test_spikes_are_counted_in_the_window_only():
    times = [-0.1, 0.0, 0.1, 0.21, 0.26, 0.5, 0.69, 0.71]
    neurons = [0, 0, 1, 1, 1, 0, 0, 0]
    counts = spike_counts(times, neurons, STARTS, 0.2, 3)
    assert counts.tolist() == [[1, 0, 2], [1, 1, 0], [0, 0, 0]]
    assert counts_by_label(counts, [1, 2, 1], [1, 2]).tolist() == [[3, 0], [1, 1], [0, 0]]


def test_no_presentations_give_no_counts():
    assert spike_counts([0.1], [0], [], 0.2, 2).shape == (2, 0)


def test_label_fractions_and_silent_neurons():
    shares = label_fractions([[3, 1], [0, 0]])
    assert shares[0].tolist() == [0.75, 0.25]
    assert np.isnan(shares[1]).all()


def test_correlations_agree_with_numpy_and_leave_constants_open():
    rng = np.random.default_rng(1)
    rows, patterns = rng.random((4, 30)), rng.random((2, 30))
    rows[3] = 1.0
    found = correlations(rows, patterns)
    for i in range(3):
        for j in range(2):
            assert found[i, j] == pytest.approx(np.corrcoef(rows[i], patterns[j])[0, 1])
    assert np.isnan(found[3]).all()


def test_rows_may_have_any_number_of_axes_before_the_last():
    rng = np.random.default_rng(2)
    rows, patterns = rng.random((2, 3, 4, 30)), rng.random((2, 30))
    found = correlations(rows, patterns)
    assert found.shape == (2, 3, 4, 2)
    assert found[1, 2, 3, 1] == pytest.approx(np.corrcoef(rows[1, 2, 3], patterns[1])[0, 1])
    assert correlations(rows[0, 0, 0], patterns) == pytest.approx(found[0, 0, 0])


def test_as_many_neurons_as_there_may_be():
    assert spike_counts([], np.zeros(0, int), [], 0.2, 10**9).shape == (10**9, 0)
    with pytest.raises(SynsampError, match="n_neurons must be a whole number"):
        spike_counts([], np.zeros(0, int), [], 0.2, 10**9 + 1)
