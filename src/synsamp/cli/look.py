"""``synsamp list``, ``report`` and ``check``: list experiments, draw and check runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from synsamp.cli.messages import complain
from synsamp.cli.summary import in_registry_order
from synsamp.experiments.registry import Registry

Own = Annotated[
    str | None,
    typer.Option("--experiment", metavar="FILE", help="The file or module of your experiment."),
]
Folders = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Run folders, or folders of runs.")
]


def add_list(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp list``."""

    @app.command("list")
    def list_command(
        name: Annotated[
            str | None, typer.Argument(help="Show this one's parameters; your own: file.py.")
        ] = None,
    ) -> None:
        """Show the experiments, or the parameters of one of them.

        `synsamp list landscape` shows every name that `--set` of `synsamp run` takes, with the
        values of the presets and what it means.
        """
        from synsamp.cli import tables

        console = Console()
        if name is None:
            console.print(tables.experiments("the paper (`synsamp run all`)", registry.paper))
            if registry.beyond:
                console.print(tables.experiments("beyond the paper", registry.beyond))
        else:
            console.print(tables.parameters(registry.find(name).load(), console.width))


def add_claims(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp claims``."""

    @app.command("claims")
    def claims_command(
        name: Annotated[str, typer.Argument(help="An experiment, its alias, or your own file.py.")],
    ) -> None:
        """List what an experiment claims, and how it is judged, without running it."""
        from synsamp.cli import claim_tables

        Console().print(claim_tables.declared(registry.find(name).load()))


def add_report(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp report``."""

    @app.command("report")
    def report_command(
        folders: Folders,
        out: Annotated[
            Path | None,
            typer.Option(
                help="The page to write. \\[default: report.html in DIR, or next to them]"
            ),
        ] = None,
        own: Own = None,
    ) -> None:
        """Draw finished runs again and write them as one page (HTML, needs no network).

        With several folders the page has a navigation; the claims stay as the runs stored them.
        """
        from synsamp.report.write import write_report
        from synsamp.runs import find_runs

        known = registry if own is None else registry.including(own)
        runs = [run for folder in folders for run in in_registry_order(find_runs(folder), known)]
        page = out or common_folder(folders) / "report.html"
        typer.echo(f"report: {write_report(runs, known, page)}")


def add_check(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp check``."""
    app.command("check")(check_command)


def check_command(folders: Folders) -> int:
    """Check that runs are finished and every file is as the run wrote it.

    Prints a line for each thing that is wrong, and what to do; the exit code is then 1.
    """
    from synsamp.runs import find_runs
    from synsamp.runs.storage.check import integrity_problems

    code = 0
    for path in [run for folder in folders for run in find_runs(folder)]:
        found = integrity_problems(path)
        for line in found:
            code = complain(line, 1)
        if not found:
            typer.echo(f"{path} is OK: finished, and all checksums match")
    return code


def common_folder(folders: Sequence[Path]) -> Path:
    """The folder that holds them all (one folder: itself), as short as from here it can be."""
    if len(folders) == 1:
        return folders[0]
    parent = Path(os.path.commonpath([folder.absolute() for folder in folders]))
    here = Path.cwd()
    return parent.relative_to(here) if parent.is_relative_to(here) else parent
