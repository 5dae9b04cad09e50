"""Write docs/reproduction.md, and README's part on it, from what `make reproduce` kept.

    python scripts/docs_reproduction.py

Claims are judged as they are today by the measures of every seed in docs/data/reproduction.csv.
Nothing is typed by hand but docs/data/reproduction_notes.toml: a sentence for each experiment, and
why a claim does not hold; their numbers, and those on the pages of the figures, are put in by
measured_text.py.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measured_text import fill, pages_with_numbers
from reproduction_tables import by_group, claims_table, failures, scores
from reproduction_twice import two_runs
from whole_runs import ROOT, Stored, as_command, duration, row, stored, write

from synsamp.claims.table import Run
from synsamp.errors import SynsampError
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.report.numbers import WORDS, tally

BEGIN = "<!-- reproduction: begin (written by `make reproduce`) -->"
END = "<!-- reproduction: end -->"
NOT_YET = (
    "The whole paper has not been run on this version yet: `make reproduce` does it, judges every "
    "claim over its seeds and puts the result here."
)
HEAD = (
    "A claim is judged over seeds by the 95 % interval of its measure. It holds if the interval "
    "lies in its band and that of its null (the same measure without the effect) outside, fails if "
    "it lies outside, and is undecided otherwise; *not specific* means that the null lies in the "
    "band too. Bands were fixed before the run, for the reasons that stand with them."
)


def write_pages(root: Path = ROOT, registry: Registry = REGISTRY) -> None:
    """Write all pages from what is stored."""
    for path, text in pages(root, registry):
        write(path, text)


def pages(root: Path, registry: Registry) -> Iterator[tuple[Path, str]]:
    """Each page with numbers of the whole run, and what it should be."""
    readme = root / "README.md"
    yield readme, insert(readme.read_text(encoding="utf-8"), section(root, registry))
    yield root / "docs" / "reproduction.md", page(root, registry)
    found = _stored(root)
    if found is not None:
        yield from pages_with_numbers(root, found)


def insert(text: str, content: str) -> str:
    """Return the page with what stands between the markers replaced."""
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if len(pattern.findall(text)) != 1:
        raise SynsampError(f"the page must hold {BEGIN!r} and {END!r} once; put them back")
    return pattern.sub(lambda _: f"{BEGIN}\n{content}\n{END}", text)


def section(root: Path, registry: Registry) -> str:
    """README's short version: a row per run, with the truth in one sentence."""
    found = _stored(root)
    if found is None:
        return NOT_YET
    notes = notes_of(root)["truth"]
    lines = [
        row("experiment", "seeds", *WORDS, "in one sentence"),
        row(*["---"] * (len(WORDS) + 3)),
    ]
    for run in found.judged:
        count = [sum(c.verdict == word for c in found.claims(run, registry)) for word in WORDS]
        truth = fill(_of(notes, run), found, run)
        name = _name(run, registry)
        lines.append(row(name, str(found.trials(run)), *map(str, count), truth))
    about = found.about
    total = duration(sum(about["took_s"].values()))
    more = (
        "every claim with its null, band and reason: [docs/reproduction.md](docs/reproduction.md)"
    )
    return "\n".join([*lines, "", f"`{about['command']}`, {about['date']}, {total}; {more}."])


def page(root: Path, registry: Registry) -> str:
    """The whole page."""
    found = _stored(root)
    lines = ["# The paper, run whole", ""]
    if found is None:
        return "\n".join([*lines, NOT_YET, ""])
    notes = notes_of(root)
    lines += [HEAD, "", *_about(found, registry), ""]
    for run in found.judged:
        claims = found.claims(run, registry)
        lines += [f"## {_name(run, registry)}", ""]
        lines += [f"{found.trials(run)} seeds: {tally(claims)}.", "", *_images(root, run)]
        why = _of(notes["why"], run) or {}
        said = {c.id: fill(why[c.id], found, run) for c in claims if not c.holds and c.id in why}
        lines += [*claims_table(claims), "", *failures(claims, said)]
        declared, groups = registry.find(run.experiment).load().claims, notes["groups"]
        lines += by_group(found, run, declared, groups.get(run.experiment, {}))
    for experiment in dict.fromkeys(run.experiment for run in found.runs):
        lines += scores(found, experiment, registry)
    first = stored(root / "docs" / "data" / "reproduction-first")
    if first is not None:
        lines += two_runs(found, first, registry)
    return "\n".join(lines).rstrip() + "\n"


def _stored(root: Path) -> Stored | None:
    return stored(root / "docs" / "data" / "reproduction")


def notes_of(root: Path) -> dict[str, Any]:
    """What people say of the numbers."""
    file = root / "docs" / "data" / "reproduction_notes.toml"
    return {"truth": {}, "why": {}, "groups": {}} | tomllib.loads(file.read_text(encoding="utf-8"))


def _of(notes: dict[str, Any], run: Run) -> Any:
    """What is said of a run; what is said of its preset comes before what is said of all."""
    return notes.get(f"{run.experiment}/{run.preset}", notes.get(run.experiment, ""))


def _name(run: Run, registry: Registry) -> str:
    entry = registry.find(run.experiment)
    name = f"{entry.title} ({entry.alias or entry.name})"
    return name if run.preset == "paper" else f"{name}, {run.preset.removeprefix('paper_')}"


def _since(found: Stored, registry: Registry) -> str:
    """Whether claims are still what they were when the run was made."""
    changed = {
        (run.experiment, name): "" for run in found.judged for name in found.changed(run, registry)
    }
    if not changed:
        return "Measures, bands and nulls are as they were when it was made."
    names = ", ".join(f"`{name}` of {experiment}" for experiment, name in changed)
    return f"Measure, band or null were changed afterwards of: {names}."


def _about(found: Stored, registry: Registry) -> Iterator[str]:
    about = found.about
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    took = sum(about["took_s"].values())
    yield (
        f"`{about['command']}` on {about['date']}, seed {about['seed']}, {duration(took)} on "
        f"{about['cores']} cores. Versions: {versions}; compiled for {about['processor']}. The "
        "measures of every seed and null are in [data/reproduction.csv](data/reproduction.csv). "
        + _since(found, registry)
    )
    yield ""
    yield row("run", "seeds", "took")
    yield row("---", "---:", "---:")
    for run, seconds in zip(found.runs, about["took_s"].values(), strict=True):
        name = ", ".join(filter(None, [f"`{run.experiment}` {run.preset}", run.variant]))
        yield row(name, str(found.trials(run)), duration(seconds))


def _images(root: Path, run: Run) -> Iterator[str]:
    folder = root / "docs" / "images"
    for path in sorted(folder.glob(f"reproduction-{run.experiment}-{run.preset}-*.png")):
        panel = path.stem.rpartition("-")[2]
        yield f"![{run.experiment}, {run.preset}, {panel}](images/{path.name})"
        yield ""


def main(arguments: list[str]) -> int:
    """Write the pages."""
    write_pages()
    return 0


if __name__ == "__main__":
    as_command(main)
