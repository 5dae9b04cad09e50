"""Several ensembles one after the other in one folder: resumed by the same call.

Each has its own folder. A finished one stays unchanged, one that was begun is continued,
the others are started; one bar shows the progress of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from synsamp.errors import refuse
from synsamp.runs.ensembles.plan import trials_of
from synsamp.runs.ensembles.progress import Whole
from synsamp.runs.ensembles.run import Loader, carry_out_ensemble, finished_trials
from synsamp.runs.execute import RunFailedError
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage.folder import Description, RunFolder

ASKED = {"experiment", "preset", "given", "resolved", "seed", "trials", "vary", "changes"}
"""What must be the same for a folder to be continued."""


@dataclass(frozen=True)
class BatchItem:
    """An ensemble by the name of its folder; ``trial_s``: about how long a trial takes."""

    name: str
    load: Loader
    description: Description
    trial_s: float = 1.0


def run_batch(
    jobs: Sequence[BatchItem], root: Path, console: Console, workers: Workers
) -> list[str]:
    """Do what is missing; return what went wrong, a line for each ensemble that is not whole."""
    for job in jobs:
        _check(job, root / job.name)
    root.mkdir(parents=True, exist_ok=True)
    wrong = []
    weights = {job.name: job.trial_s * (job.description.trials or 1) for job in jobs}
    done = {job.name: _share(job, root / job.name) for job in jobs}
    with Whole(console, weights, done) as whole:
        for job in jobs:
            console.print(f"{job.name}: {whole.text}", markup=False, soft_wrap=True)
            try:
                message = _run(job, root / job.name, console, workers, whole)
            except RunFailedError as error:
                message = str(error)
            if message:
                wrong.append(f"{job.name}: {message}")
    return wrong


def _run(job: BatchItem, path: Path, console: Console, workers: Workers, whole: Whole) -> str:
    begun = (path / "run.json").exists()
    held = RunFolder.reopen(path) if begun else RunFolder.create(path, job.description, force=False)
    with held as folder:
        if folder.status.state != "finished" or folder.status.message:
            carry_out_ensemble(job.load, folder, console, workers, (whole, job.name))
        return folder.status.message


def _check(job: BatchItem, path: Path) -> None:
    """Refuse a folder that holds something else than what is asked for now."""
    if not (path / "run.json").exists():
        return
    found, asked = (
        d.model_dump(include=ASKED) for d in (RunFolder(path).description, job.description)
    )
    for key, value in asked.items():
        if found[key] != value:
            remedy = f"it was begun before {key} changed: move it away"
            raise refuse(
                str(path), "must hold the run that is asked for", found["experiment"], remedy
            )


def _share(job: BatchItem, path: Path) -> float:
    trials = trials_of(job.load(), job.description)
    return len(finished_trials(path, trials)) / len(trials)
