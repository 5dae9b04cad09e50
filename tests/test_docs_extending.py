"""Every example of docs/howto/custom-*.md runs as printed and does what its page says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import synsamp
from synsamp.cli import run_command_line
from synsamp.experiments.registry import REGISTRY

BLOCKS = re.compile(r"```python\n(.*?)```", re.S)
HOWTO = Path(__file__).parents[1] / "docs" / "howto"
PAGES = {page.stem.removeprefix("custom-"): page for page in HOWTO.glob("custom-*.md")}


def example(page):
    (code,) = BLOCKS.findall(page.read_text(encoding="utf-8"))
    return code


def run(part):
    names = {}
    exec(example(PAGES[part]), names)
    return names


def test_every_part_that_can_be_added_has_a_page():
    table = (HOWTO.parent / "contributing" / "parts.md").read_text(encoding="utf-8")
    parts = {
        part
        for row in re.findall(r"^\| ([a-z, ]+) \| `\w+/", table, re.M)
        for part in row.split(", ")
    }
    inside_the_package = {"experiment with claims and figures", "scene of the lab", "command"}
    inside_the_package |= {"export format", "benchmark", "model with a likelihood"}
    assert parts - inside_the_package == set(PAGES) - {"likelihood", "neuron"}


def test_prior():
    names = run("prior")
    theta = np.linspace(-2, 2, 9)
    slope = np.gradient([names["log_density"](t, (0.5,)) for t in np.linspace(-2, 2, 4001)], 1e-3)
    assert np.allclose(slope[::500], names["prior"].gradient(theta), atol=5e-3)
    assert np.isfinite(names["draws"].theta).all()


def test_mapping():
    assert run("mapping")["weight"] == pytest.approx(2.25)


def test_likelihood():
    result = run("likelihood")["result"]
    # posterior mean 10/6, standard deviation √(1/6)
    assert abs(float(result.theta.mean()) - 10 / 6) < 6 * float(result.mcse_mean.max()) + 0.02


@pytest.mark.parametrize("part", ["plasticity", "neuron", "stimulus"])
def test_a_network_runs(part):
    assert run(part)["sim"].n_spikes > 0


def test_record():
    names = run("record")
    data = names["data"]
    assert data["mean_weight/mean_weight"].sizes == {"time": 5}
    assert (data["potentiated/potentiated"] <= 16).all()
    with pytest.raises(synsamp.SynsampError, match="projection"):
        names["Protocol"](
            names["winner_take_all_network"](8, 2),
            steps=[],
            record={"none": names["every"](10, names["Potentiated"]("x->y", 1.0))},
        )


def test_lesion():
    data = run("lesion")["data"]
    active = data["active/active"].values
    assert (active[0] > 0).all()
    assert (active[-1] == 0).sum() == 1
    assert "RemoveInputsOf" in str(data["steps"].to_dataset().chosen.values)


def test_environment():
    assert run("environment")["response"].reward == 1.0


def test_experiment_claim_and_figure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (HOWTO / "experiments.md").read_text(encoding="utf-8")
    code = next(each for each in BLOCKS.findall(page) if "MyParameters" in each)
    Path("my_experiment.py").write_text(code)
    arguments = ["run", "my_experiment.py", "--trials", "2", "--workers", "1", "--out", "out"]
    assert run_command_line(arguments, REGISTRY) == 0
    assert (tmp_path / "out" / "figures" / "A.png").exists()
    measures = synsamp.open(tmp_path / "out")
    assert (measures["measures_change_of_active@plasticity_off"] == 0).all()
