"""Benchmarks by name: each module of this package is one, run by ``synsamp bench NAME``.

A benchmark module has ``TITLE`` (one line), ``run() -> list[Row]`` and ``table(rows) -> str``
(Markdown; `markdown_table` does for most). One ``run`` measures this package and its peers side
by side, so that ratios come from the same minutes on the same machine.

A peer with clashing versions lives in its own virtual environment beside its script:
``benchmarks/peers/NAME/{requirements.txt,*.py,.venv}``, made by ``make peer-NAME``. Where it is
missing, the benchmark says so with `missing_peer` and goes on.
"""

from __future__ import annotations

import difflib
import json
import pkgutil
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

from synsamp.errors import refuse
from synsamp.runs.storage import machine
from synsamp.runs.storage.atomic import write_json

Row = dict[str, str | int | float | None]
"""One line of a benchmark's table; every row has the same keys."""


class Benchmark(Protocol):
    """What a benchmark module offers."""

    TITLE: str

    def run(self) -> list[Row]:
        """Measure; takes as long as it needs to be steady."""

    def table(self, rows: list[Row]) -> str:
        """Lay the rows out as a Markdown table."""


def names() -> list[str]:
    """Return the benchmarks that exist."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name: str) -> Benchmark:
    """Import a benchmark by name."""
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        remedy = f"did you mean {near[0]}?" if near else "leave the name out to run them all"
        raise refuse("benchmark", f"must be one of {', '.join(names()) or '(none)'}", name, remedy)
    benchmark: Benchmark = import_module(f"{__name__}.{name}")
    return benchmark


def peers_folder() -> Path:
    """Return ``benchmarks/peers`` of the source tree this package runs from."""
    return Path(__file__).parents[3] / "benchmarks" / "peers"


def peer_python(peer: str) -> Path | None:
    """Return the Python of a peer's own virtual environment, or None if it was not made."""
    python = peers_folder() / peer / ".venv" / "bin" / "python"
    return python if python.exists() else None


def missing_peer(peer: str) -> str:
    """Say that a peer is missing and which command makes it."""
    return f"{peer} is missing; run `make peer-{peer}` in the source tree to measure against it"


def markdown_table(rows: Sequence[Row]) -> str:
    """Lay rows of equal keys out as a Markdown table; numbers to the right, three digits."""
    if not rows:
        return "(nothing measured)"
    header = list(rows[0])
    numeric = [
        all(isinstance(row[key], int | float | None) for row in rows)
        and any(row[key] is not None for row in rows)
        for key in header
    ]
    cells = [header, *([_cell(row[key]) for key in header] for row in rows)]
    widths = [max(3, *(len(line[i]) for line in cells)) for i in range(len(header))]
    lines = [
        "| "
        + " | ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        )
        + " |"
        for line in cells
    ]
    rule = [
        "-" * (width + 1) + (":" if right else "-")
        for width, right in zip(widths, numeric, strict=True)
    ]
    return "\n".join([lines[0], "|" + "|".join(rule) + "|", *lines[1:]])


def check_target(file: Path | None) -> None:
    """Refuse, before measuring, to write over anything but the rows of a benchmark."""
    if file is None:
        return
    if not file.parent.is_dir():
        raise refuse("--json", "must be in an existing folder", str(file), "make the folder first")
    if file.exists():
        try:
            known = "benchmarks" in json.loads(file.read_bytes())
        except (ValueError, TypeError, OSError):
            known = False
        if not known:
            raise refuse("--json", "must not replace another file", str(file), "name another")


def save(file: Path | None, measured: dict[str, list[Row]]) -> None:
    """Write the rows of benchmarks with the versions they were measured with."""
    if file is not None:
        machine_now = {"versions": machine.versions(), "threads": machine.threads()}
        write_json(file, machine_now | {"benchmarks": measured})


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
