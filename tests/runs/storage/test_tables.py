"""A table holds what was appended, whatever the pieces and wherever it was cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from synsamp.columns import Column, Table
from synsamp.packing import DamagedStateError
from synsamp.runs.storage import tables
from synsamp.runs.storage.tables import TableSet

TABLE = Table(
    "record",
    {
        "time_s": Column("float64", unit="s"),
        "theta": Column("float32", {"synapse": 100_000}),  # 400 kB a row: two rows a chunk
    },
)


def rows(start, stop):
    index = np.arange(start, stop, dtype=float)
    return {"time_s": index, "theta": np.repeat(index[:, None], 100_000, 1).astype("f4")}


def read(store):
    return xr.open_zarr(store, group="rec", consolidated=False, chunks=None, decode_times=False)


@given(st.lists(st.integers(0, 5), max_size=6), st.integers(0, 6))
@settings(max_examples=25, deadline=None)
def test_pieces_and_a_cut_make_no_difference(tmp_path_factory, pieces, cut):
    """Append in pieces, save after ``cut`` of them, continue, be killed, continue from the save."""
    store = tmp_path_factory.mktemp("s") / "r.zarr"
    first = TableSet(store)
    table = first.open("rec", TABLE, {})
    ends = np.concatenate([[0], np.cumsum(pieces)]).astype(int)
    saved = None
    for i, (a, b) in enumerate(pairwise(ends)):
        if i == cut:
            saved = {"rec": {**(s := table.saved()), "tail": _copy(s["tail"])}}
            done = a
        table.append(**rows(a, b))
    if saved is not None:  # the first process is gone without closing
        second = TableSet(store)
        second.restore(saved)
        table = second.open("rec", TABLE, {})
        assert len(table) == done
        table.append(**rows(done, ends[-1]))
        first = second
    assert first.close() == ["rec"]
    found = read(store)
    assert found.time_s.dims == ("record",)
    assert found.theta.dims == ("record", "synapse")
    assert np.array_equal(found.time_s, np.arange(ends[-1]))
    assert np.array_equal(found.theta, rows(0, ends[-1])["theta"])


def _copy(tail):
    return {key: value.copy() for key, value in tail.items()}


def test_files_of_a_resumed_table_equal_those_of_an_uninterrupted_one(tmp_path):
    plain, cut = TableSet(tmp_path / "plain"), TableSet(tmp_path / "cut")
    plain.open("rec", TABLE, {}).append(**rows(0, 7))
    plain.close()
    table = cut.open("rec", TABLE, {})
    table.append(**rows(0, 3))
    saved = {"rec": {**(s := table.saved()), "tail": _copy(s["tail"])}}
    assert saved["rec"]["written"] == 2
    table.append(**rows(3, 7))
    again = TableSet(tmp_path / "cut")
    again.restore(saved)
    again.open("rec", TABLE, {}).append(**rows(3, 7))
    again.close()
    files = {p.relative_to(tmp_path / "plain") for p in (tmp_path / "plain").rglob("*")}
    assert files == {p.relative_to(tmp_path / "cut") for p in (tmp_path / "cut").rglob("*")}
    for file in files:
        if (tmp_path / "plain" / file).is_file():
            assert (tmp_path / "plain" / file).read_bytes() == (
                tmp_path / "cut" / file
            ).read_bytes()


def test_memory_is_bounded_whatever_the_length(tmp_path):
    table = TableSet(tmp_path / "r").open("rec", Table("record", {"x": Column("float64")}), {})
    for start in range(0, 400_000, 40_000):
        table.append(x=np.arange(start, start + 40_000.0))
    assert len(table) == 400_000
    assert table.saved()["tail"]["x"].size < tables.CHUNK_ROWS


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"time_s": [0.0]}, ValueError),
        ({"time_s": [0.0, 1.0], "theta": np.zeros((1, 100_000))}, ValueError),
        ({"time_s": [0.0], "theta": np.zeros((1, 5))}, ValueError),
        ({"time_s": ["x"], "theta": np.zeros((1, 100_000))}, (TypeError, ValueError)),
    ],
)
def test_rows_that_do_not_fit_raise_an_error(tmp_path, wrong, error):
    table = TableSet(tmp_path / "r").open("rec", TABLE, {})
    with pytest.raises(error):
        table.append(**wrong)
    assert len(table) == 0


def test_numbers_are_never_silently_rounded(tmp_path):
    table = TableSet(tmp_path / "r").open("rec", Table("record", {"n": Column("int32")}), {})
    with pytest.raises(TypeError):
        table.append(n=[1.5])


def test_misuse_raises_an_error(tmp_path):
    with pytest.raises(ValueError, match="at least one column"):
        TableSet(tmp_path / "r").open("rec", Table("record", {}), {})
    open_tables = TableSet(tmp_path / "r")
    open_tables.open("rec", TABLE, {})
    with pytest.raises(RuntimeError, match="open already"):
        open_tables.open("rec", TABLE, {})
    with pytest.raises(RuntimeError, match="before opening tables"):
        open_tables.restore({})


def test_names_along_the_other_dimensions_are_kept_and_are_no_rows(tmp_path):
    columns = {"theta": Column("float32", {"pre": 3})}
    found = TableSet(tmp_path / "r")
    table = found.open("rec", Table("record", columns), {"pre": [4, 5, 6]})
    table.append(theta=np.zeros((2, 3)))
    saved = {"rec": {**(s := table.saved()), "tail": _copy(s["tail"])}}
    again = TableSet(tmp_path / "r")
    again.restore(saved)
    again.open("rec", Table("record", columns), {"pre": [4, 5, 6]}).append(theta=np.ones((1, 3)))
    again.close()
    assert list(read(tmp_path / "r").pre.values) == [4, 5, 6]
    assert list(read(tmp_path / "r").theta.values[:, 0]) == [0, 0, 1]


def test_a_table_within_a_branch_is_a_group_within_a_group(tmp_path):
    found = TableSet(tmp_path / "r")
    for name in ("rec", "branch/rec"):
        found.open(name, Table("record", {"x": Column("float64")}), {}).append(x=[1.0])
    assert found.close() == ["rec", "branch/rec"]
    group = xr.open_zarr(tmp_path / "r", group="branch/rec", consolidated=False, chunks=None)
    assert list(group.x.values) == [1.0]


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_chunk_is_noticed(tmp_path, damage):
    table = TableSet(tmp_path / "r").open("rec", TABLE, {})
    table.append(**rows(0, 5))
    chunk = tmp_path / "r" / "rec" / "time_s" / "c" / "0"
    if damage == "missing":
        chunk.unlink()
    else:
        chunk.write_bytes(chunk.read_bytes()[:-1] + b"x")
    with pytest.raises(DamagedStateError, match=f"counts on, is {damage}"):
        TableSet(tmp_path / "r").restore({"rec": table.saved()})


def test_a_column_that_is_a_coordinate_is_read_as_one_also_after_a_resume(tmp_path):
    columns = {
        "record": Column("float64"),
        "x": Column("float64"),
        "after_lesion": Column("|b1", coordinate=True),
    }
    table = TableSet(tmp_path / "r").open("rec", Table("record", columns), {})
    table.append(record=[0.0, 1.0], x=[5.0, 6.0], after_lesion=[False, True])
    saved = {"rec": {**(s := table.saved()), "tail": _copy(s["tail"])}}
    again = TableSet(tmp_path / "r")
    again.restore(saved)
    again.open("rec", Table("record", columns), {})
    again.close()
    found = read(tmp_path / "r")
    assert list(found.data_vars) == ["x"]
    assert list(found.x.sel(record=found.after_lesion).values) == [6.0]
