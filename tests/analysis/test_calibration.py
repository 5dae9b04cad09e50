import numpy as np
import pytest
from scipy import stats

import synsamp as ss
from synsamp.analysis.calibration import accuracy, log_score, reliability
from synsamp.analysis.out_of_distribution import detection, disagreement, entropy

CASES, CLASSES = 40_000, 10


@pytest.fixture(scope="module")
def honest():
    """Labels drawn from the very probabilities that are predicted."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(CLASSES, 0.3), CASES)
    labels = (p.cumsum(axis=1) < rng.random((CASES, 1))).sum(axis=1).clip(0, CLASSES - 1)
    return p, labels


def _sharpened(p, power):
    return p**power / (p**power).sum(axis=1, keepdims=True)


def test_honest_probabilities_are_calibrated_and_sharpened_ones_are_not(honest):
    p, labels = honest
    # The gap of a bin with n cases is about sqrt(p(1 − p)/n), weighted by n: below this bound.
    noise = np.sqrt(15 / CASES) * 0.5
    assert reliability(p, labels).error < 2 * noise
    assert reliability(_sharpened(p, 2.0), labels).error > 10 * noise
    assert reliability(_sharpened(p, 0.5), labels).error > 10 * noise


def test_the_log_score_is_best_for_honest_probabilities(honest):
    p, labels = honest
    own = log_score(p, labels)
    assert own == pytest.approx(entropy(p).mean(), abs=5 * entropy(p).std() / np.sqrt(CASES))
    assert own < min(log_score(_sharpened(p, power), labels) for power in (0.7, 1.4))


def test_closed_forms():
    p = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    found = reliability(p, [0, 1, 1, 0], bins=10)
    # 0.9: half right (gap 0.4, two cases); 0.8: right (0.2); 0.5: right (0.5)
    assert found.error == pytest.approx((2 * 0.4 + 0.2 + 0.5) / 4)
    assert found.cases.sum() == 4
    assert accuracy(p, [0, 1, 1, 0]) == 0.75
    assert log_score([[1.0, 0.0]], [0]) == 0.0
    assert np.isfinite(log_score([[1.0, 0.0]], [1]))
    np.testing.assert_allclose(entropy([[0.5, 0.5], [1.0, 0.0]]), [np.log(2), 0.0])


def test_disagreement_is_what_samples_are_sure_of_differently():
    sure_of_different = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])  # sample, case, class
    equally_unsure = np.full((2, 1, 2), 0.5)
    for samples, wanted in ((sure_of_different, np.log(2)), (equally_unsure, 0.0)):
        expected = np.mean([entropy(p) for p in samples], axis=0)
        assert disagreement(samples.mean(axis=0), expected) == pytest.approx(wanted)


def test_detection_is_the_probability_of_a_higher_score():
    rng = np.random.default_rng(1)
    known, unknown = rng.normal(0, 1, 20_000), rng.normal(1, 1, 20_000)
    assert detection(known, unknown) == pytest.approx(stats.norm.cdf(1 / np.sqrt(2)), abs=0.012)
    assert detection(known, known) == pytest.approx(0.5)
    assert detection([0, 1], [2, 3]) == 1.0
    assert detection([2, 3], [0, 1]) == 0.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: accuracy([[0.5, 0.2]], [0]), ["probabilities", "add up to 1", "softmax"]),
        (lambda: accuracy([[0.5, 0.5]], [2]), ["labels", "<= 1", "2"]),
        (lambda: accuracy([[0.5, 0.5]], [0, 1]), ["labels", "(1,)", "(2,)"]),
        (lambda: accuracy(np.zeros((0, 2)), []), ["probabilities", "at least one case"]),
        (lambda: reliability([[1.0, 0.0]], [0], bins=0), ["bins", ">= 1"]),
        (lambda: detection([], [1.0]), ["known and unknown", "at least one"]),
        (lambda: entropy([[np.nan, 1.0]]), ["probabilities", "finite"]),
    ],
)
def test_misuse_raises_an_error(call, words):
    with pytest.raises(ss.SynsampError) as error:
        call()
    for word in words:
        assert word in str(error.value)
