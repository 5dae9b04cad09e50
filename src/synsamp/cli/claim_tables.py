"""Claims as tables for the terminal: as they are declared, as they were judged, over a sweep.

A wide terminal has a column for each thing that is said of a claim. On a narrow one they stand
below each other: seven columns of a dozen letters are unreadable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from synsamp.report.foreign import visible
from synsamp.report.numbers import (
    band_text,
    null_text,
    number_text,
    paper_text,
    seeds_note,
    source_text,
    tally,
    value_text,
    verdict_and_why,
)

if TYPE_CHECKING:
    from synsamp.experiments.base import Experiment
    from synsamp.runs.storage.folder import ClaimRecord


STYLES = {"holds": "green", "fails": "bold red", "undecided": "yellow", "not specific": "bold red"}
WIDE = 130
"""Columns from which on a table of columns reads better than lines."""
LEAST_COLUMN = 16
"""Characters of a value with its verdict."""


def claims(found: Mapping[str, Sequence[ClaimRecord]], width: int) -> Table:
    """List claims with what was measured over seeds, the null, the band, the paper, the verdict."""
    everything = [claim for records in found.values() for claim in records]
    note = seeds_note(everything)
    table = (_columns if width >= WIDE else _lines)(found)
    table.title = Text(f"claims: {tally(everything)}")
    table.title_justify = table.caption_justify = "left"
    table.caption = Text(note) if note else None
    return table


def summary(found: Mapping[str, Sequence[ClaimRecord]]) -> Table:
    """A line for each experiment: how many of its claims hold."""
    table = Table(box=None, show_header=False, padding=(0, 1), title_justify="left")
    everything = [claim for records in found.values() for claim in records]
    table.title = Text(f"claims: {tally(everything)}")
    table.caption, table.caption_justify = Text("each with its evidence in the report"), "left"
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, records in found.items():
        table.add_row(Text(visible(name), "bold"), Text(tally(records)))
    return table


def _columns(found: Mapping[str, Sequence[ClaimRecord]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 1, 0))
    table.add_column("verdict", width=12)
    table.add_column("claim", ratio=4)
    table.add_column("measured (95 % interval)", ratio=3)
    table.add_column("null", ratio=3)
    table.add_column("band", ratio=3)
    table.add_column("the paper", ratio=1, min_width=9)
    for name, records in found.items():
        table.add_row("", Text(visible(name), "bold"))
        for claim in records:
            seeds = f"n = {claim.n}" + (f", {claim.unit}" if claim.unit else "")
            verdict, why = verdict_and_why(claim)
            table.add_row(
                _with(verdict, why, STYLES[claim.verdict]),
                _with(claim.statement, source_text(claim)),
                _with(value_text(claim), seeds),
                _with(null_text(claim), claim.null_description),
                _with(band_text(claim.band), claim.reason),
                Text(visible(paper_text(claim))),
            )
    return table


def _with(text: str, remark: str, style: str = "") -> Text:
    """A cell, and below it what is said of it, in what a terminal has for small letters."""
    cell = Text(visible(text), style)
    return cell.append(f"\n{visible(remark)}", "not bold dim") if remark else cell


def _lines(found: Mapping[str, Sequence[ClaimRecord]]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(width=11)
    table.add_column(overflow="fold")
    for name, records in found.items():
        table.add_row("", Text(f"\n{visible(name)}", "bold"))
        for claim in records:
            verdict, why = verdict_and_why(claim)
            said = Text(visible(f"{claim.statement} ({source_text(claim)})".removesuffix(" ()")))
            said.append(visible("".join(f"\n{line}" for line in _remarks(claim, why))), "dim")
            table.add_row(Text(verdict, STYLES[claim.verdict]), said)
    return table


def _remarks(claim: ClaimRecord, why: str) -> Iterator[str]:
    """What is said of a claim, a line each."""
    measured = " ".join(filter(None, [value_text(claim), claim.unit])) + f", n = {claim.n}"
    yield f"{measured}; {why}" if why else measured
    yield _because(f"band {band_text(claim.band)}", claim.reason)
    if null := null_text(claim):
        yield _because(f"null {null}", claim.null_description)
    if claim.paper is not None:
        yield f"the paper {paper_text(claim)}"


def _because(text: str, remark: str) -> str:
    return f"{text} ({remark})" if remark else text


def sweep(name: str, records: Sequence[ClaimRecord], width: int) -> Table:
    """List the verdict on each claim at every combination of settings.

    A column per combination, if all fit with their settings in full; else a line for each.
    """
    points = list(dict.fromkeys(record.at for record in records))
    by_place = {(record.id, record.at): record for record in records}
    ids = list(dict.fromkeys(record.id for record in records))
    title = Text(f"{visible(name)}: {tally(records)}")

    def cell(claim: str, point: str) -> Text:
        found = by_place.get((claim, point))
        if found is None:
            return Text("")
        return Text(f"{number_text(found.value)} {found.verdict}", STYLES[found.verdict])

    columns = max(map(len, ids), default=0) + sum(max(len(p), LEAST_COLUMN) + 2 for p in points)
    if columns <= width:
        table = Table(title=title, box=box.SIMPLE_HEAD)
        table.add_column("claim", no_wrap=True)
        for point in points:
            table.add_column(Text(visible(point)), justify="right")
        for claim in ids:
            table.add_row(Text(visible(claim)), *(cell(claim, point) for point in points))
        return table
    table = Table(title=title, box=None, show_header=False, padding=(0, 1), title_justify="left")
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True)
    for claim in ids:
        table.add_row(Text(f"\n{visible(claim)}", "bold"), "")
        for point in points:
            table.add_row(Text(f"  {visible(point)}"), cell(claim, point))
    return table


def declared(experiment: Experiment) -> Table:
    """List what an experiment claims, before anything is run."""
    title = Text(f"{experiment.name}: {len(experiment.claims)} claims")
    table = Table(title=title, box=None, show_header=False, padding=(0, 1), title_justify="left")
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for claim in experiment.claims:
        source = f" ({source_text(claim)})" if claim.source else ""
        null = f"{claim.null_key}: {claim.null_description}" if claim.null_key else "none"
        rows = {
            "claim": claim.statement + source,
            "measure": claim.key + (f": {claim.detail}" if claim.detail else ""),
            "null": null.removesuffix(": "),
            "band": f"{band_text(claim.band)} {claim.unit}".strip(),
            "reason": claim.reason,
            "the paper": "" if claim.paper is None else number_text(claim.paper),
            "seeds": "one decides: it has no scatter" if claim.exact else "",
        }
        table.add_row("", Text(f"\n{claim.id}", "bold"))
        for word, text in rows.items():
            if text:
                table.add_row(word, Text(text))
    return table
