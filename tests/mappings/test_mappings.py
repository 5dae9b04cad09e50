from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import synsamp as ss
from synsamp.specialise import is_compiled

mappings = st.one_of(
    st.builds(ss.Identity),
    st.builds(ss.Exponential, st.floats(-5, 5)),
    st.builds(ss.Softplus, st.floats(0.05, 20)),
)


@settings(max_examples=200, deadline=None)
@given(mappings, st.floats(-25, 25))
def test_slope_and_dlog_slope_are_the_derivatives(mapping, theta):
    unit = getattr(mapping, "scale", 1.0)
    theta *= unit
    h = 1e-3 * unit
    points = theta + h * np.array([-2.0, -1.0, 1.0, 2.0])
    weights = [1 / 12, -8 / 12, 8 / 12, -1 / 12]
    slope = float(mapping.slope(theta))
    assert np.dot(weights, mapping.weight(points)) / h == pytest.approx(slope, rel=1e-6)
    if not isinstance(mapping, ss.Identity):
        given = float(mapping._evaluate(mapping.dlog_slope_of, theta))
        log_slope = np.log(mapping.slope(points))
        assert np.dot(weights, log_slope) / h == pytest.approx(given, rel=1e-5, abs=1e-9 / unit)


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


def test_custom_mapping_plain_and_compiled_agree():
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
    assert not ss.CustomMapping(njit(weight), slope, (3.0,)).compiled
    assert not ss.CustomMapping(weight, njit(slope), (3.0,)).compiled


def test_bad_scale_raises_an_error():
    with pytest.raises(ss.SynsampError, match=r"scale must be .*>= 1e-12"):
        ss.Softplus(0.0)


@pytest.mark.parametrize("name", ["weight_of", "slope_of", "dlog_slope_of", "theta_of"])
def test_a_value_that_is_no_function_raises_an_error(name):
    functions = dict(weight_of=abs, slope_of=abs, dlog_slope_of=abs, theta_of=abs)
    ss.CustomMapping(**functions)
    with pytest.raises(ss.SynsampError, match=f"{name} must be a function"):
        ss.CustomMapping(**functions | {name: 3.0})


@pytest.mark.parametrize(
    ("mapping", "name"),
    [
        (ss.Exponential(3.0), "offset"),
        (ss.Softplus(1.0), "scale"),
        (ss.CustomMapping(abs, abs), "weight_of"),
    ],
)
def test_a_mapping_cannot_be_changed_past_its_checks(mapping, name):
    with pytest.raises(FrozenInstanceError):
        setattr(mapping, name, -1.0)


@pytest.mark.parametrize("mapping", [ss.Identity(), ss.Exponential(), ss.Softplus()])
def test_all_functions_of_a_mapping_can_run_inside_a_compiled_loop(mapping):
    functions = (mapping.weight_of, mapping.slope_of, mapping.dlog_slope_of, mapping.theta_of)
    assert all(map(is_compiled, functions))


def test_bounds_of_the_offset_are_inclusive():
    for offset in (-700, 700):
        assert ss.Exponential(offset).offset == offset
    for offset in (-700.5, 700.5):
        with pytest.raises(ss.SynsampError, match="offset must be a finite number"):
            ss.Exponential(offset)


def test_compiled_functions_are_cached_for_the_next_process(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    mapping = ss.CustomMapping(njit(lambda x, p: x + 0.625), njit(lambda x, p: 1.0))
    assert mapping.weight(1.0) == 1.625
    prior = ss.CustomPrior(njit(lambda x, p: -x * 0.375), njit(lambda x, p: -0.375))
    assert prior.log_density(1.0) == -0.375
    assert len(list(tmp_path.rglob("*_elementwise_template*.nbi"))) == 2
