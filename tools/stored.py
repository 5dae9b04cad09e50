"""Tables in docs/data: the measures of every seed of a full run, and how it was run.

`NAME.csv` has the measures; `NAME.json` the date, durations, versions and definitions of claims.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from synsamp.claims import Claim, judge_all
from synsamp.claims.table import Measured, Run, from_csv, present, to_csv
from synsamp.experiments.registry import Registry
from synsamp.runs import RunFolder
from synsamp.runs.ensembles.batch import BatchItem
from synsamp.runs.ensembles.measured import measures_by_trial
from synsamp.runs.storage import machine
from synsamp.runs.storage.atomic import replacing
from synsamp.runs.storage.folder import ClaimRecord


@dataclass(frozen=True)
class Stored:
    """Measures by run, and the metadata of the runs."""

    runs: Mapping[Run, Measured]
    about: dict[str, Any]

    @property
    def judged(self) -> list[Run]:
        """Runs at a preset; variants are compared with the paper, not judged."""
        return [run for run in self.runs if not run.variant]

    def claims(self, run: Run, registry: Registry) -> list[ClaimRecord]:
        """Judge today's claims on the stored measures of a run."""
        measures = present(self.runs[run])
        declared = registry.find(run.experiment).load().claims
        claims = applied(declared, measures)
        return [ClaimRecord.of(each) for each in judge_all(claims, measures)]

    def changed(self, run: Run, registry: Registry) -> list[str]:
        """Claims whose measure, band or null changed after the run."""
        then = self.about.get("claims", {}).get(run.experiment)
        now = definitions(registry.find(run.experiment).load().claims)
        return [] if then is None else [name for name in now if now[name] != then.get(name)]

    def trials(self, run: Run) -> int:
        """The number of seeds of a run."""
        return max(map(len, self.runs[run].values()))


def applied(claims: Sequence[Claim], measures: Collection[str]) -> list[Claim]:
    """Claims that a stored run can judge: it has their measures.

    It lacks those of claims that did not apply to it, and of claims that are newer than the run.
    """
    return [claim for claim in claims if {claim.key, claim.null_key or claim.key} <= set(measures)]


def definitions(claims: Sequence[Claim]) -> dict[str, str]:
    """The measure, band and null of each claim."""
    return {claim.id: f"{claim.key} in {claim.band}, null {claim.null_key}" for claim in claims}


def store(
    jobs: Sequence[BatchItem], out: Path, runs: Sequence[Run], target: Path, command: str
) -> None:
    """Store the measures of all seeds of some ensembles."""
    folders = [RunFolder(out / each.name) for each in jobs]
    table = {run: measures_by_trial(each) for run, each in zip(runs, folders, strict=True)}
    claims = {run.experiment: job.load().claims for run, job in zip(runs, jobs, strict=True)}
    more = {"claims": {name: definitions(each) for name, each in claims.items()}}
    store_table(table, folders, target, command, more)


def store_table(
    table: Mapping[Run, Measured],
    folders: Sequence[RunFolder],
    target: Path,
    command: str,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write a table of measures and the metadata of its runs."""
    about = {
        "date": date.today().isoformat(),
        "command": command,
        "seed": folders[0].description.seed,
        "cores": machine.threads(),
        "versions": folders[0].description.versions,
        "processor": str(folders[0].description.processor),
        "took_s": {folder.path.name: round(folder.status.elapsed_s) for folder in folders},
        **more,
    }
    write(target.with_suffix(".csv"), to_csv(dict(table)))
    write(target.with_suffix(".json"), json.dumps(about, indent=1, ensure_ascii=False) + "\n")


def read_stored(target: Path) -> Stored | None:
    """Read a stored table, or return None if there is none."""
    table = target.with_suffix(".csv")
    if not table.exists():
        return None
    about = json.loads(target.with_suffix(".json").read_text(encoding="utf-8"))
    return Stored(from_csv(table.read_text(encoding="utf-8")), about)


def write(path: Path, text: str) -> None:
    """Write a page or a table atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.encode())
