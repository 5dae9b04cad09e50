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
    from synsamp.spines.offsets import OffsetsOf


def add_spines(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp spines``."""
    app.command("spines")(spines)


def spines(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV or .xlsx; loewenstein2015 after downloading it; or plan.",
        ),
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="spine=…,time=…,size=…",
            help="Map your columns by name or position, such as spine=ROI,time=4. Roles: spine, "
            "time, size, present, imaged, reference (intensity of the dendrite), animal, "
            "dendrite, condition.",
        ),
    ] = None,
    no_header: Annotated[
        bool,
        typer.Option("--no-header", help="The file has no header; give --columns by position."),
    ] = False,
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
    returns: Annotated[
        str | None,
        typer.Option(
            metavar="kept|renamed",
            help="Whether a spine that returns keeps its name. \\[default: detected and printed]",
        ),
    ] = None,
    offsets: Annotated[
        str | None,
        typer.Option(
            metavar="animal|session|none",
            help="Remove an offset of log size from each animal, or from each session of each "
            "animal. \\[default: from animals if they differ more than their spines explain]",
        ),
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="Sheet of a workbook. \\[default: first]")
    ] = None,
    sheets: Annotated[
        str | None,
        typer.Option(
            metavar="all|animal|condition",
            help="Read all sheets of a workbook, each of one animal or condition.",
        ),
    ] = None,
    days: Annotated[
        str | None,
        typer.Option(metavar="0,4,…", help="Days of the sessions, if they are numbered."),
    ] = None,
    interval: Annotated[
        str | None, typer.Option(metavar="DAYS", help="Days between numbered sessions.")
    ] = None,
    simulate: Annotated[
        bool,
        typer.Option("--simulate", help="Overlay a simulation of the rule under the fitted prior."),
    ] = False,
    posterior: Annotated[
        bool,
        typer.Option("--posterior", help="Also sample the posterior of the parameters (minutes)."),
    ] = False,
    held_out: Annotated[
        bool,
        typer.Option(
            "--held-out",
            help="Is it one Ornstein–Uhlenbeck process? Judge alternatives by held-out sessions "
            "(minutes).",
        ),
    ] = False,
    effect: Annotated[
        str | None,
        typer.Option(
            metavar="RATIO",
            help="With `synsamp spines plan`: the ratio of relaxation times to find.",
        ),
    ] = None,
    seed: Annotated[str, typer.Option(metavar="N", help="Seed of all random numbers.")] = "0",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the report. \\[default: FILE-spines, next to the table]"),
    ] = None,
) -> None:
    """Analyse a table of dendritic spines: sizes, survival, turnover and conditions.

    Prints how the table was read and the main results. Writes an HTML page, all numbers as CSV and
    NetCDF, the figures and a Methods paragraph. docs/howto/spines.md describes the table formats.
    `synsamp spines plan --effect 1.5` prints how many animals and spines a comparison needs.
    """
    if effect is not None or (str(table) == "plan" and not table.exists()):
        _print_plan(table, effect, seed)
        return
    from importlib.metadata import version

    from synsamp.report.spines.write import check_folder, write_spines
    from synsamp.spines.analysis import analyse
    from synsamp.spines.reading import read

    target = out or table.with_name(f"{table.stem}-spines")
    check_folder(target)
    chosen_seed = _whole("--seed", seed)
    least = None if threshold is None else _size(threshold)
    found = read(
        table,
        columns=_pairs(columns),
        header=not no_header,
        absent=absent,
        by=by,
        sheet=sheet,
        sheets=sheets,
        days=None if days is None else _numbers("--days", days),
        interval=None if interval is None else _numbers("--interval", interval)[0],
        returns=returns,
    )
    for line in found.summary():
        typer.echo(line)
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")
    result = analyse(
        found,
        threshold=least,
        offsets=_offsets(offsets),
        simulate=simulate,
        posterior=posterior,
        held_out=held_out,
        seed=chosen_seed,
        progress=True,
    )
    _print_results(result)
    with waiting("drawing"):
        page = write_spines(result, target, version("synsamp"))
    typer.echo(f"report: {page}")


def _numbers(name: str, text: str) -> list[float]:
    """Numbers separated by commas."""
    try:
        return [float(piece) for piece in text.split(",")]
    except ValueError:
        remedy = "for example 0,4,8,12" if name == "--days" else "for example 4"
        raise refuse(name, "must be numbers of days", text, remedy) from None


def _pairs(text: str | None) -> dict[str, str | int]:
    pairs: dict[str, str | int] = {}
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


def _offsets(text: str | None) -> OffsetsOf | None:
    match text:
        case None | "none" | "animal" | "session":
            return text
    raise refuse("--offsets", "must be animal, session or none", text, "leave it out")


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


def _print_plan(table: Path, effect: str | None, seed: str) -> None:
    """Print the power of a comparison by animals and spines."""
    from synsamp.spines.plan import plan

    if str(table) != "plan" or effect is None:
        given = f"{table} {effect or ''}".strip()
        raise refuse("--effect", "belongs to `synsamp spines plan`", given, "plan --effect 1.5")
    try:
        ratio = float(effect)
    except ValueError:
        raise refuse("--effect", "must be a ratio > 0", effect, "for example 1.5") from None
    found = plan(ratio, seed=_whole("--seed", seed))
    typer.echo(
        f"Power to find a ratio of {ratio:g} in τ between two conditions (a 95 % interval without "
        "1), for 10 sessions 4 days apart, τ = 20 days, s = 1, η = 0.2. The best of τ and b·T."
    )
    best = found.groupby(["animals", "spines"])["power"].max().unstack()
    typer.echo("animals per condition | " + " | ".join(f"{n} spines each" for n in best.columns))
    for animals, row in best.iterrows():
        cells = (f"{100 * value:.0f} %".rjust(len(f"{n} spines each")) for n, value in row.items())
        typer.echo(f"{animals:>21} | " + " | ".join(cells))
    typer.echo("synsamp.spines.plan in Python takes other sessions and parameters.")


def _print_results(found: Analysis) -> None:
    """Print the main results in a few lines."""
    from synsamp.report.numbers import number_text
    from synsamp.report.spines.headline import headline
    from synsamp.report.spines.page import sections

    known = {str(warning) for warning in found.table.warnings}  # printed with the table
    for line in found.warnings:
        if line not in known:
            typer.echo(f"warning: {line}")
    for line in found.missing:
        typer.echo(f"not computed: {line}")
    sentence = headline(found)
    if found.effects is not None:
        typer.echo(f"\n{sentence}")
    plain = {"", "estimate", "median", "value", "effect", "95 % interval", "unit"}
    wanted = ["Fitted process", "Rule parameters", "Posterior", "Turnover"]
    for section in sections(found):
        # With conditions, each has its own numbers; those of all together are on the page.
        name = section.title.removesuffix(" of each condition")
        if section.title == "Conditions" or name in wanted:
            typer.echo(f"\n{section.title}. {section.lead}")
            for row in section.rows:
                pairs = zip(section.head[1:], row[1:], strict=True)
                words = [
                    cell if head in plain else f"{head} {cell}" for head, cell in pairs if cell
                ]
                typer.echo(f"  {row[0]}: " + ", ".join(words))
    if found.comparison is not None:
        typer.echo(f"\n{found.comparison.verdict}")
    if found.held_out is not None:
        typer.echo(f"\n{found.held_out.answer}")
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
