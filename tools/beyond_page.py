"""Write docs/reference/beyond-claims.md from the tables stored by `make beyond`.

Today's claims are judged on the stored measures of every seed, docs/data/beyond-*.csv.
docs/data/beyond_notes.toml is written by hand: why a claim does not hold.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from synsamp.experiments.registry import REGISTRY, Entry, Registry
from synsamp.report.numbers import tally
from tools.claim_tables import claims_table, failures
from tools.markdown import ROOT
from tools.reproduction_page import HEAD
from tools.stored import Stored, made_by, read_stored, write

NOT_YET = "There is no full run of this version yet: `make beyond ONLY={name}` runs it."


def table(root: Path, name: str) -> Path:
    """The file of an experiment's measures, without suffix."""
    return root / "docs" / "data" / f"beyond-{name}"


def write_page(root: Path = ROOT, registry: Registry = REGISTRY) -> None:
    """Write the page from the stored tables."""
    write(root / "docs" / "reference" / "beyond-claims.md", page(root, registry))


def page(root: Path, registry: Registry) -> str:
    """The whole page."""
    notes = tomllib.loads((root / "docs" / "data" / "beyond_notes.toml").read_text("utf-8"))
    lines = ["# All claims beyond the paper", "", HEAD, ""]
    for entry in registry.beyond:
        lines += [f"## {entry.title} (`{entry.name}`)", ""]
        found = read_stored(table(root, entry.name))
        if found is None:
            lines += [NOT_YET.format(name=entry.name), ""]
        else:
            lines += _section(root, entry, found, registry)
            claims = found.claims(found.judged[0], registry)
            lines += [*claims_table(claims), "", *failures(claims, notes.get(entry.name, {}))]
    return "\n".join(lines).rstrip() + "\n"


def _section(root: Path, entry: Entry, found: Stored, registry: Registry) -> Iterator[str]:
    run = found.judged[0]
    yield (
        f"{made_by(found.about[entry.name])}, "
        f"{found.trials(run)} seeds: {tally(found.claims(run, registry))}. Measures of all seeds: "
        f"[beyond-{entry.name}.csv](../data/beyond-{entry.name}.csv)."
    )
    yield ""
    for path in sorted((root / "docs" / "images").glob(f"beyond-{entry.name}-*.png")):
        yield f"![{entry.name}, {path.stem.rpartition('-')[2]}](../images/{path.name})"
        yield ""
