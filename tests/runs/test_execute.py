"""Runs survive what happens to processes; tests kill real ones."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from synsamp.errors import SynsampError
from synsamp.runs import RunFolder, execute, resume
from synsamp.runs.execute import RunFailedError
from synsamp.runs.storage import machine
from synsamp.seeds import named_seed
from toys.walk import EXPERIMENT

APP = Path(__file__).parents[1] / "toys" / "app.py"


def start(*arguments, **variables):
    environment = os.environ | {"PYTHONPATH": str(APP.parents[1])} | variables
    return subprocess.Popen(
        [sys.executable, str(APP), *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that started the tests in the background makes them ignore Ctrl-C, and
        # children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def manifest(folder):
    return (folder / "results.manifest").read_text()


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The manifest of a run that nothing happened to."""
    return manifest(execute(EXPERIMENT, tmp_path_factory.mktemp("r") / "run").path)


def test_the_same_seed_gives_bit_identical_results_and_another_seed_others(tmp_path, reference):
    assert manifest(execute(EXPERIMENT, tmp_path / "again").path) == reference
    assert manifest(execute(EXPERIMENT, tmp_path / "other", seed=1).path) != reference


@pytest.mark.parametrize("block", [4, 10])
def test_a_run_killed_by_sigkill_ends_bit_identical(tmp_path, reference, block):
    out = tmp_path / "run"
    killed = start(
        "run", "walk", "--out", out, "--set", "trouble=sigkill", "--set", f"trouble_at={block}"
    )
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert RunFolder(out).status.state == "running"
    again = start("resume", out)
    output, errors = again.communicate()
    assert again.returncode == 0, errors
    assert f"report: {out / 'report.html'}" in output
    assert manifest(out) == reference


def test_a_run_killed_again_and_again_at_any_moment_ends_bit_identical(tmp_path, reference):
    out = tmp_path / "run"
    moments = random.Random(3)  # of the waits; any moment must do
    process = start("run", "walk", "--out", out, "--set", "pause_s=0.05")
    kills = 0
    while kills < 3:
        while _starts(out) <= kills and process.poll() is None:
            time.sleep(0.005)
        time.sleep(moments.uniform(0.0, 0.6))
        process.kill()
        process.communicate()
        kills += 1
        if RunFolder(out).status.state == "finished":
            break
        process = start("resume", out)
    _, errors = process.communicate()
    assert RunFolder(out).status.state == "finished", errors
    assert manifest(out) == reference


def _starts(out):
    """How often the run was taken up, by its log."""
    log = out / "run.log"
    return log.read_text().count("walk, was ") if log.exists() else 0


