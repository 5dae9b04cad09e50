"""Draws go to both lines of ArviZ."""

import warnings

import numpy as np
import pytest
import xarray as xr

import synsamp as ss
from synsamp.rule import arviz as module


@pytest.fixture(scope="module")
def result():
    return ss.sample(ss.Rule(prior=ss.Gaussian()), [0.0, 0.0], steps=200, dt=0.05, progress=False)


def test_arviz_0_gets_inference_data_and_can_use_it(result):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it announces its own successor
        arviz = pytest.importorskip("arviz", reason="ArviZ is not installed here")
        if not arviz.__version__.startswith("0."):
            pytest.skip("ArviZ 0.x is not installed here")
        given = ss.to_arviz(result)
        assert isinstance(given, arviz.InferenceData)
        summary = arviz.summary(given, round_to="none")
    assert summary["mean"].to_numpy() == pytest.approx(result.theta.mean(("chain", "draw")).values)
    assert summary["r_hat"].to_numpy() == pytest.approx(result.r_hat.values)


@pytest.mark.parametrize("version", ["", "1.0.0"])
def test_arviz_1_gets_a_data_tree(result, version, monkeypatch):
    import arviz_stats

    monkeypatch.setattr(module, "_arviz_version", lambda: version)
    given = ss.to_arviz(result)
    assert isinstance(given, xr.DataTree)
    assert np.array_equal(given["posterior"]["theta"].values, result.theta.values)
    assert arviz_stats.rhat(given)["theta"].values == pytest.approx(result.r_hat.values)


@pytest.mark.parametrize("bad", [None, 3, xr.Dataset()])
def test_other_datasets_raise_an_error(bad):
    with pytest.raises(ss.SynsampError, match=r"dataset must .*synsamp.sample"):
        ss.to_arviz(bad)
