"""Likeness of codes: one for the same, less the more neurons have changed, blind to mean rates."""

import numpy as np
import pytest

from synsamp.analysis.codes import code_similarity
from synsamp.errors import SynsampError


def _codes(rng):
    return rng.random((2, 30, 40))  # class, neuron, bin


def test_same_codes_are_alike_and_others_are_not():
    rng = np.random.default_rng(1)
    first, other = _codes(rng), _codes(rng)
    table = code_similarity([first, first, other])
    assert np.allclose(np.diag(table), 1.0)
    assert table[0, 1] == pytest.approx(1.0)
    assert abs(table[0, 2]) < 4 / np.sqrt(first.size)


def test_similarity_falls_with_the_fraction_of_changed_neurons():
    rng = np.random.default_rng(2)
    first, other = _codes(rng), _codes(rng)
    found = []
    for changed in (0, 10, 20, 30):
        mixed = first.copy()
        mixed[:, :changed] = other[:, :changed]
        found.append(code_similarity([first, mixed])[0, 1])
    assert np.allclose(found, [1.0, 2 / 3, 1 / 3, 0.0], atol=0.08)


def test_mean_rates_of_neurons_do_not_count():
    first = _codes(np.random.default_rng(3))
    raised = first + np.arange(30)[None, :, None]
    assert code_similarity([first, raised])[0, 1] == pytest.approx(1.0)


def test_constant_and_single_codes_raise_an_error():
    with pytest.raises(SynsampError, match="constant"):
        code_similarity(np.ones((2, 2, 3, 4)))
    with pytest.raises(SynsampError, match="shape"):
        code_similarity(np.ones((1, 2, 3, 4)))
