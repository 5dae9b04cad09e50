"""docs/howto/spines.md: its table is read as described, and its examples run."""

from __future__ import annotations

import re
from pathlib import Path

from spines.tables import long_text, truth, write
from synsamp.spines import fit, read

PAGE = (Path(__file__).parents[1] / "docs" / "howto" / "spines.md").read_text()


def test_the_table_of_the_page_is_read_as_described(tmp_path):
    printed = re.search(r"```\n(mouse,.*?)```", PAGE, re.S).group(1)
    found = read(write(tmp_path, printed))
    assert found.animals == ["m1", "m2"]
    assert found.state.tolist() == [[0, 1, 1, 0], [1, -1, -1, -1]]
    assert found.size_unit == "µm³"


def test_the_examples_of_the_page_run(tmp_path, monkeypatch, capsys):
    write(tmp_path, long_text(truth(n_spines=100, n_animals=3)), "my_spines.csv")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.S):
        exec(block, names)
    assert "relaxation" in capsys.readouterr().out
    assert names["synapses"].prior.std == names["fitted"].value("spread")


def test_the_picture_of_the_page_is_there():
    for name in re.findall(r"\]\(\.\./(images/[^)]+)\)", PAGE):
        assert (Path(__file__).parents[1] / "docs" / name).exists()


def test_the_table_of_circuits_is_read_and_fitted():
    """θ of simulated circuits in the format of a laboratory."""
    path = Path(__file__).parents[1] / "docs" / "data" / "circuit_spines.csv"
    assert path.stat().st_size < 200_000
    table = read(path)
    assert table.animals == ["c1", "c2", "c3"]
    assert table.time_unit == "hour"
    assert table.times.tolist() == [0.5 * k for k in range(10)]
    fitted = fit(table)
    assert fitted.threshold_on == "true"  # presence was judged by θ, sizes have noise
    low, high = fitted.interval("threshold")
    assert low < 1.1
    assert high > 0.9
    assert fitted.interval("relaxation")[0] > 0
