"""Spikes around the start of a trial: counts in windows, and peri-event time histograms.

The Methods: spikes of 100 trials of one class, bins of 10 ms, a Gaussian filter of 50 ms; neurons
are sorted by the bin of their highest rate. Trials last as long as the word, so a bin is averaged
over those that still run, and the filter is normalised where they end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter1d

from synsamp.errors import refuse

BIN_S = 0.010
FILTER_S = 0.050


@dataclass(frozen=True, eq=False)
class Trials:
    """Spikes sorted into trials: time since the trial's start, number of the trial, neuron."""

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
) -> Trials:
    """Trials follow one another from ``start_s``; one not ended by ``end_s`` is dropped."""
    times, starts = np.asarray(spike_s, float), np.asarray(start_s, float)
    if starts.size < 2 or (np.diff(starts) <= 0).any():
        raise refuse("start_s", "must be at least two rising times", starts.shape)
    ends = np.append(starts[1:], np.inf)
    if starts.size and ends[-1] > end_s:
        ends = ends[:-1]  # the last one was cut off
    which = np.searchsorted(starts, times, side="right") - 1
    inside = (which >= 0) & (which < ends.size)
    which, times = which[inside], times[inside]
    return Trials(
        times - starts[which],
        which,
        np.asarray(neuron)[inside].astype(np.int64),
        ends - starts[: ends.size],
        np.asarray(classes)[: ends.size].astype(np.int64),
        n_neurons,
    )


def joined(parts: list[Trials]) -> Trials:
    """Trials of several runs, one after the other."""
    offsets = np.cumsum([0, *(len(p) for p in parts)])
    return Trials(
        np.concatenate([p.time_s for p in parts]),
        np.concatenate([p.trial + o for p, o in zip(parts, offsets, strict=False)]),
        np.concatenate([p.neuron for p in parts]),
        np.concatenate([p.duration_s for p in parts]),
        np.concatenate([p.classes for p in parts]),
        parts[0].n_neurons,
    )


def rates_in_windows(trials: Trials, windows: int, length_s: float) -> NDArray[np.float64]:
    """Spikes per second in equal windows of the first ``length_s``, [trial, window, neuron].

    Every trial must last at least so long: one that ends earlier has fewer spikes, and a readout
    would tell words by their length, which no neuron needs to know.
    """
    if windows < 1:
        raise refuse("windows", "must be >= 1", windows)
    if not 0 < length_s <= float(trials.duration_s.min()) + 1e-9:
        raise refuse("length_s", f"must be in (0, {trials.duration_s.min():g}]", length_s)
    inside = trials.time_s < length_s
    window = (trials.time_s[inside] * (windows / length_s)).astype(np.int64)
    counts = np.zeros((len(trials), windows, trials.n_neurons))
    place = (trials.trial[inside], np.minimum(window, windows - 1), trials.neuron[inside])
    np.add.at(counts, place, 1.0)
    return counts * (windows / length_s)


def mean_rates(trials: Trials) -> NDArray[np.float64]:
    """Mean rate of every neuron in every trial, [trial, neuron]."""
    counts = np.zeros((len(trials), trials.n_neurons))
    np.add.at(counts, (trials.trial, trials.neuron), 1.0)
    return counts / trials.duration_s[:, None]


def peth(
    trials: Trials,
    wanted: int,
    longest_s: float,
    most_trials: int = 100,
    bin_s: float = BIN_S,
    filter_s: float = FILTER_S,
) -> NDArray[np.float64]:
    """Mean rate (Hz) in bins, [neuron, bin], over the first ``most_trials`` trials of a class."""
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
    return np.argsort(np.asarray(histogram).argmax(axis=-1), kind="stable")
