"""Draws on disk are the draws in memory."""

import numpy as np
import pytest
import xarray as xr

import synsamp as ss
from synsamp.rule import draw_store

RULE = ss.Rule(prior=ss.GaussianMixture())


def _sample(**changes):
    settings = dict(steps=900, dt=1e-3, chains=3, thin=2, seed=4, progress=False) | changes
    return ss.sample(RULE, np.zeros(7), **settings)


@pytest.mark.parametrize("buffer", [2**22, 3 * 7 * 13])
def test_a_store_holds_the_same_draws_and_diagnostics(tmp_path, monkeypatch, buffer):
    monkeypatch.setattr(draw_store, "_BUFFER_NUMBERS", buffer)  # one write, or many
    stored, kept = _sample(store=tmp_path / "draws.zarr"), _sample()
    assert stored.theta.chunks is not None  # lazy
    xr.testing.assert_identical(stored.load(), kept[list(stored.data_vars)])
    again = xr.open_zarr(tmp_path / "draws.zarr", consolidated=False)
    assert np.array_equal(again.theta.values, kept.theta.values)
    assert np.array_equal(again.r_hat.values, kept.r_hat.values)


def test_an_interrupted_store_ends_with_the_last_draw(tmp_path, monkeypatch):
    advance, calls = ss.Chains.advance, []

    def interrupted(self, n_steps, thin=1):
        calls.append(n_steps)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return advance(self, n_steps, thin)

    monkeypatch.setattr(ss.Chains, "advance", interrupted)
    result = _sample(store=str(tmp_path / "draws.zarr"))
    assert result.attrs["interrupted"] == 1
    assert result.theta.shape == (3, sum(calls[:4]) // 2, 7)
    monkeypatch.undo()
    assert np.array_equal(result.theta.values, _sample().theta.values[:, : sum(calls[:4]) // 2])


def test_a_lost_chunk_reads_as_nan_and_not_as_zeros(tmp_path):
    _sample(steps=20, store=tmp_path / "draws", diagnostics=False)
    (chunk,) = (path for path in (tmp_path / "draws" / "theta" / "c").rglob("*") if path.is_file())
    chunk.unlink()
    assert np.isnan(xr.open_zarr(tmp_path / "draws", consolidated=False).theta).all()


def test_an_existing_store_is_not_overwritten(tmp_path):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(ss.SynsampError, match="store must not exist"):
        _sample(store=tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "precious"


def test_more_draws_than_memory_raise_an_error_before_the_run():
    with pytest.raises(ss.SynsampError, match=r"half of the memory .* store="):
        _sample(steps=10**12)
