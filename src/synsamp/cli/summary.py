"""The end of a command that ran something: one report, the claims, the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from synsamp.experiments.registry import Registry

if TYPE_CHECKING:
    from synsamp.report.write import ReportPage


def conclude(
    root: Path, registry: Registry, code: int, report: ReportPage, strict: bool = False
) -> int:
    """Print what the claims say and where the report is; return the exit code.

    Of one experiment all claims are listed, of several a line for each: the report has the rest.
    """
    from synsamp.cli import claim_tables
    from synsamp.runs import RunFolder, find_runs

    folders = [RunFolder(path) for path in in_registry_order(find_runs(root), registry)]
    finished = [folder for folder in folders if folder.status.state == "finished"]
    if code == 130 or not finished:
        return code
    swept = [folder for folder in finished if folder.description.swept]
    claims = {f.description.experiment: f.claims() for f in finished if f not in swept}
    console = Console()
    for folder in swept:
        found = folder.claims()
        console.print(claim_tables.sweep(folder.description.experiment, found, console.width))
    if len(claims) > 1:
        console.print(claim_tables.summary(claims))
    elif any(claims.values()):
        console.print(claim_tables.claims(claims, console.width))
    if len(folders) == 1 and report.is_written:
        typer.echo(f"report: {report.out}")
    broken = strict and not all(claim.holds for found in claims.values() for claim in found)
    return 1 if broken else code


def in_registry_order(runs: Sequence[Path], registry: Registry) -> list[Path]:
    """Sort the runs of one folder as the paper has its figures."""
    from synsamp.runs import RunFolder

    names = [entry.name for entry in registry]
    place = {name: i for i, name in enumerate(names)}
    return sorted(runs, key=lambda p: place.get(RunFolder(p).description.experiment, len(place)))


def report_in(root: Path, registry: Registry, names: Sequence[str]) -> ReportPage:
    """The report of a folder, to which runs of these experiments will be added."""
    from synsamp.report.write import ReportPage

    return ReportPage(root / "report.html", registry, names)
