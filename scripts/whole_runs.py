"""What `reproduce.py` and `robustness.py` share: run many ensembles, keep what all seeds measured.

Beside the table of measures (`NAME.csv`) stands `NAME.json`: when, how long, with which versions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rich.console import Console

from synsamp.claims import Claim, judge_all
from synsamp.claims.table import Measured, Run, from_csv, present, to_csv
from synsamp.cli.execution import plan_run, stopping_on_sigterm
from synsamp.cli.messages import complain
from synsamp.errors import SynsampError
from synsamp.experiments.registry import Entry, Registry
from synsamp.runs import RunFolder
from synsamp.runs.ensembles.batch import BatchItem, run_batch
from synsamp.runs.ensembles.measured import measures_by_trial
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage import machine
from synsamp.runs.storage.atomic import replacing
from synsamp.runs.storage.folder import ClaimRecord

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Stored:
    """The table of measures, and what is known of the runs behind it."""

    runs: dict[Run, Measured]
    about: dict[str, Any]

    @property
    def judged(self) -> list[Run]:
        """Runs as they are; those in which something was changed are compared, not judged."""
        return [run for run in self.runs if not run.variant]

    def claims(self, run: Run, registry: Registry) -> list[ClaimRecord]:
        """The claims of a run as they are today, judged by what was stored."""
        claims = registry.find(run.experiment).load().claims
        return [ClaimRecord.of(each) for each in judge_all(claims, present(self.runs[run]))]

    def changed(self, run: Run, registry: Registry) -> list[str]:
        """Claims whose measure, band or null is not what it was when the run was made."""
        then = self.about.get("claims", {}).get(run.experiment)
        now = definitions(registry.find(run.experiment).load().claims)
        return [] if then is None else [name for name in now if now[name] != then.get(name)]

    def trials(self, run: Run) -> int:
        """Seeds behind a run."""
        return max(map(len, self.runs[run].values()))


def definitions(claims: Sequence[Claim]) -> dict[str, str]:
    """By what each claim is judged."""
    return {claim.id: f"{claim.key} in {claim.band}, null {claim.null_key}" for claim in claims}


def job(
    entry: Entry,
    preset: str,
    settings: Sequence[str],
    trials: int | None,
    name: str,
    trial_s: float,
    seed: int = 0,
) -> BatchItem:
    """An ensemble of an experiment, checked: one seed alone is an ensemble too."""
    asked = plan_run(entry, preset, settings, seed, trials)
    if asked.trials is None:
        asked = asked.model_copy(update={"trials": 1})
    return BatchItem(name, entry.load, asked, trial_s)


def run_all(jobs: Sequence[BatchItem], out: Path, again: str, workers: int | None = None) -> int:
    """Run what is missing; the exit code says whether all of it is there. ``again``: goes on."""
    console = Console(stderr=True)
    try:
        with Workers(None, workers, False) as where, stopping_on_sigterm():
            wrong = run_batch(jobs, out, console, where)
    except KeyboardInterrupt:
        return complain(f"stopped; `{again}` goes on", 130)
    for line in wrong:
        complain(line, 1)
    return 1 if wrong else 0


def keep(jobs: Sequence[BatchItem], out: Path, runs: Sequence[Run], target: Path, command: str) -> None:
    """Write the table of what all seeds of some ensembles measured, and what is known of them."""
    folders = [RunFolder(out / each.name) for each in jobs]
    table = {run: measures_by_trial(each) for run, each in zip(runs, folders, strict=True)}
    claims = {run.experiment: job.load().claims for run, job in zip(runs, jobs, strict=True)}
    known = {"claims": {name: definitions(each) for name, each in claims.items()}}
    keep_table(table, folders, target, command, known)


def keep_table(
    table: dict[Run, Measured],
    folders: Sequence[RunFolder],
    target: Path,
    command: str,
    known: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write a table of measures, and what there is to know of the runs that they come from."""
    about = {
        "date": date.today().isoformat(),
        "command": command,
        "seed": folders[0].description.seed,
        "cores": machine.threads(),
        "versions": folders[0].description.versions,
        "processor": str(folders[0].description.processor),
        "took_s": {folder.path.name: round(folder.status.elapsed_s) for folder in folders},
        **known,
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    write(target.with_suffix(".csv"), to_csv(table))
    write(target.with_suffix(".json"), json.dumps(about, indent=1, ensure_ascii=False) + "\n")


def stored(target: Path) -> Stored | None:
    """Read what was kept; None if nothing was."""
    table = target.with_suffix(".csv")
    if not table.exists():
        return None
    about = json.loads(target.with_suffix(".json").read_text(encoding="utf-8"))
    return Stored(from_csv(table.read_text(encoding="utf-8")), about)


def write(path: Path, text: str) -> None:
    """Write a page or a table, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode())


def row(*cells: str) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def duration(seconds: float) -> str:
    """Seconds as one would say them."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def as_command(main: Callable[[list[str]], int]) -> None:
    """Run a script; what is wrong becomes one line."""
    try:
        sys.exit(main(sys.argv[1:]))
    except SynsampError as error:
        sys.exit(complain(str(error), 2))
