"""Tables in docs/data: the measures of every seed of a full run, and how it was run.

`NAME.csv` has the measures; `NAME.json`, for each experiment, the command, commit, date, durations,
versions and definitions of claims. An experiment that is run again replaces its own part.
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
from tools.markdown import duration
from tools.repository import commit


@dataclass(frozen=True)
class Stored:
    """Measures by run, and the metadata of the runs by experiment."""

    runs: Mapping[Run, Measured]
    about: dict[str, dict[str, Any]]

    @property
    def judged(self) -> list[Run]:
        """Runs at a preset; variants are compared with the paper, not judged."""
        return [run for run in self.runs if not run.variant]

    def every(self, key: str) -> str:
        """The dates, seeds or commands of all experiments, without repetition."""
        return " and ".join(dict.fromkeys(str(about[key]) for about in self.about.values()))

    def claims(self, run: Run, registry: Registry) -> list[ClaimRecord]:
        """Judge today's claims on the stored measures of a run."""
        measures = present(self.runs[run])
        declared = registry.find(run.experiment).load().claims
        claims = applied(declared, measures)
        return [ClaimRecord.of(each) for each in judge_all(claims, measures)]

    def changed(self, run: Run, registry: Registry) -> list[str]:
        """Claims whose measure, band or null changed after the run."""
        then = self.about[run.experiment].get("claims")
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
    every = list(zip(runs, jobs, strict=True))
    for experiment in dict.fromkeys(run.experiment for run in runs):
        own = [(run, job) for run, job in every if run.experiment == experiment]
        folders = [RunFolder(out / job.name) for _, job in own]
        table = {run: measures_by_trial(each) for (run, _), each in zip(own, folders, strict=True)}
        claims = own[0][1].load().claims
        store_table(table, folders, target, command, {"claims": definitions(claims)})


def store_table(
    table: Mapping[Run, Measured],
    folders: Sequence[RunFolder],
    target: Path,
    command: str,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write the measures of one experiment and the metadata of its runs; others stay."""
    (experiment,) = {run.experiment for run in table}
    before = read_stored(target) or Stored({}, {})
    about = before.about | {
        experiment: {
            "date": date.today().isoformat(),
            "command": command,
            "commit": commit(),
            "seed": folders[0].description.seed,
            "cores": machine.threads(),
            "versions": folders[0].description.versions,
            "processor": str(folders[0].description.processor),
            "took_s": {folder.path.name: round(folder.status.elapsed_s) for folder in folders},
            **more,
        }
    }
    parts = dict.fromkeys([*(run.experiment for run in before.runs), experiment])
    runs = {part: {r: v for r, v in before.runs.items() if r.experiment == part} for part in parts}
    runs[experiment] = dict(table)
    write(
        target.with_suffix(".csv"), to_csv({r: v for own in runs.values() for r, v in own.items()})
    )
    write(target.with_suffix(".json"), json.dumps(about, indent=1, ensure_ascii=False) + "\n")


def made_by(*tables: Mapping[str, Any]) -> str:
    """How and when tables were made, as the pages say it."""
    about = tables[0]
    took = duration(sum(sum(each["took_s"].values()) for each in tables))
    at = f" at commit `{about['commit']}`" if about.get("commit") else ""
    seed = "" if about.get("seed") is None else f", seed {about['seed']}"
    days = " and ".join(dict.fromkeys(each["date"] for each in tables))
    return f"`{about['command']}`{at} on {days}{seed}, {took} on {about['cores']} cores"


def together(found: Stored) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """The experiments that one command ran with one seed, commit and set of versions."""
    groups: dict[str, list[str]] = {}
    for name, about in found.about.items():
        same = [about.get(key) for key in ("command", "commit", "seed", "cores", "versions")]
        groups.setdefault(json.dumps([*same, about["processor"]]), []).append(name)
    return {tuple(names): [found.about[name] for name in names] for names in groups.values()}


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
