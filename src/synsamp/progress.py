"""Progress bars and spinners for long operations, on a terminal only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def bars(console: Console, *columns: ProgressColumn, show: bool = True, **options: Any) -> Progress:
    """Build progress bars with a description and some columns; shown on a terminal only."""
    options = {"transient": True, "disable": not (show and console.is_terminal)} | options
    return Progress(TextColumn("{task.description}"), *columns, console=console, **options)


@contextmanager
def progress_bar(
    description: str, total: float | None, show: bool = True
) -> Iterator[Callable[[float], None]]:
    """A bar on standard error; yields ``advance(amount)``. Shows nothing without a terminal."""
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with bars(Console(stderr=True), *columns, show=show) as bar:
        task = bar.add_task(description, total=total)
        yield lambda amount: bar.advance(task, amount)


@contextmanager
def waiting(description: str) -> Iterator[None]:
    """A spinner with the elapsed time, for operations of unknown length."""
    columns = (SpinnerColumn("line"), TimeElapsedColumn())
    with bars(Console(stderr=True), *columns) as shown:
        shown.add_task(description, total=None)
        yield
