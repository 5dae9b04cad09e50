"""The end of a command that ran something: one report, the claims, the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console

from synsamp.experiments.registry import Registry


def conclude(root: Path, registry: Registry, code: int, strict: bool = False) -> int:
    """Write one report of what is finished and print the claims; return the exit code."""
    from synsamp.cli import claim_tables
    from synsamp.report.write import write_report
    from synsamp.runs import RunFolder, find_runs

    runs = in_registry_order(find_runs(root), registry)
    finished = [path for path in runs if RunFolder(path).status.state == "finished"]
    if code == 130 or not finished:
        return code
    report = write_report(finished, registry, root / "report.html")
    folders = [RunFolder(path) for path in finished]
    swept = [folder for folder in folders if folder.description.swept]
    claims = {f.description.experiment: f.claims() for f in folders if f not in swept}
    console = Console()
    for folder in swept:
        console.print(claim_tables.sweep(folder.description.experiment, folder.claims()))
    if any(claims.values()):
        console.print(claim_tables.claims(claims, console.width))
    typer.echo(f"report: {report}")
    broken = strict and not all(claim.holds for found in claims.values() for claim in found)
    return 1 if broken else code


def in_registry_order(runs: Sequence[Path], registry: Registry) -> list[Path]:
    """Sort the runs of one folder as the paper has its figures."""
    from synsamp.runs import RunFolder

    names = [entry.name for entry in registry]
    place = {name: i for i, name in enumerate(names)}
    return sorted(runs, key=lambda p: place.get(RunFolder(p).description.experiment, len(place)))
