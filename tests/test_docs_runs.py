"""The experiment written out in docs/runs.md is one: it runs, is judged and drawn."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import synsamp.experiments
from synsamp.experiments.registry import Entry, Registry
from synsamp.report.write import write_report
from synsamp.runs import execute

PAGE = Path(__file__).parents[1] / "docs" / "runs.md"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """The page's three pieces of code, each in the file that the page names; how it is listed."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    folder = tmp_path / "experiments" / "walk"
    folder.mkdir(parents=True)
    one_line = "from synsamp.experiments.walk.experiment import EXPERIMENT"
    (folder / "__init__.py").write_text(one_line)
    (folder / "experiment.py").write_text(next(b for b in blocks if "EXPERIMENT =" in b))
    (folder / "figures.py").write_text(next(b for b in blocks if "import Figure" in b))
    monkeypatch.setattr(
        synsamp.experiments, "__path__", [*synsamp.experiments.__path__, str(folder.parent)]
    )
    listed = next(b for b in blocks if "REGISTRY =" in b)
    assert 'Entry("walk", "fig0", "A walk", _walk)' in listed
    names = {}
    exec("from __future__ import annotations\n" + listed.partition("REGISTRY =")[0], names)
    yield names["_walk"]
    for name in [n for n in sys.modules if n.startswith("synsamp.experiments.walk")]:
        del sys.modules[name]
    del synsamp.experiments.walk


def test_the_example_runs_as_printed(load, tmp_path):
    folder = execute(load(), tmp_path / "walk", settings=["step.size=2"])
    assert [claim.holds for claim in folder.claims()] == [True]
    assert folder.results()["path"].position.sizes == {"block": 20}
    registry = Registry([Entry("walk", "fig0", "A walk", load)])
    write_report([folder.path], registry, tmp_path / "report.html")
    assert (folder.path / "figures" / "A.png").is_file()
