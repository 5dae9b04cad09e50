"""The tables of docs/reproduction.md: claims, failures, seeds apart, the paper's own numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whole_runs import Stored, row

from synsamp.claims import Claim, Value, judge_all
from synsamp.claims.judge import Judged, interval_of
from synsamp.claims.table import Run, present
from synsamp.experiments.registry import Registry
from synsamp.report.numbers import (
    band_text,
    null_text,
    number,
    paper_text,
    value_text,
    verdict_text,
)
from synsamp.runs.storage.folder import ClaimRecord

WITHOUT_NOISE = ".noise_off_2"
"""How the measures of an arm with T = 0 end."""


def claims_table(claims: Sequence[ClaimRecord]) -> Iterator[str]:
    """Statement, measured, null, band, the paper, verdict."""
    yield row("claim", "measured (95 % interval)", "null", "band", "the paper", "verdict")
    yield row(*["---"] * 6)
    for claim in claims:
        seeds = f"n = {claim.n}" + (f", {claim.unit}" if claim.unit else "")
        verdict = verdict_text(claim)
        yield row(
            small(claim.statement, f"{claim.source}; `{claim.id}`"),
            small(value_text(claim), seeds),
            small(null_text(claim), claim.null_description),
            small(band_text(claim.band), claim.reason),
            paper_text(claim),
            verdict if claim.holds else f"**{verdict}**",
        )


def small(text: str, remark: str) -> str:
    """A cell with a remark below it."""
    return f"{text}<br><sub>{remark}</sub>" if remark else text


def failures(claims: Sequence[ClaimRecord], why: Mapping[str, str]) -> Iterator[str]:
    """What does not hold, with what people say of it."""
    wrong = [claim for claim in claims if not claim.holds]
    if wrong:
        yield "What does not hold, and why:"
        yield ""
        yield from (f"- `{c.id}` {c.verdict}. {why.get(c.id, '')}".rstrip() for c in wrong)
        yield ""


def by_group(
    found: Stored, run: Run, claims: Sequence[Claim], groups: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """What claims measure in seeds of one kind alone, as those that hear one voice."""
    measures = found.runs[run]
    for mark, names in groups.items():
        parts: dict[str, dict[str, str]] = {}
        for value, name in names.items():
            seeds = [i for i, v in enumerate(measures.get(mark, ())) if v == float(value)]
            own = {key: [values[i] for i in seeds] for key, values in measures.items()}
            judged = map(ClaimRecord.of, judge_all(claims, present(own)))
            if seeds:
                parts[f"{name} (n = {len(seeds)})"] = {c.id: value_text(c) for c in judged}
        if parts:
            yield f"By {mark}:"
            yield ""
            yield row("claim", *parts)
            yield row("---", *["---:"] * len(parts))
            for claim in claims:
                cells = [part.get(claim.id, "") for part in parts.values()]
                if any(cells):
                    yield row(f"`{claim.id}`", *cells)
            yield ""


def scores(found: Stored, experiment: str, registry: Registry) -> Iterator[str]:
    """Every way an experiment was run, and its arm without noise, by the paper's own numbers."""
    entry = registry.find(experiment)
    claims = [claim for claim in entry.load().claims if claim.paper is not None]
    runs = [run for run in found.runs if run.experiment == experiment]
    if not claims or len(runs) < 2:
        return
    ways = [
        (run, end)
        for run in runs
        for end in ("", WITHOUT_NOISE)
        if any(claim.key + end in found.runs[run] for claim in claims)
    ]
    yield f"## {entry.title}: by the paper's own numbers"
    yield ""
    arm = {"": "", WITHOUT_NOISE: "T = 0 after the lesion"}
    names = (", ".join(filter(None, [r.preset, r.variant, arm[end]])) for r, end in ways)
    seeds = (f"n = {found.trials(run)}" for run, _ in ways)
    yield row("", "the paper", *map(small, names, seeds))
    yield row("---", "---:", *["---:"] * len(ways))
    for claim in claims:
        cells = [
            _score(claim, present(found.runs[run]).get(claim.key + end)) for run, end in ways
        ]
        yield row(small(claim.statement, claim.unit), number(claim.paper), *cells)
    yield ""
    yield (
        "After the lesion: the arm that goes on from the same state without noise. The word says "
        "where the paper's number lies: inside the interval, above or below it."
    )
    yield ""


def _score(claim: Claim, values: Sequence[Value] | None) -> str:
    """An estimate with its interval, and where the paper's number lies, whatever the verdict."""
    if not values:
        return ""
    record: Any = ClaimRecord.of(
        Judged(claim, interval_of(values, claim.exact), len(values), None, "undecided")
    )
    return ", ".join(filter(None, [value_text(record), record.paper_is]))
