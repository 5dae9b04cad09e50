"""Write docs/robustness.md and its heat maps from what `make robustness` kept.

    python scripts/docs_robustness.py

Claims are judged as they are today by the measures of every seed in docs/data/robustness.csv.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from robustness_plan import MAPS
from whole_runs import ROOT, Stored, as_command, duration, row, stored, write

from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.figures.style import INK, PALE, STYLE
from synsamp.report.over_seeds import COLOURS, SIGNS
from synsamp.runs.storage.atomic import replacing

NOT_YET = (
    "The map has not been made for this version yet: `make robustness` makes it (it goes on where "
    "it stopped)."
)
HEAD = (
    "Every claim of Figs. 2, 4 and 5, judged again with one thing changed at a time: numbers of "
    "the model halved (½) and doubled (2×), readings of the paper and inputs exchanged. Fig. 5 is "
    "shortened. With few seeds much stays undecided; what fails, fails by its interval."
)
WORDS = tuple(COLOURS)


def write_page(root: Path = ROOT, registry: Registry = REGISTRY) -> None:
    """Write the page, and draw the maps, from what is stored."""
    found = stored(root / "docs" / "data" / "robustness")
    if found is not None:
        for experiment in experiments(found):
            draw(root, experiment, *verdicts(found, experiment, registry))
    write(root / "docs" / "robustness.md", page(root, registry))


def page(root: Path, registry: Registry) -> str:
    """The whole page."""
    found = stored(root / "docs" / "data" / "robustness")
    lines = ["# What the claims hang on", "", HEAD, ""]
    if found is None:
        return "\n".join([*lines, NOT_YET, "", *_planned(registry), ""])
    took = duration(sum(found.about["took_s"].values()))
    lines += [
        f"`{found.about['command']}` on {found.about['date']}, {took} on {found.about['cores']} "
        "cores. The measures of every seed are in [data/robustness.csv](data/robustness.csv).",
        "",
    ]
    for experiment in experiments(found):
        lines += _section(found, experiment, registry)
    return "\n".join(lines).rstrip() + "\n"


def _planned(registry: Registry) -> Iterator[str]:
    """What will be run, and how long it should take."""
    yield row("experiment", "preset", "columns", "seeds", "core s per seed", "hours on 2 cores")
    yield row("---", "---", *["---:"] * 4)
    for each in MAPS:
        costs = [cost for _, _, cost in each.variants(registry)]
        hours = f"{sum(costs) * each.trials / 7200:.1f}"
        numbers = (str(len(costs)), str(each.trials), f"{each.trial_s:g}", hours)
        yield row(f"`{each.experiment}`", each.preset, *numbers)


def experiments(found: Stored) -> list[str]:
    """Those that are stored, in their order."""
    return list(dict.fromkeys(run.experiment for run in found.runs))


def verdicts(
    found: Stored, experiment: str, registry: Registry
) -> tuple[list[str], list[str], list[list[str]]]:
    """Claims, changes, and the verdict of each claim under each change; empty: not judged."""
    runs = [run for run in found.runs if run.experiment == experiment]
    judged = [{c.id: c.verdict for c in found.claims(run, registry)} for run in runs]
    ids = [claim.id for claim in registry.find(experiment).load().claims]
    claims = [each for each in ids if any(each in at for at in judged)]
    return claims, [r.variant for r in runs], [[at.get(c, "") for at in judged] for c in claims]


def _section(found: Stored, experiment: str, registry: Registry) -> Iterator[str]:
    claims, changes, table = verdicts(found, experiment, registry)
    entry = registry.find(experiment)
    first = next(run for run in found.runs if run.experiment == experiment)
    yield f"## {entry.title} ({entry.alias or entry.name})"
    yield ""
    seeds = f"{found.trials(first)} seeds for each of {len(changes)} columns"
    yield f"{seeds}, preset `{first.preset}`."
    yield ""
    yield f"![Verdict on each claim under each change](images/robustness-{experiment}.png)"
    yield ""
    yield f"The verdict as it is, and how often each under the {len(changes) - 1} changes:"
    yield ""
    yield row("claim", changes[0], *WORDS, "fails under")
    yield row("---", "---", *["---:"] * len(WORDS), "---")
    for claim, verdict in zip(claims, table, strict=True):
        changed = list(zip(changes[1:], verdict[1:], strict=True))
        count = [str(sum(v == word for _, v in changed)) for word in WORDS]
        fails = ", ".join(change for change, v in changed if v == "fails")
        yield row(f"`{claim}`", verdict[0] or "not judged", *count, fails)
    yield ""


def draw(
    root: Path, experiment: str, claims: Sequence[str], changes: Sequence[str],
    table: Sequence[Sequence[str]],
) -> None:  # fmt: skip
    """Draw a heat map: a row per claim, a column per change; a sign in each, beside the colour."""
    numbers = np.array([[WORDS.index(v) if v else -1 for v in line] for line in table])
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
