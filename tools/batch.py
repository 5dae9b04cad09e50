"""Run many ensembles as one resumable batch. The only file here that uses the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from synsamp.cli.execution import plan_run, stopping_on_sigterm
from synsamp.cli.messages import complain
from synsamp.errors import SynsampError
from synsamp.experiments.registry import Entry
from synsamp.runs.ensembles.batch import BatchItem, run_batch
from synsamp.runs.parallel.workers import Workers
from tools.markdown import PageError


def job(
    entry: Entry,
    preset: str,
    settings: Sequence[str],
    trials: int | None,
    name: str,
    trial_s: float,
    seed: int = 0,
) -> BatchItem:
    """Describe and check an ensemble; a single seed is an ensemble of one."""
    description = plan_run(entry, preset, settings, seed, trials)
    if description.trials is None:
        description = description.model_copy(update={"trials": 1})
    return BatchItem(name, entry.load, description, trial_s)


def run_all(jobs: Sequence[BatchItem], out: Path, command: str, workers: int | None = None) -> int:
    """Run all unfinished jobs and return the exit code; ``command`` continues after a stop."""
    console = Console(stderr=True)
    try:
        with Workers(None, workers, False) as where, stopping_on_sigterm():
            errors = run_batch(jobs, out, console, where)
    except KeyboardInterrupt:
        return complain(f"stopped; `{command}` continues", 130)
    for line in errors:
        complain(line, 1)
    return 1 if errors else 0


def as_command(main: Callable[[list[str]], int]) -> None:
    """Run a program; expected errors become one line."""
    try:
        sys.exit(main(sys.argv[1:]))
    except (SynsampError, PageError) as error:
        sys.exit(complain(str(error), 2))
