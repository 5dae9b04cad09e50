"""Orders of firing and images of single presentations, on histograms and counts made by hand."""

import numpy as np
import pytest
import xarray as xr

from synsamp.paper.shared.sequences import (
    collect_sequences,
    order_drift,
    order_likeness,
    single_presentations,
)


def peaks_at(bins, n_bins=40):
    """A histogram [neuron, bin] with one peak per neuron."""
    made = np.zeros((len(bins), n_bins))
    made[np.arange(len(bins)), bins] = 5.0
    return made


def test_the_order_of_peaks_is_compared_by_rank():
    forwards, backwards = peaks_at([1, 5, 9, 30]), peaks_at([30, 9, 5, 1])
    assert order_likeness(forwards, peaks_at([0, 2, 20, 21])) == pytest.approx(1.0)
    assert order_likeness(forwards, backwards) == pytest.approx(-1.0)
    assert order_likeness(forwards, peaks_at([1, 9, 5, 30])) == pytest.approx(0.8)
    assert order_likeness(forwards, peaks_at([3, 3, 3, 3])) == 0.0
    silent = forwards.copy()
    silent[0] = 0
    assert order_likeness(silent, backwards) == pytest.approx(-1.0)  # of the other three
    assert np.isnan(order_likeness(silent[:3], backwards[:3]))


def words(order):
    """Histograms [half, class, neuron, bin] in which both halves have the same order."""
    return np.stack([[peaks_at(order)] * 2] * 2)


def test_a_kept_order_does_not_drift_and_a_new_one_does():
    first, other = np.arange(20), np.random.default_rng(0).permutation(20)
    assert order_drift(words(first), words(first)) == pytest.approx(0.0)
    expected = 1.0 - order_likeness(peaks_at(first), peaks_at(other))
    assert order_drift(words(first), words(other)) == pytest.approx(expected)


def test_single_presentations_are_reconstructed_one_by_one():
    means = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    efficacies = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])  # neuron 0 shows the first digit
    # Presentations of one block: first, first, second, second digit, and an unused place.
    counts = np.array([[3, 0], [2, 1], [0, 4], [2, 1], [0, 0]])[None, None, :, None, :]
    word = np.array([[[0, 0, 1, 1, -1]]])
    results = {
        "network/test": xr.Dataset(
            {
                "counts": (("time", "block", "presentation", "window", "seeing"), counts),
                "word": (("time", "block", "presentation"), word),
                "shuffled_word": (("time", "block", "presentation"), word[..., [2, 3, 0, 1, 4]]),
            },
            coords={"time": [0.0]},
        ),
        "network/marks": xr.Dataset(
            {"image_weight": (("mark", "seeing", "pixel"), efficacies)}, coords={"mark": ["t1"]}
        ),
        "example": xr.Dataset({"mean_image": (("class", "pixel"), means)}),
    }
    # The last one is heard as the second digit but resembles the first.
    assert single_presentations(0.0, results, "word") == pytest.approx(0.75)
    assert single_presentations(0.0, results, "shuffled_word") == pytest.approx(0.25)
    # All numbers of a run together: z_V is the second half of the neurons.
    histogram = np.stack([np.concatenate([words(np.arange(20))] * 2, axis=2)] * 3)
    codes = xr.Dataset(
        {"histogram": (("code", "half", "class", "neuron", "bin"), histogram)},
        coords={"no_lesion": ("code", [False, True, True])},
    )
    results["example"] = results["example"].assign_attrs(surrogates=3)
    found = collect_sequences(0.0, results, codes, "none")
    assert found.order.values[0] == pytest.approx(1.0)
    assert abs(found.order.values[1]) < 4 / np.sqrt(19)  # its standard error
    assert found.drift.values[0] == pytest.approx(0.0)
    assert np.isnan(found.drift.values[1])  # no control with plasticity off
    np.testing.assert_allclose(found.single.values, [0.75, 0.25])
