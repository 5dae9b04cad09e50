"""R-hat, ESS and Monte-Carlo error: the same numbers as ArviZ, for many parameters at once."""

import numpy as np
import pytest
import xarray as xr

from synsamp.rule.diagnostics import NAMES, diagnose

arviz_stats = pytest.importorskip("arviz_stats")


def _of(draws, threads=1):
    return diagnose(lambda columns: draws[:, :, columns], draws.shape, threads)


def _arviz(draws):
    array = xr.DataArray(draws, dims=("chain", "draw", "parameter"))
    found = arviz_stats.rhat(array), arviz_stats.ess(array), arviz_stats.mcse(array)
    return dict(zip(NAMES, (np.asarray(v) for v in found), strict=True))


def _autoregressive(rng, shape, keep):
    x = rng.standard_normal(shape)
    for k in range(1, shape[1]):
        x[:, k] = keep * x[:, k - 1] + np.sqrt(1 - keep**2) * x[:, k]
    return x


RNG = np.random.default_rng(3)
CASES = {
    "independent": RNG.standard_normal((4, 200, 5)),
    "slow": _autoregressive(RNG, (4, 301, 5), 0.97),
    "antithetic": _autoregressive(RNG, (3, 150, 4), -0.7),
    "chains apart": RNG.standard_normal((4, 100, 3)) + np.arange(4)[:, None, None],
    "chains of different width": RNG.standard_normal((2, 100, 3)) * np.array([1, 4])[:, None, None],
    "ties": RNG.integers(0, 3, (4, 60, 4)).astype(float),
    "one chain": RNG.standard_normal((1, 80, 3)),
    "heavy tails": RNG.standard_cauchy((4, 120, 3)),
    "four draws": RNG.standard_normal((4, 4, 3)),
    "five draws": RNG.standard_normal((2, 5, 3)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_diagnostics_equal_those_of_arviz(case):
    found, expected = _of(CASES[case]), _arviz(CASES[case])
    for name in NAMES:
        assert found[name] == pytest.approx(expected[name], rel=1e-9, nan_ok=True), name


def test_a_constant_parameter_has_no_r_hat_and_all_its_draws():
    draws = np.concatenate([np.full((2, 50, 1), 3.0), RNG.standard_normal((2, 50, 1))], axis=2)
    found = _of(draws)
    assert np.isnan(found["r_hat"]).tolist() == [True, False]
    assert found["ess_bulk"][0] == 100
    assert found["mcse_mean"][0] == 0


def test_too_few_draws_give_nan():
    assert all(np.isnan(v).all() for v in _of(np.zeros((4, 3, 2))).values())


def test_blocks_and_threads_change_nothing(monkeypatch):
    from synsamp.rule import diagnostics

    whole = _of(CASES["slow"])
    monkeypatch.setattr(diagnostics, "_BLOCK_NUMBERS", 2 * 4 * 301)
    parts = _of(CASES["slow"], threads=2)
    for name in NAMES:
        assert parts[name] == pytest.approx(whole[name], rel=1e-12)
