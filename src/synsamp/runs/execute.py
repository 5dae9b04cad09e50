"""Run an experiment into a folder, and take up one that was stopped."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import xarray as xr
from rich.console import Console

from synsamp.claims import judge_all
from synsamp.claims.measures import MEASURES, measures_dataset, values_of
from synsamp.errors import FailureError, SynsampError, refuse
from synsamp.experiments.base import Experiment, Parameters
from synsamp.runs.context import FolderContext
from synsamp.runs.overrides import override, restore
from synsamp.runs.parallel.tasks import Report, SchedulerLostError, StoppedError
from synsamp.runs.simulate import run_seed
from synsamp.runs.storage import machine
from synsamp.runs.storage.contents import CHECKPOINTS
from synsamp.runs.storage.folder import ClaimRecord, Description, RunFolder, now
from synsamp.runs.storage.log import logging_to
from synsamp.runs.storage.results import (
    add_results,
    open_results,
    write_results,
    write_results_manifest,
)

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No room, no quota left, or a file larger than the limit (``ulimit -f``)."""

_log = logging.getLogger("synsamp")


class RunFailedError(Exception):
    """A run that stopped by itself; its folder can be resumed. Shown as one line, exit code 1."""


class DiskFullError(RunFailedError):
    """A run that found no room on the disk."""


def describe_run(
    experiment: Experiment,
    preset: str | None = None,
    settings: Sequence[str] = (),
    seed: int = 0,
) -> Description:
    """Resolve what was asked for into the full description of a run; default: the first preset."""
    kind: Any = experiment.parameters
    if not (isinstance(kind, type) and issubclass(kind, Parameters)):
        rule = "must be a subclass of synsamp.Parameters"
        raise refuse(f"parameters of {experiment.name}", rule, kind)
    if preset is None:
        preset = next(iter(experiment.presets))
    if preset not in experiment.presets:
        known = " or ".join(experiment.presets)
        raise SynsampError(f"--preset must be {known}, got {preset!r}; leave it out for the first")
    if seed < 0:
        raise SynsampError(f"--seed must be >= 0, got {seed}; any whole number from 0 on will do")
    parameters = override(experiment.presets[preset], settings)
    return Description(
        experiment=experiment.name,
        preset=preset,
        given=tuple(settings),
        resolved=parameters.model_dump(mode="json"),
        seed=seed,
        versions=machine.versions(),
        processor=machine.processor(),
        created=now(),
    )


def parameters_of(experiment: Experiment, folder: RunFolder) -> Parameters:
    """Return the parameters a folder was run with."""
    return restore(
        experiment.parameters, folder.description.resolved, str(folder.path / "run.json")
    )


def require_data(experiment: Experiment, asked: Description) -> None:
    """Refuse, before anything is run, what needs data that are not on this machine."""
    if experiment.requires is not None:
        parameters = restore(experiment.parameters, asked.resolved, "run.json")
        with user_code(f"requires of {experiment.name}"):
            experiment.requires(parameters)


def execute(
    experiment: Experiment,
    out: Path,
    *,
    preset: str | None = None,
    settings: Sequence[str] = (),
    seed: int = 0,
    force: bool = False,
    console: Console | None = None,
) -> RunFolder:
    """Run one seed of an experiment from start to end into a new folder, in this process.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    out : Path
        Folder to make.
    preset : str, optional
        Named set of parameters; default: the first preset.
    settings : sequence of str
        Changed parameters as ``"key=value"``.
    seed : int
        Seed of all random numbers.
    force : bool
        Replace a run that is there already.
    console : rich.console.Console, optional
        Where progress is shown.

    Returns
    -------
    RunFolder
        The finished run.
    """
    description = describe_run(experiment, preset, settings, seed)
    require_data(experiment, description)
    with RunFolder.create(out, description, force) as folder:
        carry_out(experiment, folder, console or Console(stderr=True))
        return folder


def resume(experiment: Experiment, path: Path, console: Console | None = None) -> RunFolder:
    """Take up a run where its newest intact checkpoint left it; a finished one is left alone.

    Parameters
    ----------
    experiment : Experiment
        The experiment of the run.
    path : Path
        Folder of the run.
    console : rich.console.Console, optional
        Where progress is shown.

    Returns
    -------
    RunFolder
        The finished run.
    """
    with RunFolder.reopen(path) as folder:
        if folder.description.trials is not None:
            remedy = "take it up by `synsamp resume` or synsamp.runs.ensembles.run"
            raise refuse("run", "must be a single one", str(path), remedy)
        if folder.status.state != "finished":
            carry_out(experiment, folder, console or Console(stderr=True))
        return folder


