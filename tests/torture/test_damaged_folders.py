"""Damage files of run folders in every way: a clear line or bit-identical results must follow.

What must never come: wrong results without a word, or a traceback.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from contextlib import nullcontext

import pytest

import synsamp
from synsamp import cli
from synsamp.errors import SynsampError
from synsamp.runs import RunFolder, execute
from synsamp.runs.ensembles.run import execute_ensemble
from synsamp.runs.execute import RunFailedError
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage.checkpoint import CheckpointFolder
from torture.scale import many
from toys.app import WITH_COINS
from toys.coins import EXPERIMENT as COINS
from toys.walk import EXPERIMENT as WALK

KINDS = ("finished", "stopped", "trials", "ensemble")
SHORT_WALK = ["blocks=6", "checkpoint_every=2"]


@pytest.fixture(scope="module")
def workers():
    with Workers(count=2) as both:
        yield both


@pytest.fixture(scope="module")
def folders(tmp_path_factory, workers):
    """Folders to be damaged, and what each must say in the end if it says anything."""
    root = tmp_path_factory.mktemp("folders")
    execute(WALK, root / "finished", settings=SHORT_WALK)
    cli.run_command_line(["report", str(root / "finished")], WITH_COINS)
    with pytest.raises(KeyboardInterrupt):
        execute(WALK, root / "stopped", settings=[*SHORT_WALK, "trouble=sigint", "trouble_at=5"])
    execute_ensemble(WALK, root / "trials whole", 2, settings=SHORT_WALK, workers=workers)
    stopped = [*SHORT_WALK, "trouble=bug", "trouble_at=5"]
    with pytest.raises(RunFailedError):
        execute_ensemble(WALK, root / "trials", 2, settings=stopped, workers=workers)
    execute_ensemble(COINS, root / "ensemble", 2, settings=["tosses=4"], workers=workers)
    wholes = ("finished", "finished", "trials whole", "ensemble")
    return root, {k: answer(root / whole) for k, whole in zip(KINDS, wholes, strict=True)}


def answer(folder):
    """What a finished folder says: its results, and its claims without the words of its place."""
    return (folder / "results.manifest").read_text(), (folder / "claims.json").read_text()


def files(folder):
    found = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.name != ".lock"]
    # The small files that steer are few among the chunks: they are hit as often.
    steering = [p for p in found if p.suffix in (".json", ".sha256") and p.name != "zarr.json"]
    return found, steering


def damage(folder, rng):
    """Damage one file; returns what was done."""
    found, steering = files(folder)
    path = rng.choice(steering if rng.random() < 0.5 else found)
    ways = ["cut", "flip", "empty", "delete", "swap", "link", "folder", "garbage", "lost folder"]
    ways += ["types"] * 4 if path.suffix == ".json" else []
    ways += ["permission"] if os.geteuid() != 0 else []  # nothing is forbidden to root
    way = rng.choice(ways)
    content = path.read_bytes()
    if way == "cut":
        path.write_bytes(content[: rng.randrange(len(content) + 1)])
    elif way == "flip" and content:
        place = rng.randrange(len(content))
        changed = content[place] ^ (1 << rng.randrange(8))
        path.write_bytes(content[:place] + bytes([changed]) + content[place + 1 :])
    elif way == "empty":
        path.write_bytes(b"")
    elif way == "delete":
        path.unlink()
    elif way == "swap":
        other = rng.choice(found)
        kept = other.read_bytes()
        other.write_bytes(content)
        path.write_bytes(kept)
    elif way == "link":
        elsewhere = folder.with_name(f"{folder.name}-elsewhere")
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
    elif way == "folder":
        path.unlink()
        path.mkdir()
    elif way == "garbage":
        path.write_bytes(content + rng.randbytes(9))
    elif way == "lost folder":
        shutil.rmtree(path.parent if path.parent != folder else folder / "results.zarr", True)
    elif way == "types":
        path.write_text(json.dumps(_retyped(json.loads(content), rng)))
    elif way == "permission":
        path.chmod(0)
    return f"{way} {path.relative_to(folder)}"


def _retyped(value, rng):
    """The same JSON with one of its values replaced by one of another type."""
    others = [None, True, -1, 1e300, "", "x", [], [[1]], {}, {"a": 1}]
    if isinstance(value, (dict, list)) and value and rng.random() < 0.85:
        copy = dict(value) if isinstance(value, dict) else list(value)
        key = rng.choice(list(copy)) if isinstance(value, dict) else rng.randrange(len(copy))
        copy[key] = _retyped(copy[key], rng)
        return copy
    return rng.choice(others)


def run(capsys, *words):
    """A command: its exit code, after making sure that it spoke as it should."""
    code = cli.run_command_line([str(word) for word in words], WITH_COINS)
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert code in (0, 1, 2, 130)
    if code:
        line = said.splitlines()[-1]
        assert line.startswith("synsamp: "), said
        assert ";" in line or "`" in line, line  # a remedy
    return code


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_reported_or_mended(kind, folders, workers, tmp_path, capsys, monkeypatch, tally):
    monkeypatch.setattr("synsamp.cli.run.cluster_of", lambda *asked: nullcontext(workers))
    monkeypatch.setattr(CheckpointFolder, "due", lambda self: True)
    root, answers = folders
    rng = random.Random(f"damage to {kind}")  # the choice of cases; every one must do
    share = {"finished": 4, "stopped": 4, "trials": 1, "ensemble": 1}[kind]
    count = many(4 * share, 60 * share)
    for number in range(count):
        folder = shutil.copytree(root / kind, tmp_path / f"run-{number}")
        done = damage(folder, rng)
        try:
            judge(kind, folder, answers[kind], capsys, number)
        except BaseException as error:
            error.add_note(f"{kind}: {done}")
            raise
        shutil.rmtree(folder)
    tally("damaged files", count)


def judge(kind, folder, expected, capsys, number):
    whole = run(capsys, "check", folder) == 0
    if kind in ("finished", "ensemble"):
        assert not whole or answer(folder) == expected
        if number % 4 == 0 and run(capsys, "report", folder) == 0:
            assert answer(folder) == expected
    else:
        assert not whole
    for _ in range(3):  # a start from the beginning is stopped once more, by the toy itself
        code = run(capsys, "resume", folder)
        if code in (0, 2):
            break
    if code == 0:
        assert answer(folder) == expected
        assert RunFolder(folder).claims()
    else:
        try:
            data = synsamp.open(folder)
        except SynsampError:
            return
        # A trial that cannot run again (a link where its results should be) is reported as failed.
        message = RunFolder(folder).status.message
        told = kind in ("trials", "ensemble") and "trials failed" in message
        assert answer(folder) == expected or (told and not data.finished.values.all())
