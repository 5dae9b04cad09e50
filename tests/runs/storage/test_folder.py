"""The run folder: never overwritten unasked, one writer at a time, damage reported in one line."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from synsamp.cli import run_command_line
from synsamp.errors import SynsampError
from synsamp.runs import RunFolder, execute, find_runs
from synsamp.runs.execute import describe_run
from synsamp.runs.storage.clearing import clear_contents
from synsamp.runs.storage.drawings import write_figures
from synsamp.runs.storage.manifest import write_manifest
from toys.app import TOYS
from toys.walk import EXPERIMENT

HOLD = """
import sys, time
from pathlib import Path
from synsamp.runs import RunFolder
with RunFolder.reopen(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("f") / "run", settings=["blocks=4"]).path


@pytest.fixture
def copy(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "copy")


def test_a_finished_folder_holds_all_that_is_promised(finished):
    names = {path.name for path in finished.iterdir()}
    assert names >= {"run.json", "status.json", "claims.json", "results.zarr", "results.manifest"}
    assert not (finished / "checkpoints").exists()
    content = json.loads((finished / "run.json").read_text())
    assert content["given"] == ["blocks=4"]
    assert content["resolved"]["blocks"] == 4
    assert content["resolved"]["step"] == {"size": 1.0, "bias": 0.0}
    assert content["seed"] == 0
    assert content["versions"]["numpy"]
    claims = json.loads((finished / "claims.json").read_text())
    keys = {"id", "statement", "source", "measure", "value", "interval", "n", "band", "verdict"}
    assert all(c.keys() >= keys for c in claims)
    assert [c["verdict"] for c in claims] == ["undecided", "holds", "fails"]


def test_an_existing_run_is_not_overwritten(copy):
    before = {p: p.read_bytes() for p in copy.rglob("*") if p.is_file() and p.name != ".lock"}
    with pytest.raises(SynsampError, match=r"--out must be a new folder.*--force"):
        execute(EXPERIMENT, copy)
    assert before == {p: p.read_bytes() for p in before}


def test_force_replaces_the_run_and_nothing_else(copy):
    (copy / "notes.txt").write_text("mine")
    execute(EXPERIMENT, copy, settings=["blocks=5"], force=True)
    assert RunFolder(copy).results()["path"].sizes["record"] == 5
    assert (copy / "notes.txt").read_text() == "mine"


