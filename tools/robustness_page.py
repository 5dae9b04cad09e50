"""Write the pages of the sensitivity analysis and their maps from what `make robustness` stored.

Today's claims are judged on the stored measures of every seed, docs/data/robustness-*.csv.
docs/data/robustness_notes.toml is written by hand: what each map shows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from synsamp.analysis.intervals import share_interval
from synsamp.claims.table import Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.figures.style import STYLE
from synsamp.report.verdict_map import WORDS, draw_verdicts
from synsamp.runs.storage.atomic import replacing
from tools.markdown import ROOT, row
from tools.robustness_plan import MAPS, Map
from tools.stored import Stored, made_by, read_stored, write

NOT_YET = (
    "There is no map of this version yet: `make robustness` makes it, and continues after a stop."
)
HEAD = (
    "This page shows which [claims](../reference/glossary.md#claim) on Figs. 2, 4 and 5 depend on "
    "a single choice: each model parameter is halved (½) or doubled (2×), and alternative "
    "[readings](../reference/glossary.md#reading) of the paper and other inputs are tried. "
    "With so few seeds many verdicts stay undecided, but a claim fails only if its whole interval "
    "lies outside the band. All changes use the same seeds; a blank cell was not judged."
)
CLAIMS_PAGE = "docs/reference/sensitivity-claims.md"
CLAIMS_HEAD = (
    "This page counts the verdicts on every claim in the "
    "[sensitivity analysis](../paper/sensitivity.md). "
    "`synsamp sweep NAME --one-at-a-time` makes such a table of any experiment "
    "([ensembles](../howto/ensembles.md))."
)


def table(root: Path, experiment: str) -> Path:
    """The file of a map's measures, without suffix."""
    return root / "docs" / "data" / f"robustness-{experiment}"


def write_page(
    root: Path = ROOT, registry: Registry = REGISTRY, maps: Sequence[Map] = MAPS
) -> None:
    """Draw the maps and write both pages from the stored tables."""
    for each in maps:
        found = read_stored(table(root, each.experiment))
        if found is not None:
            draw(root, each.experiment, *verdicts(found, each.experiment, registry))
    write(root / "docs" / "paper" / "sensitivity.md", page(root, registry, maps))
    write(root / CLAIMS_PAGE, claims_page(root, registry, maps))


def page(root: Path, registry: Registry, maps: Sequence[Map] = MAPS) -> str:
    """The page of maps and what they show."""
    lines = ["# Sensitivity analysis", "", HEAD, ""]
    file = root / "docs" / "data" / "robustness_notes.toml"
    notes = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for each in maps:
        lines += [f"## {_title(each, registry)}", ""]
        found = read_stored(table(root, each.experiment))
        if found is None:
            lines += _planned(each, registry)
            continue
        image = f"../images/robustness-{each.experiment}.png"
        lines += [f"![Verdict on each claim under each change]({image})", ""]
        lines += [f"{_size(found)}{', shortened' if each.base else ''}.", ""]
        lines += [notes[each.experiment].strip(), ""] if each.experiment in notes else []
    lines.append("[Verdicts on every claim, counted](../reference/sensitivity-claims.md)")
    return "\n".join(lines) + "\n"


def claims_page(root: Path, registry: Registry, maps: Sequence[Map] = MAPS) -> str:
    """The page of tables: a row per claim."""
    lines = ["# Sensitivity of every claim", "", CLAIMS_HEAD, ""]
    for each in maps:
        lines += [f"## {_title(each, registry)}", ""]
        found = read_stored(table(root, each.experiment))
        lines += _planned(each, registry) if found is None else _section(found, each, registry)
    return "\n".join(lines).rstrip() + "\n"


def _title(each: Map, registry: Registry) -> str:
    entry = registry.find(each.experiment)
    return f"{entry.title} ({entry.alias or entry.name})"


def _size(found: Stored) -> str:
    first = next(iter(found.runs))
    return f"{found.trials(first)} seeds under each of {len(found.runs) - 1} changes"


def _planned(each: Map, registry: Registry) -> Iterator[str]:
    """What the map will contain, and how long it takes."""
    seeds = f"{each.trials} seeds for each of {len(each.changes(registry))} columns"
    yield f"{NOT_YET} {seeds}, about {each.hours(registry):.1f} hours on two cores."
    yield ""


