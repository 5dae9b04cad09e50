"""Benchmarks by name: each module of this folder is one, run by ``python -m benchmarks NAME``.

A benchmark module has ``TITLE`` (one line), ``run() -> list[Row]`` and ``table(rows) -> str``
(Markdown; usually `markdown_table`). One ``run`` measures synsamp and its peers alternately, so
that ratios come from the same minutes on the same machine.

A peer with conflicting versions has its own virtual environment next to its script:
``benchmarks/peers/NAME/{requirements.txt,*.py,.venv}``, made by ``make peer-NAME``. If it is
missing, the benchmark reports `missing_peer` and continues.
"""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

from synsamp.errors import refuse

Row = dict[str, str | int | float | None]
"""One line of a benchmark's table; every row has the same keys."""


class Benchmark(Protocol):
    """The interface of a benchmark module."""

    TITLE: str

    def run(self) -> list[Row]:
        """Measure for as long as stable numbers need."""

    def table(self, rows: list[Row]) -> str:
        """Format the rows as a Markdown table."""


def names() -> list[str]:
    """Return the names of all benchmarks."""
    found = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [name for name in found if name != "__main__"]


def load(name: str) -> Benchmark:
    """Import a benchmark by name."""
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        remedy = f"did you mean {near[0]}?" if near else "leave the name out to run them all"
        raise refuse("benchmark", f"must be one of {', '.join(names()) or '(none)'}", name, remedy)
    benchmark: Benchmark = import_module(f"{__name__}.{name}")
    return benchmark


def peers_folder() -> Path:
    """Return ``benchmarks/peers``."""
    return Path(__file__).parent / "peers"


def peer_python(peer: str) -> Path | None:
    """Return the Python of a peer's virtual environment, or None if it does not exist."""
    python = peers_folder() / peer / ".venv" / "bin" / "python"
    return python if python.exists() else None


def missing_peer(peer: str) -> str:
    """Say that a peer is missing and which command installs it."""
    return f"{peer} is missing; run `make peer-{peer}` to compare with it"


def markdown_table(rows: Sequence[Row]) -> str:
    """Format rows with equal keys as a Markdown table; numbers right-aligned, three digits."""
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


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
