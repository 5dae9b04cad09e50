"""What the commands `run`, `sweep` and `resume` share: begin, carry out, conclude."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from synsamp.errors import SynsampError, refuse
from synsamp.experiments.registry import Entry, Registry

if TYPE_CHECKING:
    from synsamp.experiments.base import Experiment
    from synsamp.runs.parallel.workers import Workers
    from synsamp.runs.storage.folder import Description, RunFolder

Job = tuple[Entry, "RunFolder"]

MOST_WORKERS = 1024
MOST_TOLD = 1200
"""Characters of a message."""
MOST_SCHEDULER_BYTES = 1 << 20
ADDRESS = re.compile(
    r"((tcp|tls|ws|wss|ucx)://)?([A-Za-z0-9]([A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:]+\]):\d{1,5}"
)


def describe(
    experiment: Experiment,
    preset: str,
    settings: Sequence[str],
    seed: int,
    trials: int | None,
    vary: Sequence[str] = (),
) -> Description:
    """Resolve what was asked for: one run, or an ensemble if trials are counted."""
    from synsamp.runs.ensembles.plan import describe_ensemble
    from synsamp.runs.execute import describe

    if trials is None:
        return describe(experiment, preset, settings, seed)
    return describe_ensemble(experiment, trials, vary, preset, settings, seed)


def places(workers: str | None, scheduler: str | None, mixed: bool) -> Workers:
    """Where tasks will run; nothing is started before it is needed."""
    from synsamp.runs.parallel.workers import Workers

    count = None if workers is None else whole("--workers", workers, at_most=MOST_WORKERS)
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


def start(
    entries: Sequence[Entry],
    asked: Sequence[Description],
    root: Path,
    force: bool,
    workers: Workers,
    several: bool = False,
) -> int:
    """Run what was asked for into new folders; all is checked before the first is made."""
    from synsamp.runs.storage.folder import RunFolder, check_new_parent

    if several:
        check_new_parent(root)
    with ExitStack() as stack:
        jobs = []
        for entry, description in zip(entries, asked, strict=True):
            path = root / entry.name if several else root
            folder = stack.enter_context(RunFolder.create(path, description, force))
            jobs.append((entry, folder))
        return _carry_out(jobs, root, workers)


def resume_folder(root: Path, registry: Registry, workers: Workers) -> int | None:
    """Continue what is not finished, or return None if there is nothing to do."""
    from synsamp.runs import RunFolder, find_runs

    with ExitStack() as stack:
        jobs = []
        for path in find_runs(root):
            entry = registry.find(RunFolder(path).description.experiment)
            run = stack.enter_context(RunFolder.reopen(path))
            # An ensemble is finished, with a message, if some of its trials failed.
            if run.status.state != "finished" or run.status.message or _to_be_mended(run):
                jobs.append((entry, run))
            else:
                typer.echo(f"{path} is finished, nothing to do")
        return _carry_out(jobs, root, workers) if jobs else None


def _to_be_mended(run: RunFolder) -> bool:
    """Whether a finished ensemble has lost something, which its trials can give again.

    A single run has nothing to be mended from: it is refused, and left as it is.
    """
    from synsamp.runs.storage.check import check

    found = check(run.path)
    if not found:
        return False
    more = f" (and {len(found) - 1} more, see `synsamp check`)" if len(found) > 1 else ""
    if run.description.trials is None or any(name == "run.json" for name, _ in run.broken()):
        raise SynsampError(found[0] + more)
    complain(f"warning: {found[0]}{more}", 0)
    return True


def check_folders(folders: Sequence[Path]) -> int:
    """Say what is wrong in the folders, a line each; return the exit code."""
    from synsamp.runs import find_runs
    from synsamp.runs.storage.check import check

    code = 0
    for path in [run for folder in folders for run in find_runs(folder)]:
        found = check(path)
        for line in found:
            code = complain(line, 1)
        if not found:
            typer.echo(f"{path} is whole: everything is as the run wrote it")
    return code


def new_folder(name: str, preset: str) -> Path:
    """Name a folder under runs/ that does not exist yet."""
    first = Path("runs") / f"{name}-{preset}-{datetime.now():%Y%m%d-%H%M%S}"
    later = (first.with_name(f"{first.name}-{i}") for i in count(2))
    return next(path for path in chain([first], later) if not path.exists())


def _carry_out(jobs: Sequence[Job], root: Path, workers: Workers) -> int:
    """Run the jobs whose folders are held; one that fails does not keep the others from running."""
    from synsamp.runs.ensembles.run import carry_out_ensemble
    from synsamp.runs.execute import RunFailedError, carry_out

    console = Console(stderr=True)
    code = 0
    for entry, folder in jobs:
        console.print(f"{entry.name}: running in {folder.path}", markup=False, soft_wrap=True)
        go = carry_out if folder.description.trials is None else carry_out_ensemble
        try:
            with _stopping_on_sigterm():
                go(entry.load(), folder, console, workers)
        except KeyboardInterrupt:
            return complain(f"stopped; continue with `synsamp resume {root}`", 130)
        except RunFailedError as error:
            code = complain(str(error), 1)
        if folder.status.state == "finished" and folder.status.message:
            code = complain(f"{folder.status.message}; `synsamp resume {root}` tries again", 1)
    return code


def conclude(root: Path, registry: Registry, code: int, strict: bool = False) -> int:
    """Write one report of what is finished and print the claims; return the exit code."""
    from synsamp import terminal
    from synsamp.report.write import write_report
    from synsamp.runs import RunFolder, find_runs

    runs = in_order(find_runs(root), registry)
    finished = [path for path in runs if RunFolder(path).status.state == "finished"]
    if code == 130 or not finished:
        return code
    report = write_report(finished, registry, root / "report.html")
    folders = [RunFolder(path) for path in finished]
    swept = [folder for folder in folders if folder.description.vary]
    claims = {f.description.experiment: f.claims() for f in folders if f not in swept}
    for folder in swept:
        keys = list(folder.description.vary)
        whole = folder.results()["ensemble"]
        Console().print(terminal.sweep(folder.description.experiment, whole, keys))
    if claims:
        Console().print(terminal.claims(claims))
    typer.echo(f"report: {report}")
    broken = strict and not all(claim.holds for found in claims.values() for claim in found)
    return 1 if broken else code


def in_order(runs: Sequence[Path], registry: Registry) -> list[Path]:
    """Sort the runs of one folder as the paper has its figures."""
    from synsamp.runs import RunFolder

    names = [entry.name for entry in registry]
    return sorted(
        runs, key=lambda p: names.index(registry.find(RunFolder(p).description.experiment).name)
    )


@contextmanager
def _stopping_on_sigterm() -> Iterator[None]:
    """Let a polite kill (a cluster's time limit) leave a folder as orderly as Ctrl-C does."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def whole(name: str, text: str, at_most: int | None = None) -> int:
    """Read a whole number from the command line; without a bound, what fits into 63 bits."""
    from synsamp import arguments

    example = f"for example {name} 7"
    if not (text.isascii() and text.isdecimal() and len(text) <= 30):
        raise refuse(name, "must be a whole number >= 0", text[:40], example)
    limit = arguments.LARGEST_SEED if at_most is None else at_most
    return arguments.whole(name, int(text), at_least=0, at_most=limit, remedy=example)


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


def beside(folders: Sequence[Path]) -> Path:
    """The folder that holds them all (one folder: itself), as short as from here it can be."""
    if len(folders) == 1:
        return folders[0]
    parent = Path(os.path.commonpath([folder.absolute() for folder in folders]))
    here = Path.cwd()
    return parent.relative_to(here) if parent.is_relative_to(here) else parent


def complain(message: str, code: int) -> int:
    """Print exactly one line on standard error."""
    line = " ".join(message.split())
    if len(line) > MOST_TOLD:  # a long word of the call: its middle says nothing
        line = f"{line[: MOST_TOLD // 2]} … {line[-MOST_TOLD // 2 :]}"
    shown = "".join(c if c.isprintable() else "?" for c in line)
    print("synsamp:", shown, file=sys.stderr, flush=True)
    return code
