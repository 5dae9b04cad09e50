"""The jobs of one run: each with its own checkpoints, on Dask workers or one after the other.

A job's folder under ``checkpoints/`` holds what it needs to go on, and in the end its last state.
So whoever runs it next (another worker after a death, another command after a stop) does only
what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from synsamp.errors import SynsampError
from synsamp.experiments.protocol import Maker, State
from synsamp.runs.checkpoint import (
    CheckpointFolder,
    DamagedCheckpointError,
    read_checkpoint,
    write_checkpoint,
)
from synsamp.runs.folder import ORPHAN_S, locked
from synsamp.runs.tasks import Report, StoppedError, Task, run_tasks

LAST = "last.state"


class JobFailedError(Exception):
    """A job that stopped by itself in another process."""


def run_in_turn(folder: Path, makers: Sequence[Maker], report: Report) -> list[State]:
    """Run all jobs here, one after the other; ``report`` hears the share of all that is done."""
    for i, maker in enumerate(makers):
        before = i / len(makers)
        carry_out_job(maker, _place(folder, i), lambda s, b=before: report(b + s / len(makers)))
    return _states(folder, len(makers))


def run_on_workers(
    client: Any, folder: Path, makers: Sequence[Maker], report: Report
) -> list[State]:
    """Run all jobs on Dask workers; ``report`` hears the share of all that is done."""
    shares = {str(i): 1.0 for i in range(len(makers))}
    tasks = []
    for i, maker in enumerate(makers):
        if _last_state(_place(folder, i)) is None:
            shares[str(i)] = 0.0
            tasks.append(Task(str(i), partial(carry_out_job, maker, _place(folder, i))))

    def told(name: str, share: float) -> None:
        shares[name] = share
        report(sum(shares.values()) / len(shares))

    for ended in run_tasks(client, tasks, told):
        if isinstance(ended.error, SynsampError):
            raise ended.error
        if ended.error is not None:
            what = f"{type(ended.error).__name__}: {ended.error}"
            raise JobFailedError(f"job {ended.name} of {len(makers)}: {what}") from ended.error
        told(ended.name, 1.0)
    return _states(folder, len(makers))


def carry_out_job(maker: Maker, place: Path, report: Report) -> None:
    """Take a job to its end from its newest intact state, and leave its last state."""
    place.mkdir(parents=True, exist_ok=True)
    with locked(place, ORPHAN_S):
        if _last_state(place) is None:
            _go_on(maker, place, report)


def _go_on(maker: Maker, place: Path, report: Report) -> None:
    checkpoints = CheckpointFolder(place, dict, lambda streams: None)
    job = maker(checkpoints.load())
    while job.done < job.work:
        try:
            report(job.done / job.work)
        except StoppedError:
            checkpoints.save(job.state())
            raise
        job.step()
        if checkpoints.due():
            checkpoints.save(job.state())
    write_checkpoint(place / LAST, job.state())


def _place(folder: Path, number: int) -> Path:
    return folder / f"job-{number}"


def _last_state(place: Path) -> State | None:
    """The state a finished job left; a damaged one counts as none, the job then ends anew."""
    with suppress(FileNotFoundError, DamagedCheckpointError):
        return read_checkpoint(place / LAST)
    return None


def _states(folder: Path, count: int) -> list[State]:
    states = [_last_state(_place(folder, i)) for i in range(count)]
    missing = [i for i, state in enumerate(states) if state is None]
    if missing:
        raise SynsampError(
            f"workers must write where this command reads, got no result of job {missing[0]} in "
            f"{folder}; use a folder that all workers share"
        )
    return [state for state in states if state is not None]
