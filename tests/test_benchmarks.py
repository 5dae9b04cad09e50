"""`python -m benchmarks` finds benchmarks by name, prints tables and writes the page."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import benchmarks
from benchmarks.__main__ import insert, main
from synsamp.errors import SynsampError


@pytest.fixture
def toy_benchmark(monkeypatch):
    folder = Path(__file__).parent / "toys" / "benchmarks"
    monkeypatch.setattr(benchmarks, "__path__", [str(folder)])
    yield
    sys.modules.pop("benchmarks.counting", None)


@pytest.mark.usefixtures("toy_benchmark")
def test_tables_are_printed_and_written(capsys, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Speed\n")
    assert main(["counting"], page) == 0
    output = capsys.readouterr().out
    assert "Counting to three" in output
    assert "| synsamp |    1.23e+06 |" in output
    assert "abacus is missing; run `make peer-abacus`" in output
    assert page.read_text() == "# Speed\n"
    for _ in range(2):  # the second run replaces the section
        assert main(["--write"], page) == 0
        assert page.read_text().count("## Counting to three") == 1
    assert "`python -m benchmarks counting`, " in page.read_text()


def test_two_sections_of_one_benchmark_are_an_error():
    page = insert(insert("", "a", "1"), "b", "2")
    with pytest.raises(SynsampError, match="at most once, got 2"):
        insert(page + page, "a", "3")


@pytest.mark.usefixtures("toy_benchmark")
def test_a_wrong_name_is_an_error_that_suggests_the_nearest():
    with pytest.raises(SynsampError, match=r"did you mean counting\?"):
        main(["countin"])


def test_a_table_without_rows_says_so():
    assert benchmarks.markdown_table([]) == "(nothing measured)"


def test_every_benchmark_has_the_interface():
    assert "peers" not in benchmarks.names()
    for name in benchmarks.names():
        benchmark = benchmarks.load(name)
        assert benchmark.TITLE
        assert callable(benchmark.run)
        assert callable(benchmark.table)


def test_samplers_are_ahead_only_where_they_are():
    from benchmarks.sampling import table

    def row(posterior, method, speed, bias=1.0):
        return {
            "posterior": posterior,
            "method": method,
            "ESS per s": speed,
            "bias, % of the width": bias,
        }

    rows = [
        row("a", "synsamp, Underdamped", 3.0),
        row("a", "synsamp, MALA", 1.0),
        row("a", "blackjax NUTS", 2.0),
        row("b", "synsamp, Underdamped", 3.0, 7.0),
        row("b", "synsamp, MALA", 2.0),
        row("b", "blackjax NUTS", 9.0),
    ]
    text = table(rows)
    assert "`Underdamped` yields more effective samples per second than NUTS on 1 of 2" in text
    assert "(a), at a bias of at most 7.0 %" in text
    assert "`MALA` yields more effective samples per second than NUTS on 0 of 2" in text
    without = [r for r in rows if "NUTS" not in r["method"]]
    assert "than NUTS on" not in table(without)