def test_ctrl_c_leaves_a_folder_that_can_be_resumed(tmp_path, reference):
    out = tmp_path / "run"
    process = start("run", "walk", "--out", out, "--set", "pause_s=0.3")
    while not list((out / "checkpoints").glob("*.checkpoint")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert f"synsamp resume {out}" in errors
    assert "Traceback" not in errors
    assert RunFolder(out).status.state == "interrupted"
    resume(EXPERIMENT, out)
    assert manifest(out) == reference


def test_a_polite_kill_is_like_ctrl_c(tmp_path):
    out = tmp_path / "run"
    process = start("run", "walk", "--out", out, "--set", "pause_s=0.3")
    while not list((out / "checkpoints").glob("*.checkpoint")):
        assert process.poll() is None
        time.sleep(0.01)
    process.terminate()
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert RunFolder(out).status.state == "interrupted"


@pytest.mark.parametrize("damage", ["newest", "both"])
def test_damaged_checkpoints_cost_time_but_no_bit(tmp_path, reference, damage, capsys):
    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        execute(EXPERIMENT, out, settings=["trouble=sigint", "trouble_at=13"])
    files = sorted((out / "checkpoints").iterdir())
    assert len(files) == 2
    for file in files[1:] if damage == "newest" else files:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0x10
        file.write_bytes(content)
    if damage == "both":  # nothing to continue from: the run starts again and is interrupted again
        with pytest.raises(KeyboardInterrupt):
            resume(EXPERIMENT, out)
    resume(EXPERIMENT, out)
    assert manifest(out) == reference
    assert "damaged" in (out / "run.log").read_text()
    assert "warning: checkpoint passed over" in capsys.readouterr().err


def test_a_bug_in_an_experiment_is_logged_in_full_and_can_be_resumed(tmp_path, reference):
    out = tmp_path / "run"
    with pytest.raises(RunFailedError, match=r"walk failed: ZeroDivisionError: a bug.*resume"):
        execute(EXPERIMENT, out, settings=["trouble=bug"])
    assert RunFolder(out).status.state == "failed"
    assert "Traceback" in (out / "run.log").read_text()
    resume(EXPERIMENT, out)
    assert manifest(out) == reference


def test_an_error_of_an_experiment_stays_one_line(tmp_path):
    with pytest.raises(SynsampError, match="rate_hz must be finite"):
        execute(EXPERIMENT, tmp_path / "run", settings=["trouble=refusal"])
    assert RunFolder(tmp_path / "run").status.message.startswith("rate_hz must be finite")


def test_a_full_disk_is_reported_and_nothing_finished_is_lost(tmp_path, reference):
    out = tmp_path / "run"
    with pytest.raises(RunFailedError, match=r"disk of .* is full; make room, then continue with"):
        execute(EXPERIMENT, out, settings=["trouble=disk"])
    resume(EXPERIMENT, out)
    assert manifest(out) == reference


def test_a_disk_that_fills_in_the_middle_of_a_checkpoint_keeps_the_one_before(
    tmp_path, reference, monkeypatch
):
    out = tmp_path / "run"
    real, calls = os.fsync, []

    def full(handle):
        calls.append(handle)
        if len(calls) > 20:
            raise OSError(28, "No space left on device")
        real(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(RunFailedError, match="is full"):
            execute(EXPERIMENT, out)
    assert list((out / "checkpoints").glob("*.checkpoint"))
    resume(EXPERIMENT, out)
    assert manifest(out) == reference


def test_a_value_that_is_not_finite_decides_nothing_and_is_valid_json(tmp_path):
    folder = execute(EXPERIMENT, tmp_path / "run", settings=["trouble=nan"])
    text = (folder.path / "claims.json").read_text()
    assert "NaN" not in text
    assert json.loads(text)[0]["value"] is None
    found = {record.id: record.verdict for record in folder.claims()}
    assert found == {"end": "undecided", "rows": "holds", "far": "undecided"}


def test_a_finished_run_is_left_alone(tmp_path):
    folder = execute(EXPERIMENT, tmp_path / "run", settings=["blocks=2"])
    before = {p: p.stat().st_mtime_ns for p in folder.path.rglob("*") if p.name != ".lock"}
    resume(EXPERIMENT, folder.path)
    assert before == {p: p.stat().st_mtime_ns for p in before}


def test_other_versions_are_reported_on_resume(tmp_path, capsys, monkeypatch):
    out = tmp_path / "run"
    before = machine.versions() | {"numpy": "0.1"}
    with monkeypatch.context() as patch:
        patch.setattr(machine, "versions", lambda: before)
        with pytest.raises(KeyboardInterrupt):
            execute(EXPERIMENT, out, settings=["trouble=sigint"])
    folder = resume(EXPERIMENT, out)
    assert "other versions, bits may differ: numpy 0.1" in capsys.readouterr().err
    assert ["numpy 0.1 ->" in note for note in folder.status.notes] == [True]


def test_another_kind_of_processor_is_reported_and_noted(tmp_path, reference):
    out = tmp_path / "run"
    killed = start("run", "walk", "--out", out, "--set", "trouble=sigkill")
    killed.communicate()
    recorded = RunFolder(out).description.processor
    assert recorded == machine.processor()
    again = start("resume", out, NUMBA_CPU_NAME="generic")
    _, errors = again.communicate()
    assert again.returncode == 0, errors
    said = f"another kind of processor, bits may differ: {recorded} -> generic"
    assert said in errors
    assert [said in note for note in RunFolder(out).status.notes] == [True]
    assert manifest(out) == reference  # the walk is no compiled code


@pytest.mark.parametrize(
    ("old", "new"), [('"seed": 0', '"seed": 1'), ('"bias": 0.0', '"bias": 0.5')]
)
def test_a_description_that_was_changed_is_not_resumed_into_results_of_neither(
    tmp_path, old, new, reference
):
    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        execute(EXPERIMENT, out, settings=["trouble=sigint"])
    asked = (out / "run.json").read_text()
    assert old in asked
    (out / "run.json").write_text(asked.replace(old, new))
    with pytest.raises(SynsampError, match=r"must be a checkpoint of the run that run.json desc"):
        resume(EXPERIMENT, out)
    assert not (out / "results.manifest").exists()
    (out / "run.json").write_text(asked)
    resume(EXPERIMENT, out)
    assert manifest(out) == reference


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_chunk_that_was_damaged_while_the_run_stood_still_is_noticed(
    tmp_path, reference, damage, capsys
):
    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        execute(EXPERIMENT, out, settings=["trouble=sigint", "trouble_at=13"])
    chunk = out / "results.zarr" / "path" / "position" / "c" / "0" / "0"
    content = chunk.read_bytes()
    if damage == "missing":
        chunk.unlink()
    else:
        chunk.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(KeyboardInterrupt):  # no checkpoint is left that does not count on it
        resume(EXPERIMENT, out)
    resume(EXPERIMENT, out)
    assert manifest(out) == reference
    assert f"which it counts on, is {damage}" in capsys.readouterr().err


def test_parameters_of_another_version_raise_an_error(tmp_path):
    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        execute(EXPERIMENT, out, settings=["trouble=sigint"])
    content = json.loads((out / "run.json").read_text())
    content["resolved"]["gone"] = 1
    (out / "run.json").write_text(json.dumps(content))
    with pytest.raises(SynsampError, match=r"gone.*another version"):
        resume(EXPERIMENT, out)


def run_giving(given):
    return replace(EXPERIMENT, run=lambda parameters, seed: given, claims=(), draw=None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x": np.zeros(3)}, "'x' from run of walk must be a Protocol, a Dataset or a function"),
        (np.zeros(3), "run of walk must give a Protocol, a Dataset or a mapping"),
        ({"a b": xr.Dataset()}, "letters, digits"),
        ({"../x": xr.Dataset()}, "letters, digits"),
    ],
)
def test_results_that_are_no_datasets_are_reported(tmp_path, given, words):
    with pytest.raises((RunFailedError, SynsampError), match=words):
        execute(run_giving(given), tmp_path / "run")
    assert RunFolder(tmp_path / "run").status.state == "failed"


def test_a_run_may_give_one_dataset_several_a_tree_or_functions(tmp_path):
    one = xr.Dataset({"x": ("i", [1.0, 2.0])})
    tree = xr.DataTree.from_dict({"a/c": one, "a/b": one})
    for number, (given, names) in enumerate(
        [
            (one, {"results"}),
            ({"a": one, "b/c": lambda: one}, {"a", "b/c"}),
            (tree, {"a/b", "a/c"}),
        ]
    ):
        results = execute(run_giving(given), tmp_path / str(number)).results()
        assert set(results) == names
        for dataset in results.values():
            xr.testing.assert_equal(dataset, one)


def test_measures_and_what_is_derived_are_stored_with_the_results(tmp_path):
    def analyse(parameters, results):
        return {"half": results["end"][["position"]] / 2}

    derived = replace(EXPERIMENT, analyse=analyse)
    results = execute(derived, tmp_path / "run", settings=["blocks=2"]).results()
    assert float(results["half"].position) == float(results["end"].position) / 2
    assert float(results["measures"].rows) == 1.0
    clashing = replace(EXPERIMENT, analyse=lambda parameters, results: dict(results))
    with pytest.raises(RunFailedError, match=r"analyse must give datasets with new names"):
        execute(clashing, tmp_path / "clash", settings=["blocks=2"])


def test_seeds_depend_on_the_name_alone_and_differ_between_names():
    names = [(), ("a",), ("a", 1), ("a", "1"), ("a", 11), (1, "a"), ("a1",), ("trial", 3)]
    states = [tuple(named_seed(5, *name).generate_state(4)) for name in names]
    assert len(set(states)) == len(names)
    assert tuple(named_seed(5, "a", np.int64(1)).generate_state(4)) == states[2]
    assert tuple(named_seed(6, "a").generate_state(4)) != states[1]
    assert tuple(named_seed(5, "trial", 3).generate_state(4)) == states[-1]