def carry_out(
    experiment: Experiment,
    folder: RunFolder,
    console: Console,
    report: Report | None = None,
) -> None:
    """Run or continue the run in a folder whose lock is held, up to its claims.

    ``report`` is as in `FolderContext`.
    """
    parameters = parameters_of(experiment, folder)
    status = folder.status
    with logging_to(folder.path / "run.log", console), ending(folder, status.elapsed_s) as clock:
        warn_of_other_machine(folder)
        _log.info("%s: %s, was %s", folder.path.name, experiment.name, status.state)
        folder.set_status("running", elapsed_s=status.elapsed_s)
        folder.remove_manifests()
        context = FolderContext(folder, console, report)
        with _contained(experiment):
            results = run_seed(experiment, parameters, folder.description.seed, context)
        write_results(folder.path, results, context.tables.close())
        measured = _analyse_and_measure(experiment, parameters, folder.path)
        judged = judge_all(experiment.applicable_claims(parameters), values_of(measured))
        write_results_manifest(folder.path)
        folder.write_claims([ClaimRecord.of(each) for each in judged])
        folder.write_manifest()
        folder.set_status("finished", elapsed_s=clock())
        shutil.rmtree(folder.path / CHECKPOINTS, ignore_errors=True)
        _log.info("finished after %.1f s", clock())


def _analyse_and_measure(experiment: Experiment, parameters: Parameters, path: Path) -> xr.Dataset:
    """Analyse and measure what was stored, so that a folder alone can prove its numbers."""
    stored = open_results(path)
    if experiment.analyse is not None:
        derived = experiment.analyse(parameters, stored)
        if clash := sorted({*stored, MEASURES} & set(derived)):
            raise ValueError(f"analyse must give datasets with new names, not {clash[0]!r}")
        add_results(path, derived)
        stored = open_results(path)
    measured = measures_dataset(experiment.measure(parameters, stored))
    if measured:
        add_results(path, {MEASURES: measured})
    return measured


@contextmanager
def user_code(name: str) -> Iterator[None]:
    """Turn an exception of a user's function into one line that says which function it was."""
    try:
        yield
    except SynsampError:
        raise
    except (Exception, SystemExit) as error:
        _log.debug("%s failed", name, exc_info=True)
        why = f"{type(error).__name__}: {error}"
        raise FailureError(f"{name} failed: {why}; correct that function") from error


@contextmanager
def _contained(experiment: Experiment) -> Iterator[None]:
    """Run a user's code: it may neither end the process nor leave it in another folder."""
    here = os.getcwd()
    try:
        yield
    except SystemExit as error:
        rule = "must return or raise an exception"
        raise RunFailedError(
            f"run of {experiment.name} {rule}, got sys.exit({error.code!r}); remove that call"
        ) from error
    finally:
        os.chdir(here)


@contextmanager
def ending(folder: RunFolder, before_s: float) -> Iterator[Callable[[], float]]:
    """Leave a folder that says how the run ended, whatever ends it."""
    start = time.monotonic()

    def clock() -> float:
        return before_s + time.monotonic() - start

    try:
        yield clock
    except (KeyboardInterrupt, StoppedError):
        with suppress(OSError):
            folder.set_status("interrupted", "stopped by the user", clock())
        _log.info("interrupted")
        raise
    except (SynsampError, RunFailedError) as error:
        with suppress(OSError):
            folder.set_status("failed", str(error), clock())
        _log.info("failed: %s", error)
        raise
    except Exception as error:
        _log.debug("failed", exc_info=True)
        again = f"continue with `synsamp resume {folder.path}`"
        full = disk_is_full(error)
        if full:
            message = f"the disk of {folder.path} is full; make room, then {again}"
        elif isinstance(error, MemoryError):
            message = (
                f"not enough memory for {folder.description.experiment} ({error}); use a smaller "
                f"network or fewer processes, then {again}"
            )
        elif isinstance(error, SchedulerLostError):
            message = f"{error}; what is finished is kept; start a scheduler, then {again}"
        else:
            message = (
                f"{folder.description.experiment} failed: {type(error).__name__}: {error}; "
                f"{folder.path / 'run.log'} has the details; {again}"
            )
        with suppress(OSError):  # a full disk may refuse this too; "running" then means killed
            folder.set_status("failed", message, clock())
        raise (DiskFullError if full else RunFailedError)(message) from error


def disk_is_full(error: BaseException | None) -> bool:
    """Whether this, or what caused it, is a write for which there was no room."""
    while error is not None:
        if isinstance(error, DiskFullError):
            return True
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def warn_of_other_machine(folder: RunFolder) -> None:
    """Say so, and note it, if a folder was begun under other versions or on another processor."""
    recorded, present = folder.description.versions, machine.versions()
    changed = [f"{k} {v} -> {present.get(k)}" for k, v in recorded.items() if present.get(k) != v]
    said = []
    if changed:
        said.append(f"started with other versions, bits may differ: {', '.join(changed)}")
    before, now_ = folder.description.processor, machine.processor()
    if before.digest != now_.digest:
        said.append(f"started on another kind of processor, bits may differ: {before} -> {now_}")
    for text in said:
        _log.warning(text)
        folder.note(text)
