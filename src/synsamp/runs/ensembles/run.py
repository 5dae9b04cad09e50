"""Carry out an ensemble: every trial is a run in its own folder, on Dask workers.

A trial's folder is all that a trial needs: a worker that dies, a client that is killed or a stop
by the user leaves folders that are finished, or that the next worker takes up. What all trials say
together (one Dataset, claims over the ensemble) is put together from the folders.
"""

from __future__ import annotations

import errno
import logging
import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from synsamp.errors import SynsampError
from synsamp.experiments.base import Experiment
from synsamp.experiments.loading import Given
from synsamp.runs.ensembles.gather import gather, trial_quantiles
from synsamp.runs.ensembles.plan import (
    Trial,
    coordinates,
    describe_ensemble,
    require_data_of_all,
    trials_of,
)
from synsamp.runs.ensembles.progress import EnsembleProgress, Whole
from synsamp.runs.execute import (
    DiskFullError,
    RunFailedError,
    carry_out,
    disk_is_full,
    ending,
    warn_of_other_machine,
)
from synsamp.runs.parallel.tasks import Lookahead, Report, StoppedError, Task, run_tasks
from synsamp.runs.parallel.worker_info import ask_workers
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage import machine
from synsamp.runs.storage.contents import RESULTS_MANIFEST
from synsamp.runs.storage.folder import ORPHAN_S, RunFolder
from synsamp.runs.storage.lock import lock
from synsamp.runs.storage.log import logging_to
from synsamp.runs.storage.results import open_results, write_results, write_results_manifest
from synsamp.runs.storage.stack import ENSEMBLE, SUMMARY, flatten, layout, not_stacked

_log = logging.getLogger("synsamp")

Loader = Callable[[], Experiment]
"""Gives the experiment in whatever process it is called; it can be sent to others."""


class Outcome(NamedTuple):
    """How a trial ended in its worker."""

    state: str
    message: str = ""
    layout: Mapping[str, str] = {}


def execute_ensemble(
    experiment: Experiment | Loader,
    out: Path,
    trials: int,
    *,
    vary: Sequence[str] = (),
    preset: str | None = None,
    settings: Sequence[str] = (),
    seed: int = 0,
    changes: Mapping[str, Sequence[str]] | None = None,
    force: bool = False,
    console: Console | None = None,
    workers: Workers,
) -> RunFolder:
    """Run an ensemble from start to end into a new folder."""
    load = Given(experiment) if isinstance(experiment, Experiment) else experiment
    description = describe_ensemble(load(), trials, vary, preset, settings, seed, changes)
    require_data_of_all(load(), description)
    with RunFolder.create(out, description, force) as folder:
        carry_out_ensemble(load, folder, console or Console(stderr=True), workers)
        return folder


def carry_out_ensemble(
    load: Loader,
    folder: RunFolder,
    console: Console,
    workers: Workers,
    whole: tuple[Whole, str] | None = None,
    meanwhile: Callable[[], None] = lambda: None,
    ahead: Lookahead | None = None,
) -> None:
    """Do what is missing of the ensemble in a folder whose lock is held.

    ``load`` travels to the workers and gives the experiment there: a user's file goes with it.
    ``whole`` is as in `EnsembleProgress`, ``meanwhile`` and ``ahead`` as in `run_tasks`.
    """
    experiment = load()
    trials = trials_of(experiment, folder.description)
    status = folder.status
    root = folder.path.resolve()
    with logging_to(root / "run.log", console), ending(folder, status.elapsed_s) as clock:
        warn_of_other_machine(folder)
        _log.info("%s: %d trials of %s", folder.path.name, len(trials), experiment.name)
        folder.set_status("running", elapsed_s=status.elapsed_s)
        client = workers.client(console)
        check_workers(client, root)
        if workers.kinds:
            folder.note(f"ran on {', '.join(map(str, workers.kinds.values()))}")
        folder.remove_manifests()
        outcomes: dict[str, Outcome] = {}
        with EnsembleProgress(console, trials, finished_trials(root, trials), whole) as progress:
            tasks = [_task(load, folder, trial) for trial in trials]
            ended_tasks = run_tasks(
                client, tasks, progress.report, workers.accepted, meanwhile, ahead
            )
            for ended in ended_tasks:
                why = f"{type(ended.error).__name__}: {ended.error}"
                outcome = ended.value or Outcome("failed", why)
                outcomes[ended.name] = outcome
                if outcome.state == "full disk":
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                progress.ended(ended.name, outcome.state, outcome.message)
        _put_together(experiment, folder, trials, outcomes, clock)


def first_task(load: Loader, folder: RunFolder) -> Task:
    """The first trial of an ensemble whose turn will come."""
    return _task(load, folder, trials_of(load(), folder.description)[0])


