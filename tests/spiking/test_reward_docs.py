"""The page on learning from reward is true: its examples run."""

import re
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "reward.md"


def test_the_examples_run_in_order():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert np.abs(names["eligibility"].gradient).max() > 0
