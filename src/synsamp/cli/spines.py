"""``synsamp spines FILE``: what process is behind a laboratory's own spines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from synsamp.errors import SynsampError, refuse
from synsamp.progress import waiting

if TYPE_CHECKING:
    from synsamp.spines.analysis import Analysis


def spines(
    table: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV or .xlsx with a header.")],
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="spine=…,time=…,size=…",
            help="Which column holds what, if its name does not tell: spine, time, size, present, "
            "imaged, animal, dendrite, condition.",
        ),
    ] = None,
    absent: Annotated[
        str | None,
        typer.Option(
            metavar="zero,empty,row",
            help="What stands for absence. \\[default: as the table is written; it is printed]",
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Compare the conditions of this column.")
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Size below which a spine is not seen. \\[default: the smallest in the table]",
        ),
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="Sheet of a workbook. \\[default: first]")
    ] = None,
    simulate: Annotated[
        bool,
        typer.Option("--simulate", help="Overlay the rule under the fitted prior, no circuit."),
    ] = False,
    posterior: Annotated[
        bool,
        typer.Option("--posterior", help="Also draw the posterior by the rule (minutes)."),
    ] = False,
    seed: Annotated[str, typer.Option(metavar="N", help="Of everything drawn at random.")] = "0",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write. \\[default: FILE-spines beside the table]"),
    ] = None,
) -> None:
    """Analyse your own spine table: the process behind sizes, survival, turnover, conditions.

    Prints how the table was understood, then what came out; writes one HTML page, a CSV and a
    NetCDF file of all numbers, the figures and a Methods paragraph. docs/spines.md has the formats.
    """
    from importlib.metadata import version

    from synsamp.report.spines.write import check_folder, write_spines
    from synsamp.spines.analysis import analyse
    from synsamp.spines.reading import read

    target = out or table.with_name(f"{table.stem}-spines")
    check_folder(target)
    seed_ = _whole("--seed", seed)
    least = None if threshold is None else _size(threshold)
    found = read(table, columns=_pairs(columns), absent=absent, by=by, sheet=sheet)
    for line in found.summary():
        typer.echo(line)
    for doubt in found.doubts:
        typer.echo(f"doubtful: {doubt}")
    result = analyse(
        found,
        threshold=least,
        simulate=simulate,
        posterior=posterior,
        seed=seed_,
        progress=True,
    )
    _tell(result)
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
            raise refuse("--columns", "must be WHAT=NAME parted by commas", piece, "as spine=ROI")
        pairs[what.strip()] = name.strip()
    return pairs


def _size(text: str) -> float:
    from synsamp.arguments import number

    try:
        value = float(text.replace(",", "."))
    except ValueError:
        raise refuse("--threshold", "must be a size > 0", text, "as 0.02") from None
    return number("--threshold", value, above=0, remedy="give a size as in the table")


def _whole(name: str, text: str) -> int:
    from synsamp.arguments import seed

    try:
        return seed(name, int(text))
    except ValueError as error:
        if isinstance(error, SynsampError):
            raise
        raise refuse(name, "must be a whole number >= 0", text, "as 0") from None


def _tell(found: Analysis) -> None:
    """The result in a few lines."""
    from synsamp.report.numbers import number
    from synsamp.report.spines.page import sections

    for line in found.missing:
        typer.echo(f"left out: {line}")
    wanted = ("Process behind the sizes", "In the model's words", "Posterior", "Turnover")
    for section in sections(found):
        if section.title in (*wanted, "Conditions"):
            typer.echo(f"\n{section.title}. {section.lead}")
            for row in section.rows:
                typer.echo(f"  {row[0]}: " + ", ".join(cell for cell in row[1:] if cell))
    if found.comparison is not None:
        typer.echo(f"\n{found.comparison.verdict}")
    laws = found.survival.law_frame
    lives = len(found.survival.lives.times)
    if len(laws):
        best = laws.iloc[0]
        typer.echo(
            f"{lives} lives of new spines; best law by AIC: {best['law']} ({best['parameters']}), "
            f"median {number(float(best['median']))}"
        )
    else:
        typer.echo(f"{lives} lives of new spines")
