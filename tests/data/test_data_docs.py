"""The examples of docs/howto/data.md run as they are printed."""

import re
from pathlib import Path

import numpy as np
from matplotlib import image as png

from data_files import wav_bytes, word

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "data.md"


def test_every_example_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_digits" / "1").mkdir(parents=True)
    png.imsave(tmp_path / "my_digits" / "1" / "a.png", np.eye(9), cmap="gray")
    (tmp_path / "my_words").mkdir()
    (tmp_path / "my_words" / "1_me_0.wav").write_bytes(wav_bytes(word(22050).tobytes(), 22050))
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(examples) == 7
    names = {}
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), names)
    shown = capsys.readouterr().out
    assert "{1: 6742, 2: 5958}" in shown
    assert "(5, 28, 28) (100, 28, 28)" in shown
    assert "\n14 6\n" in shown
    assert names["presentation"].n_inputs == 81
    assert names["words"][0].rate_hz == 22050
