"""A user's own experiment has all that the built-in ones have, and no folder can run code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import synsamp
from synsamp.claims import judge
from synsamp.cli import run_command_line
from synsamp.examples.new_experiment import EXPERIMENT
from synsamp.experiments.registry import REGISTRY
from synsamp.runs.storage.folder import RunFolder

FILE = """
import time

import numpy as np
import xarray as xr
from pydantic import Field

from synsamp.claims import Claim
from synsamp.experiments.base import Experiment, Parameters

class Mine(Parameters):
    tosses: int = Field(50, ge=1, le=10**6, description="tosses of a coin")
    bias: float = Field(0.5, ge=0.0, le=1.0, description="probability of heads")
    pause_s: float = Field(0.0, ge=0.0, le=10.0, description="wall time between tosses")

def run(p, seed):
    rng = np.random.default_rng(seed)
    heads = []
    for _ in range(p.tosses):
        time.sleep(p.pause_s)
        heads.append(rng.random() < p.bias)
    return xr.Dataset({"heads": ("toss", np.array(heads))})

def share(p, results):
    return float(results["results"].heads.mean())

EXPERIMENT = Experiment(
    name="mine", title="My coin", run=run, parameters=Mine, measures=[share],
    claims=[Claim("fair", "The coin is fair", "", "share", (0.35, 0.65))],
)
"""


def command(*words):
    return run_command_line([str(word) for word in words], REGISTRY)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    return tmp_path


def test_parameters_trials_claims_and_report(here, capsys):
    assert command("list", "mine.py") == 0
    assert "probability of heads" in capsys.readouterr().out
    assert command("claims", "mine.py") == 0
    assert "The coin is fair" in capsys.readouterr().out
    words = ("run", "mine.py", "--trials", "8", "--workers", "2", "--out", "r")
    assert command(*words, "--set", "tosses=200", "--strict") == 0
    assert "holds" in capsys.readouterr().out
    run = RunFolder(here / "r")
    assert [(claim.verdict, claim.n) for claim in run.claims()] == [("holds", 8)]
    assert run.description.source == str(here / "mine.py")
    assert "The coin is fair" in (here / "r" / "report.html").read_text()
    assert command(*words, "--set", "bias=0.9", "--force", "--strict") == 1


def test_a_sweep(here):
    words = ("sweep", "mine.py", "--vary", "bias=0.1,0.5", "--trials", "8", "--workers", "2")
    assert command(*words, "--set", "tosses=200", "--out", "s") == 0
    claims = RunFolder(here / "s").claims()
    assert [(claim.at, claim.verdict) for claim in claims] == [
        ("bias=0.1", "fails"),
        ("bias=0.5", "holds"),
    ]
    data = synsamp.open(here / "s")
    assert data.measures_share.sizes == {"bias": 2, "trial": 8}


def test_a_sweep_of_one_change_at_a_time(here, capsys):
    words = ("sweep", "mine.py", "--vary", "bias=0.1", "--vary", "tosses=2", "--one-at-a-time")
    more = ("--trials", "8", "--workers", "2", "--set", "tosses=200", "--out", "s")
    assert command(*words, *more) == 0
    assert "unchanged" in capsys.readouterr().out
    claims = {claim.at: claim.verdict for claim in RunFolder(here / "s").claims()}
    assert claims == {"unchanged": "holds", "bias=0.1": "fails", "tosses=2": "undecided"}


def test_one_seed_is_a_single_run(here):
    assert command("run", "mine.py", "--seed", "5", "--out", "one") == 0
    run = RunFolder(here / "one")
    assert run.description.trials is None
    expected = np.random.default_rng(5).random(50) < 0.5
    np.testing.assert_array_equal(run.results()["results"].heads, expected)


def test_a_resume_wants_the_file_named_and_says_if_it_has_changed(here, capsys):
    assert command("run", "mine.py", "--trials", "3", "--workers", "1", "--out", "r") == 0
    status = here / "r" / "status.json"
    status.write_text(status.read_text().replace('"finished"', '"interrupted"'))
    capsys.readouterr()
    assert command("resume", "r") == 2
    told = capsys.readouterr().err
    assert "does not get to say which code is run" in told
    assert f"--experiment {here / 'mine.py'}" in told
    assert command("resume", "r", "--experiment", "mine.py", "--workers", "1") == 0
    assert "has changed" not in capsys.readouterr().err
    (here / "mine.py").write_text(FILE + "\n# another thought\n")
    status.write_text(status.read_text().replace('"finished"', '"interrupted"'))
    assert command("resume", "r", "--experiment", "mine.py", "--workers", "1") == 0
    assert "mine.py has changed since the run began" in capsys.readouterr().err
    assert any("has changed" in note for note in RunFolder(here / "r").status.notes)


def test_a_folder_cannot_make_anyone_run_code(here, capsys):
    assert command("run", "mine.py", "--out", "r") == 0
    trap, sprung = here / "trap.py", here / "sprung"
    trap.write_text(f"open({str(sprung)!r}, 'w').close()\n" + FILE)
    about = here / "r" / "run.json"
    about.write_text(about.read_text().replace(str(here / "mine.py"), str(trap)))
    for words in (("report", "r"), ("resume", "r"), ("check", "r")):
        assert command(*words) != 0
    synsamp_open_fails = pytest.raises(synsamp.SynsampError)
    with synsamp_open_fails:
        synsamp.open(here / "r")
    assert not sprung.exists()
    assert command("list", "trap.py") == 0  # named by the user, it runs: the trap does work
    assert sprung.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("EXPERIMENT = 3", "must hold an Experiment"),
        ("", "must hold an Experiment"),
        ("x = (", "SyntaxError"),
        ("import nothing_of_that_name", "ModuleNotFoundError"),
        ("a = 1\n\nb = a / 0", r"ZeroDivisionError: division by zero \(line 3\)"),
        (FILE.replace('name="mine"', 'name="fig4"'), "must have a name that is not taken"),
        (FILE.replace('name="mine"', 'name="my coin"'), "letters, digits"),
        (FILE.replace("(0.35, 0.65)", "(None, None)"), "cannot fail"),
        (FILE.replace("[share]", "share"), r"write measures=\[first, second\] .*got share"),
    ],
)
def test_a_file_that_is_none_raises_a_one_line_error(here, capsys, content, words):
    import re

    (here / "mine.py").write_text(content)
    assert command("run", "mine.py", "--out", "r") == 2
    told = capsys.readouterr().err
    assert re.search(words, told), told
    assert told.count("\n") == 1
    assert not (here / "r").exists()


@pytest.mark.parametrize("name", ["missing.py", "folder/x.py", "notes.txt/", "mod:", "no_such"])
def test_what_is_not_there_raises_a_one_line_error(here, capsys, name):
    assert command("run", name, "--out", "r") == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 3", "must give a Protocol, a Dataset or a mapping"),
        ("return {'a': 3}", "must be a Protocol, a Dataset or a function"),
        ("raise KeyError('lost')", "KeyError: 'lost'"),
    ],
)
def test_a_run_that_fails_raises_a_one_line_error(here, capsys, body, words):
    start = FILE.index("    rng = np.random")
    end = FILE.index("def share")
    (here / "mine.py").write_text(FILE[:start] + f"    {body}\n\n" + FILE[end:])
    assert command("run", "mine.py", "--out", "r") == 1 or "must" in words
    told = capsys.readouterr().err.splitlines()
    assert any(words in line for line in told), told
    assert RunFolder(here / "r").status.state == "failed"


def test_an_object_of_a_module_and_an_entry_point(here, monkeypatch):
    package = here / "my_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "module.py").write_text(FILE)
    monkeypatch.syspath_prepend(here)
    assert command("run", "my_package.module:EXPERIMENT", "--out", "r") == 0
    about = RunFolder(here / "r").description
    assert (about.experiment, about.source) == ("mine", "my_package.module:EXPERIMENT")
    assert len(about.source_sha256) == 64
    assert command("report", "r") == 2

    from importlib import metadata

    point = metadata.EntryPoint("mine", "my_package.module:EXPERIMENT", "synsamp.experiments")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])
    assert command("run", "mine", "--out", "named") == 0
    assert command("report", "named") == 0  # installed by the user: found by its name


def test_the_new_experiment_runs_unchanged(here, capsys):
    assert command("new", "first.py") == 0
    assert command("new", "first.py") == 2
    assert "must not exist yet" in capsys.readouterr().err
    assert command("new", "no-module.py") == 2
    assert command("list", "first.py") == 0
    short = ("--set", "learning_s=20", "--set", "after_s=20", "--trials", "2", "--workers", "1")
    assert command("run", "first.py", *short, "--out", "r") == 0
    run = RunFolder(here / "r")
    assert run.description.experiment == "first"
    assert {"control_accuracy", "accuracy", "active"} <= set(run.results()["ensemble"].data_vars)


def test_the_claim_of_the_template_holds_and_fails_under_its_null(here):
    assert command("new", "first.py") == 0
    assert command("run", "first.py", "--workers", "2", "--out", "r", "--strict") == 0
    (claim,) = RunFolder(here / "r").claims()
    assert (claim.verdict, claim.n) == ("holds", 8)
    null = synsamp.open(here / "r").measures_shuffled_accuracy.values.tolist()
    assert min(null) > 0.5  # neurons stand for the pattern for which they win: chance is higher
    (declared,) = EXPERIMENT.claims
    assert judge(declared, null, null).verdict == "fails"


def test_the_file_travels_with_the_task_and_a_killed_worker_is_replaced(here):
    """Eight trials on workers of a cluster that cannot see the file; one of them is killed."""
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    scheduler_file = here / "scheduler.json"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    started = []

    def start(*words, cwd=elsewhere):
        process = subprocess.Popen(
            [sys.executable, *map(str, words)],
            cwd=cwd,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    def worker():
        words = ("-m", "distributed.cli.dask_worker", "--scheduler-file", scheduler_file)
        return start(*words, "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")

    def wait_for(condition):
        end = time.monotonic() + 120
        while not condition():
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.05)

    try:
        words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        start("-m", "distributed.cli.dask_scheduler", "--scheduler-file", scheduler_file, *words)
        wait_for(scheduler_file.exists)
        first = worker()
        hidden = here / "hidden"
        hidden.mkdir()
        (hidden / "mine.py").write_text(FILE)
        app = "import sys; from synsamp.cli import main; sys.argv[0] = 'synsamp'; main()"
        run = ("run", "mine.py", "--trials", "8", "--set", "tosses=20", "--set", "pause_s=0.05")
        out = here / "r"
        going = start("-c", app, *run, "--out", out, "--scheduler", scheduler_file, cwd=hidden)
        wait_for(lambda: any(out.glob("trials/*/results.manifest")))
        (hidden / "mine.py").unlink()  # whoever needs it now has it already
        first.send_signal(signal.SIGKILL)
        worker()
        assert going.wait(timeout=180) == 0
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert RunFolder(out).results()["ensemble"].finished.values.all()
    (here / "mine.py").write_text(FILE)
    words = ("run", "mine.py", "--trials", "8", "--set", "tosses=20", "--workers", "2")
    assert command(*words, "--out", "here") == 0
    np.testing.assert_array_equal(
        synsamp.open(out).results_heads, synsamp.open(here / "here").results_heads
    )
