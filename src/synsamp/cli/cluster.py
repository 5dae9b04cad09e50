"""Where the tasks of a run go: ``--workers``, ``--scheduler`` and ``--mixed-processors``."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from synsamp.cli.arguments import whole_number
from synsamp.errors import refuse

if TYPE_CHECKING:
    from synsamp.runs.parallel.workers import Workers

MOST_WORKERS = 1024
MOST_SCHEDULER_BYTES = 1 << 20
ADDRESS = re.compile(
    r"((tcp|tls|ws|wss|ucx)://)?([A-Za-z0-9]([A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:]+\]):\d{1,5}"
)


def cluster_of(workers: str | None, scheduler: str | None, mixed: bool) -> Workers:
    """Where tasks will run; nothing is started before it is needed."""
    from synsamp.runs.parallel.workers import Workers

    count = None if workers is None else whole_number("--workers", workers, at_most=MOST_WORKERS)
    found = Workers(scheduler, count, mixed)
    if scheduler is not None:
        check_scheduler(scheduler)
        # Connected to before any folder is made: an address is right only if someone answers.
        console = Console(stderr=True)
        waiting = console.status("connecting …") if console.is_terminal else nullcontext()
        try:
            with waiting:
                found.client(console)
        except BaseException:
            found.close()
            raise
    return found


def check_scheduler(text: str) -> None:
    """Refuse what cannot be a Dask scheduler's address or file, without asking anyone."""
    name, remedy = "--scheduler", "start one with `dask scheduler` and give the address it prints"
    path = Path(text)
    if path.is_file():
        try:
            content = path.read_bytes() if path.stat().st_size <= MOST_SCHEDULER_BYTES else b""
            address = json.loads(content)["address"]
        except (ValueError, TypeError, KeyError, RecursionError):
            address = None
        if not isinstance(address, str) or not _is_address(address):
            raise refuse(name, "must be a file that a Dask scheduler wrote", text[:60], remedy)
    elif not _is_address(text):
        raise refuse(name, "must look like tcp://host:8786 or name a file", text[:60], remedy)


def _is_address(text: str) -> bool:
    return ADDRESS.fullmatch(text) is not None and 0 < int(text.rpartition(":")[2]) < 65536
