"""The examples of docs/howto/data.md and own-data.md run as they are printed."""

import re
from pathlib import Path

import numpy as np
from matplotlib import image as png

from data_files import wav_bytes, word

HOWTO = Path(__file__).parents[2] / "docs" / "howto"


def run(name):
    page = (HOWTO / name).read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    names = {}
    for example in examples:
        exec(compile(example, name, "exec"), names)
    return names, len(examples)


def test_every_example_on_data_runs(capsys):
    _, examples = run("data.md")
    assert examples == 5
    shown = capsys.readouterr().out
    assert "{1: 6742, 2: 5958}" in shown
    assert "(5, 28, 28) (100, 28, 28)" in shown
    assert "\n14 6\n" in shown


def test_every_example_on_own_data_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_digits" / "1").mkdir(parents=True)
    png.imsave(tmp_path / "my_digits" / "1" / "a.png", np.eye(9), cmap="gray")
    (tmp_path / "my_words").mkdir()
    (tmp_path / "my_words" / "1_me_0.wav").write_bytes(wav_bytes(word(22050).tobytes(), 22050))
    names, examples = run("own-data.md")
    assert examples == 3
    assert names["shown"][0].n_inputs == 81
    assert names["words"][0].rate_hz == 22050
    assert names["heard"].n_inputs == 770
    assert names["sim"].time_s == 2.0
