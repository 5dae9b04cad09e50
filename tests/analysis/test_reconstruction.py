"""Images in mind: efficacies times rates, compared with mean images."""

import numpy as np
import pytest

from synsamp.analysis.reconstruction import class_correlation, reconstruct_images
from synsamp.errors import SynsampError


def test_image_is_the_sum_of_fields_weighted_by_rates():
    fields = np.eye(3, 5)
    assert reconstruct_images(fields, [2.0, 0.0, 1.0]).tolist() == [2.0, 0.0, 1.0, 0.0, 0.0]
    assert reconstruct_images(fields, np.ones((4, 3))).shape == (4, 5)


def test_likeness_is_highest_for_the_right_image():
    rng = np.random.default_rng(1)
    means = rng.random((2, 50))
    noisy = means * 7 + 3 + 0.1 * rng.normal(size=means.shape)  # scale and offset do not matter
    table = class_correlation(noisy, means)
    assert np.diag(table).min() > 0.95
    assert table[0, 1] < 0.6
    assert table[0, 0] == pytest.approx(np.corrcoef(noisy[0], means[0])[0, 1])


def test_rates_of_other_neurons_raise_an_error():
    with pytest.raises(SynsampError, match="3 neurons"):
        reconstruct_images(np.ones((3, 4)), np.ones(2))