def test_a_folder_of_other_things_is_kept_even_by_force(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    for force in (False, True):
        with pytest.raises(SynsampError, match="must be new or a run folder"):
            execute(EXPERIMENT, tmp_path, force=force)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_bad_parameters_leave_no_folder(tmp_path):
    with pytest.raises(SynsampError):
        execute(EXPERIMENT, tmp_path / "new", settings=["blocks=-1"])
    assert list(tmp_path.iterdir()) == []


def test_a_second_command_on_the_folder_raises_an_error_until_the_first_is_gone(copy):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(copy)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(SynsampError, match=rf"must not be in use.*process {holder.pid}"):  # noqa: SIM117
        with RunFolder.reopen(copy):
            pass
    with pytest.raises(SynsampError, match="must not be in use"):
        execute(EXPERIMENT, copy, force=True)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    with RunFolder.reopen(copy) as folder:  # the lock of a dead process blocks no one
        assert folder.claims()


@pytest.mark.parametrize("name", ["run.json", "status.json", "claims.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]x", b'{"a": 1}', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_file_raises_a_one_line_error(copy, name, content):
    (copy / name).write_bytes(content)
    with pytest.raises(SynsampError) as caught:
        RunFolder(copy).claims()
    assert name in str(caught.value)
    assert "damaged" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_folder_of_another_version_is_reported_as_such(copy):
    content = json.loads((copy / "run.json").read_text())
    del content["processor"]
    (copy / "run.json").write_text(json.dumps(content | {"format": 1}))
    with pytest.raises(SynsampError, match=r"format of .* must be 4, got 1; another version"):
        RunFolder(copy)


@pytest.mark.parametrize("name", ["status.json", "claims.json", "run.manifest", "results.manifest"])
def test_a_missing_file_is_reported(copy, name):
    (copy / name).unlink()
    with pytest.raises(SynsampError, match=rf"{name} must (exist|be as the run wrote it)"):
        RunFolder(copy).claims()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("claims.json", '"fails"', '"holds"'), ("run.json", '"seed": 0', '"seed": 1')],
)
def test_the_manifest_covers_parameters_and_claims(copy, name, old, new):
    text = (copy / name).read_text()
    assert old in text
    (copy / name).write_text(text.replace(old, new))
    for read in (RunFolder(copy).claims, RunFolder(copy).results):
        with pytest.raises(SynsampError, match=rf"{name} must be as the run wrote it.* changed"):
            read()


def _chunk(copy):
    return next((copy / "results.zarr" / "path" / "position" / "c").rglob("[0-9]/0"))


def test_results_with_a_lost_changed_or_added_file_raise_an_error(copy):
    chunk = _chunk(copy)
    whole = chunk.read_bytes()
    chunk.unlink()  # Zarr alone would read zeros here
    with pytest.raises(SynsampError, match=r"damaged file: missing"):
        RunFolder(copy).results()
    chunk.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(SynsampError, match=r"damaged file: changed"):
        RunFolder(copy).results()
    chunk.write_bytes(whole)
    (chunk.parent / "9").write_bytes(b"")
    with pytest.raises(SynsampError, match=r"not from the run"):
        RunFolder(copy).results()
    (chunk.parent / "9").unlink()
    assert RunFolder(copy).results()["path"].sizes["record"] == 4
    (copy / "results.manifest").write_text("nonsense\n")
    with pytest.raises(SynsampError, match=r"results.manifest must be as the run wrote it"):
        RunFolder(copy).results()


def test_a_folder_that_is_no_run_raises_an_error(tmp_path):
    for find in (RunFolder, find_runs):
        with pytest.raises(SynsampError, match="must exist"):
            find(tmp_path / "nowhere")
        with pytest.raises(SynsampError, match=r"must hold a run\.json"):
            find(tmp_path)


def test_an_unfinished_run_shows_no_results(tmp_path):
    with (
        RunFolder.create(tmp_path / "r", describe_run(EXPERIMENT), force=False) as folder,
        pytest.raises(SynsampError, match="must be finished, got 'waiting'; continue it with"),
    ):
        folder.results()


NOTES = ("figures/my_notes.png", "figures/B.txt", "trials/plan.txt", "notes.txt")


def with_notes(folder):
    for name in NOTES:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine")


def test_report_and_force_remove_only_what_the_run_wrote(copy):
    report = ["report", str(copy)]
    assert run_command_line(report, TOYS) == 0
    with_notes(copy)
    (copy / "figures" / "B.svg").write_text("drawn over by hand")
    assert run_command_line(["run", "walk", "--force", "--out", str(copy)], TOYS) == 0
    assert run_command_line(report, TOYS) == 0
    assert [(copy / name).read_text() for name in NOTES] == ["mine"] * len(NOTES)


def test_a_panel_that_is_no_longer_drawn_is_removed_unless_it_was_changed(copy):
    write_figures(copy, {"A.png": b"a", "B.png": b"b", "C.png": b"c"})
    (copy / "figures" / "C.png").write_bytes(b"changed by hand")
    write_figures(copy, {"A.png": b"new"})
    assert sorted(p.name for p in (copy / "figures").iterdir()) == ["A.png", "C.png"]


def test_a_list_of_figures_from_elsewhere_removes_nothing_elsewhere(copy):
    mine = copy.parent / "thesis.png"
    mine.write_bytes(b"mine")
    digest = hashlib.sha256(b"mine").hexdigest()
    for name in (f"../{mine.name}", f"figures/../../{mine.name}", str(mine)):
        (copy / "figures.manifest").write_text(f"{digest}  {name}\n")
        write_figures(copy, {"A.png": b"new"})
        assert mine.read_bytes() == b"mine"


def test_a_file_of_the_users_within_the_results_raises_an_error_and_is_kept(copy):
    (copy / "results.zarr" / "notes.txt").write_text("mine")
    with pytest.raises(SynsampError, match=r"must be a run's own, got 'notes.txt'; move it"):
        execute(EXPERIMENT, copy, force=True)
    assert (copy / "results.zarr" / "notes.txt").read_text() == "mine"
    assert (copy / "run.json").exists()


def test_clearing_leaves_no_empty_folder_of_trials_and_keeps_what_is_the_users(tmp_path):
    for trial in ("00000", "00001"):
        (tmp_path / "trials" / trial).mkdir(parents=True)
        (tmp_path / "trials" / trial / "run.json").write_text("{}")
    clear_contents(tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "trials" / "00000").mkdir(parents=True)
    (tmp_path / "trials" / "00000" / "mine.txt").write_text("notes")
    clear_contents(tmp_path)
    assert (tmp_path / "trials" / "00000" / "mine.txt").read_text() == "notes"


def test_a_manifest_is_read_the_same_under_any_locale(tmp_path):
    write_manifest(tmp_path / "manifest", {"figures/µ.png": "0" * 64})
    script = (
        "import sys; from synsamp.runs.storage.manifest import *; "
        "read = read_manifest(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{script}; print(ascii(read))", str(tmp_path / "manifest")],
        env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        text=True,
    )
    assert "figures/\\xb5.png" in done.stdout, done.stderr
