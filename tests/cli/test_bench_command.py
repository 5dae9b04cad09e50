"""``synsamp bench`` finds benchmarks by name and writes what they measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from synsamp import bench
from synsamp.cli import run_command_line
from toys.app import TOYS


@pytest.fixture
def toy_benchmark(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    folder = Path(__file__).parents[1] / "toys" / "benchmarks"
    monkeypatch.setattr(bench, "__path__", [str(folder)])
    yield
    sys.modules.pop("synsamp.bench.counting", None)


@pytest.mark.usefixtures("toy_benchmark")
def test_bench_prints_a_table_and_writes_json(capsys, tmp_path):
    assert run_command_line(["bench", "--json", "rows.json"], TOYS) == 0
    output = capsys.readouterr().out
    assert "Counting to three" in output
    assert "| synsamp |    1.23e+06 |" in output
    assert "abacus is missing; run `make peer-abacus`" in output
    content = json.loads((tmp_path / "rows.json").read_text())
    assert content["benchmarks"]["counting"][0]["updates / s"] == 1234567.0
    assert content["versions"]["numpy"]
    assert run_command_line(["bench", "counting", "--json", "rows.json"], TOYS) == 0


@pytest.mark.usefixtures("toy_benchmark")
def test_a_wrong_name_is_told_with_the_nearest(capsys):
    assert run_command_line(["bench", "countin"], TOYS) == 2
    assert "did you mean counting?" in capsys.readouterr().err


def test_a_table_of_nothing_says_so():
    assert bench.markdown_table([]) == "(nothing measured)"


def test_every_benchmark_offers_what_the_command_needs():
    for name in bench.names():
        benchmark = bench.load(name)
        assert benchmark.TITLE
        assert callable(benchmark.run)
        assert callable(benchmark.table)
