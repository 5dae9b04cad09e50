"""Mistakes in a user's own experiment end in one line that names the function to correct."""

from __future__ import annotations

import pytest

from synsamp.cli import run_command_line
from synsamp.experiments.registry import REGISTRY, Registry

FILE = """
import xarray as xr
from synsamp.experiments.base import Experiment

def run(parameters, seed):
    {body}
    return xr.Dataset({{"x": ("i", [1.0])}})

def broken(*arguments):
    raise KeyError("no such key")

EXPERIMENT = Experiment(name="mine", title="Mine", run=run, {more})
"""


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("draw=broken", "draw of mine failed: KeyError: 'no such key'"),
        ("requires=broken", "requires of mine failed: KeyError: 'no such key'"),
        ("parameters=dict", "parameters of mine must be a subclass of synsamp.Parameters"),
        ("trials={'quick': 'x'}", "trials of mine for the preset quick must be a whole number"),
        ("trials={'quick': 0}", "trials of mine for the preset quick must be a whole number"),
        ("draw=lambda p, runs: {'../a': 1}", "key of a figure must be letters, digits, - and _"),
        ("draw=lambda p, runs: {'a': 1}", "figure 'a' must be a matplotlib Figure"),
    ],
)
def test_a_mistake_is_one_line(tmp_path, monkeypatch, capfd, more, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE.format(more=more, body=""))
    assert run_command_line(["run", "mine.py", "--out", "run"], Registry([])) in (1, 2)
    said = capfd.readouterr().err
    assert message in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise SystemExit(0)", "got sys.exit(0)"),
        ("raise MemoryError('9 TB')", "not enough memory for mine (9 TB)"),
    ],
)
def test_a_run_that_cannot_continue_fails(tmp_path, monkeypatch, capfd, body, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE.format(more="", body=body))
    assert run_command_line(["run", "mine.py", "--out", "run"], Registry([])) == 1
    assert message in capfd.readouterr().err


@pytest.mark.parametrize("given", ["x", "0", "-1", "1.5", "9999999"])
def test_trials_has_one_message(capfd, given):
    assert run_command_line(["run", "landscape", f"--trials={given}"], REGISTRY) == 2
    rule = "--trials must be a whole number >= 1 and <= 1,000,000, got"
    assert rule in capfd.readouterr().err


def test_the_version_is_shown(capfd):
    assert run_command_line(["--version"], Registry([])) == 0
    assert capfd.readouterr().out.startswith("synsamp 0.")
