"""A stream holds what was appended, whatever the pieces and wherever it was cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from synsamp.experiments.base import Column
from synsamp.runs.storage import streams
from synsamp.runs.storage.streams import StreamSet

COLUMNS = {
    "time_s": Column("float64", unit="s"),
    "theta": Column("float32", {"synapse": 100_000}),  # 400 kB a row: two rows a chunk
}


def rows(start, stop):
    index = np.arange(start, stop, dtype=float)
    return {"time_s": index, "theta": np.repeat(index[:, None], 100_000, 1).astype("f4")}


def read(store):
    return xr.open_zarr(store, group="rec", consolidated=False, chunks=None, decode_times=False)


@given(st.lists(st.integers(0, 5), max_size=6), st.integers(0, 6))
@settings(max_examples=25, deadline=None)
def test_pieces_and_a_cut_make_no_difference(tmp_path_factory, pieces, cut):
    """Append in pieces, save after ``cut`` of them, go on, be killed, take up from the save."""
    store = tmp_path_factory.mktemp("s") / "r.zarr"
    first = StreamSet(store)
    stream = first.open("rec", COLUMNS, "record")
    ends = np.concatenate([[0], np.cumsum(pieces)]).astype(int)
    saved = None
    for i, (a, b) in enumerate(pairwise(ends)):
        if i == cut:
            saved = {"rec": {**(s := stream.saved()), "tail": _copy(s["tail"])}}
            done = a
        stream.append(**rows(a, b))
    if saved is not None:  # the first process is gone without closing
        second = StreamSet(store)
        second.restore(saved)
        stream = second.open("rec", COLUMNS, "record")
        assert len(stream) == done
        stream.append(**rows(done, ends[-1]))
        first = second
    assert first.close() == ["rec"]
    found = read(store)
    assert found.time_s.dims == ("record",)
    assert found.theta.dims == ("record", "synapse")
    assert np.array_equal(found.time_s, np.arange(ends[-1]))
    assert np.array_equal(found.theta, rows(0, ends[-1])["theta"])


def _copy(tail):
    return {key: value.copy() for key, value in tail.items()}


def test_files_of_a_resumed_stream_equal_those_of_an_uninterrupted_one(tmp_path):
    plain, cut = StreamSet(tmp_path / "plain"), StreamSet(tmp_path / "cut")
    plain.open("rec", COLUMNS, "record").append(**rows(0, 7))
    plain.close()
    stream = cut.open("rec", COLUMNS, "record")
    stream.append(**rows(0, 3))
    saved = {"rec": {**(s := stream.saved()), "tail": _copy(s["tail"])}}
    assert saved["rec"]["written"] == 2
    stream.append(**rows(3, 7))
    again = StreamSet(tmp_path / "cut")
    again.restore(saved)
    again.open("rec", COLUMNS, "record").append(**rows(3, 7))
    again.close()
    files = {p.relative_to(tmp_path / "plain") for p in (tmp_path / "plain").rglob("*")}
    assert files == {p.relative_to(tmp_path / "cut") for p in (tmp_path / "cut").rglob("*")}
    for file in files:
        if (tmp_path / "plain" / file).is_file():
            assert (tmp_path / "plain" / file).read_bytes() == (
                tmp_path / "cut" / file
            ).read_bytes()


def test_memory_is_bounded_whatever_the_length(tmp_path):
    stream = StreamSet(tmp_path / "r").open("rec", {"x": Column("float64")}, "record")
    for start in range(0, 400_000, 40_000):
        stream.append(x=np.arange(start, start + 40_000.0))
    assert len(stream) == 400_000
    assert stream.saved()["tail"]["x"].size < streams.CHUNK_ROWS


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"time_s": [0.0]}, ValueError),
        ({"time_s": [0.0, 1.0], "theta": np.zeros((1, 100_000))}, ValueError),
        ({"time_s": [0.0], "theta": np.zeros((1, 5))}, ValueError),
        ({"time_s": ["x"], "theta": np.zeros((1, 100_000))}, (TypeError, ValueError)),
    ],
)
def test_rows_that_do_not_fit_are_refused(tmp_path, wrong, error):
    stream = StreamSet(tmp_path / "r").open("rec", COLUMNS, "record")
    with pytest.raises(error):
        stream.append(**wrong)
    assert len(stream) == 0


def test_numbers_are_never_silently_rounded(tmp_path):
    stream = StreamSet(tmp_path / "r").open("rec", {"n": Column("int32")}, "record")
    with pytest.raises(TypeError):
        stream.append(n=[1.5])


def test_misuse_is_told(tmp_path):
    with pytest.raises(ValueError, match="at least one column"):
        StreamSet(tmp_path / "r").open("rec", {}, "record")
    open_streams = StreamSet(tmp_path / "r")
    open_streams.open("rec", COLUMNS, "record")
    with pytest.raises(RuntimeError, match="open already"):
        open_streams.open("rec", COLUMNS, "record")
    with pytest.raises(RuntimeError, match="before opening streams"):
        open_streams.restore({})
