"""Write docs/robustness.md and its heat maps from what `make robustness` kept.

    python scripts/docs_robustness.py

Claims are judged as they are today by the measures of every seed in docs/data/robustness-*.csv.
docs/data/robustness_notes.toml is typed by hand: what is to be seen in each map.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from robustness_plan import MAPS, Map
from whole_runs import ROOT, Stored, as_command, duration, row, stored, write

from synsamp.analysis.intervals import share_interval
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.figures.style import INK, PALE, STYLE
from synsamp.report.over_seeds import COLOURS, SIGNS
from synsamp.runs.storage.atomic import replacing

NOT_YET = (
    "This map has not been made for this version yet: `make robustness` makes it (it goes on where "
    "it stopped)."
)
HEAD = (
    "Every claim of Figs. 2, 4 and 5, judged again with one thing changed at a time: numbers of "
    "the model halved (½) and doubled (2×), readings of the paper and inputs exchanged. Fig. 5 is "
    "shortened. With few seeds much stays undecided; what fails, fails by its interval."
)
WORDS = tuple(COLOURS)


def table(root: Path, experiment: str) -> Path:
    """Where the measures of a map are kept."""
    return root / "docs" / "data" / f"robustness-{experiment}"


def write_page(
    root: Path = ROOT, registry: Registry = REGISTRY, maps: Sequence[Map] = MAPS
) -> None:
    """Write the page, and draw the maps, from what is stored."""
    for each in maps:
        found = stored(table(root, each.experiment))
        if found is not None:
            draw(root, each.experiment, *verdicts(found, each.experiment, registry))
    write(root / "docs" / "robustness.md", page(root, registry, maps))


def page(root: Path, registry: Registry, maps: Sequence[Map] = MAPS) -> str:
    """The whole page."""
    lines = ["# What the claims hang on", "", HEAD, ""]
    file = root / "docs" / "data" / "robustness_notes.toml"
    notes = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for each in maps:
        entry = registry.find(each.experiment)
        lines += [f"## {entry.title} ({entry.alias or entry.name})", ""]
        found = stored(table(root, each.experiment))
        if found is None:
            lines += _planned(each, registry)
        else:
            lines += _section(found, each, registry, notes.get(each.experiment, ""))
    return "\n".join(lines).rstrip() + "\n"


def _planned(each: Map, registry: Registry) -> Iterator[str]:
    """What will be run, and how long it should take."""
    costs = [cost for _, _, cost in each.variants(registry)]
    hours = sum(costs) * each.trials / 7200
    seeds = f"{each.trials} seeds for each of {len(costs)} columns"
    yield f"{NOT_YET} {seeds}, about {hours:.1f} hours on two cores."
    yield ""


def verdicts(
    found: Stored, experiment: str, registry: Registry
) -> tuple[list[str], list[str], list[list[str]]]:
    """Claims, changes, and the verdict of each claim under each change; empty: not judged."""
    runs = list(found.runs)
    judged = [{c.id: c.verdict for c in found.claims(run, registry)} for run in runs]
    ids = [claim.id for claim in registry.find(experiment).load().claims]
    claims = [each for each in ids if any(each in at for at in judged)]
    return claims, [r.variant for r in runs], [[at.get(c, "") for at in judged] for c in claims]


def _section(found: Stored, each: Map, registry: Registry, note: str) -> Iterator[str]:
    claims, changes, judged = verdicts(found, each.experiment, registry)
    about, first = found.about, next(iter(found.runs))
    took = duration(sum(about["took_s"].values()))
    yield (
        f"`{about['command']}` on {about['date']}, {took} on {about['cores']} cores: "
        f"{found.trials(first)} seeds for each of {len(changes)} columns, preset `{first.preset}`"
        + (", shortened. " if each.base else ". ")
        + f"Every seed's measures: [robustness-{each.experiment}.csv]"
        f"(data/robustness-{each.experiment}.csv)."
    )
    yield ""
    yield f"![Verdict on each claim under each change](images/robustness-{each.experiment}.png)"
    yield ""
    yield from [note, ""] if note else []
    yield f"The verdict as it is, and how often each under the {len(changes) - 1} changes:"
    yield ""
    yield row("claim", changes[0], *WORDS, "fails under")
    yield row("---", "---", *["---:"] * len(WORDS), "---")
    for claim, verdict in zip(claims, judged, strict=True):
        changed = list(zip(changes[1:], verdict[1:], strict=True))
        count = [str(sum(v == word for _, v in changed)) for word in WORDS]
        fails = ", ".join(change for change, v in changed if v == "fails")
        yield row(f"`{claim}`", verdict[0] or "not judged", *count, fails)
    yield ""
    never = [f"`{claim}`" for claim in cannot_hold(found, each.experiment, registry)]
    if never:
        yield f"Shares that {found.trials(first)} seeds cannot show to hold: {', '.join(never)}."
        yield ""


def cannot_hold(found: Stored, experiment: str, registry: Registry) -> list[str]:
    """Claims on shares of seeds that would stay undecided even if every seed agreed."""
    first, measures = next(iter(found.runs.items()))
    n = found.trials(first)
    ends = [share_interval(np.full(n, all_of_them))[1:] for all_of_them in (True, False)]
    return [
        claim.id
        for claim in registry.find(experiment).load().claims
        if all(isinstance(value, bool) for value in measures.get(claim.measure, [0.0]))
        and not any(claim.admits(*end) for end in ends)
    ]


def draw(
    root: Path, experiment: str, claims: Sequence[str], changes: Sequence[str],
    judged: Sequence[Sequence[str]],
) -> None:  # fmt: skip
    """Draw a heat map: a row per claim, a column per change; a sign in each, beside the colour."""
    numbers = np.array([[WORDS.index(v) if v else -1 for v in line] for line in judged])
    size = (max(6.0, 2.4 + 0.27 * len(changes)), 1.9 + 0.22 * len(claims))
    with mpl.rc_context({**STYLE, "svg.hashsalt": "robustness"}):
        figure = Figure(figsize=size)
        axes = figure.add_subplot()
        colours = ListedColormap(["white", *COLOURS.values()])
        axes.imshow(numbers, vmin=-1.5, vmax=len(WORDS) - 0.5, cmap=colours, aspect="auto")
        axes.set_xticks(range(len(changes)), changes, rotation=90)
        axes.set_yticks(range(len(claims)), claims)
        axes.tick_params(length=0, labelsize=8)
        axes.xaxis.tick_top()
        axes.set_xticks(np.arange(len(changes) + 1) - 0.5, minor=True)
        axes.set_yticks(np.arange(len(claims) + 1) - 0.5, minor=True)
        axes.grid(which="minor", color="white", lw=1.2)
        axes.tick_params(which="minor", length=0)
        axes.axvline(0.5, color=INK, lw=1.2)
        axes.spines[:].set_visible(False)
        for (line, column), number in np.ndenumerate(numbers):
            if number >= 0:
                ink = INK if COLOURS[WORDS[number]] == PALE else "white"
                axes.text(
                    column, line, SIGNS[WORDS[number]], ha="center", va="center", color=ink, size=7
                )
        for word in WORDS:
            axes.plot([], [], "s", color=COLOURS[word], label=f"{SIGNS[word]} {word}")
        axes.legend(
            loc="upper left", bbox_to_anchor=(0.0, -0.02), ncols=4, fontsize=8, frameon=False
        )
        FigureCanvasAgg(figure)
        content = BytesIO()
        figure.savefig(content, format="png", dpi=110, metadata={"Software": None})
    target = root / "docs" / "images" / f"robustness-{experiment}.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        file.write(content.getvalue())


def main(arguments: list[str]) -> int:
    """Write the page."""
    write_page()
    return 0


if __name__ == "__main__":
    as_command(main)
