"""The part of docs/reproduction.md on two runs with different seeds: do they say the same?

The first run was looked at when bands and nulls were put right; what is judged has other seeds.
Here both are held against the claims of today, and where they differ, or do not decide, together.
"""

from __future__ import annotations

from collections.abc import Iterator

from reproduction_tables import small
from whole_runs import Stored, row

from synsamp.claims.table import Run
from synsamp.experiments.registry import Registry
from synsamp.report.numbers import value_text
from synsamp.runs.storage.folder import ClaimRecord


def compared(found: Stored, first: Stored, registry: Registry) -> Iterator[str]:
    """How many verdicts are the same, and what both runs say of the other claims."""
    judged = {
        (run, claims[0].id): claims
        for run in found.judged
        if run in first.runs
        for claims in _by_claim(run, found, first, registry)
    }
    same = sum(now.verdict == before.verdict for now, before, _ in judged.values())
    yield "## The same with other seeds"
    yield ""
    yield (
        f"An earlier run of the whole paper ({first.about['date']}, seed {first.about['seed']}) "
        "was looked at when bands and nulls were put right; the tables above are of seeds that "
        f"were not (seed {found.about['seed']}). By the claims as they are now, {same} of "
        f"{len(judged)} verdicts are the same in both. Those that are not, and what neither "
        "decides; the last column takes all seeds together, which is no verdict of its own, as "
        "half of them had been seen:"
    )
    yield ""
    yield row("claim", "first run", "this run", "both together")
    yield row(*["---"] * 4)
    for (run, name), (now, before, both) in judged.items():
        if now.verdict != before.verdict or now.verdict == "undecided":
            cells = [
                small(value_text(each), f"n = {each.n}, {each.verdict}")
                for each in (before, now, both)
            ]
            yield row(f"{run.experiment}, {run.preset}: `{name}`", *cells)
    yield ""


def _by_claim(
    run: Run, found: Stored, first: Stored, registry: Registry
) -> Iterator[tuple[ClaimRecord, ClaimRecord, ClaimRecord]]:
    """A claim judged by this run, by the first one and by the seeds of both."""
    now, before = found.runs[run], first.runs[run]
    pooled = {name: [*before[name], *now[name]] for name in now if name in before}
    records = [
        {claim.id: claim for claim in each.claims(run, registry)}
        for each in (found, first, Stored({run: pooled}, {}))
    ]
    for name in records[0]:
        if all(name in each for each in records):
            yield records[0][name], records[1][name], records[2][name]
