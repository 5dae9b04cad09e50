"""Lay out finished runs as one HTML page that needs no other file.

Here it is decided what the page shows; ``templates/`` say where, and escape all of it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from io import BytesIO
from typing import NamedTuple

from markupsafe import Markup
from PIL import Image

from synsamp.experiments.base import Experiment
from synsamp.report.claim_range import claim_range
from synsamp.report.draw import Drawing, panels_of
from synsamp.report.look import CSS
from synsamp.report.numbers import (
    band_text,
    count_verdicts,
    interval_text,
    number_text,
    paper_text,
    seeds_note,
    source_text,
    tally,
    verdict_and_why,
)
from synsamp.report.palette import in_few_colours
from synsamp.report.template import render
from synsamp.report.verdict_map import SIGNS
from synsamp.runs.overrides import flat, meanings
from synsamp.runs.storage.folder import ClaimRecord, Description, Status

GENERATOR = "synsamp report"
MOST_ALT = 1500
"""Characters of a figure's alternative text."""
SVG_LIMIT_BYTES = 100_000
"""A larger drawing is shown as PNG: smaller, and faster to show."""
ABOUT_CLAIMS = ("values",)
"""Keys of drawings that show the claims of one setting: they are folded with them."""


class Chip(NamedTuple):
    """A fact about a run, in a few words; ``chosen`` if the user changed it from the preset."""

    name: str
    value: str
    chosen: bool = False


class ParameterRow(NamedTuple):
    """A parameter as the table shows it."""

    name: str
    value: str
    meaning: str
    chosen: bool


class FigureView(NamedTuple):
    """A drawing with its captions and its alternative text."""

    name: str
    width_px: int
    source: str
    alt: str
    captions: list[tuple[str, str]]
    about_claims: bool


@dataclass(frozen=True)
class RunPage:
    """All that the page shows of one run."""

    experiment: Experiment
    description: Description
    status: Status
    claims: list[ClaimRecord]
    drawings: list[Drawing]

    @property
    def tally(self) -> str:
        """How many claims hold, fail, or are undecided."""
        return tally(self.claims)

    @property
    def marks(self) -> str:
        """The same in signs, where room is scarce: ``5 ✓ 1 ✗``."""
        count = {word: sum(c.verdict == word for c in self.claims) for word in SIGNS}
        return " ".join(f"{n} {SIGNS[word]}" for word, n in count.items() if n)

    @property
    def claims_by_point(self) -> dict[str, list[ClaimRecord]]:
        """The claims at each combination of a sweep; of one setting, all under ""."""
        found: dict[str, list[ClaimRecord]] = {}
        for claim in self.claims:
            found.setdefault(claim.at, []).append(claim)
        return found

    @property
    def short_name(self) -> str:
        """The shortest name, for the navigation."""
        return self.experiment.alias or self.experiment.name

    @property
    def note(self) -> str:
        """What to say if verdicts are missing for want of seeds."""
        return seeds_note(self.claims)

    @property
    def finding(self) -> str:
        """What the figures show, in a sentence: the verdicts on the claims."""
        if not self.claims:
            return ""
        what = "At all combinations together" if self.description.swept else "Of its claims"
        return f"{what}, {tally(self.claims)}."

    @property
    def amount(self) -> str:
        """How many seeds it has."""
        trials = self.description.trials
        return "1 seed" if trials is None else f"{trials} seeds"

    @property
    def seeds(self) -> str:
        """Over how many seeds they were judged, in words."""
        trials = self.description.trials
        return "one seed, which decides nothing by itself" if trials is None else self.amount

    @property
    def chips(self) -> Iterator[Chip]:
        """The most important facts: what was run, and what was set."""
        description = self.description
        yield Chip("preset", description.preset)
        yield Chip("seed", str(description.seed))
        yield Chip("took", _duration(self.status.elapsed_s))
        yield Chip("on", f"{description.created:%Y-%m-%d %H:%M}")
        if description.trials is not None:
            yield Chip("trials", str(description.trials))
        for key, value in _given(description).items():
            yield Chip(key, value, chosen=True)
        for key, values in description.vary.items():
            yield Chip(key, ", ".join(values), chosen=True)
        if description.changes:
            yield Chip("one change at a time", ", ".join(description.changes), chosen=True)

    @property
    def figures(self) -> Iterator[FigureView]:
        """The drawings as pictures within the page."""
        captions = self.experiment.captions
        for drawing in self.drawings:
            name = f"{self.experiment.alias or self.experiment.name} {drawing.key}"
            shown = [(panel, captions[panel]) for panel in panels_of(drawing.key, captions)]
            words = " ".join(caption for _, caption in shown) or drawing.alt
            alt = f"{name}. {words}"[:MOST_ALT]
            about_claims = drawing.key in ABOUT_CLAIMS and not self.description.swept
            source = _as_data(drawing)
            yield FigureView(name, drawing.width_px, source, alt, shown, about_claims)

    @property
    def parameters(self) -> Iterator[ParameterRow]:
        """Every parameter with its value and what it means."""
        texts = meanings(self.experiment.parameters)
        given = _given(self.description)
        for key, value in flat(self.description.resolved).items():
            text = json.dumps(value, ensure_ascii=False)
            yield ParameterRow(key, text, texts.get(key, ""), key in given)


