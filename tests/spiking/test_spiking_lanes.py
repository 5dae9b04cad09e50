"""Arithmetic of lanes is that of numbers, element by element, NaN included."""

import numpy as np
import pytest
from numba import njit

from synsamp.noise.arithmetic import exp_single
from synsamp.spiking.kernel.simd import (
    LANE,
    any_negative,
    largest,
    load,
    narrow,
    nonzero,
    note_signs,
    singles,
    store,
    total,
    widen,
)


@njit
def calculate(a, b, number, out):
    x, y = load(a, 0), load(b, 0)
    store(out[0], 0, x + y * number)
    store(out[1], 0, number - x)
    store(out[2], 0, min(x, y))
    store(out[3], 0, max(x, number))
    return total(x), largest(x)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_lanes_calculate_like_numbers(kind):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, LANE)).astype(kind)
    number = kind(0.3)
    out = np.zeros((4, LANE), kind)
    sum_of_a, largest_of_a = calculate(a, b, number, out)
    close = {"rtol": 1e-6 if kind is np.float32 else 1e-14}
    np.testing.assert_allclose(out[0], a + b * number, atol=1e-7)
    np.testing.assert_array_equal(out[1], number - a)
    np.testing.assert_array_equal(out[2], np.minimum(a, b))
    np.testing.assert_array_equal(out[3], np.maximum(a, number))
    np.testing.assert_allclose(sum_of_a, a.sum(), **close)
    assert largest_of_a == a.max()
    a[3] = np.nan  # a broken value must never be hidden by its bounds
    calculate(a, b, number, out)
    assert np.isnan(out[:, 3]).all()
    assert np.isfinite(np.delete(out, 3, axis=1)).all()


@njit
def through_single(values, out):
    store(out, 0, widen(narrow(load(values, 0))))


@njit
def exp_of_lane(values, out):
    store(out, 0, exp_single(load(values, 0)))


def test_lanes_change_precision_and_know_exp():
    values = np.linspace(-3, 3, LANE)
    out = np.zeros(LANE)
    through_single(values, out)
    np.testing.assert_array_equal(out, values.astype(np.float32))
    short = np.zeros(LANE, np.float32)
    exp_of_lane(values.astype(np.float32), short)
    np.testing.assert_allclose(short, np.exp(values), rtol=1e-6)


@njit
def crossings(before, after):
    noted = singles(0.0)
    for i in range(0, before.size, LANE):
        noted = note_signs(noted, load(before, i), load(after, i))
    return any_negative(noted)


@pytest.mark.parametrize("at", [0, LANE - 1, LANE, 3 * LANE - 1])
def test_a_single_change_of_sign_is_noted(at):
    before = np.random.default_rng(1).normal(size=3 * LANE).astype(np.float32)
    after = 2 * before
    assert not crossings(before, after)
    after[at] *= -1
    assert crossings(before, after)


@njit
def bits(values):
    return nonzero(load(values, 0))


def test_the_bits_of_a_lane_mark_which_numbers_are_not_zero():
    values = np.zeros(LANE, np.float32)
    values[[0, 3, LANE - 1]] = 0.5
    values[[1, 4]] = -0.5
    values[2] = np.nan
    assert bits(values) == 1 + 2 + 2**3 + 2**4 + 2 ** (LANE - 1)
