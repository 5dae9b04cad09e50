"""``synsamp export``: write a run in the format of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from synsamp.experiments.registry import Registry


def add_export(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp export``."""

    @app.command("export")
    def export_command(
        run: Annotated[Path, typer.Argument(metavar="DIR", help="A finished run or ensemble.")],
        to: Annotated[str, typer.Option(metavar="FORMAT", help="csv, neo, nwb or arviz.")],
        out: Annotated[
            Path | None,
            typer.Option(help="New file or folder. \\[default: next to DIR, e.g. DIR.nwb]"),
        ] = None,
    ) -> None:
        """Write a run for other tools: spikes, inputs, θ, weights, births and deaths, claims.

        csv is a folder of tables with everything; neo a NIX file; nwb a file of Neurodata Without
        Borders (for an ensemble a folder of them); arviz the draws of θ as a Zarr store. neo and
        nwb need `pip install 'synsamp[neo]'` or `'synsamp[nwb]'`.
        """
        from synsamp.interchange import export

        typer.echo(f"wrote {export(run, to, out)}")
