"""Tables of claims, of failures, of groups of seeds, and of the numbers in the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from synsamp.claims import Claim, Value, judge_all
from synsamp.claims.judge import Judged, interval_of
from synsamp.claims.table import Run, present
from synsamp.experiments.registry import Registry
from synsamp.report.numbers import (
    band_text,
    null_text,
    number_text,
    paper_text,
    source_text,
    value_text,
    verdict_text,
)
from synsamp.runs.storage.folder import ClaimRecord
from tools.markdown import row, small
from tools.stored import Stored, applied

WITHOUT_NOISE = ".noise_off_2"
"""Suffix of the measures of a branch with T = 0."""


def claims_table(claims: Sequence[ClaimRecord]) -> Iterator[str]:
    """One row per claim."""
    yield row("claim", "measured (95 % interval)", "null", "band", "the paper", "verdict")
    yield row(*["---"] * 6)
    for claim in claims:
        seeds = f"n = {claim.n}" + (f", {claim.unit}" if claim.unit else "")
        verdict = verdict_text(claim)
        yield row(
            small(claim.statement, f"{source_text(claim)}; `{claim.id}`"),
            small(value_text(claim), seeds),
            small(null_text(claim), claim.null_description),
            small(band_text(claim.band), claim.reason),
            paper_text(claim),
            verdict if claim.holds else f"**{verdict}**",
        )


def failures(claims: Sequence[ClaimRecord], why: Mapping[str, str]) -> Iterator[str]:
    """Claims that do not hold, with the hand-written explanation."""
    wrong = [claim for claim in claims if not claim.holds]
    if wrong:
        yield "Claims that do not hold, and why:"
        yield ""
        yield from (f"- `{c.id}` {c.verdict}. {why.get(c.id, '')}".rstrip() for c in wrong)
        yield ""


def by_group(
    found: Stored, run: Run, registry: Registry, groups: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Estimates for each group of seeds, e.g. those with one voice."""
    claims = registry.find(run.experiment).load().claims
    measures = found.runs[run]
    for label, names in groups.items():
        parts: dict[str, dict[str, str]] = {}
        for value, name in names.items():
            seeds = [i for i, v in enumerate(measures.get(label, ())) if v == float(value)]
            own = present({key: [values[i] for i in seeds] for key, values in measures.items()})
            if seeds:
                judged = map(ClaimRecord.of, judge_all(applied(claims, own), own))
                parts[f"{name} (n = {len(seeds)})"] = {c.id: value_text(c) for c in judged}
        if parts:
            yield f"By {label}:"
            yield ""
            yield row("claim", *parts)
            yield row("---", *["---:"] * len(parts))
            for claim in claims:
                cells = [part.get(claim.id, "") for part in parts.values()]
                if any(cells):
                    yield row(f"`{claim.id}`", *cells)
            yield ""


def scores(found: Stored, experiment: str, registry: Registry) -> Iterator[str]:
    """Compare every setup, and its branch without noise, with the numbers in the paper."""
    entry = registry.find(experiment)
    claims = [claim for claim in entry.load().claims if claim.paper is not None]
    runs = [run for run in found.runs if run.experiment == experiment]
    if not claims or len(runs) < 2:
        return
    columns = [
        (run, end)
        for run in runs
        for end in ("", WITHOUT_NOISE)
        if any(claim.key + end in found.runs[run] for claim in claims)
    ]
    yield f"## {entry.title}: compared with the numbers in the paper"
    yield ""
    branch = {"": "", WITHOUT_NOISE: "T = 0 after the lesion"}
    names = (", ".join(filter(None, [r.preset, r.variant, branch[end]])) for r, end in columns)
    seeds = (f"n = {found.trials(run)}" for run, _ in columns)
    yield row("", "the paper", *map(small, names, seeds))
    yield row("---", "---:", *["---:"] * len(columns))
    for claim in claims:
        cells = [
            _score(claim, present(found.runs[run]).get(claim.key + end)) for run, end in columns
        ]
        yield row(small(claim.statement, claim.unit), number_text(claim.paper), *cells)
    yield ""
    yield (
        '"T = 0 after the lesion" is a branch that continues from the same state without noise. '
        '"Inside", "above" and "below" say where the paper\'s number lies relative to the interval.'
    )
    yield ""


def _score(claim: Claim, values: Sequence[Value] | None) -> str:
    """An estimate with its interval, and where the paper's number lies."""
    if not values:
        return ""
    record: Any = ClaimRecord.of(
        Judged(
            claim, interval_of(values, claim.exact, claim.limits), len(values), None, "undecided"
        )
    )
    return ", ".join(filter(None, [value_text(record), record.paper_is]))
