"""The machine around a run fails: no space, no permission, no home, a disk that gives up.

Every operation that writes is made to fail, one after the other, once or from then on. The command
must end with one clear line and lose nothing: a resume gives the bits of a run to which nothing
happened.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from synsamp.runs.storage.check import integrity_problems
from torture.ground import command, fail, moments_of, processes
from torture.scale import many

START = ("run", "walk", "--set", "blocks=6", "--set", "checkpoint_every=2", "--out")
APP = Path(__file__).parents[1] / "toys" / "app.py"
FAULTS = {
    "no space": (errno.ENOSPC, "full; make room"),
    "quota": (errno.EDQUOT, "full; make room"),
    "read-only": (errno.EROFS, ""),
    "disk error": (errno.EIO, ""),
    "no permission": (errno.EACCES, ""),
    "too many files": (errno.EMFILE, ""),
}


@pytest.fixture(scope="module")
def ground():
    return processes()


def one_line(said, code):
    assert "Traceback" not in said
    lines = [line for line in said.splitlines() if line.startswith("synsamp: ")]
    assert len(lines) == 1, (code, said)
    return lines[0]


def test_any_write_may_fail_and_nothing_is_lost(ground, tmp_path, tally):
    log = tmp_path / "log"
    assert command(ground, [*START, tmp_path / "whole"], log)[0] == 0
    reference = (tmp_path / "whole" / "results.manifest").read_text()
    cases = [
        (moment, name, lasting)
        for moment in range(1, moments_of(log)["all"])
        for name in FAULTS
        for lasting in (False, True)
    ]
    count = many(16, 200)
    # A step that shares no factor with the kinds of fault: every kind meets every part of a run.
    step = len(cases) // count | 1
    chosen = cases[::step][:count]
    for moment, name, lasting in chosen:
        number, words = FAULTS[name]
        out = tmp_path / "run"
        failing = partial(fail, number, lasting)
        code, said = command(ground, [*START, out], log, moment, failing)
        assert code in (0, 1, 2), (moment, name, lasting, said)
        if code:
            assert words in one_line(said, code), (moment, name, lasting, said)
        else:
            assert "Traceback" not in said
            assert (out / "results.manifest").read_text() == reference
        begun = (out / "run.json").exists() and (out / "status.json").exists()
        again = ["resume", out] if begun else [*START, out]
        if not begun and out.exists():  # killed before it began: the same command starts again
            again = [*START, out, "--force"] if (out / "run.json").exists() else again
        code, said = command(ground, again, log)
        assert code == 0, (moment, name, lasting, said)
        assert (out / "results.manifest").read_text() == reference, (moment, name, lasting)
        assert integrity_problems(out) == []
        shutil.rmtree(out)
    tally("faults of the surroundings", len(chosen))


def toy(*words, **options):
    environment = os.environ | {"PYTHONPATH": str(APP.parents[1])} | options.pop("env", {})
    environment = {key: value for key, value in environment.items() if value is not None}
    return subprocess.run(
        [sys.executable, str(APP), *map(str, words)],
        env=environment,
        capture_output="stdout" not in options,
        text=True,
        check=False,
        timeout=120,
        **options,
    )


@pytest.fixture
def disk(tmp_path):
    """A small separate disk; ``remount`` changes it. Root only, as permissions are not for it."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def remount(disk, options):
    subprocess.run(["mount", "-o", f"remount,{options}", str(disk)], check=True)


def test_a_full_disk_is_reported_and_the_run_continues_when_there_is_room(disk, tally):
    done = toy(*START, disk / "run")
    assert done.returncode == 1, done.stderr
    assert "is full; make room, then" in one_line(done.stderr, 1)
    remount(disk, "size=50m")
    done = toy("resume", disk / "run")
    assert done.returncode == 0, done.stderr
    assert integrity_problems(disk / "run") == []
    tally("faults of the surroundings")


def test_a_folder_that_may_only_be_read_is_reported_and_can_be_read(disk, tally):
    remount(disk, "size=50m")
    out = disk / "run"
    assert toy(*START, out).returncode == 0
    remount(disk, "ro")
    for words in (
        ("report", out),
        ("resume", out),
        ("run", "walk", "--force", "--out", out),
        ("run", "walk", "--out", disk / "new"),
    ):
        done = toy(*words)
        assert done.returncode == 2, done.stderr
        said = one_line(done.stderr, 2)
        assert "Read-only file system" in said or "folder you may write to" in said
    assert toy("check", out).returncode == 0
    remount(disk, "rw")
    tally("faults of the surroundings", 5)


@pytest.mark.parametrize(
    "env",
    [
        {"HOME": None},
        {"HOME": "/nonexistent"},
        {"TMPDIR": "/nonexistent"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        {"TERM": "dumb", "COLUMNS": "1"},
        {"MPLCONFIGDIR": "/dev/null/no"},
    ],
    ids=str,
)
def test_a_bare_environment_is_enough(env, tmp_path, tally):
    done = toy(*START, tmp_path / "run", env=env)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert integrity_problems(tmp_path / "run") == []
    tally("faults of the surroundings")


def test_standard_output_that_is_full_or_gone_is_no_traceback(tmp_path, tally):
    with open("/dev/full", "w") as full:
        done = toy(*START, tmp_path / "full", stdout=full, stderr=subprocess.PIPE)
    assert "Traceback" not in done.stderr
    assert integrity_problems(tmp_path / "full") == []
    tally("faults of the surroundings")
