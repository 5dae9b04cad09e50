"""`synsamp check`: a line for each thing that is wrong, and nothing for a whole folder."""

from __future__ import annotations

import shutil

import pytest

import synsamp
from synsamp.cli import run_command_line
from synsamp.runs import execute
from synsamp.runs.ensembles.run import execute_ensemble
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage.check import integrity_problems
from toys.app import WITH_COINS
from toys.coins import EXPERIMENT as COINS
from toys.walk import EXPERIMENT as WALK


def command(*words):
    return run_command_line([str(word) for word in words], WITH_COINS)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = execute(WALK, tmp_path_factory.mktemp("c") / "run", settings=["blocks=4"], seed=3)
    command("report", folder.path)
    return folder.path


@pytest.fixture(scope="module")
def ensemble(tmp_path_factory):
    out = tmp_path_factory.mktemp("c") / "ensemble"
    with Workers(count=1) as workers:
        return execute_ensemble(COINS, out, 2, settings=["tosses=4"], workers=workers).path


@pytest.fixture
def copy(run, tmp_path):
    return shutil.copytree(run, tmp_path / "run")


@pytest.fixture
def copies(ensemble, tmp_path):
    return shutil.copytree(ensemble, tmp_path / "ensemble")


def flip(path):
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)


def test_whole_folders_are_whole(copy, copies, capsys):
    assert command("check", copy, copies) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{path} is OK: finished, and all checksums match" for path in (copy, copies)
    ]


def test_what_is_no_run_is_bad_input(tmp_path, capsys):
    assert command("check", tmp_path / "nowhere") == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("results.zarr/end/position/c", "synsamp run walk --preset quick --seed 3 --set blocks=4"),
        ("results.zarr/zarr.json", "restore it from a copy, or run it again"),
        ("claims.json", "restore it from a copy, or run it again"),
        ("run.json", "restore it from a copy; without it the settings of"),
        ("figures/A.png", "synsamp report"),
    ],
)
def test_every_damaged_file_is_a_line_with_its_remedy(copy, capsys, name, remedy):
    flip(copy / name)
    if name == "run.json":  # still JSON, and a description
        (copy / name).write_bytes((copy / name).read_bytes()[:-2] + b"\n}")
        text = (copy / name).read_text().replace('"seed": 3', '"seed": 4')
        (copy / name).write_text(text)
    assert command("check", copy) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert f"{copy / name} must be as the run wrote it, got a damaged file: changed" in lines[0]
    assert remedy in lines[0]


@pytest.mark.parametrize("content", [None, "", "no list"])
def test_figures_without_their_list_are_a_line(copy, capsys, content):
    (copy / "figures.manifest").unlink()
    if content is not None:
        (copy / "figures.manifest").write_text(content)
    assert command("check", copy) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{copy / 'figures.manifest'} must be as the run wrote it" in line
    assert "synsamp report" in line


@pytest.mark.parametrize("name", ["status.json", "results.manifest", "run.manifest"])
def test_a_file_that_cannot_be_read_does_not_end_the_check(copy, capsys, name):
    (copy / name).write_bytes(b"\xff\xfe")
    (copy / "figures" / "A.png").write_bytes(b"")
    assert command("check", copy) == 1
    lines = capsys.readouterr().err.splitlines()
    assert any(str(copy / name) in line for line in lines)
    assert any(str(copy / "figures" / "A.png") in line for line in lines)


def test_several_things_are_several_lines(copy, capsys):
    flip(copy / "claims.json")
    (copy / "results.zarr" / "path" / "zarr.json").unlink()
    (copy / "results.zarr" / "path" / "c").mkdir()
    (copy / "results.zarr" / "path" / "c" / "0").write_bytes(b"")
    assert command("check", copy) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [any(word in line for line in lines) for word in ("claims", "missing", "not from")] == [
        True
    ] * 3
    assert len(lines) == 3


def test_a_run_that_is_not_finished_is_reported_with_its_damaged_checkpoints(tmp_path, capsys):
    with pytest.raises(KeyboardInterrupt):
        execute(WALK, tmp_path / "run", settings=["trouble=sigint"])
    assert command("check", tmp_path / "run") == 1
    assert "must be finished, got 'interrupted'; continue it" in capsys.readouterr().err
    newest = max((tmp_path / "run" / "checkpoints").iterdir())
    flip(newest)
    assert len(integrity_problems(tmp_path / "run")) == 2
    assert newest.name in integrity_problems(tmp_path / "run")[1]


@pytest.mark.parametrize("name", ["results.zarr/path/block/c/0", "claims.json", "results.manifest"])
def test_resume_does_not_call_a_damaged_run_finished(copy, capsys, name):
    flip(copy / name)
    before = {p: p.read_bytes() for p in copy.rglob("*") if p.is_file() and p.name != ".lock"}
    assert command("resume", copy) == 2
    shown = capsys.readouterr()
    assert "nothing to do" not in shown.out
    assert f"{copy / name} must be as the run wrote it" in shown.err
    assert shown.err.count("\n") == 1
    assert before == {p: p.read_bytes() for p in before}


@pytest.mark.parametrize(
    "name",
    [
        "results.zarr/ensemble/trial_seed/c/0",
        "trials/00001/results.zarr/tossed/heads/c/0",
        "trials/00000/claims.json",
        "claims.json",
    ],
)
def test_resume_mends_an_ensemble_from_its_trials(copies, capsys, name):
    manifests = [p.read_bytes() for p in sorted(copies.rglob("*.manifest"))]
    flip(copies / name)
    assert command("check", copies) == 1
    assert f"`synsamp resume {copies}`" in capsys.readouterr().err
    assert command("resume", copies, "--workers", 1) == 0
    assert "warning: " in capsys.readouterr().err
    assert command("check", copies) == 0
    results = [p.read_bytes() for p in sorted(copies.rglob("*.manifest"))]
    assert [s for s in manifests if b"results.zarr" in s] == [
        s for s in results if b"results.zarr" in s
    ]
    assert synsamp.open(copies).finished.values.all()


def test_an_ensemble_whose_description_was_changed_raises_an_error(copies, capsys):
    text = (copies / "run.json").read_text()
    (copies / "run.json").write_text(text.replace('"seed": 0', '"seed": 1'))
    assert command("resume", copies) == 2
    assert "run.json must be as the run wrote it" in capsys.readouterr().err


def test_finished_trials_of_another_description_are_not_thrown_away(copies, capsys):
    text = (copies / "run.json").read_text()
    (copies / "run.json").write_text(text.replace('"seed": 0', '"seed": 1'))
    (copies / "run.manifest").unlink()
    status = (copies / "status.json").read_text()
    (copies / "status.json").write_text(status.replace("finished", "interrupted"))
    kept = [p.read_bytes() for p in sorted(copies.glob("trials/*/results.manifest"))]
    assert command("resume", copies, "--workers", 1) == 1
    assert "must be of the ensemble that run.json describes" in capsys.readouterr().err
    assert kept == [p.read_bytes() for p in sorted(copies.glob("trials/*/results.manifest"))]
