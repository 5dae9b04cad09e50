"""Tables for the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from synsamp.report.foreign import visible
from synsamp.report.numbers import number, rule_text

if TYPE_CHECKING:
    from xarray import Dataset

    from synsamp.experiments.base import Experiment
    from synsamp.experiments.registry import Entry
    from synsamp.runs.storage.folder import ClaimRecord


ROOM_BESIDE_NAMES = 50
"""Columns that the meaning and two presets take at least beside the names."""


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
        for key in values["quick"]
    ]
    title = Text(f"{experiment.name}: {experiment.title}")
    if width < max(len(key) for key, *_ in rows) + ROOM_BESIDE_NAMES:
        return _stacked(title, rows, list(values))
    table = Table(title=title, box=box.SIMPLE_HEAD)
    table.add_column("parameter", style="bold", no_wrap=True)
    table.add_column("meaning", ratio=1, overflow="fold")
    for name in values:
        table.add_column(name, justify="right", max_width=12, overflow="fold")
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
    """List claims with the value measured and the band it must fall in."""
    total = sum(len(records) for records in found.values())
    holding = sum(claim.holds for records in found.values() for claim in records)
    table = Table(title=f"{holding} of {total} claims hold", box=box.SIMPLE_HEAD)
    table.add_column("where")
    table.add_column("the paper's claim", ratio=1)
    table.add_column("measured", justify="right")
    table.add_column("band", justify="right")
    table.add_column("")
    for name, records in found.items():
        table.add_section()
        table.add_row("", Text(visible(name), "bold"), "", "", "")
        for claim in records:
            mark = Text("holds", "green") if claim.holds else Text("fails", "bold red")
            ends = f" ({claim.interval[0]:.2f}–{claim.interval[1]:.2f})" if claim.interval else ""
            value = f"{number(claim.value)}{ends} {claim.unit}".strip()
            texts = (claim.where, claim.statement, value, rule_text(claim))
            table.add_row(*(Text(visible(text)) for text in texts), mark)
    return table


def sweep(name: str, whole: Dataset, keys: Sequence[str]) -> Table:
    """List the share of trials in which each claim holds, a column per combination of settings."""
    import numpy as np

    judged = whole["claim_judged"].values.reshape(whole.sizes["claim"], -1, whole.sizes["trial"])
    holds = whole["claim_holds"].values.reshape(judged.shape)
    points = list(product(*(whole[key].values for key in keys)))
    title = Text(f"{visible(name)}: share of trials in which a claim holds")
    table = Table(title=title, box=box.SIMPLE_HEAD)
    table.add_column(Text(visible(", ".join(keys))))
    for point in points:
        head = Text(visible(", ".join(str(value) for value in point)))
        table.add_column(head, justify="right")
    for i, claim in enumerate(whole["claim"].values):
        shares = [
            f"{holds[i, p].sum() / n:.2f}" if (n := np.sum(judged[i, p])) else ""
            for p in range(len(points))
        ]
        table.add_row(Text(visible(str(claim))), *shares)
    return table
