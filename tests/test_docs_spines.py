"""docs/spines.md keeps its word: its table is read, its examples run."""

from __future__ import annotations

import re
from pathlib import Path

from spines.tables import long_text, truth, write
from synsamp.spines import read

PAGE = (Path(__file__).parents[1] / "docs" / "spines.md").read_text()


def test_the_table_of_the_page_is_read_as_it_says(tmp_path):
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
    for name in re.findall(r"\]\((images/[^)]+)\)", PAGE):
        assert (Path(__file__).parents[1] / "docs" / name).exists()