def _task(load: Loader, folder: RunFolder, trial: Trial) -> Task:
    reserved = tuple(coordinates(folder.description))
    run = partial(run_trial, load, trial, folder.path.resolve(), reserved)
    return Task(trial.name, run, trial.label)


def finished_trials(root: Path, trials: Sequence[Trial]) -> set[str]:
    """Names of the trials that earlier commands finished; for the progress bar only."""
    return {t.name for t in trials if (root / "trials" / t.name / RESULTS_MANIFEST).exists()}


def _put_together(
    experiment: Experiment,
    folder: RunFolder,
    trials: Sequence[Trial],
    outcomes: dict[str, Outcome],
    clock: Callable[[], float],
) -> None:
    good = [trial for trial in trials if outcomes[trial.name].state == "finished"]
    failed = [trial for trial in trials if outcomes[trial.name].state != "finished"]
    reasons = "; ".join(f"{t.label}: {outcomes[t.name].message}" for t in failed[:3])
    message = f"{len(failed)} of {len(trials)} trials failed: {reasons}" if failed else ""
    if not good:
        again = f"mend it, then continue with `synsamp resume {folder.path}`"
        raise RunFailedError(f"{message}; {again}")
    unfit = not_stacked(outcomes[trial.name].layout for trial in good)
    together, claims = gather(experiment, folder, trials, good, unfit)
    write_results(
        folder.path, {ENSEMBLE: together, SUMMARY: trial_quantiles(folder.path, together)}, ()
    )
    write_results_manifest(folder.path)
    folder.write_claims(claims)
    folder.write_manifest()
    folder.set_status("finished", message, clock())
    _log.info("finished after %.1f s", clock())


def run_trial(
    load: Loader, trial: Trial, root: Path, reserved: Sequence[str], report: Report
) -> Outcome:
    """In a worker: run or continue one trial up to its end; ``reserved`` is as in `flatten`."""
    try:
        experiment = load()
        with _held(root / "trials" / trial.name, trial) as folder:
            if folder.status.state != "finished":
                carry_out(experiment, folder, Console(quiet=True), report=report)
            found = layout(flatten(open_results(folder.path), reserved))
        return Outcome("finished", layout=found)
    except StoppedError:
        return Outcome("stopped", "stopped")
    except DiskFullError:
        return Outcome("full disk")
    except (SynsampError, RunFailedError) as error:
        return Outcome("failed", str(error))
    except Exception as error:
        if disk_is_full(error):
            return Outcome("full disk")
        raise


@contextmanager
def _held(path: Path, trial: Trial) -> Iterator[RunFolder]:
    """Hold the trial's folder: as another worker left it, or new where that is of no use."""
    if _is_usable(path, trial):
        with RunFolder.reopen(path, ORPHAN_S) as folder:
            yield folder
    else:
        with RunFolder.create(path, trial.description, force=True, wait_s=ORPHAN_S) as folder:
            yield folder


def _is_usable(path: Path, trial: Trial) -> bool:
    """Whether a folder is this trial's, begun and, if it is finished, undamaged."""
    if not (path / "status.json").exists():
        return False
    try:
        folder = RunFolder(path)
        finished = folder.status.state == "finished"
        if finished:
            folder.results()
    except SynsampError:
        return False
    if finished and folder.description != trial.description:
        raise SynsampError(
            f"{path} must be of the ensemble that run.json describes, got a finished trial of "
            "another; put the ensemble's run.json back as it was, or choose another --out"
        )
    return folder.description == trial.description


def check_workers(client: Any, root: Path) -> None:
    """Refuse workers that do not share the folder and its locks, before any work is done."""
    (root / "trials").mkdir(exist_ok=True)
    sign = root / "trials" / f".seen-by-{uuid.uuid4().hex}"
    try:
        with sign.open("x") as file:
            lock(file)
            found: dict[str, str] = ask_workers(client, _sees_lock, str(sign))
    finally:
        sign.unlink(missing_ok=True)
    for state, rule in (("unseen", "see"), ("free", "respect file locks in")):
        wrong = [worker for worker, seen in found.items() if seen == state]
        if wrong:
            raise SynsampError(
                f"all workers must {rule} {root}, got {len(wrong)} that do not ({wrong[0]}); "
                "choose --out on a file system that they share"
            )
    own = machine.versions()
    for worker, versions in ask_workers(client, machine.versions).items():
        other = [f"{name} {v}" for name, v in versions.items() if own.get(name) != v]
        if other:
            _log.warning("worker %s has other versions, bits may differ: %s", worker, other)


def _sees_lock(path: str) -> str:
    """In a worker: whether a file is seen, and whether its lock is."""
    try:
        with open(path, "r+", encoding="utf-8") as file:
            lock(file)
    except BlockingIOError:
        return "locked"
    except OSError:
        return "unseen"
    return "free"
