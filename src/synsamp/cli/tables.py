"""Experiments and parameters as tables for the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from synsamp.experiments.base import Experiment
    from synsamp.experiments.registry import Entry


ROOM_OF_MEANING, ROOM_OF_PRESET = 14, 18
"""Columns that the meaning and each preset take at least, in addition to the names."""


def experiments(title: str, entries: Iterable[Entry]) -> Table:
    """List experiments by name, alias and title, with the extra that one needs."""
    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("name", "alias", "what it shows"):
        table.add_column(column)
    for entry in entries:
        needs = f" (needs synsamp[{entry.extra}])" if entry.extra else ""
        table.add_row(entry.name, entry.alias, Text(entry.title + needs))
    return table


def parameters(experiment: Experiment, width: int) -> Table:
    """List what ``--set`` takes, with the values of the presets.

    The names are to be typed, so none is ever cut or broken: on a narrow terminal each name has
    a line to itself, with meaning and values below.
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
