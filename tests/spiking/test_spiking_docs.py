"""The page on the engine is true: its examples run, and say what they print."""

import re
from pathlib import Path

import matplotlib as mpl

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "spiking.md"


def test_the_examples_run_in_order(tmp_path, monkeypatch, capsys):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 4
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\d+ spikes, \d+% of the synapses are active", printed[0])
    assert printed[1] == "[0.5, 0.7, 1.2]"
    assert (tmp_path / "lesion.png").stat().st_size > 1000
    assert names["after"][:, :2].sum() == 0 < names["before"][:, :2].sum()
    assert names["network"].n_neurons == 80
