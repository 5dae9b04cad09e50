"""The decoder finds what is there, says chance where nothing is, and never sees its test."""

import numpy as np
import pytest

from synsamp.analysis.decoder import cross_validated_accuracy, fit_decoder
from synsamp.errors import SynsampError


def _blocks(rng, n_blocks, n, shift, features=40):
    blocks = []
    for _ in range(n_blocks):
        classes = rng.integers(2, size=n)
        rates = rng.normal(size=(n, features))
        rates[:, 0] += shift * classes
        blocks.append((rates, classes))
    return blocks


def test_accuracy_is_that_of_the_best_linear_rule():
    # The best accuracy for two Gaussians a distance d apart is Φ(d/2).
    from scipy.stats import norm

    correct = cross_validated_accuracy(_blocks(np.random.default_rng(1), 4, 500, shift=2.0))
    best = norm.cdf(1.0)
    error = np.sqrt(best * (1 - best) / 2000)
    assert best - 0.03 - 4 * error < correct.mean() < best + 4 * error


def test_cross_validated_accuracy_is_at_chance_without_a_difference():
    blocks = _blocks(np.random.default_rng(2), 4, 100, shift=0.0, features=80)
    correct = cross_validated_accuracy(blocks)
    assert abs(correct.mean() - 0.5) < 4 * 0.5 / np.sqrt(400)
    rates = np.concatenate([r for r, _ in blocks])
    classes = np.concatenate([c for _, c in blocks])
    own = (fit_decoder(rates, classes).predict(rates) == classes).mean()
    assert own > 0.65  # the negative control: tested on its own trials it would seem to know


def test_gradient_of_the_fit_vanishes():
    rng = np.random.default_rng(3)
    (rates, classes), *_ = _blocks(rng, 1, 200, shift=1.0, features=5)
    decoder = fit_decoder(rates, classes, ridge=2.0)
    z = (rates - decoder.mean) / decoder.scale
    p = 1 / (1 + np.exp(-(z @ decoder.a + decoder.bias)))
    assert np.allclose(z.T @ (p - classes) + 2.0 * decoder.a, 0.0, atol=1e-5)


def test_a_silent_neuron_has_no_effect():
    blocks = _blocks(np.random.default_rng(4), 3, 100, shift=3.0)
    for rates, _ in blocks:
        rates[:, 5] = 0.0
    assert cross_validated_accuracy(blocks).mean() > 0.85


@pytest.mark.parametrize(
    ("rates", "classes", "words"),
    [
        (np.zeros((4, 2)), [0, 0, 0, 0], "both 0 and 1"),
        (np.zeros(4), [0, 1, 0, 1], "shape"),
        (np.zeros((4, 2)), [0, 1, 0], "shape"),
    ],
)
def test_data_that_cannot_be_fitted_raise_an_error(rates, classes, words):
    with pytest.raises(SynsampError, match=words):
        fit_decoder(rates, classes)


def test_a_single_block_raises_an_error():
    with pytest.raises(SynsampError, match="at least two"):
        cross_validated_accuracy(_blocks(np.random.default_rng(5), 1, 10, 1.0))


@pytest.mark.parametrize("block", [(np.ones((2, 3)),), (1, 2, 3), np.ones((2, 2)), "ab", None])
def test_a_block_must_be_a_pair(block):
    good = (np.ones((4, 2)), np.array([0, 1, 0, 1]))
    with pytest.raises(SynsampError, match=r"blocks\[1\] must be a pair"):
        cross_validated_accuracy([good, block])
