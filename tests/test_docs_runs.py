"""The experiment written out in docs/runs.md is one: it runs, is judged and drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synsamp.runs import execute

PAGE = Path(__file__).parents[1] / "docs" / "runs.md"


@pytest.fixture(scope="module")
def blocks():
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)


def test_the_example_runs_as_printed(blocks, tmp_path):
    experiment, drawing = {}, {}
    exec(next(b for b in blocks if "EXPERIMENT =" in b), experiment)
    exec(next(b for b in blocks if "def draw" in b), drawing)
    folder = execute(experiment["EXPERIMENT"], tmp_path / "walk", settings=["step.size=2"])
    assert [claim.holds for claim in folder.claims()] == [True]
    assert folder.results()["path"].position.sizes == {"block": 20}
    assert set(drawing["draw"](None, folder.results())) == {"A"}
