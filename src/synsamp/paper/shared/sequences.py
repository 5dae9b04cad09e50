"""Assembly sequences (supplement S1B) and images of single presentations (Fig. 5B).

Neurons of z_V fire in a certain order while a word is heard. The order of a test is that of the
peaks of its histograms (100 presentations); two orders are compared by Spearman's rank correlation,
always between independent halves of the tests, so that noise counts equally.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from synsamp.claims import Claim, Measure, Share, variants
from synsamp.experiments import Results

Floats = NDArray[np.float64]


def order_likeness(one: Floats, other: Floats) -> float:
    """Rank correlation of the times of the peaks of two histograms [neuron, bin].

    Neurons that are silent in either are left out; NaN with fewer than three others.
    """
    fires = (one.max(axis=1) > 0) & (other.max(axis=1) > 0)
    if fires.sum() < 3:
        return math.nan
    peaks = [each[fires].argmax(axis=1) for each in (one, other)]
    if any(np.ptp(each) == 0 for each in peaks):  # all at once: no order
        return 0.0
    return float(stats.spearmanr(*peaks).statistic)


def _histograms(codes: xr.Dataset) -> tuple[Floats, NDArray[np.int64]]:
    """Histograms of z_V [code, half, class, neuron, bin], and which codes are without lesions."""
    return _seen(codes.histogram.values.astype(float)), np.flatnonzero(codes.no_lesion.values)


def _seen(histogram: Floats) -> Floats:
    """The part of z_V, without the bins beyond the longest word."""
    used = np.isfinite(histogram[0, 0, 0, 0])
    return histogram[:, :, :, histogram.shape[3] // 2 :][..., used]


def _between(first: Floats, later: Floats) -> float:
    """Likeness of orders, mean over words and over both ways to pair the halves."""
    pairs = [(first[h, c], later[1 - h, c]) for h in (0, 1) for c in (0, 1)]
    return float(np.mean([order_likeness(*pair) for pair in pairs]))


def collect_sequences(
    lesion_s: float, results: Results, codes: xr.Dataset, frozen_test: str
) -> xr.Dataset:
    """Likeness of orders, its drift, and images of single presentations, each with its null."""
    histogram, used = _histograms(codes)
    rng = np.random.default_rng(int(results["example"].attrs["surrogates"]))
    after_learning = histogram[0]
    any_neurons = after_learning[:, :, rng.permutation(histogram.shape[3])]
    drift, frozen = math.nan, math.nan
    if used.size > 1:
        drift = order_drift(histogram[used[0]], histogram[used[-1]])
    if frozen_test in results:
        code = results[frozen_test].code.values[[0, -1]].astype(float)
        frozen = order_drift(*_seen(code))
    words = ("word", "shuffled_word")
    return xr.Dataset(
        {
            "order": ("null", [_between(after_learning, x) for x in (after_learning, any_neurons)]),
            "drift": ("null", [drift, frozen]),
            "single": ("null", [single_presentations(lesion_s, results, name) for name in words]),
        },
        coords={"null": [False, True]},
    )


def order_drift(first: Floats, last: Floats) -> float:
    """Likeness of orders at one time minus that between two times."""
    at_one_time = 0.5 * (_between(first, first) + _between(last, last))
    return at_one_time - _between(first, last)


def single_presentations(lesion_s: float, results: Results, words: str) -> float:
    """Share of single presentations whose reconstructed image is more like the right digit.

    Efficacies at t1 times the rates of one presentation in the last test before lesion 1.
    """
    test = results["network/test"]
    # the first of two tests at the time of the lesion is the one before it
    row = min(int(np.searchsorted(test.time.values, lesion_s - 1e-6)), test.sizes["time"] - 1)
    counts, heard = test.counts.values[row].sum(axis=2), test[words].values[row]
    shown = heard >= 0
    marks = results["network/marks"]
    efficacies = marks.image_weight.values[list(marks.mark.values).index("t1")]
    images = counts[shown].astype(float) @ efficacies.astype(float)
    likeness = _correlations(images, results["example"].mean_image.values)
    own, other = (likeness[np.arange(len(images)), k] for k in (heard[shown], 1 - heard[shown]))
    return float((own > other).mean())


def _correlations(images: Floats, means: Floats) -> Floats:
    """Correlation of each image with each mean image."""
    centred = [each - each.mean(axis=1, keepdims=True) for each in (images, means)]
    lengths = [np.maximum(np.linalg.norm(each, axis=1), 1e-12) for each in centred]
    return np.asarray(centred[0] @ centred[1].T / np.outer(*lengths))


def _of(p: Any, results: Results, name: str, null: bool) -> float:
    """A number of the sequences, or its null."""
    return float(results["sequences"][name].sel(null=null))


def _single(p: Any, results: Results, null: bool) -> Share:
    """Share of presentations whose own reconstruction resembles the digit heard, or its null."""
    return _of(p, results, "single", null)


SEQUENCE_MEASURES: tuple[Measure, ...] = (
    *variants(_of, sequence_order=("order", False), sequence_order_shuffled=("order", True)),
    *variants(_of, sequence_drift=("drift", False)),
    *variants(_of, sequence_drift_without_plasticity=("drift", True)),
    *variants(_single, single_reconstruction=(False,), single_reconstruction_shuffled=(True,)),
)


def sequence_claims(needs: Callable[[Any], bool]) -> tuple[Claim, ...]:
    """The claims; ``needs``: whether codes are compared over hours."""
    return (
        Claim(
            "single-reconstruction",
            "The image can be reconstructed from the rates of a single presentation",
            "Fig. 5B",
            "single_reconstruction",
            (0.6, None),
            unit="of presentations",
            reason="0.5 is chance; a fifth of the way to certainty",
            detail="more like the mean image of the digit heard than like the other",
            null_measure="single_reconstruction_shuffled",
            null_description="words shuffled",
            kind="statement",
        ),
        Claim(
            "sequence-order",
            "Neurons of z_V fire in a stereotypical order while a word is heard",
            "Fig. S1B; Discussion",
            "sequence_order",
            (0.3, None),
            unit="rank correlation",
            reason="0: no order; a third of full agreement is visible in the figure",
            detail="times of the peaks of the histograms, between independent halves of a test",
            null_measure="sequence_order_shuffled",
            null_description="neurons of one half shuffled",
            kind="statement",
        ),
        Claim(
            "sequence-drifts",
            "... and these assembly sequences shift over hours",
            "Fig. S1B; Discussion",
            "sequence_drift",
            (0.05, None),
            unit="rank correlation",
            reason="0: as alike as at one time",
            detail="likeness of orders at one time minus that over all hours without lesions",
            null_measure="sequence_drift_without_plasticity",
            null_description="plasticity off (b = 0)",
            kind="statement",
            needs=needs,
        ),
    )
