"""Trials and histograms: true rates are recovered, also at the ends of trials."""

import numpy as np
import pytest

from synsamp.analysis.decoder import cross_validated_accuracy
from synsamp.analysis.peth import (
    SpikeTrials,
    counts_in_windows,
    joined,
    mean_rates,
    peak_order,
    peth,
    sort_into_trials,
)
from synsamp.errors import SynsampError


def _poisson_trials(rng, n, rate_of_class, lengths, n_neurons=3):
    """Trials of constant rate; ``lengths[c]`` is how long a trial of class c lasts."""
    times, trial, neuron, duration, classes = [], [], [], [], []
    for i in range(n):
        c = i % 2
        count = rng.poisson(rate_of_class[c] * lengths[c], size=n_neurons)
        for k, many in enumerate(count):
            times.append(rng.uniform(0, lengths[c], many))
            trial.append(np.full(many, i))
            neuron.append(np.full(many, k))
        duration.append(lengths[c])
        classes.append(c)
    return SpikeTrials(
        np.concatenate(times),
        np.concatenate(trial),
        np.concatenate(neuron),
        np.array(duration),
        np.array(classes),
        n_neurons,
    )


def test_a_constant_rate_gives_a_flat_histogram_up_to_the_end_of_mixed_trials():
    rng = np.random.default_rng(1)
    parts = [
        _poisson_trials(rng, 400, (50.0, 50.0), (0.3, 0.3)),
        _poisson_trials(rng, 400, (50.0, 50.0), (0.5, 0.5)),
    ]
    trials = joined(parts)
    found = peth(trials, 0, 0.5, most_trials=1000)
    assert found.shape == (3, 50)
    # 400 trials, a filter of 50 ms (σ): an effective width of 2 σ √π = 0.18 s
    error = np.sqrt(50.0 / (200 * 0.09))
    assert np.abs(found - 50.0).max() < 5 * error


def test_an_unnormalised_end_would_be_seen():
    trials = _poisson_trials(np.random.default_rng(2), 400, (50.0, 50.0), (0.3, 0.3))
    found = peth(trials, 1, 0.3, most_trials=1000)
    assert found[:, -1].mean() > 40.0  # a filter that takes silence after the end gives 25


def test_neurons_are_sorted_by_their_peaks():
    bins = np.arange(60)
    rows = np.exp(-((bins - np.array([40, 10, 25])[:, None]) ** 2) / 50)
    assert peak_order(rows).tolist() == [1, 2, 0]


def test_only_the_first_trials_of_the_class_count():
    trials = _poisson_trials(np.random.default_rng(3), 20, (100.0, 0.0), (0.2, 0.2))
    assert peth(trials, 1, 0.2).max() == 0.0
    assert peth(trials, 0, 0.2, most_trials=3).mean() == pytest.approx(100.0, rel=0.3)


def test_sorting_drops_the_trial_that_was_cut_off():
    trials = sort_into_trials(
        [0.1, 0.4, 0.9, 1.3], [0, 1, 0, 1], [0.2, 0.7, 1.2], [0, 1, 0], 1.5, 2
    )
    assert trials.classes.tolist() == [0, 1]
    assert trials.duration_s.tolist() == pytest.approx([0.5, 0.5])
    assert trials.trial.tolist() == [0, 1]
    assert trials.time_s.tolist() == pytest.approx([0.2, 0.2])


def test_counts_of_whole_words_betray_their_length_and_windows_do_not():
    rng = np.random.default_rng(4)
    blocks = [_poisson_trials(rng, 200, (100.0, 100.0), (0.4, 0.6), 10) for _ in range(3)]

    def whole(trials):
        return mean_rates(trials) * trials.duration_s[:, None]

    leaking = cross_validated_accuracy([(whole(b), b.classes) for b in blocks]).mean()
    windows = [counts_in_windows(b, 4, 0.4).reshape(len(b), -1) for b in blocks]
    clean = cross_validated_accuracy(
        [(w, b.classes) for w, b in zip(windows, blocks, strict=True)]
    ).mean()
    assert leaking > 0.9
    assert abs(clean - 0.5) < 4 * 0.5 / np.sqrt(600)
    with pytest.raises(SynsampError, match="length_s"):
        counts_in_windows(blocks[0], 4, 0.6)


def test_windows_hold_the_rates():
    trials = _poisson_trials(np.random.default_rng(5), 400, (80.0, 20.0), (0.5, 0.5))
    found = counts_in_windows(trials, 5, 0.5) / 0.1
    assert found.shape == (400, 5, 3)
    for c, rate in ((0, 80.0), (1, 20.0)):
        values = found[trials.classes == c].mean(axis=(0, 2))
        assert np.abs(values - rate).max() < 5 * np.sqrt(rate / (200 * 3 * 0.1))


def test_an_empty_histogram_raises_an_error():
    with pytest.raises(SynsampError, match="histogram must have at least one bin"):
        peak_order(np.zeros((3, 0)))
