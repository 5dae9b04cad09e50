"""What a run gets to work with: seeds by name, progress, streams and checkpoints in its folder."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

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

from synsamp.experiments.base import Column, Maker, ProgressBar, State
from synsamp.runs.parallel.jobs import Place, run_in_turn, run_on_workers
from synsamp.runs.parallel.tasks import Report
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage import machine
from synsamp.runs.storage.checkpoint import CheckpointFolder, Owner
from synsamp.runs.storage.contents import CHECKPOINTS, STORE
from synsamp.runs.storage.folder import RunFolder
from synsamp.runs.storage.results import check_name
from synsamp.runs.storage.streams import StreamSet, ZarrStream


@dataclass(frozen=True)
class NamedSeeds:
    """Gives seeds by name, in this process and in any other it is sent to."""

    seed: int

    def __call__(self, *key: str | int) -> np.random.SeedSequence:
        """Return the seed of a named part of the run."""
        return named_seed(self.seed, key)


def named_seed(seed: int, key: tuple[str | int, ...]) -> np.random.SeedSequence:
    """Return the seed of a named part: the run's seed as entropy, a hash of the name as key.

    The hash makes ("trial", 3) independent of ("trial", 30) and of every other name, without a
    table of who asked first.
    """
    parts = [part if isinstance(part, str) else operator.index(part) for part in key]
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return np.random.SeedSequence(seed, spawn_key=tuple(np.frombuffer(digest, "<u4").tolist()))


class FolderContext:
    """The context of a run in a folder; see `synsamp.experiments.base.RunContext`.

    With ``workers`` it is the run of a command: bars on the console, jobs on all workers. With
    ``report`` it is one task among others in a worker: one thread, jobs in turn, progress told.
    """

    def __init__(
        self,
        folder: RunFolder,
        console: Console,
        workers: Workers | None = None,
        report: Report | None = None,
    ) -> None:
        self.threads = machine.threads() if report is None else 1
        self.seed_for = NamedSeeds(folder.description.seed)
        self.streams = StreamSet(folder.path / STORE)
        self._digest = folder.description.digest
        self._checkpoints = folder.path / CHECKPOINTS
        self.checkpoint = CheckpointFolder(
            self._checkpoints, Owner(self._digest), self.streams.collect, self.streams.restore
        )
        self._has_jobs = False
        self._console, self._workers, self._report = console, workers, report
        self._progress = bars(console)
        self._bars = 0

    def stream(self, name: str, columns: Mapping[str, Column], dimension: str) -> ZarrStream:
        """Open a stream in the results."""
        check_name(name)
        return self.streams.open(name, columns, dimension)

    def run_jobs(self, description: str, makers: Sequence[Maker]) -> list[State]:
        """Run jobs on all workers; in a worker, or where there is but one job, right here."""
        if self._has_jobs:
            raise RuntimeError("run_jobs must be called once in a run: the folder has one set")
        self._has_jobs = True
        places = [Place(self._checkpoints, self._digest, i) for i in range(len(makers))]
        with self.progress(description, total=1.0) as bar:
            done = 0.0

            def report(share: float) -> None:
                nonlocal done
                bar.advance(share - done)
                done = share

            if self._workers is None or len(makers) == 1:
                return run_in_turn(places, makers, report)
            client = self._workers.client(self._console)
            return run_on_workers(client, places, makers, report, self._workers.accepted)

    @contextmanager
    def progress(self, description: str, total: float) -> Iterator[ProgressBar]:
        """Show a progress bar; several may be nested and are drawn below each other."""
        if self._report is not None:
            yield _ToldBar(self._report, total)
            return
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


def bars(console: Console) -> Progress:
    """Progress bars with time left, on a terminal only."""
    return Progress(
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


class _Bar:
    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def advance(self, amount: float = 1.0) -> None:
        self._progress.advance(self._task, amount)


class _ToldBar:
    """A bar that is drawn elsewhere: the share done is told to whoever started the task."""

    def __init__(self, report: Report, total: float) -> None:
        self._report, self._total, self._done = report, total, 0.0

    def advance(self, amount: float = 1.0) -> None:
        self._done += amount
        self._report(min(self._done / self._total, 1.0) if self._total > 0 else 1.0)
