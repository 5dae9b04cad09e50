"""Write docs/paper/dependence.md from the tables stored by `make dependence`.

The page shows the numbers of Fig. 5 for each reading of the normalisation and each voice, and for
other values of θ0. docs/data/dependence_notes.toml is written by hand: the decision that was made
before the run, and what the run shows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from synsamp.analysis.intervals import Limits
from synsamp.claims import Value, measure_key
from synsamp.claims.table import Run, present
from synsamp.data.normalisation import READINGS
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.report.numbers import KINDS, count_verdicts
from synsamp.runs.ensembles.plan import UNCHANGED
from tools.markdown import ROOT, duration, row, small
from tools.measured_text import Estimate, limits_by_measure
from tools.robustness_plan import Map
from tools.stored import Stored, read_stored, write

VOICES = ("jackson", "george", "lucas")
FIG_5, FIG_4 = "compensation", "adaptation"
RULES = {
    "θ0 = 4": ["rule.theta_0=4"],
    "θ0 = 5": ["rule.theta_0=5"],
    "printed sign of the prior": ["rule.prior_sign=printed"],
}
NO_CONTROLS = ("schedule.noise_off_1_s=0", "schedule.noise_off_2_s=0")
"""Only the columns on θ0 and the sign ask whether noise is needed."""


def combination(reading: str, voice: str) -> str:
    """The label of a normalisation with a voice."""
    return f"{reading}, {voice}"


MAPS = (
    Map(
        FIG_5,
        "paper",
        trials=24,
        trial_s=76.0,
        base=[
            "schedule.after_lesion_2_s=8100",
            "schedule.no_lesion_s=0",
            "schedule.likelihood_2_s=0",
        ],
        changed={
            **{
                combination(reading, voice): [
                    f"input.normalisation={reading}",
                    f"input.speaker={voice}",
                    *NO_CONTROLS,
                ]
                for reading in READINGS
                for voice in VOICES
            },
            **RULES,
        },
    ),
    Map(FIG_4, "paper", trials=12, trial_s=28.0, changed=RULES),
)
"""The first column of each, with nothing changed, has θ0 = 3 and the voice drawn per network."""


class Number(NamedTuple):
    """A column: its title, the measure, the format, and the paper's number."""

    title: str
    measure: str
    form: str = "i.2f"
    paper: str = ""


NETWORK = "network"
COUNTS = (
    Number("removed by lesion 2, of possible", "removed_share", "i.3f", "0.728"),
    Number("regrown", measure_key("regrown", NETWORK), "i.0f", "294"),
    Number("regrown, of allowed", measure_key("regrown_share", NETWORK), "i.2f", "0.27"),
    Number("parameters of θ′", "parameters_of_z_V", "i.1f", "35"),
    Number("tuned to 2", "tuned", "i.1f", "16"),
)
PERFORMANCE = (
    Number("recall", "recall"),
    Number("lost by lesion 1", "loss_1"),
    Number("back, of that", measure_key("recovery_1", NETWORK)),
    Number(
        "2 h after lesion 2, of the level before",
        measure_key("recovery_2_raw", NETWORK),
        paper="0.75",
    ),
    Number("the same above chance", measure_key("recovery_2", NETWORK)),
)
NOISE_5 = (
    Number("removed by lesion 2, of possible", "removed_share", "i.3f", "0.728"),
    Number("recall", "recall"),
    Number("lesion 2: back above chance", measure_key("recovery_2", NETWORK)),
    Number("… with T = 0", measure_key("recovery_2", f"{NETWORK}/noise_off_2")),
    Number("regrown, of allowed", measure_key("regrown_share", NETWORK), paper="0.27"),
    Number("… with T = 0", measure_key("regrown_share", f"{NETWORK}/noise_off_2")),
)
NOISE_4 = (
    Number("active, of all", measure_key("active_share", "printed")),
    Number("neurons that turn to the new digit", measure_key("retuned", "printed"), "i.1f"),
    Number("… with T = 0", measure_key("retuned", "printed/noise_off"), "i.1f"),
    Number("useful synapses that return", measure_key("useful_regrowth", "printed")),
    Number("… with T = 0", measure_key("useful_regrowth", "printed/noise_off")),
)

HEAD = (
    "This page shows which numbers of Figure 5 depend on choices that the paper leaves open: how "
    "sound becomes firing rates, which voice is heard, and θ0. Each cell is an estimate over "
    "networks with its 95 % interval; the first row has the paper's numbers."
)
NOT_YET = (
    "There is no run of this version yet: `make dependence` makes it and writes the tables here, "
    "about {hours:.1f} hours on two cores; it continues after a stop."
)
NOTES = ("decision", "result", "other")


