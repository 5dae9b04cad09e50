"""What holds and what does not: five lines for README.md, a section per experiment for the site.

The sentences are in docs/data/reproduction_notes.toml; measured_text.py fills in the numbers.
"""

from __future__ import annotations

from html import escape
from typing import Any

from synsamp.claims.table import Run
from synsamp.experiments.registry import Registry
from synsamp.report.numbers import KINDS, count_verdicts, tally
from tools.measured_text import fill
from tools.stored import Stored, made_by, together

COLOURS = {
    "holds": "#0072b2",
    "fails": "#d55e00",
    "undecided": "#b0b5bd",
    "not specific": "#cc79a7",
}
SQUARE, ROW, LEFT = 16, 34, 150
"""Width of a claim with its gap, height of a row, and width of the names, in pixels."""


def of(notes: dict[str, Any], run: Run) -> Any:
    """The note on a preset, or else on the experiment."""
    return notes.get(f"{run.experiment}/{run.preset}", notes.get(run.experiment, ""))


def name_of(run: Run, registry: Registry) -> str:
    """The title of an experiment, its short name, and the preset if it is not the paper's."""
    entry = registry.find(run.experiment)
    name = f"{entry.title} ({entry.alias or entry.name})"
    return name if run.preset == "paper" else f"{name}, {run.preset.removeprefix('paper_')}"


def five_lines(found: Stored, registry: Registry, notes: dict[str, Any]) -> str:
    """The findings in README.md, each with the verdicts on the paper's statements."""
    lines = []
    for experiment, sentence in notes["readme"].items():
        run = Run(experiment, "paper")
        stated = [each for each in found.claims(run, registry) if each.kind == "statement"]
        count = f"of {len(stated)} statements {count_verdicts(stated)}"
        page = notes["figures"].get(experiment, {}).get("page", "index.md")
        text = fill(sentence, found, run, registry)
        lines.append(f"- {text} [{count}](docs/paper/{page}).")
    everything = [each for run in found.judged for each in found.claims(run, registry)]
    lines += ["", f"All claims together: {tally(everything)}."]
    return "\n".join(lines)


def overview(found: Stored, registry: Registry, notes: dict[str, Any]) -> str:
    """The page "What holds and what does not": a figure and a sentence per experiment."""
    lines = [
        "![Verdict on every claim, a square each](../images/verdicts.svg)",
        "",
        "*A square is one claim: blue holds, orange fails, grey is undecided.*",
        "",
        f"From {made(found)}.",
    ]
    for run in found.judged:
        claims = found.claims(run, registry)
        figure = of(notes["figures"], run) or {}
        name = name_of(run, registry)
        lines += ["", f"## {name}", "", fill(of(notes["summary"], run), found, run, registry), ""]
        if "panel" in figure:
            stem = f"reproduction-{run.experiment}-{run.preset}-{figure['panel']}.png"
            lines += [f"![{figure['alt']}](../images/{stem})", ""]
        more = f" [Read more]({figure['page']})." if "page" in figure else ""
        lines.append(f"{found.trials(run)} seeds: {tally(claims)}.{more}")
    return "\n".join(lines)


def made(found: Stored) -> str:
    """How and when the results were made, with the experiments where commands differ."""
    groups = together(found)
    whole = len(groups) == 1
    return "; ".join(
        made_by(*tables) + ("" if whole else f" ({', '.join(names)})")
        for names, tables in groups.items()
    )


def verdicts(found: Stored, registry: Registry) -> str:
    """A drawing with a row per run and a square per claim, grouped by whose question it is."""
    rows, top = [], ROW
    starts = dict(zip(KINDS, (LEFT, LEFT + 25 * SQUARE, LEFT + 33 * SQUARE), strict=True))
    for run in found.judged:
        claims = found.claims(run, registry)
        entry = registry.find(run.experiment)
        label = entry.alias or entry.name
        if run.preset != "paper":
            label += ", " + run.preset.removeprefix("paper_")
        rows.append(f'<text x="0" y="{top + 12}">{escape(label)}</text>')
        for kind, x in starts.items():
            those = [claim for claim in claims if claim.kind == kind]
            those.sort(key=lambda claim: list(COLOURS).index(claim.verdict))
            rows += [
                f'<rect x="{x + SQUARE * k}" y="{top}" width="13" height="13" rx="2" '
                f'fill="{COLOURS[claim.verdict]}"><title>{escape(claim.statement)}: '
                f"{claim.verdict}</title></rect>"
                for k, claim in enumerate(those)
            ]
        top += ROW
    heads = [
        f'<text x="{x}" y="14" class="head">{escape(KINDS[kind][1])}</text>'
        for kind, x in starts.items()
    ]
    width = LEFT + 43 * SQUARE
    style = "text{font:14px sans-serif;fill:#5c6370}.head{font-weight:600}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" role="img">',
            f"<style>{style}</style>",
            *heads,
            *rows,
            "</svg>",
            "",
        ]
    )
