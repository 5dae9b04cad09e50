"""The page on networks in space is true: its examples run, and show what the text says."""

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "space.md"


def test_the_examples_run_in_order(tmp_path, monkeypatch, capsys):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 5
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert (tmp_path / "space_probability.png").stat().st_size > 1000
    network_lines = blocks[0].split("distance, edges")[0].strip().splitlines()
    assert len(network_lines) <= 25
    connected, expected = names["connected"], names["expected"] * names["pairs"]
    assert (np.abs(connected - expected) < 4.5 * np.sqrt(expected)).all()
    wrong = 1.1 * expected  # a rule that is off by this factor is seen
    assert (np.abs(connected - wrong) > 4.5 * np.sqrt(wrong)).any()
    printed = capsys.readouterr().out.splitlines()
    counts = np.fromstring(printed[0].strip("[]"), sep=" ")
    p = 0.3085  # Φ(−0.5)
    binomial = np.array([(1 - p) ** 3, 3 * p * (1 - p) ** 2, 3 * p**2 * (1 - p), p**3])
    spread = np.sqrt(binomial * (1 - binomial) / names["contacts"].size)
    assert (np.abs(counts - binomial) < 4 * spread).all()
    learned, pairs = names["learned"], names["learned"].size
    found, independent = np.bincount(learned, minlength=5) / pairs, names["independent"]
    spread = np.sqrt(independent * (1 - independent) / pairs)
    assert (found - independent > 4 * spread)[[0, 4]].all()  # none or several
    assert found[4] > found[3]
    start, lesioned, before, added = np.fromstring(printed[2].strip("[]"), sep=" ")
    spread = np.sqrt(30_000 * p * (1 - p))
    assert start - lesioned > 1000
    assert abs(lesioned - before) < 6 * spread
    assert abs(added - before - 6000 * p) < 6 * spread
    assert re.fullmatch(r"[\d,]+ deaths, median age \d+\.\d\d s", printed[1])
