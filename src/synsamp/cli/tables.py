"""Tables for the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from synsamp.report.foreign import visible
from synsamp.report.numbers import (
    band_text,
    measured_text,
    null_text,
    number,
    paper_text,
    tally,
    verdict_text,
)

if TYPE_CHECKING:
    from synsamp.experiments.base import Experiment
    from synsamp.experiments.registry import Entry
    from synsamp.runs.storage.folder import ClaimRecord


STYLES = {"holds": "green", "fails": "bold red", "undecided": "yellow", "cannot tell": "bold red"}
ROOM_OF_MEANING, ROOM_OF_PRESET = 14, 18
"""Columns that the meaning and each preset take at least beside the names."""


def experiments(entries: Iterable[Entry]) -> Table:
    """List experiments by name, alias and title."""
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("name", "alias", "what it shows"):
        table.add_column(column)
    for entry in entries:
        table.add_row(entry.name, entry.alias, entry.title)
    return table


def parameters(experiment: Experiment, width: int) -> Table:
    """List what ``--set`` takes, with the values of the presets.

    The names are to be typed, so none is ever cut or broken: on a narrow terminal each has a line
    of its own, and what is said of it stands below.
    """
    from synsamp.runs.overrides import flat, meanings

    values = {name: flat(p.model_dump(mode="json")) for name, p in experiment.presets.items()}
    texts = meanings(experiment.parameters)
    rows = [
        (
            key,
            texts.get(key, ""),
            *(json.dumps(preset.get(key), ensure_ascii=False) for preset in values.values()),
        )
        for key in next(iter(values.values()))
    ]
    title = Text(f"{experiment.name}: {experiment.title}")
    room = ROOM_OF_MEANING + ROOM_OF_PRESET * len(values)
    if width < max((len(key) for key, *_ in rows), default=0) + room:
        return _stacked(title, rows, list(values))
    table = Table(title=title, box=box.SIMPLE_HEAD)
    table.add_column("parameter", style="bold", no_wrap=True)
    table.add_column("meaning", ratio=1, overflow="fold")
    for name in values:
        table.add_column(name, justify="right", max_width=max(12, len(name)), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _stacked(title: Text, rows: Sequence[Sequence[str]], presets: Sequence[str]) -> Table:
    table = Table(title=title, box=None, show_header=False, padding=(0, 0))
    table.add_column(overflow="fold")
    for key, meaning, *shown in rows:
        values = ", ".join(f"{name} {value}" for name, value in zip(presets, shown, strict=True))
        table.add_row(Text(key, "bold"))
        table.add_row(Text(f"  {meaning}; {values}"))
    return table


def claims(found: Mapping[str, Sequence[ClaimRecord]]) -> Table:
    """List claims with what was measured over seeds, the band, and the verdict."""
    everything = [claim for records in found.values() for claim in records]
    nulls = any(claim.null_interval is not None for claim in everything)
    papers = any(claim.paper is not None for claim in everything)
    table = Table(title=f"claims: {tally(everything)}", box=box.SIMPLE_HEAD)
    table.add_column("where")
    table.add_column("claim", ratio=1)
    table.add_column("measured", justify="right")
    for wanted, name in ((nulls, "null"), (True, "band"), (papers, "the paper")):
        if wanted:
            table.add_column(name, justify="right")
    table.add_column("verdict")
    for name, records in found.items():
        table.add_section()
        table.add_row("", Text(visible(name), "bold"))
        for claim in records:
            texts = [claim.where, claim.statement, f"{measured_text(claim)} {claim.unit}".strip()]
            texts += [null_text(claim)] if nulls else []
            texts += [band_text(claim.band)]
            texts += [paper_text(claim)] if papers else []
            mark = Text(verdict_text(claim), STYLES[claim.verdict])
            table.add_row(*(Text(visible(text)) for text in texts), mark)
    return table


def sweep(name: str, records: Sequence[ClaimRecord]) -> Table:
    """List the verdict on each claim, a column per combination of settings."""
    points = list(dict.fromkeys(record.at for record in records))
    by_place = {(record.id, record.at): record for record in records}
    table = Table(title=Text(f"{visible(name)}: {tally(records)}"), box=box.SIMPLE_HEAD)
    table.add_column("claim")
    for point in points:
        table.add_column(Text(visible(point)), justify="right")
    for claim in dict.fromkeys(record.id for record in records):
        cells = []
        for point in points:
            found = by_place.get((claim, point))
            text = "" if found is None else f"{number(found.value)} {found.verdict}"
            cells.append(Text(text, "" if found is None else STYLES[found.verdict]))
        table.add_row(Text(visible(claim)), *cells)
    return table


def declared(experiment: Experiment) -> Table:
    """List what an experiment claims, before anything is run."""
    title = Text(f"{experiment.name}: {len(experiment.claims)} claims")
    table = Table(title=title, box=box.SIMPLE_HEAD)
    table.add_column("id", style="bold", no_wrap=True)
    table.add_column("claim", ratio=1)
    for column in ("where", "measure", "null", "band", "the paper"):
        table.add_column(column, overflow="fold")
    for claim in experiment.claims:
        said = claim.statement + (f" ({claim.reason})" if claim.reason else "")
        paper = "" if claim.paper is None else number(claim.paper)
        band = f"{band_text(claim.band)} {claim.unit}".strip()
        row = (claim.id, said, claim.where, claim.measure, claim.null or "", band, paper)
        table.add_row(*map(Text, row))
    return table
