"""The experiments in docs/howto/experiments.md and docs/howto/protocols.md run as printed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from synsamp.cli import run_command_line
from synsamp.experiments.registry import REGISTRY
from synsamp.runs.storage.folder import RunFolder

DOCS = Path(__file__).parents[1] / "docs" / "howto"


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.S)


def command(*words):
    return run_command_line(words, REGISTRY)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_circuit_on_custom_images_with_a_lesion(here):
    code = next(b for b in blocks("experiments.md") if b.startswith("# lesion.py"))
    (here / "lesion.py").write_text(code)
    (here / "my_images").mkdir()
    rng = np.random.default_rng(3)
    for number in range(3):
        picture = (rng.random((6, 6)) < 0.3) * 255
        Image.fromarray(picture.astype(np.uint8)).save(here / "my_images" / f"{number}.png")
    settings = ["--set", "images=my_images", "--set", "learning_s=40", "--set", "after_s=40"]
    words = ["run", "lesion.py", *settings, "--trials", "8", "--workers", "2", "--out", "r"]
    assert command(*words) == 0
    run = RunFolder(here / "r")
    assert [claim.n for claim in run.claims()] == [8]
    data = run.results()["ensemble"]
    for name in ("selectivity", "selectivity_before_learning", "selectivity@control"):
        assert data[f"measures_{name}"].sizes == {"trial": 8}
    assert data.control_active.sizes["trial"] == 8
    assert (here / "r" / "report.html").stat().st_size > 10_000
    assert "lesion" in run.description.source


def test_an_experiment_without_a_network(here):
    code = next(b for b in blocks("experiments.md") if "class WalkParameters" in b)
    (here / "walk.py").write_text(code)
    assert command("run", "walk.py", "--trials", "3", "--workers", "1", "--out", "r") == 0
    data = RunFolder(here / "r").results()["ensemble"]
    assert data.results_position.sizes == {"trial": 3, "step": 1000}


def test_the_page_on_protocols(capsys):
    names: dict = {}
    printed = blocks("protocols.md")
    assert len(printed) == 3
    exec(compile(printed[0], "protocols.md", "exec"), names)
    assert "'time': 10, 'post': 5, 'pre': 30" in capsys.readouterr().out
    assert "RemoveNeurons" in str(names["data"]["steps"].to_dataset().chosen.values)
    for block in printed[1:]:
        exec(compile(block, "protocols.md", "exec"), names)
    cooled = names["Protocol"](
        names["network"], [names["cool"], names["Show"](names["left"], 20)], {}
    )
    cooled.run()


def test_printed_commands_work():
    text = (DOCS / "runs.md").read_text(encoding="utf-8")
    for line in re.findall(r"^    synsamp (.*)$", text, re.M):
        words = line.partition("  #")[0].split()
        if words[0] in ("list", "claims") and len(words) > 1:
            assert command(*words) == 0
    assert "synsamp claims fig5" in text


def teardown_module():
    for name in [n for n in sys.modules if n.startswith("synsamp_experiment_")]:
        del sys.modules[name]
