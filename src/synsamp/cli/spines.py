"""``synsamp spines FILE``: fit a stochastic process to a table of dendritic spines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from synsamp.errors import SynsampError, refuse
from synsamp.experiments.registry import Registry
from synsamp.progress import waiting

if TYPE_CHECKING:
    from synsamp.spines.analysis import Analysis


def add_spines(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp spines``."""
    app.command("spines")(spines)


def spines(
    table: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV or .xlsx with a header.")],
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="spine=…,time=…,size=…",
            help="Map your column names, such as spine=ROI,time=day. Roles: spine, time, size, "
            "present, imaged, animal, dendrite, condition.",
        ),
    ] = None,
    absent: Annotated[
        str | None,
        typer.Option(
            metavar="zero,empty,row",
            help="What marks an absent spine. \\[default: detected and printed]",
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Compare the conditions of this column.")
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Size below which a spine is not seen. \\[default: estimated]",
        ),
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="Sheet of a workbook. \\[default: first]")
    ] = None,
    simulate: Annotated[
        bool,
        typer.Option("--simulate", help="Overlay a simulation of the rule under the fitted prior."),
    ] = False,
    posterior: Annotated[
        bool,
        typer.Option("--posterior", help="Also sample the posterior of the parameters (minutes)."),
    ] = False,
    seed: Annotated[str, typer.Option(metavar="N", help="Seed of all random numbers.")] = "0",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the report. \\[default: FILE-spines, next to the table]"),
    ] = None,
) -> None:
    """Analyse a table of dendritic spines: sizes, survival, turnover and conditions.

    Prints how the table was read and the main results. Writes an HTML page, all numbers as CSV and
    NetCDF, the figures and a Methods paragraph. docs/spines.md describes the table formats.
    """
    from importlib.metadata import version

    from synsamp.report.spines.write import check_folder, write_spines
    from synsamp.spines.analysis import analyse
    from synsamp.spines.reading import read

    target = out or table.with_name(f"{table.stem}-spines")
    check_folder(target)
    chosen_seed = _whole("--seed", seed)
    least = None if threshold is None else _size(threshold)
    found = read(table, columns=_pairs(columns), absent=absent, by=by, sheet=sheet)
    for line in found.summary():
        typer.echo(line)
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")
    result = analyse(
        found,
        threshold=least,
        simulate=simulate,
        posterior=posterior,
        seed=chosen_seed,
        progress=True,
    )
    _print_results(result)
    with waiting("drawing"):
        page = write_spines(result, target, version("synsamp"))
    typer.echo(f"report: {page}")


def _pairs(text: str | None) -> dict[str, str]:
    pairs = {}
    for piece in (text or "").split(","):
        if not piece.strip():
            continue
        what, sign, name = piece.partition("=")
        if not sign or not name.strip():
            raise refuse(
                "--columns",
                "must be ROLE=NAME, separated by commas",
                piece,
                "for example spine=ROI",
            )
        pairs[what.strip()] = name.strip()
    return pairs


def _size(text: str) -> float:
    from synsamp.arguments import number

    try:
        value = float(text.replace(",", "."))
    except ValueError:
        raise refuse("--threshold", "must be a size > 0", text, "for example 0.02") from None
    return number("--threshold", value, above=0, remedy="give a size in the unit of the table")


def _whole(name: str, text: str) -> int:
    from synsamp.arguments import seed

    try:
        return seed(name, int(text))
    except ValueError as error:
        if isinstance(error, SynsampError):
            raise
        raise refuse(name, "must be a whole number >= 0", text, "for example 0") from None


def _print_results(found: Analysis) -> None:
    """Print the main results in a few lines."""
    from synsamp.report.numbers import number_text
    from synsamp.report.spines.page import sections

    for line in found.missing:
        typer.echo(f"not computed: {line}")
    wanted = ("Fitted process", "Rule parameters", "Posterior", "Turnover")
    for section in sections(found):
        if section.title in (*wanted, "Conditions"):
            typer.echo(f"\n{section.title}. {section.lead}")
            for row in section.rows:
                typer.echo(f"  {row[0]}: " + ", ".join(cell for cell in row[1:] if cell))
    if found.comparison is not None:
        typer.echo(f"\n{found.comparison.verdict}")
    models = found.survival.model_frame
    n = len(found.survival.lifetimes.durations)
    if len(models):
        best = models.iloc[0]
        typer.echo(
            f"{n} lifetimes of new spines; best model by AIC: {best['model']} "
            f"({best['parameters']}), median {number_text(float(best['median']))}"
        )
    else:
        typer.echo(f"{n} lifetimes of new spines")
