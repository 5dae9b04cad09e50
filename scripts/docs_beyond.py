"""Write docs/beyond.md from what `make beyond` kept.

    python scripts/docs_beyond.py

Claims are judged as they are today by the measures of every seed in docs/data/beyond-*.csv; only
docs/data/beyond_notes.toml is typed by hand: why a claim does not hold.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from docs_reproduction import HEAD
from reproduction_tables import claims_table, failures
from whole_runs import ROOT, Stored, as_command, duration, stored, write

from synsamp.experiments.registry import REGISTRY, Entry, Registry
from synsamp.report.numbers import tally

NOT_YET = "It has not been run whole on this version yet: `make beyond ONLY={name}` does it."


def table(root: Path, name: str) -> Path:
    """Where the measures of an experiment are kept."""
    return root / "docs" / "data" / f"beyond-{name}"


def write_page(root: Path = ROOT, registry: Registry = REGISTRY) -> None:
    """Write the page from what is stored."""
    write(root / "docs" / "beyond.md", page(root, registry))


def page(root: Path, registry: Registry) -> str:
    """The whole page."""
    notes = tomllib.loads((root / "docs" / "data" / "beyond_notes.toml").read_text("utf-8"))
    lines = ["# Beyond the paper, run whole", "", HEAD, ""]
    for entry in registry.beyond:
        lines += [f"## {entry.title} (`{entry.name}`)", ""]
        found = stored(table(root, entry.name))
        if found is None:
            lines += [NOT_YET.format(name=entry.name), ""]
        else:
            lines += _section(root, entry, found, registry)
            claims = found.claims(found.judged[0], registry)
            lines += [*claims_table(claims), "", *failures(claims, notes.get(entry.name, {}))]
    return "\n".join(lines).rstrip() + "\n"


def _section(root: Path, entry: Entry, found: Stored, registry: Registry) -> Iterator[str]:
    about, run = found.about, found.judged[0]
    took = duration(sum(about["took_s"].values()))
    yield (
        f"`{about['command']}` on {about['date']}, {took} by the clock on {about['cores']} cores, "
        f"{found.trials(run)} seeds: {tally(found.claims(run, registry))}. Every seed's measures: "
        f"[beyond-{entry.name}.csv](data/beyond-{entry.name}.csv)."
    )
    yield ""
    for path in sorted((root / "docs" / "images").glob(f"beyond-{entry.name}-*.png")):
        yield f"![{entry.name}, {path.stem.rpartition('-')[2]}](images/{path.name})"
        yield ""


def main(arguments: list[str]) -> int:
    """Write the page."""
    write_page()
    return 0


if __name__ == "__main__":
    as_command(main)
