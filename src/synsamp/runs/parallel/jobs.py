"""The jobs of one run: each with its own checkpoints, on Dask workers or one after the other.

A job's folder under ``checkpoints/`` holds what it needs to go on, and in the end its last state.
So whoever runs it next (another worker after a death, another command after a stop) does only
what is missing.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from synsamp.errors import SynsampError
from synsamp.experiments.base import Maker, State
from synsamp.runs.parallel.tasks import Report, StoppedError, Task, run_tasks
from synsamp.runs.storage.checkpoint import CheckpointFolder, DamagedCheckpointError, Owner
from synsamp.runs.storage.folder import ORPHAN_S, locked

LAST = "last.state"

_log = logging.getLogger(__name__)


class JobFailedError(Exception):
    """A job that stopped by itself in another process."""


@dataclass(frozen=True)
class Place:
    """Where a job leaves its states: ``checkpoints/job-3`` of the run with that digest."""

    checkpoints: Path
    run: str
    number: int

    @property
    def folder(self) -> Path:
        """The job's own folder."""
        return self.checkpoints / f"job-{self.number}"

    @property
    def owner(self) -> Owner:
        """Whose the checkpoints are."""
        return Owner(self.run, f"job {self.number}")

    def leave(self, state: State) -> None:
        """Write the state in which the job ended."""
        self._last.write(self.folder / LAST, {"state": state})

    def last_state(self) -> State | None:
        """The state in which the job ended; a damaged one counts as none, the job ends anew."""
        try:
            state: State = self._last.read(self.folder / LAST)["state"]
            return state
        except FileNotFoundError:
            return None
        except (OSError, DamagedCheckpointError) as error:
            _log.warning("last state of job %d passed over, it is damaged: %s", self.number, error)
            return None

    @property
    def _last(self) -> Owner:
        return Owner(self.run, f"end of job {self.number}")


def run_in_turn(places: Sequence[Place], makers: Sequence[Maker], report: Report) -> list[State]:
    """Run all jobs here, one after the other; ``report`` hears the share of all that is done."""
    for i, (place, maker) in enumerate(zip(places, makers, strict=True)):
        before = i / len(makers)
        carry_out_job(maker, place, lambda s, b=before: report(b + s / len(makers)))
    return _states(places)


def run_on_workers(
    client: Any,
    places: Sequence[Place],
    makers: Sequence[Maker],
    report: Report,
    accepted: frozenset[str] | None = None,
) -> list[State]:
    """Run all jobs on Dask workers; ``report`` hears the share of all that is done."""
    shares = {str(i): 1.0 for i in range(len(makers))}
    tasks = []
    for i, (place, maker) in enumerate(zip(places, makers, strict=True)):
        if place.last_state() is None:
            shares[str(i)] = 0.0
            tasks.append(Task(str(i), partial(carry_out_job, maker, place), f"job {i}"))

    def told(name: str, share: float) -> None:
        shares[name] = share
        report(sum(shares.values()) / len(shares))

    for ended in run_tasks(client, tasks, told, accepted):
        if isinstance(ended.error, SynsampError):
            raise ended.error
        if ended.error is not None:
            what = f"{type(ended.error).__name__}: {ended.error}"
            raise JobFailedError(f"job {ended.name} of {len(makers)}: {what}") from ended.error
        told(ended.name, 1.0)
    return _states(places)


def carry_out_job(maker: Maker, place: Place, report: Report) -> None:
    """Take a job to its end from its newest intact state, and leave its last state."""
    place.folder.mkdir(parents=True, exist_ok=True)
    with locked(place.folder, ORPHAN_S):
        if place.last_state() is None:
            _go_on(maker, place, report)


def _go_on(maker: Maker, place: Place, report: Report) -> None:
    checkpoints = CheckpointFolder(place.folder, place.owner)
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
    place.leave(job.state())


def _states(places: Sequence[Place]) -> list[State]:
    states = []
    for place in places:
        state = place.last_state()
        if state is None:
            raise SynsampError(
                f"workers must write where this command reads, got no result of job "
                f"{place.number} in {place.checkpoints}; use a folder that all workers share"
            )
        states.append(state)
    return states
