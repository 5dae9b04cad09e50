"""Check a folder: is everything as the run wrote it? One line for each thing that is not."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from synsamp.errors import SynsampError
from synsamp.packing import DamagedStateError
from synsamp.runs.storage.atomic import damaged
from synsamp.runs.storage.checkpoint import read_checkpoint
from synsamp.runs.storage.contents import (
    CHECKPOINTS,
    FIGURES,
    TRIALS,
    trials_in,
    unexpected_entries,
)
from synsamp.runs.storage.drawings import own_figures
from synsamp.runs.storage.folder import RunFolder
from synsamp.runs.storage.manifest import broken
from synsamp.runs.storage.results import broken_results


def integrity_problems(path: Path) -> list[str]:
    """Return what is wrong with a run or an ensemble, with the remedy; nothing if it is whole."""
    try:
        folder = RunFolder(path)
    except SynsampError as error:
        return [str(error)]
    ensemble = folder.description.trials is not None
    remedy = f"`synsamp resume {path}` mends it" if ensemble else _run_again(folder)
    found = list(_findings(folder, remedy))
    if ensemble:
        for trial in trials_in(path / TRIALS):
            found += _trial(trial, f"`synsamp resume {path}` runs the trial again")
    return list(dict.fromkeys(found))


def _trial(path: Path, remedy: str) -> Iterator[str]:
    try:
        folder = RunFolder(path)
        if folder.status.state != "finished":
            return  # the ensemble says so itself
    except SynsampError as error:
        yield str(error)
        return
    yield from _findings(folder, remedy)


def _findings(folder: RunFolder, remedy: str) -> Iterator[str]:
    path = folder.path
    yield from map(str, unexpected_entries(path))
    try:
        status = folder.status
        if status.state != "finished":
            yield _unfinished(folder, status.state)
            yield from _checkpoints(path / CHECKPOINTS)
            return
        if status.message:
            yield f"{path} must have no failed trials, got: {status.message}; {remedy}"
        for name, why in folder.broken():
            again = _restore_description(folder) if name == "run.json" else remedy
            yield str(damaged(path / name, why, again))
        for name, why in broken_results(path):
            yield str(damaged(path / name, why, remedy))
    except SynsampError as error:
        yield str(error)
    redraw = f"`synsamp report {path}` draws it again"
    for name, why in broken(path, own_figures(path)):
        yield str(damaged(path / name, why, redraw))
    if not own_figures(path) and any((path / FIGURES).glob("*.png")):
        yield str(damaged(path / "figures.manifest", "missing or no list of figures", redraw))


def _unfinished(folder: RunFolder, state: str) -> str:
    return (
        f"{folder.path} must be finished, got {state!r}; "
        f"continue it with `synsamp resume {folder.path}`"
    )


def _checkpoints(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.checkpoint")):
        try:
            read_checkpoint(path)
        except (OSError, DamagedStateError) as error:
            yield str(damaged(path, str(error), "resume passes it over, at the cost of time"))


def _run_again(folder: RunFolder) -> str:
    about = folder.description
    words = [
        "synsamp",
        "run",
        about.experiment,
        "--preset",
        about.preset,
        "--seed",
        str(about.seed),
    ]
    words += [word for setting in about.given for word in ("--set", setting)]
    words += ["--out", str(folder.path), "--force"]
    return f"restore it from a copy, or run it again: `{shlex.join(words)}`"


def _restore_description(folder: RunFolder) -> str:
    return f"restore it from a copy; without it the settings of {folder.path} are unknown"
