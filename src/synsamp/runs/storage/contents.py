"""What a run folder may hold under the names of a run, so that nothing else is ever written to.

A folder from somebody else may have a link where a run has its results, and the user may have put
notes there. So before anything is written, every name that a run writes must be a
plain file or folder, and the stores must hold only what a run puts there. All other files there,
and in ``figures/``, are the user's and stay.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from synsamp.errors import SynsampError, refuse
from synsamp.runs.storage.atomic import PART, not_plain

STORE = "results.zarr"
RESULTS_MANIFEST = "results.manifest"
RUN_MANIFEST = "run.manifest"
FIGURE_MANIFEST = "figures.manifest"
CHECKPOINTS = "checkpoints"
FIGURES = "figures"
TRIALS = "trials"
FILES = (
    "run.json",
    "status.json",
    "claims.json",
    "report.html",
    "run.log",
    RESULTS_MANIFEST,
    RUN_MANIFEST,
    FIGURE_MANIFEST,
    ".lock",
)
_IN_CHECKPOINTS = re.compile(r"\d{8,}\.checkpoint|\.lock|" + PART.pattern)
_IN_STORE = re.compile(r"zarr\.json|c|.*\.[0-9a-f]{32}\.partial")


def check_contents(path: Path) -> None:
    """Refuse a folder in which a name of a run is something else."""
    for error in unexpected_entries(path):
        raise error


def unexpected_entries(path: Path) -> Iterator[SynsampError]:
    """Yield what is wrong with the names of a run folder, one error for each."""
    for name in FILES:
        yield from _unless_plain(path / name, "file")
    for folder in (FIGURES, TRIALS, CHECKPOINTS, STORE):
        yield from _unless_plain(path / folder, "folder")
    yield from _in_trials(path / TRIALS)
    yield from _in_checkpoints(path / CHECKPOINTS)
    yield from _in_store(path / STORE)


def _unless_plain(path: Path, wanted: str) -> Iterator[SynsampError]:
    if os.path.lexists(path):
        plain = path.is_file() if wanted == "file" else path.is_dir()
        if path.is_symlink() or not plain:
            yield not_plain(path, wanted)


def _in_trials(folder: Path) -> Iterator[SynsampError]:
    for path in trials_in(folder):
        yield from _unless_plain(path, "folder")


def _in_checkpoints(folder: Path) -> Iterator[SynsampError]:
    for entry in entries(folder):
        path = Path(entry.path)
        if not _IN_CHECKPOINTS.fullmatch(entry.name):
            yield _not_ours(path)
        else:
            yield from _unless_plain(path, "file")


def _in_store(folder: Path, among_chunks: bool = False) -> Iterator[SynsampError]:
    for entry in entries(folder):
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _in_store(path, among_chunks or entry.name == "c")
        elif not (_IN_STORE.fullmatch(entry.name) or (among_chunks and entry.name.isdigit())):
            yield _not_ours(path)
        else:
            yield from _unless_plain(path, "file")


def _not_ours(path: Path) -> SynsampError:
    if path.is_symlink():
        return not_plain(path, "file")
    remedy = "move it out of there; nothing was written or removed"
    return refuse(f"what lies in {path.parent}", "must be a run's own", path.name, remedy)


def trials_in(folder: Path) -> list[Path]:
    """What is called like the folder of a trial (`plan` names them); the rest is the user's."""
    names = [entry.name for entry in entries(folder)]
    return [folder / name for name in names if re.fullmatch(r"(\d+-)?\d{5,}", name)]


def entries(folder: Path) -> list[os.DirEntry[str]]:
    """What lies in a folder, in order; nothing if it is none, or a link to one."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)
