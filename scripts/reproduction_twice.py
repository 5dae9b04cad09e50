"""The part of docs/reproduction.md on two runs with different seeds: do they say the same?

The first run was looked at when bands and nulls were put right; what is judged has other seeds.
Here both are held against the claims of today, and where they differ, or do not decide, together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reproduction_tables import small
from whole_runs import Stored, row

from synsamp.claims.table import Run
from synsamp.experiments.registry import Registry
from synsamp.report.numbers import value_text
from synsamp.runs.storage.folder import ClaimRecord


class Compared(NamedTuple):
    """A claim judged by the first run, by this one and by the seeds of both."""

    before: ClaimRecord
    now: ClaimRecord
    both: ClaimRecord
    changed: bool
    """Whether its measure, band or null was changed after the first run."""

    @property
    def same(self) -> bool:
        """Whether both runs come to one verdict."""
        return self.before.verdict == self.now.verdict

    @property
    def decided(self) -> bool:
        """Whether that verdict is one."""
        return self.now.verdict in ("holds", "fails")


def two_runs(found: Stored, first: Stored, registry: Registry) -> Iterator[str]:
    """How many verdicts are the same, and what both runs say of the other claims."""
    judged = [
        (run, claim)
        for run in found.judged
        if run in first.runs
        for claim in _by_claim(run, found, first, registry)
    ]
    apart = [each for each in judged if not (each[1].same and each[1].decided)]
    yield "## The same with other seeds"
    yield ""
    yield (
        f"An earlier run of the whole paper ({first.about['date']}, seed {first.about['seed']}) "
        "was looked at when bands and nulls were put right; the tables above are of other seeds "
        f"(seed {found.about['seed']}). By the claims as they are now, "
        f"{_agree(judged, changed=False)} verdicts are the same in both; of claims whose measure, "
        f"band or null was changed after the first run it is {_agree(judged, changed=True)}."
    )
    yield ""
    if not apart:
        return
    yield (
        "Where the runs differ, or neither decides; the last column takes all seeds together and "
        "is no verdict, as the first run had been seen:"
    )
    yield ""
    yield row("claim", "first run", "this run", "both together")
    yield row(*["---"] * 4)
    for run, claim in apart:
        name = f"{run.experiment}, {run.preset}: `{claim.now.id}`"
        yield row(
            small(name, "changed after the first run" if claim.changed else ""),
            *(small(value_text(c), f"n = {c.n}, {c.verdict}") for c in (claim.before, claim.now)),
            small(value_text(claim.both), f"n = {claim.both.n}"),
        )
    yield ""


def _agree(judged: list[tuple[Run, Compared]], *, changed: bool) -> str:
    some = [claim.same for _, claim in judged if claim.changed == changed]
    return f"{sum(some)} of {len(some)}"


def _by_claim(run: Run, found: Stored, first: Stored, registry: Registry) -> Iterator[Compared]:
    now, before = found.runs[run], first.runs[run]
    pooled = {name: [*before[name], *now[name]] for name in now if name in before}
    changed = first.changed(run, registry)
    records = [
        {claim.id: claim for claim in each.claims(run, registry)}
        for each in (first, found, Stored({run: pooled}, {}))
    ]
    for name in records[1]:
        if all(name in each for each in records):  # a claim that is new has nothing to compare
            yield Compared(*(each[name] for each in records), changed=name in changed)
