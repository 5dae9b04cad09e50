"""``synsamp figure``: one panel of a run as a file for a paper or a talk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from synsamp.cli.look import Own
from synsamp.errors import refuse
from synsamp.experiments.registry import Registry


def add_figure(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp figure``."""

    @app.command("figure")
    def figure_command(
        run: Annotated[Path, typer.Argument(metavar="DIR", help="A finished run or ensemble.")],
        panel: Annotated[
            str,
            typer.Option(help="A panel such as D, or a whole drawing such as DEFG."),
        ],
        style: Annotated[str, typer.Option(help="paper or talk: lettering and lines.")] = "paper",
        out: Annotated[
            Path | None,
            typer.Option(help="A .pdf, .svg or .png file. \\[default: NAME-PANEL.pdf here]"),
        ] = None,
        own: Own = None,
    ) -> None:
        """Draw one panel from stored results, as PDF, SVG or PNG.

        Examples: `synsamp figure runs/hot --panel F`, `synsamp figure runs/hot --panel DEFG
        --style talk --out slide.png`.
        """
        from synsamp import arguments
        from synsamp.report.panel import FORMATS, STYLES, save_panel
        from synsamp.runs import RunFolder, find_runs

        arguments.one_of("--style", style, list(STYLES))
        if find_runs(run) != [run]:
            raise refuse("DIR", "must be one run", str(run), "name one of the folders in it")
        known = registry if own is None else registry.including(own)
        folder = RunFolder(run)
        name = folder.description.experiment
        target = out or Path(f"{name}-{panel}.pdf")
        if target.suffix not in FORMATS:
            raise refuse("--out", f"must end in {', '.join(FORMATS)}", str(target))
        if target.exists() or not target.absolute().parent.is_dir():
            rule = "must be a new file in an existing folder"
            raise refuse("--out", rule, str(target), "name another, or remove it")
        experiment = known.of(name, folder.description.source).load()
        save_panel(experiment, folder, panel, style, target)
        typer.echo(f"wrote {target}")
