"""User code that misbehaves: names that clash, attributes, another folder, sys.exit."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
import xarray as xr

from synsamp.errors import SynsampError
from synsamp.experiments.base import Experiment
from synsamp.runs import RunFolder, execute
from synsamp.runs.execute import RunFailedError, disk_is_full


def experiment(run):
    return Experiment(name="mine", title="Mine", run=run)


ONE = xr.Dataset({"x": ("i", [1.0, 2.0])})


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a"), ("measures",), ("measures/a",)])
def test_names_that_would_overwrite_each_other_are_an_error_before_the_run(tmp_path, names):
    called = []

    def part():
        called.append(1)
        return ONE

    with pytest.raises(SynsampError, match="name of a result must not"):
        execute(experiment(lambda p, s: dict.fromkeys(names, part)), tmp_path / "run")
    assert not called


@pytest.mark.parametrize(
    "attributes",
    [{"scale_factor": 10.0}, {"add_offset": 5.0}, {"_FillValue": 2.0}, {"missing_value": 2.0}],
)
def test_attributes_do_not_change_numbers(tmp_path, attributes):
    given = ONE.assign(x=ONE.x.assign_attrs(attributes))
    found = execute(experiment(lambda p, s: given), tmp_path / "run").results()["results"]
    assert np.array_equal(found.x.values, [1.0, 2.0])


def test_encodings_do_not_round_numbers(tmp_path):
    given = ONE.assign(y=("i", [0.123, np.nan]))
    given.y.encoding = {"scale_factor": 0.5, "dtype": "int16", "_FillValue": -1}
    found = execute(experiment(lambda p, s: given), tmp_path / "run").results()["results"]
    assert np.array_equal(found.y.values, [0.123, np.nan], equal_nan=True)
    assert found.y.attrs == {}


def test_a_run_that_changes_the_folder_scatters_nothing(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def run(p, s):
        os.chdir(tmp_path / "there")
        return ONE

    from pathlib import Path

    folder = execute(experiment(run), Path("run"))
    assert folder.status.state == "finished"
    assert Path.cwd() == tmp_path / "here"
    assert not os.listdir(tmp_path / "there")


def test_sys_exit_in_a_run_is_a_failure(tmp_path):
    with pytest.raises(RunFailedError, match=r"got sys.exit\(0\)"):
        execute(experiment(lambda p, s: sys.exit(0)), tmp_path / "run")
    assert RunFolder(tmp_path / "run").status.state == "failed"


def test_a_file_size_limit_counts_as_a_full_disk():
    import errno

    assert disk_is_full(OSError(errno.EFBIG, "File too large"))
