"""Write the pages with results of the full run: README.md, overview, claims and figures.

Today's claims are judged on the stored measures of every seed, docs/data/reproduction.csv.
docs/data/reproduction_notes.toml is written by hand: one sentence per experiment, and why a claim
does not hold. measured_text.py fills in the numbers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synsamp.claims.table import Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.report.numbers import tally
from tools.claim_tables import by_group, claims_table, failures, scores
from tools.markdown import ROOT, duration, replace_between, row
from tools.measured_text import fill, pages_with_numbers
from tools.overview import five_lines, name_of, of, overview, verdicts
from tools.stored import Stored, made_by, read_stored, together, write
from tools.two_runs import two_runs

BEGIN = "<!-- reproduction: begin (written by `make reproduce`) -->"
END = "<!-- reproduction: end -->"
NOT_YET = (
    "There is no full run of this version yet. `make reproduce` runs it, judges every claim over "
    "its seeds and writes the results here."
)
HEAD = (
    "This page lists every [claim](glossary.md#claim) with its measure over seeds (95 % interval), "
    "its [null](glossary.md#null), its [band](glossary.md#band), which was fixed before the run, "
    "with the reason for it, and its [verdict](glossary.md#verdict)."
)


def write_pages(root: Path = ROOT, registry: Registry = REGISTRY) -> None:
    """Write all pages from the stored tables."""
    for path, text in pages(root, registry):
        write(path, text)


def pages(root: Path, registry: Registry) -> Iterator[tuple[Path, str]]:
    """Each page with numbers of the full run, and the text that it should have."""
    found = _stored(root)
    notes = notes_of(root)
    short = NOT_YET if found is None else five_lines(found, registry, notes)
    long = NOT_YET if found is None else overview(found, registry, notes)
    for name, content in (("README.md", short), ("docs/paper/index.md", long)):
        text = (root / name).read_text(encoding="utf-8")
        yield root / name, replace_between(text, BEGIN, END, content)
    yield root / "docs" / "reference" / "claims.md", page(root, registry)
    if found is not None:
        yield root / "docs" / "images" / "verdicts.svg", verdicts(found, registry)
        yield from pages_with_numbers(root, found, registry)


def page(root: Path, registry: Registry) -> str:
    """The whole page."""
    found = _stored(root)
    lines = ["# All claims of the paper", ""]
    if found is None:
        return "\n".join([*lines, NOT_YET, ""])
    notes = notes_of(root)
    lines += [HEAD, "", *_about(found, registry), ""]
    for run in found.judged:
        claims = found.claims(run, registry)
        lines += [f"## {name_of(run, registry)}", ""]
        lines += [f"{found.trials(run)} seeds: {tally(claims)}.", "", *_images(root, run)]
        why = of(notes["why"], run) or {}
        reasons = {
            c.id: fill(why[c.id], found, run, registry)
            for c in claims
            if not c.holds and c.id in why
        }
        lines += [*claims_table(claims), "", *failures(claims, reasons)]
        lines += by_group(found, run, registry, notes["groups"].get(run.experiment, {}))
    for experiment in dict.fromkeys(run.experiment for run in found.runs):
        lines += scores(found, experiment, registry)
    first = read_stored(root / "docs" / "data" / "reproduction-first")
    if first is not None:
        lines += two_runs(found, first, registry)
    return "\n".join(lines).rstrip() + "\n"


def _stored(root: Path) -> Stored | None:
    return read_stored(root / "docs" / "data" / "reproduction")


def notes_of(root: Path) -> dict[str, Any]:
    """The hand-written notes."""
    file = root / "docs" / "data" / "reproduction_notes.toml"
    return {"readme": {}, "summary": {}, "why": {}, "groups": {}, "figures": {}} | tomllib.loads(
        file.read_text(encoding="utf-8")
    )


def _since(found: Stored, registry: Registry) -> str:
    """Which claims changed after the run."""
    changed = {
        (run.experiment, name): "" for run in found.judged for name in found.changed(run, registry)
    }
    if not changed:
        return "Measures, bands and nulls have not changed since."
    names = ", ".join(f"`{name}` of {experiment}" for experiment, name in changed)
    return (
        f"New claims, and claims whose measure, band or null changed after the run: {names}. "
        "What the run did not measure is not judged."
    )


def _about(found: Stored, registry: Registry) -> Iterator[str]:
    for names, table in together(found).items():
        one = table[0]
        versions = ", ".join(f"{name} {version}" for name, version in one["versions"].items())
        which = "" if len(names) == len(found.about) else f"{', '.join(names)}: "
        yield f"{which}{made_by(*table)}. Versions: {versions}; compiled for {one['processor']}."
        yield ""
    yield (
        "The measures of all seeds, with nulls: [data/reproduction.csv](../data/reproduction.csv). "
        + _since(found, registry)
    )
    yield ""
    yield row("run", "seeds", "took")
    yield row("---", "---:", "---:")
    took = (seconds for about in found.about.values() for seconds in about["took_s"].values())
    for run, seconds in zip(found.runs, took, strict=True):
        name = ", ".join(filter(None, [f"`{run.experiment}` {run.preset}", run.variant]))
        yield row(name, str(found.trials(run)), duration(seconds))


def _images(root: Path, run: Run) -> Iterator[str]:
    folder = root / "docs" / "images"
    for path in sorted(folder.glob(f"reproduction-{run.experiment}-{run.preset}-*.png")):
        panel = path.stem.rpartition("-")[2]
        yield f"![{run.experiment}, {run.preset}, {panel}](../images/{path.name})"
        yield ""