def table(root: Path, experiment: str) -> Path:
    """The file of measures, without suffix."""
    return root / "docs" / "data" / f"dependence-{experiment}"


def write_page(root: Path = ROOT, registry: Registry = REGISTRY) -> None:
    """Write the page from the stored tables."""
    write(root / "docs" / "paper" / "dependence.md", page(root, registry))


def page(root: Path, registry: Registry) -> str:
    """The whole page."""
    file = root / "docs" / "data" / "dependence_notes.toml"
    notes = dict.fromkeys(NOTES, "") | tomllib.loads(file.read_text(encoding="utf-8"))
    lines = ["# What the numbers of Figure 5 depend on", "", HEAD, ""]
    lines += ["## The decision before the run", "", notes["decision"].strip(), ""]
    lines += ["## Normalisation and voice", ""]
    five, four = (read_stored(table(root, name)) for name in (FIG_5, FIG_4))
    if five is None or four is None:
        lines += [NOT_YET.format(hours=sum(each.hours(registry) for each in MAPS)), ""]
    else:
        lines += _section(five, four, registry, notes)
    lines += ["## Other deviations in the input", "", notes["other"].strip(), ""]
    return "\n".join(lines).rstrip() + "\n"


def _section(
    five: Stored, four: Stored, registry: Registry, notes: Mapping[str, str]
) -> Iterator[str]:
    about = five.about
    yield (
        f"`{about['command']}` on {about['date']}, seed {about['seed']}, "
        f"{duration(sum(about['took_s'].values()) + sum(four.about['took_s'].values()))} on "
        f"{about['cores']} cores. Measures of all networks: "
        f"[dependence-{FIG_5}.csv](../data/dependence-{FIG_5}.csv) and "
        f"[dependence-{FIG_4}.csv](../data/dependence-{FIG_4}.csv)."
    )
    yield ""
    yield from [notes["result"].strip(), ""] if notes["result"] else []
    columns = {run.variant: present(measures) for run, measures in five.runs.items()}
    rows: dict[str, dict[str, list[Value]]] = {}
    for reading in READINGS:
        own = {voice: columns[combination(reading, voice)] for voice in VOICES}
        rows |= {combination(reading, voice): each for voice, each in own.items()}
        rows[f"**{reading}, all voices**"] = pooled(list(own.values()))
    for title, numbers in (("The paper's counts:", COUNTS), ("Performance:", PERFORMANCE)):
        limits = limits_by_measure(registry, FIG_5)
        yield from [title, "", *number_table("normalisation, voice", rows, numbers, limits), ""]
    yield from ["Verdicts on the claims that apply, by normalisation (all voices):", ""]
    yield row("normalisation", *(many for _, many in KINDS.values()))
    yield row(*["---"] * (1 + len(KINDS)))
    for reading in READINGS:
        measures = rows[f"**{reading}, all voices**"]
        judged = Stored({Run(FIG_5, "paper"): measures}, {}).claims(Run(FIG_5, "paper"), registry)
        of_kind = [[claim for claim in judged if claim.kind == kind] for kind in KINDS]
        yield row(reading, *(count_verdicts(some) if some else "" for some in of_kind))
    yield ""
    yield from ["## θ0 and the sign of the prior", ""]
    for figure, found, numbers in ((5, five, NOISE_5), (4, four, NOISE_4)):
        columns = {run.variant: present(measures) for run, measures in found.runs.items()}
        shown = {"θ0 = 3, as printed": columns[UNCHANGED], **{k: columns[k] for k in RULES}}
        limits = limits_by_measure(registry, FIG_5 if figure == 5 else FIG_4)
        yield from [f"Figure {figure}:", "", *number_table("rule", shown, numbers, limits), ""]


def pooled(parts: Sequence[Mapping[str, Sequence[Value]]]) -> dict[str, list[Value]]:
    """The seeds of several columns together."""
    names = [name for name in parts[0] if all(name in part for part in parts)]
    return {name: [value for part in parts for value in part[name]] for name in names}


def number_table(
    title: str,
    rows: Mapping[str, Mapping[str, Sequence[Value]]],
    numbers: Sequence[Number],
    limits: Mapping[str, Limits],
) -> Iterator[str]:
    """One row per condition, one column per number."""
    yield row(title, *(each.title for each in numbers))
    yield row("---", *["---:"] * len(numbers))
    if any(each.paper for each in numbers):
        yield row("the paper", *(each.paper for each in numbers))
    for name, measures in rows.items():
        n = max(map(len, measures.values()))
        cells = (
            format(Estimate(measures[each.measure], limits[each.measure.split("@")[0]]), each.form)
            if each.measure in measures
            else ""
            for each in numbers
        )
        yield row(small(name, f"n = {n}"), *cells)
