"""The log of a run: everything goes to its file, warnings also to the console."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rich.console import Console

from synsamp.runs.storage.atomic import open_in_place

_log = logging.getLogger("synsamp")


@contextmanager
def logging_to(path: Path, console: Console) -> Iterator[None]:
    """Keep everything in the run's log; show warnings on the console too."""
    file = open_in_place(path)
    to_file = logging.StreamHandler(file)
    to_file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    to_file.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk is reported once
    to_console = _ConsoleHandler(console)
    level, propagate = _log.level, _log.propagate
    _log.setLevel(logging.DEBUG)
    _log.propagate = False
    for handler in (to_file, to_console):
        _log.addHandler(handler)
    try:
        yield
    finally:
        for handler in (to_file, to_console):
            _log.removeHandler(handler)
        to_file.close()
        with suppress(OSError):  # a full disk again
            file.close()
        _log.setLevel(level)
        _log.propagate = propagate


class _ConsoleHandler(logging.Handler):
    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.print(f"warning: {record.getMessage()}", markup=False, soft_wrap=True)
