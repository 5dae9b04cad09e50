"""Peri-event time histograms and spike counts of trials.

Following the paper's Methods: spikes of 100 trials of one class, bins of 10 ms, a Gaussian filter
of 50 ms, neurons sorted by the bin of their highest rate. Trials last as long as the word, so each
bin averages over the trials that have not ended, and the filter is normalised at their ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter1d

from synsamp.arguments import instance, number, numbers, whole, wholes
from synsamp.errors import refuse

BIN_S = 0.010
FILTER_S = 0.050


@dataclass(frozen=True, eq=False)
class SpikeTrials:
    """Spikes by trial: time since the start of the trial (s), index of the trial, neuron."""

    time_s: NDArray[np.float64]
    trial: NDArray[np.int64]
    neuron: NDArray[np.int64]
    duration_s: NDArray[np.float64]  # per trial
    classes: NDArray[np.int64]  # per trial
    n_neurons: int

    def __len__(self) -> int:
        return len(self.duration_s)


def sort_into_trials(
    spike_s: ArrayLike,
    neuron: ArrayLike,
    start_s: ArrayLike,
    classes: ArrayLike,
    end_s: float,
    n_neurons: int,
) -> SpikeTrials:
    """Assign spikes to consecutive trials; the last trial, whose end is unknown, is dropped.

    Parameters
    ----------
    spike_s, neuron
        Time (s) and neuron of each spike, shape (spikes,).
    start_s, classes
        Start (s) and class of each trial, shape (trials,).
    end_s
        End of the recording (s).
    n_neurons
        Number of neurons.
    """
    n_neurons = whole("n_neurons", n_neurons, at_least=1, at_most=10**9)
    times = numbers("spike_s", spike_s, shape=(None,))
    neurons = wholes("neuron", neuron, shape=times.shape, at_least=0, at_most=n_neurons - 1)
    starts = numbers("start_s", start_s, shape=(None,))
    shown = wholes("classes", classes, shape=starts.shape)
    end_s = number("end_s", end_s)
    if starts.size < 2 or (np.diff(starts) <= 0).any():
        raise refuse("start_s", "must be at least two rising times", starts.shape)
    ends = starts[1:]  # the end of the last one is unknown
    if starts[-1] > end_s:
        raise refuse("end_s", f"must be after the last start, {starts[-1]:g}", end_s)
    which = np.searchsorted(starts, times, side="right") - 1
    inside = (which >= 0) & (which < ends.size)
    which, times = which[inside], times[inside]
    return SpikeTrials(
        times - starts[which],
        which,
        neurons[inside],
        ends - starts[: ends.size],
        shown[: ends.size],
        n_neurons,
    )


def joined(parts: list[SpikeTrials]) -> SpikeTrials:
    """Trials of several runs, one after the other."""
    for k, part in enumerate(instance("parts", parts, (list, tuple))):
        instance(f"parts[{k}]", part, SpikeTrials, "make them with sort_into_trials")
    if len({part.n_neurons for part in parts}) != 1:
        rule = "must be at least one, all with the same neurons"
        raise refuse("parts", rule, [part.n_neurons for part in parts])
    offsets = np.cumsum([0, *(len(p) for p in parts)])
    return SpikeTrials(
        np.concatenate([p.time_s for p in parts]),
        np.concatenate([p.trial + o for p, o in zip(parts, offsets, strict=False)]),
        np.concatenate([p.neuron for p in parts]),
        np.concatenate([p.duration_s for p in parts]),
        np.concatenate([p.classes for p in parts]),
        parts[0].n_neurons,
    )


def counts_in_windows(trials: SpikeTrials, windows: int, length_s: float) -> NDArray[np.float64]:
    """Spikes in equal windows of the first ``length_s``, [trial, window, neuron].

    Every trial must last at least ``length_s``: shorter trials have fewer spikes, so a decoder
    would classify words by their duration.
    """
    _require_trials(trials)
    windows = whole("windows", windows, at_least=1, at_most=10**6)
    shortest = float(trials.duration_s.min())
    remedy = "no longer than the shortest trial"
    length_s = number("length_s", length_s, above=0, at_most=shortest + 1e-9, remedy=remedy)
    inside = trials.time_s < length_s
    window = (trials.time_s[inside] * (windows / length_s)).astype(np.int64)
    counts = np.zeros((len(trials), windows, trials.n_neurons))
    place = (trials.trial[inside], np.minimum(window, windows - 1), trials.neuron[inside])
    np.add.at(counts, place, 1.0)
    return counts


def mean_rates(trials: SpikeTrials) -> NDArray[np.float64]:
    """Mean rate of every neuron in every trial, [trial, neuron]."""
    _require_trials(trials)
    counts = np.zeros((len(trials), trials.n_neurons))
    np.add.at(counts, (trials.trial, trials.neuron), 1.0)
    return counts / trials.duration_s[:, None]


def peth(
    trials: SpikeTrials,
    wanted: int,
    longest_s: float,
    most_trials: int = 100,
    bin_s: float = BIN_S,
    filter_s: float = FILTER_S,
) -> NDArray[np.float64]:
    """Mean rate (Hz) in bins, [neuron, bin], over the first ``most_trials`` trials of a class."""
    _require_trials(trials)
    wanted = whole("wanted", wanted)
    most_trials = whole("most_trials", most_trials, at_least=1)
    bin_s = number("bin_s", bin_s, at_least=1e-9, at_most=1e6)
    filter_s = number("filter_s", filter_s, at_least=0, at_most=1e6 * bin_s)
    longest_s = number("longest_s", longest_s, above=0, at_most=1e7 * bin_s)
    chosen = np.flatnonzero(trials.classes == wanted)[:most_trials]
    if chosen.size == 0:
        raise refuse("wanted", "must be a class that was shown", wanted)
    n_bins = int(np.ceil(longest_s / bin_s - 1e-9))
    use = np.isin(trials.trial, chosen) & (trials.time_s < n_bins * bin_s)
    counts = np.zeros((trials.n_neurons, n_bins))
    np.add.at(counts, (trials.neuron[use], (trials.time_s[use] / bin_s).astype(np.int64)), 1.0)
    starts = np.arange(n_bins) * bin_s
    # seconds of trial that fall in each bin
    lengths = trials.duration_s[chosen][:, None] - starts
    seconds = np.clip(lengths, 0.0, bin_s).sum(axis=0)
    sigma = filter_s / bin_s
    smooth = gaussian_filter1d(counts, sigma, axis=1, mode="constant")
    weight = gaussian_filter1d(seconds, sigma, mode="constant")
    return smooth / np.maximum(weight, 1e-12)


def peak_order(histogram: ArrayLike) -> NDArray[np.int64]:
    """Neurons by the bin of their highest rate, earliest first."""
    table = numbers("histogram", histogram, shape=(None, None))
    if table.shape[1] == 0:
        raise refuse("histogram", "must have at least one bin", table.shape)
    return np.argsort(table.argmax(axis=-1), kind="stable")


def _require_trials(trials: SpikeTrials) -> None:
    instance("trials", trials, SpikeTrials, "make them with sort_into_trials")
    if len(trials) == 0:
        raise refuse("trials", "must be at least one", 0)
