"""Remove what a run wrote, and nothing else that may lie in its folder."""

from __future__ import annotations

import os
from pathlib import Path

from synsamp.runs.storage.atomic import PART, remove
from synsamp.runs.storage.contents import (
    CHECKPOINTS,
    FIGURES,
    FILES,
    STORE,
    TRIALS,
    entries,
    trials_in,
)
from synsamp.runs.storage.drawings import remove_figures


def clear_contents(path: Path) -> None:
    """Remove what a run wrote; its contents have been checked and its lock is held."""
    for trial in trials_in(path / TRIALS):
        clear_contents(trial)
        (trial / ".lock").unlink(missing_ok=True)
        _remove_if_empty(trial)
    _remove_if_empty(path / TRIALS)
    remove_figures(path)
    for name in (STORE, CHECKPOINTS):
        remove(path / name)
    for name in FILES:
        if name != ".lock":
            (path / name).unlink(missing_ok=True)
    clear_parts(path)


def clear_parts(path: Path) -> None:
    """Remove half-written files that a killed process left."""
    for folder in (path, path / FIGURES, path / CHECKPOINTS):
        for entry in entries(folder):
            if PART.fullmatch(entry.name):
                Path(entry.path).unlink(missing_ok=True)


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink() and not os.listdir(folder):
        folder.rmdir()
