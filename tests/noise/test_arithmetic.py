import numpy as np
import pytest
from numba import njit

from synsamp.noise import arithmetic


@njit
def _map_exp(x, out):
    for i in range(x.size):
        out[i] = arithmetic.exp(x[i])


@njit
def _map_log(x, out):
    for i in range(x.size):
        out[i] = arithmetic.log_uniform(x[i])


@njit
def _map_circle(t, cos, sin):
    for i in range(t.size):
        cos[i] = arithmetic.cos_quarter(t[i])
        sin[i] = arithmetic.sin_quarter(t[i])


def test_exp_is_accurate_to_a_few_units_in_the_last_place():
    x = np.concatenate([np.linspace(-708, 708, 200_001), np.linspace(-1e-3, 1e-3, 10_001)])
    out = np.empty_like(x)
    _map_exp(x, out)
    assert np.max(np.abs(out / np.exp(x) - 1)) < 3e-15


@pytest.mark.parametrize(("x", "limit"), [(1e4, np.exp(708.0)), (-1e4, np.exp(-708.0))])
def test_exp_saturates_instead_of_overflowing(x, limit):
    out = np.empty(1)
    _map_exp(np.array([x]), out)
    assert out[0] == pytest.approx(limit, rel=1e-12)


def test_log_of_uniform_numbers_from_the_smallest_to_one():
    u = np.concatenate([np.geomspace(2.0**-33, 1, 100_001), np.linspace(0.5, 1, 100_001)])
    u = u.astype(np.float32)
    out = np.empty_like(u)
    _map_log(u, out)
    exact = np.log(u.astype(float))
    assert np.max(np.abs(out - exact) / np.maximum(np.abs(exact), 1e-3)) < 3e-7
    assert out[-1] == 0.0


def test_sine_and_cosine_of_an_eighth_turn_to_either_side():
    t = np.linspace(-0.5, 0.5, 100_001).astype(np.float32)
    cos, sin = np.empty_like(t), np.empty_like(t)
    _map_circle(t, cos, sin)
    angle = np.pi / 2 * t.astype(float)
    assert np.max(np.abs(cos - np.cos(angle))) < 2e-7
    assert np.max(np.abs(sin - np.sin(angle))) < 2e-7


@njit
def _map_single(x, out, short):
    for i in range(x.size):
        out[i] = arithmetic.exp_up_to_4(x[i]) if short else arithmetic.exp_single(x[i])


@pytest.mark.parametrize(("low", "high", "short", "error"), [(-87, 88, 0, 3e-7), (0, 4, 1, 1e-6)])
def test_exp_in_single_precision_is_as_accurate_as_it_says(low, high, short, error):
    x = np.linspace(low, high, 300_001, dtype=np.float32)
    out = np.empty_like(x)
    _map_single(x, out, bool(short))
    worst = np.max(np.abs(out / np.exp(x.astype(float)) - 1))
    assert error / 10 < worst < error


def test_exp_in_single_precision_ends_at_zero_and_saturates():
    x = np.array([-np.inf, -1e9, -89.0, 88.0, 89.0, np.inf], np.float32)
    out = np.empty_like(x)
    _map_single(x, out, False)
    np.testing.assert_array_equal(out[:3], 0.0)
    assert np.isfinite(out).all()
    assert (out[4:] == out[3]).all()
