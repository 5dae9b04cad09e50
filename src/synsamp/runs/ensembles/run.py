"""Carry out an ensemble: every trial is a run in a folder of its own, on Dask workers.

A trial's folder is all that a trial needs: a worker that dies, a client that is killed or a stop
by the user leaves folders that are finished, or that the next worker takes up. What all trials say
together (one Dataset, claims over the ensemble) is put together from the folders.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from synsamp.errors import SynsampError
from synsamp.experiments.protocol import Experiment
from synsamp.runs.ensembles.gather import gather
from synsamp.runs.ensembles.plan import Trial, coordinates, describe_ensemble, trials_of
from synsamp.runs.ensembles.progress import EnsembleProgress
from synsamp.runs.ensembles.stack import Stack, flatten
from synsamp.runs.execute import (
    DiskFullError,
    RunFailedError,
    carry_out,
    disk_is_full,
    ending,
    warn_of_other_versions,
)
from synsamp.runs.folder import InUseError, RunFolder
from synsamp.runs.log import logging_to
from synsamp.runs.results import clear_results, seal_results
from synsamp.runs.tasks import Report, StoppedError, Task, run_tasks
from synsamp.runs.workers import Workers

LOCK_WAIT_S = 60.0
"""How long a trial's folder is waited for: a worker whose client was killed stops within seconds"""

_log = logging.getLogger("synsamp")


class Outcome(NamedTuple):
    """How a trial ended in its worker."""

    state: str
    message: str = ""
    unfit: tuple[str, ...] = ()


def execute_ensemble(
    experiment: Experiment,
    out: Path,
    trials: int,
    *,
    vary: Sequence[str] = (),
    preset: str = "quick",
    settings: Sequence[str] = (),
    seed: int = 0,
    force: bool = False,
    console: Console | None = None,
    workers: Workers,
) -> RunFolder:
    """Run an ensemble from start to end into a new folder."""
    description = describe_ensemble(experiment, trials, vary, preset, settings, seed)
    with RunFolder.create(out, description, force) as folder:
        carry_out_ensemble(experiment, folder, console or Console(stderr=True), workers)
        return folder


def carry_out_ensemble(
    experiment: Experiment, folder: RunFolder, console: Console, workers: Workers
) -> None:
    """Do what is missing of the ensemble in a folder whose lock is held."""
    trials = trials_of(experiment, folder.description)
    status = folder.status
    root = folder.path.resolve()
    with logging_to(root / "run.log", console), ending(folder, status.elapsed_s) as clock:
        warn_of_other_versions(folder.description.versions)
        _log.info("%s: %d trials of %s", folder.path.name, len(trials), experiment.name)
        folder.set_status("running", elapsed_s=status.elapsed_s)
        clear_results(root, keep_streams=False)
        client = workers.client(console)
        check_that_workers_see(client, root)
        stack = _stack(root, folder)
        outcomes: dict[str, Outcome] = {}
        with EnsembleProgress(console, trials) as progress:
            tasks = [
                Task(trial.name, partial(run_trial, experiment, trial, root, stack))
                for trial in trials
            ]
            for ended in run_tasks(client, tasks, progress.told):
                why = f"{type(ended.error).__name__}: {ended.error}"
                outcome = ended.value or Outcome("failed", why)
                outcomes[ended.name] = outcome
                if outcome.state == "full disk":
                    raise DiskFullError(outcome.message)
                progress.ended(ended.name, outcome.state, outcome.message)
        _put_together(experiment, folder, trials, stack, outcomes, clock())


def _put_together(
    experiment: Experiment,
    folder: RunFolder,
    trials: Sequence[Trial],
    stack: Stack,
    outcomes: dict[str, Outcome],
    elapsed_s: float,
) -> None:
    failed = [trial for trial in trials if outcomes[trial.name].state != "finished"]
    told = "; ".join(f"{t.label}: {outcomes[t.name].message}" for t in failed[:3])
    message = f"{len(failed)} of {len(trials)} trials failed: {told}" if failed else ""
    if len(failed) == len(trials):
        raise SynsampError(f"{message}; mend it, then continue with `synsamp resume {folder.path}`")
    unfit = sorted({name for outcome in outcomes.values() for name in outcome.unfit})
    stack.drop(unfit)
    claims = gather(folder, trials, [t for t in trials if t not in failed], stack, unfit)
    seal_results(folder.path)
    folder.write_claim_records(claims)
    folder.set_status("finished", message, elapsed_s)
    _log.info("finished after %.1f s", elapsed_s)


def _stack(root: Path, folder: RunFolder) -> Stack:
    assert folder.description.trials is not None
    return Stack(root, coordinates(folder.description), folder.description.trials)


def run_trial(
    experiment: Experiment, trial: Trial, root: Path, stack: Stack, report: Report
) -> Outcome:
    """In a worker: take one trial to its end and put its results in their place."""
    path = root / "trials" / trial.name
    console = Console(quiet=True)
    try:
        with _held(path, trial) as folder:
            if folder.status.state != "finished":
                carry_out(experiment, folder, console, report=report)
            data = flatten(folder.results(), experiment.repeats)
        return Outcome("finished", unfit=tuple(stack.place(data, trial.place)))
    except StoppedError:
        return Outcome("stopped", "stopped")
    except DiskFullError as error:
        return Outcome("full disk", str(error))
    except (SynsampError, RunFailedError) as error:
        return Outcome("failed", str(error))
    except Exception as error:
        if disk_is_full(error):
            return Outcome("full disk", f"the disk of {root} is full")
        raise


@contextmanager
def _held(path: Path, trial: Trial) -> Iterator[RunFolder]:
    """Hold the trial's folder, new or as another worker left it."""
    end = time.monotonic() + LOCK_WAIT_S
    while True:
        begun = (path / "status.json").exists()
        holding = (
            RunFolder.reopen(path) if begun else RunFolder.create(path, trial.description, True)
        )
        try:
            folder = holding.__enter__()
            break
        except InUseError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
    try:
        yield folder
    finally:
        holding.__exit__(None, None, None)


def check_that_workers_see(client: object, root: Path) -> None:
    """Refuse workers on other machines that do not share the folder, before any work is done."""
    (root / "trials").mkdir(exist_ok=True)
    sign = root / "trials" / f".seen-by-{os.getpid()}"
    sign.touch()
    try:
        seen: dict[str, bool] = client.run(os.path.exists, str(sign))  # type: ignore[attr-defined]
    finally:
        sign.unlink()
    blind = [worker for worker, sees in seen.items() if not sees]
    if blind:
        raise SynsampError(
            f"all workers must see {root}, got {len(blind)} that do not ({blind[0]}); "
            "choose --out on a file system that they share"
        )