def page(runs: Sequence[RunPage], waiting: Sequence[str] = ()) -> str:
    """Return the whole page; ``waiting``: names of the runs that will be added to it."""
    claims = [claim for run in runs for claim in run.claims]
    widths = sorted({drawing.width_px for run in runs for drawing in run.drawings})
    css = CSS + "".join(f".wide-{width} {{ --natural: {width}px; }}\n" for width in widths)
    title, lead = _heading(runs, len(runs) + len(waiting))
    return render(
        "page.html",
        runs=runs,
        waiting=waiting,
        title=title,
        lead=lead,
        generator=GENERATOR,
        version=metadata.version("synsamp"),
        css=Markup(css),
        policy=Markup(_policy(css)),
        claims_table=_claims_table,
        count=count_verdicts,
        tally=tally(claims),
        note=seeds_note(claims),
        any_claim=bool(claims),
    )


def _heading(runs: Sequence[RunPage], count: int) -> tuple[str, str]:
    """Title and first sentence: what was run."""
    presets = " and ".join(dict.fromkeys(run.description.preset for run in runs))
    if count == 1:
        (run,) = runs
        swept = list(run.description.vary) + ["one change at a time"] * bool(
            run.description.changes
        )
        what = f": sweep of {', '.join(swept)}" if swept else ""
        names = " · ".join(filter(None, [run.experiment.name, run.experiment.alias]))
        lead = f"{run.experiment.summary} ({names}, preset {presets}, {run.amount})"
        return f"{run.experiment.title}{what}", lead
    what = f"preset {presets}" if presets else "under way"
    return (
        f"Synaptic sampling: {count} experiments, {what}",
        "The rule of “Network Plasticity as Bayesian Inference” (Kappel, Habenschuss, Legenstein "
        "and Maass 2015): what each experiment shows, and which claims hold.",
    )


def _policy(css: str) -> str:
    """What a browser may do with the page: show pictures it holds, in the one style it holds."""
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; "
        "form-action 'none'; base-uri 'none'"
    )


def _claims_table(claims: Sequence[ClaimRecord]) -> Markup:
    return render(
        "claims.html",
        claims=claims,
        any_null=any(claim.null_interval is not None for claim in claims),
        any_paper=any(claim.paper is not None for claim in claims),
        signs=SIGNS,
        band_text=band_text,
        number_text=number_text,
        interval_text=interval_text,
        paper_text=paper_text,
        source_text=source_text,
        verdict_and_why=verdict_and_why,
        claim_range=claim_range,
    )


def _given(description: Description) -> dict[str, str]:
    """What ``--set`` changed, by the parameter's name."""
    pairs = (setting.partition("=") for setting in description.given)
    return {key.strip(): value for key, _, value in pairs}


def _as_data(drawing: Drawing) -> str:
    if len(drawing.svg) <= SVG_LIMIT_BYTES:
        kind, content = "svg+xml", drawing.svg
    else:
        with Image.open(BytesIO(drawing.png)) as image:
            kind, content = "png", in_few_colours(image)
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
