"""Networks of users: files, experiments, hostile names; saved sessions; the notebook widget."""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from synsamp.cli import run_command_line
from synsamp.errors import SynsampError
from synsamp.experiments.registry import REGISTRY
from synsamp.lab.host import Host
from synsamp.lab.literals import literal, number
from synsamp.lab.own import MOST_SYNAPSES, OwnNetwork, scene_of_file, scenes_of_file
from synsamp.lab.scenes import SCENES
from synsamp.lab.session import Session
from synsamp.mappings import Softplus
from synsamp.priors import Laplace
from synsamp.runs import RunFolder
from synsamp.spiking import (
    InputGroup,
    Network,
    Projection,
    Simulation,
    SynapseModel,
    WinnerTakeAll,
    winner_take_all_network,
)

NETWORK = """
import numpy as np
from synsamp.spiking import SynapseModel, winner_take_all_network

network = winner_take_all_network(9, 3, SynapseModel(speed=2e-4, temperature=0.5))
stimulus = np.full(9, 40.0)
"""


def written(tmp_path, text, name="mine.py"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_with_a_network_runs_as_the_simulation_does(tmp_path):
    scene = scene_of_file(written(tmp_path, NETWORK))
    session = Session(scene, 3)
    session.advance(40)
    network = winner_take_all_network(9, 3, SynapseModel(speed=2e-4, temperature=0.5))
    expected = Simulation(network, np.full(9, 40.0), 3).run(10.0)
    np.testing.assert_array_equal(session.theta()["x->z"], expected.theta("x->z"))
    knobs = {knob["name"]: knob for knob in scene.describe()["knobs"]}
    assert knobs["speed"]["value"] == 2e-4
    assert knobs["temperature"]["value"] == 0.5
    assert scene.describe()["inputs"][0]["shape"] == [3, 3]
    other = Session(scene, 3, {"temperature": 2.0})
    other.advance(4)
    assert other.network.simulation.network.projection("x->z").synapses.temperature == 2.0


def test_an_experiment_as_made_by_synsamp_new_opens(tmp_path):
    text = (files("synsamp.examples") / "new_experiment.py").read_text()
    (scene,) = scenes_of_file(written(tmp_path, text)).values()
    host = Host({"mine.py": scene})
    host.take({"type": "open", "scene": "digits"})  # what the page asks for by default
    ready = next(one for one in host.work() if one["type"] == "ready")
    assert ready["scene"]["name"] == "mine.py"
    assert ready["scene"]["populations"][0]["size"] == 10
    host.session.act({"kind": "lesion", "what": "neurons", "population": "z", "members": [1]})
    host.session.advance(40)
    assert np.isnan(host.session.theta()["x->z"][1]).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", "must define network"),
        ("network = 3", "network of mine.py must be a Network"),
        ("EXPERIMENT = 3", "mine.py must hold an Experiment"),
        ("1/0", "ZeroDivisionError: division by zero (line 1)"),
        ("def f(:", "SyntaxError"),
        ("import nothing_like_this", "ModuleNotFoundError"),
        (NETWORK + "stimulus = [1, 2]", "rates for 'x'"),
        (
            "from synsamp.experiments import Experiment\n"
            "EXPERIMENT = Experiment('a', 'b', lambda parameters, seed: 1 / 0)",
            "must run without an error",
        ),
        (
            "from synsamp.experiments import Experiment\n"
            "EXPERIMENT = Experiment('a', 'b', lambda parameters, seed: 3)",
            "must return a Protocol",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_why_in_one_line(tmp_path, text, words):
    with pytest.raises(SynsampError) as found:
        Session(scene_of_file(written(tmp_path, text)))
    assert words in str(found.value)
    assert "\n" not in str(found.value)


def test_the_command_checks_the_file_before_it_starts_a_server(tmp_path, capsys):
    for given in ("nowhere.py", str(tmp_path), written(tmp_path, "x", "mine.txt")):
        assert run_command_line(["lab", given, "--no-browser"], REGISTRY) == 2
        errors = capsys.readouterr().err
        assert errors.startswith("synsamp: ")
        assert errors.count("\n") == 1


def test_hostile_names_are_only_text():
    """Names may hold anything; messages carry them as JSON, and the page shows them as text."""
    name = "<img src=x onerror=alert(1)>\"'`${1}{{7*7}}"
    network = Network(
        [InputGroup(name, 4)],
        [WinnerTakeAll(name + "z", 2)],
        [Projection(name, name + "z", SynapseModel())],
    )
    scene = OwnNetwork(network, np.ones(4), name=name + ".py")
    host = Host({scene.name: lambda: scene})
    host.take({"type": "open"})
    ready = next(one for one in host.work() if one["type"] == "ready")
    assert json.loads(json.dumps(ready["scene"]))["inputs"][0]["name"] == name
    host.session.advance(2)
    host.take({"type": "read", "what": "experiment"})
    answer = next(one for one in host.work() if one["type"] == "answer")
    compile(answer["text"], answer["file"], "exec")
    assert answer["file"].replace("_", "").removesuffix(".py").isalnum()


def test_knobs_are_those_that_the_network_has():
    model = SynapseModel(prior=Laplace(0.5, 1.0), mapping=Softplus(), speed=5e-3)
    knobs = OwnNetwork(winner_take_all_network(4, 2, model), np.ones(4)).knobs
    assert [knob.name for knob in knobs] == ["speed", "temperature", "data_size", "clip"]
    assert knobs[0].high == 5e-3  # the range includes what the network has
    frozen = Network(
        [InputGroup("x", 4)],
        [WinnerTakeAll("z", 2)],
        [Projection("x", "z", SynapseModel(), plastic=False)],
    )
    assert OwnNetwork(frozen, np.ones(4)).knobs == ()
    large = winner_take_all_network(MOST_SYNAPSES, 2)
    assert OwnNetwork(large).describe()["projections"] == []
    with pytest.raises(SynsampError, match="network must be a Network"):
        OwnNetwork(3)


# -- saved sessions --------------------


@pytest.fixture(scope="module")
def saved():
    """A session with actions, its file, and its θ."""
    session = Session(SCENES["digits"](), 11, {"temperature": 0.5})
    session.advance(6)
    session.act({"kind": "set", "name": "prior.mean", "value": 0.1})
    session.act({"kind": "draw", "picture": [k / 783 for k in range(784)]})
    session.act({"kind": "probe"})
    session.advance(6)
    session.act({"kind": "lesion", "what": "neurons", "population": None, "members": [0, 7]})
    session.act({"kind": "draw", "picture": None})
    session.advance(6)
    return session


def test_a_saved_session_runs_as_an_experiment_and_ends_with_the_same_theta(
    saved, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, saved.experiment_text(), "again.py")
    assert run_command_line(["run", "again.py", "--out", "one"], REGISTRY) == 0
    end = RunFolder(tmp_path / "one").results()["end"]
    np.testing.assert_array_equal(end["theta"].values, saved.theta()["x->z"])
    np.testing.assert_array_equal(end["theta_twin_x__z"].values, saved.theta()["twin.x->z"])
    probes = RunFolder(tmp_path / "one").results()["probes"]
    assert probes.time_s.values.tolist() == [1.5, 3.0]  # as asked, and after the lesion
    names: dict = {}
    exec(compile(saved.experiment_text(), "again.py", "exec"), names)
    other = names["EXPERIMENT"].run({}, 1)["end"]  # seed 1
    assert not np.array_equal(other["theta"].values, end["theta"].values, equal_nan=True)
    capsys.readouterr()


NODE = """
import { readFileSync } from "node:fs";
import { experimentText } from "./static/engine/experiment.js";
const [template, given] = JSON.parse(readFileSync(0));
process.stdout.write(experimentText(template, given));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_python_and_javascript_write_the_same_file(saved):
    scene = saved.scene
    odd = [1e-5, 1e-7, 1.5e300, 5e-324, 1 / 3, 1e21, 123456789012345680000, -0.0, 0.1 + 0.2]
    session = {
        "scene": scene.name,
        "tick_s": scene.tick_s,
        "seed": saved.seed,
        "settings": saved.opened_with | {"odd": odd, "nothing": None, "text": 'a"\\é'},
        "actions": saved.log,
        "ticks": saved.tick,
    }
    from synsamp.lab.experiment_text import experiment_text, template

    ours = experiment_text(**session)
    theirs = subprocess.run(
        ["node", "--input-type=module", "-e", NODE],
        cwd=str(files("synsamp.lab")),
        input=json.dumps([template(), session]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert theirs.stdout == ours


@pytest.mark.parametrize("value", [1e-5, 1e-7, 2.0, 1e21, 1 / 3, 5e-324, -123.25, 1e300])
def test_numbers_read_back_as_they_were(value):
    assert float(number(value)) == value
    assert eval(literal({"a": [value, True, None, "x"]})) == {"a": [value, True, None, "x"]}


# -- notebook --------------------


def test_the_widget_runs_and_can_be_read():
    pytest.importorskip("anywidget")
    from synsamp.lab import Lab

    network = winner_take_all_network(9, 3, SynapseModel())
    lab, sent = Lab(network, np.full(9, 40.0), seed=3), []
    lab.send = lambda message, buffers=None: sent.append((message, buffers))
    tell = functools.partial(lab._receive, lab, buffers=[])
    tell(message={"type": "open", "join": True})
    tell(message={"type": "action", "action": {"kind": "set", "name": "temperature", "value": 2}})
    tell(message={"type": "step", "ticks": 40})
    end = time.monotonic() + 60
    while lab.time_s < 10.0:
        assert time.monotonic() < end
        tell(message={"type": "seen"})
        time.sleep(0.01)
    tell(message={"type": "open", "join": True})  # a second view
    assert lab.time_s == 10.0
    assert lab.settings["temperature"] == 2.0
    assert lab.protocol[0] | {"value": 2.0} == {
        "time_s": 0.0, "tick": 0, "kind": "set", "name": "temperature", "value": 2.0,
    }  # fmt: skip
    simulation = Simulation(network, np.full(9, 40.0), 3)
    simulation.change("x->z", temperature=2.0)
    np.testing.assert_array_equal(lab.theta["x->z"], simulation.run(10.0).theta("x->z"))
    compile(lab.experiment, "experiment.py", "exec")
    frame, buffers = next(one for one in sent if one[0]["type"] == "frame")
    assert [len(buffer) for buffer in buffers] == [
        int(np.prod(a["shape"])) * np.dtype(a["dtype"]).itemsize for a in frame["arrays"]
    ]
    assert "export default" in lab._esm
    lab.close()


def test_the_widget_names_its_extra_if_that_is_missing():
    script = (
        "import sys; sys.modules['anywidget'] = None\n"
        "from synsamp import extras; extras.find_spec = lambda name: None\n"
        "try:\n    from synsamp.lab import Lab\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "pip install 'synsamp[notebook]'" in done.stdout


PAGE = Path(__file__).parents[2] / "docs" / "start" / "lab.md"


def test_the_examples_of_the_page_run(tmp_path):
    pytest.importorskip("anywidget")
    own, notebook = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    session = Session(scene_of_file(written(tmp_path, own)))
    session.advance(4)
    assert session.theta()["x->z"].shape == (4, 16)
    names: dict = {}
    exec(compile(own + notebook, str(PAGE), "exec"), names)
    assert names["lab"].protocol == []
    names["lab"].close()
