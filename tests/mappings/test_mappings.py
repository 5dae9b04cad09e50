import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import synsamp as ss

mappings = st.one_of(
    st.builds(ss.Identity),
    st.builds(ss.Exponential, st.floats(-5, 5)),
    st.builds(ss.Softplus, st.floats(0.05, 20)),
)


@settings(max_examples=200, deadline=None)
@given(mappings, st.floats(-25, 25))
def test_slope_and_bend_are_the_derivatives(mapping, theta):
    unit = getattr(mapping, "scale", 1.0)
    theta *= unit
    h = 1e-3 * unit
    points = theta + h * np.array([-2.0, -1.0, 1.0, 2.0])
    weights = [1 / 12, -8 / 12, 8 / 12, -1 / 12]
    slope = float(mapping.slope(theta))
    assert np.dot(weights, mapping.weight(points)) / h == pytest.approx(slope, rel=1e-6)
    if not isinstance(mapping, ss.Identity):
        bend = float(mapping._evaluate(mapping.bend_of, theta))
        log_slope = np.log(mapping.slope(points))
        assert np.dot(weights, log_slope) / h == pytest.approx(bend, rel=1e-5, abs=1e-9 / unit)


@settings(max_examples=200, deadline=None)
@given(mappings, st.floats(-20, 20))
def test_theta_undoes_weight(mapping, theta):
    theta *= getattr(mapping, "scale", 1.0)
    assert mapping.theta(mapping.weight(theta)) == pytest.approx(theta, abs=1e-6)


def test_retracted_synapses_have_tiny_weights():
    # The paper: θ0 = 3 makes weights below 0.05 for θ <= 0.
    assert ss.Exponential(3.0).weight(0.0) < 0.05
    assert ss.Exponential(3.0).slope(1.3) == ss.Exponential(3.0).weight(1.3)


@pytest.mark.parametrize("theta", [-1e5, 1e5])
def test_softplus_neither_overflows_nor_loses_its_slope(theta):
    mapping = ss.Softplus()
    assert np.isfinite(mapping.weight(theta))
    assert 0 <= mapping.slope(theta) <= 1


def test_own_mapping_plain_and_compiled_agree():
    def weight(theta, p):
        return p[0] * theta**2

    def slope(theta, p):
        return 2 * p[0] * theta

    plain = ss.CustomMapping(weight, slope, (3.0,))
    fast = ss.CustomMapping(njit(weight), njit(slope), (3.0,))
    x = np.linspace(0.1, 2, 5)
    assert fast.weight(x) == pytest.approx(plain.weight(x))
    assert fast.slope(x) == pytest.approx(plain.slope(x))
    assert fast.compiled
    assert not plain.compiled


def test_bad_scale_is_refused():
    with pytest.raises(ss.SynsampError, match=r"scale must be .*>= 1e-12"):
        ss.Softplus(0.0)