def verdicts(
    found: Stored, experiment: str, registry: Registry
) -> tuple[list[str], list[str], list[list[str]]]:
    """Claims, changes (first: none) and verdicts of each claim; empty if not judged."""
    runs = list(found.runs)
    judged = [{c.id: c.verdict for c in found.claims(run, registry)} for run in runs]
    ids = [claim.id for claim in registry.find(experiment).load().claims]
    claims = [each for each in ids if any(each in at for at in judged)]
    changes = ["unchanged", *(run.variant for run in runs[1:])]
    return claims, changes, [[at.get(c, "") for at in judged] for c in claims]


def _section(found: Stored, each: Map, registry: Registry) -> Iterator[str]:
    claims, changes, judged = verdicts(found, each.experiment, registry)
    first = next(iter(found.runs))
    whole = found.trials(first)
    yield (
        f"{made_by(found.about[each.experiment])}: "
        f"{whole} seeds for each of {len(changes)} columns, preset `{first.preset}`"
        + (", shortened. " if each.base else ". ")
        + f"Measures of all seeds: [robustness-{each.experiment}.csv]"
        f"(../data/robustness-{each.experiment}.csv)."
    )
    yield ""
    yield f"Verdict without a change, and the number of the {len(changes) - 1} changes with each:"
    yield ""
    yield row("claim", changes[0], *WORDS, "fails under")
    yield row("---", "---", *["---:"] * len(WORDS), "---")
    for claim, verdict in zip(claims, judged, strict=True):
        changed = list(zip(changes[1:], verdict[1:], strict=True))
        count = [str(sum(v == word for _, v in changed)) for word in WORDS]
        yield row(f"`{claim}`", verdict[0] or "not judged", *count, _fails_under(changed))
    yield ""
    lost = {run.variant: whole - _finished(found, run) for run in found.runs}
    if any(lost.values()):
        failed = ", ".join(f"{change} ({n} of {whole})" for change, n in lost.items() if n)
        yield f"Seeds that failed, and are left out: {failed}."
        yield ""
    left_out = [c.id for c in registry.find(each.experiment).load().claims if c.id not in claims]
    if left_out:
        names = ", ".join(f"`{name}`" for name in left_out)
        yield f"Not in this map, which leaves out or shortens the branches they need: {names}."
        yield ""
    never = [f"`{claim}`" for claim in cannot_hold(found, each.experiment, registry)]
    if never:
        names = ", ".join(never)
        yield f"Claims on the proportion of seeds that {whole} seeds cannot confirm: {names}."
        yield ""


def _finished(found: Stored, run: Run) -> int:
    """The number of seeds with any measure."""
    return max(sum(v is not None for v in values) for values in found.runs[run].values())


def _fails_under(changed: Sequence[tuple[str, str]]) -> str:
    """The changes under which a claim fails, or the exceptions if those are fewer."""
    fails = [change for change, verdict in changed if verdict == "fails"]
    others = [change for change, verdict in changed if verdict != "fails"]
    if fails and not others:
        return "every change"
    return ", ".join(fails) if len(fails) <= len(others) else f"all but {', '.join(others)}"


def cannot_hold(found: Stored, experiment: str, registry: Registry) -> list[str]:
    """Claims on the proportion of seeds that stay undecided even if all seeds agree."""
    first, measures = next(iter(found.runs.items()))
    n = found.trials(first)
    ends = [share_interval(np.full(n, all_of_them))[1:] for all_of_them in (True, False)]
    return [
        claim.id
        for claim in registry.find(experiment).load().claims
        if all(isinstance(value, bool) for value in measures.get(claim.key, [0.0]))
        and not any(claim.admits(*end) for end in ends)
    ]


def draw(
    root: Path, experiment: str, claims: Sequence[str], changes: Sequence[str],
    judged: Sequence[Sequence[str]],
) -> None:  # fmt: skip
    """Draw a map: a row per claim, a column per change."""
    content = BytesIO()
    with mpl.rc_context(STYLE):
        figure = draw_verdicts(claims, changes, judged, first_apart=True)
        FigureCanvasAgg(figure)
        figure.savefig(content, format="png", dpi=110, metadata={"Software": None})
    target = root / "docs" / "images" / f"robustness-{experiment}.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        file.write(content.getvalue())
