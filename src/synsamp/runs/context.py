"""What a run gets to work with: progress, tables and checkpoints in its folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from synsamp.columns import Table
from synsamp.progress import bars
from synsamp.protocol.context import Context, ProgressBar, SavedState
from synsamp.runs.parallel.tasks import Report
from synsamp.runs.storage import machine
from synsamp.runs.storage.checkpoint import CheckpointFolder, Owner
from synsamp.runs.storage.contents import CHECKPOINTS, STORE
from synsamp.runs.storage.folder import RunFolder
from synsamp.runs.storage.results import check_result_names
from synsamp.runs.storage.tables import TableSet, ZarrTable


class FolderContext:
    """The context of a run in a folder; see `synsamp.experiments.base.RunContext`.

    With ``report`` it is one task in a worker: one thread, progress is reported. Without,
    it is the run of a command: bars on the console.
    """

    def __init__(self, folder: RunFolder, console: Console, report: Report | None = None) -> None:
        self.threads = machine.threads() if report is None else 1
        root = folder.path.absolute()  # the run may change the current folder
        self.tables = TableSet(root / STORE)
        owner = Owner(folder.description.digest)
        self.checkpoint = CheckpointFolder(
            root / CHECKPOINTS, owner, self.tables.collect, self.tables.restore
        )
        self._report = report
        self._progress = run_bars(console)
        self._bars = 0

    def table(self, name: str, table: Table, coordinates: Mapping[str, Any]) -> ZarrTable:
        """Open a table in the results."""
        check_result_names([*self.tables.names, name])
        return self.tables.open(name, table, coordinates)

    @contextmanager
    def progress(self, description: str, total: float) -> Iterator[ProgressBar]:
        """Show a progress bar; several may be nested and are drawn below each other."""
        if self._report is not None:
            yield _ReportedBar(self._report, total)
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


class Parts:
    """Several protocols of one run: a checkpoint holds the last state of each."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._states: dict[str, Any] = dict(context.checkpoint.load() or {})

    def context_of(self, name: str) -> Context:
        """The context of one protocol: its own tables, and its own state in the checkpoint."""
        return _PartContext(self._context, name, self._states)


class _PartContext:
    def __init__(self, context: Context, name: str, states: dict[str, Any]) -> None:
        self._context, self._name = context, name
        self.checkpoint = _PartCheckpoints(context, name, states)

    def progress(self, description: str, total: float) -> Any:
        return self._context.progress(f"{description} {self._name}", total)

    def table(self, name: str, table: Table, coordinates: Mapping[str, Any]) -> Any:
        return self._context.table(f"{self._name}/{name}", table, coordinates)


class _PartCheckpoints:
    def __init__(self, context: Context, name: str, states: dict[str, Any]) -> None:
        self._context, self._name, self._states = context, name, states

    def load(self) -> SavedState | None:
        return self._states.get(self._name)

    def due(self) -> bool:
        return self._context.checkpoint.due()

    def save(self, state: SavedState) -> None:
        self._states[self._name] = state
        self._context.checkpoint.save(self._states)


def run_bars(console: Console) -> Progress:
    """Progress bars of a run, with the time left."""
    share, left = TextColumn("{task.percentage:3.0f} %"), TextColumn("left")
    return bars(console, BarColumn(), share, TimeElapsedColumn(), left, TimeRemainingColumn())


class _Bar:
    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def advance(self, amount: float = 1.0) -> None:
        self._progress.advance(self._task, amount)


class _ReportedBar:
    """A bar that is drawn by the process that started the task, which gets the share done."""

    def __init__(self, report: Report, total: float) -> None:
        self._report, self._total, self._done = report, total, 0.0

    def advance(self, amount: float = 1.0) -> None:
        self._done += amount
        self._report(min(self._done / self._total, 1.0) if self._total > 0 else 1.0)
