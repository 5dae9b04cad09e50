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
from tools.markdown import ROOT, row, small
from tools.measured_text import Estimate, limits_by_measure
from tools.robustness_plan import Map
from tools.stored import Stored, made_by, read_stored, write

VOICES = ("jackson", "george", "lucas")
FIG_5, FIG_4 = "compensation", "adaptation"
RULES = {
    "θ0 = 4": ["rule.theta_0=4"],
    "θ0 = 5": ["rule.theta_0=5"],
    "printed sign of the prior": ["rule.prior_sign=printed"],
}
NO_CONTROLS = ("schedule.noise_off_1_s=0", "schedule.noise_off_2_s=0")
"""Only the columns on θ0 and the sign ask whether noise is needed."""


SHORTENED = (
    "schedule.after_lesion_2_s=8100",
    "schedule.no_lesion_s=0",
    "schedule.likelihood_2_s=0",
)
FIRST, *OTHERS = VOICES


def _voices(reading: str) -> Map:
    """Fig. 5 in one normalisation; the first column has the first voice."""
    base = [*SHORTENED, *NO_CONTROLS, f"input.normalisation={reading}", f"input.speaker={FIRST}"]
    changed = {voice: [f"input.speaker={voice}"] for voice in OTHERS}
    return Map(FIG_5, "paper", trials=24, trial_s=76.0, base=base, changed=changed)


MAPS = {
    **{reading: _voices(reading) for reading in READINGS},
    "rule-compensation": Map(
        FIG_5, "paper", trials=24, trial_s=76.0, base=SHORTENED, changed=RULES
    ),
    "rule-adaptation": Map(FIG_4, "paper", trials=12, trial_s=28.0, changed=RULES),
}
"""The parts of the run. The first column of the last two, with nothing changed, has θ0 = 3 and the
voice drawn per network."""


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
    'Not run yet in this version: `make dependence ONLY="{parts}"` makes it and writes its tables '
    "here, about {hours:.1f} hours on two cores; it continues after a stop."
)
NOTES = ("decision", "result", "other")


def table(root: Path, part: str) -> Path:
    """The file of measures, without suffix."""
    return root / "docs" / "data" / f"dependence-{part}"


def write_page(root: Path = ROOT, registry: Registry = REGISTRY) -> None:
    """Write the page from the stored tables."""
    write(root / "docs" / "paper" / "dependence.md", page(root, registry))


def page(root: Path, registry: Registry) -> str:
    """The whole page."""
    file = root / "docs" / "data" / "dependence_notes.toml"
    notes = dict.fromkeys(NOTES, "") | tomllib.loads(file.read_text(encoding="utf-8"))
    stored = {part: read_stored(table(root, part)) for part in MAPS}
    found = {part: each for part, each in stored.items() if each is not None}
    lines = ["# What the numbers of Figure 5 depend on", "", HEAD, ""]
    lines += ["## The decision before the run", "", notes["decision"].strip(), ""]
    lines += [*_made(found, registry), ""]
    lines += [notes["result"].strip(), ""] if notes["result"] else []
    readings = {name: each for name, each in found.items() if name in READINGS}
    if readings:
        lines += ["## Normalisation and voice", "", *_normalisations(readings, registry)]
    if len(found) > len(readings):
        lines += ["## θ0 and the sign of the prior", "", *_rules(found, registry)]
    lines += ["## Other deviations in the input", "", notes["other"].strip(), ""]
    return "\n".join(lines).rstrip() + "\n"


def _made(found: Mapping[str, Stored], registry: Registry) -> Iterator[str]:
    missing = [part for part in MAPS if part not in found]
    for part, each in found.items():
        csv = f"dependence-{part}.csv"
        about = each.about[MAPS[part].experiment]
        yield f"- {made_by(about)}. Measures of all networks: [{csv}](../data/{csv})."
    if missing:
        hours = sum(MAPS[part].hours(registry) for part in missing)
        yield ("\n" if found else "") + NOT_YET.format(parts=" ".join(missing), hours=hours)


def _normalisations(found: Mapping[str, Stored], registry: Registry) -> Iterator[str]:
    rows: dict[str, dict[str, list[Value]]] = {}
    for reading, each in found.items():
        own = list(map(present, each.runs.values()))
        rows |= {f"{reading}, {voice}": one for voice, one in zip(VOICES, own, strict=True)}
        rows[_all(reading)] = pooled(own)
    for title, numbers in (("The paper's counts:", COUNTS), ("Performance:", PERFORMANCE)):
        limits = limits_by_measure(registry, FIG_5)
        yield from [title, "", *number_table("normalisation, voice", rows, numbers, limits), ""]
    yield from ["Verdicts on the claims that apply, by normalisation (all voices):", ""]
    yield row("normalisation", *(many for _, many in KINDS.values()))
    yield row(*["---"] * (1 + len(KINDS)))
    for reading in found:
        run = Run(FIG_5, "paper")
        judged = Stored({run: rows[_all(reading)]}, {}).claims(run, registry)
        of_kind = [[claim for claim in judged if claim.kind == kind] for kind in KINDS]
        yield row(reading, *(count_verdicts(some) if some else "" for some in of_kind))
    yield ""


def _all(reading: str) -> str:
    return f"**{reading}, all voices**"


def _rules(found: Mapping[str, Stored], registry: Registry) -> Iterator[str]:
    for figure, experiment, numbers in ((5, FIG_5, NOISE_5), (4, FIG_4, NOISE_4)):
        if each := found.get(f"rule-{experiment}"):
            columns = {run.variant: present(measures) for run, measures in each.runs.items()}
            shown = {"θ0 = 3, as printed": columns[UNCHANGED], **{k: columns[k] for k in RULES}}
            limits = limits_by_measure(registry, experiment)
            table = number_table("rule", shown, numbers, limits)
            yield from [f"Figure {figure}:", "", *table, ""]


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
