"""What a run gets to work with: seeds by name, progress, streams and checkpoints in its folder."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from synsamp.experiments.protocol import Column
from synsamp.runs import machine
from synsamp.runs.checkpoint import CheckpointFolder
from synsamp.runs.results import STORE, check_name
from synsamp.runs.streams import StreamSet, ZarrStream


def named_seed(seed: int, key: tuple[str | int, ...]) -> np.random.SeedSequence:
    """Return the seed of a named part: the run's seed as entropy, a hash of the name as key.

    The hash makes ("trial", 3) independent of ("trial", 30) and of every other name, without a
    table of who asked first.
    """
    parts = [part if isinstance(part, str) else operator.index(part) for part in key]
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return np.random.SeedSequence(seed, spawn_key=tuple(np.frombuffer(digest, "<u4").tolist()))


class FolderContext:
    """The context of a run in a folder; see `synsamp.experiments.protocol.RunContext`."""

    def __init__(self, folder: Path, seed: int, console: Console) -> None:
        self.threads = machine.threads()
        self.streams = StreamSet(folder / STORE)
        self.checkpoint = CheckpointFolder(
            folder / "checkpoints", self.streams.collect, self.streams.restore
        )
        self._seed = seed
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._bars = 0

    def seed_for(self, *key: str | int) -> np.random.SeedSequence:
        """Return the seed of a named part of the run."""
        return named_seed(self._seed, key)

    def stream(self, name: str, columns: Mapping[str, Column], dimension: str) -> ZarrStream:
        """Open a stream in the results."""
        check_name(name)
        return self.streams.open(name, columns, dimension)

    @contextmanager
    def progress(self, description: str, total: float) -> Iterator[_Bar]:
        """Show a progress bar; several may be nested and are drawn below each other."""
        if self._bars == 0:
            self._progress.start()
        self._bars += 1
        task = self._progress.add_task(description, total=total)
        try:
            yield _Bar(self._progress, task)
        finally:
            self._progress.remove_task(task)
            self._bars -= 1
            if self._bars == 0:
                self._progress.stop()


class _Bar:
    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def advance(self, amount: float = 1.0) -> None:
        self._progress.advance(self._task, amount)
