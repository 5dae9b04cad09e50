"""The section of docs/reference/claims.md that compares two full runs with different seeds.

The first run was used to correct bands and nulls; the run that is judged has new seeds. This
section judges today's claims on both, and on the pooled seeds where the verdicts differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from synsamp.claims.table import Run
from synsamp.experiments.registry import Registry
from synsamp.report.numbers import value_text
from synsamp.runs.storage.folder import ClaimRecord
from tools.markdown import row, small
from tools.stored import Stored


class ComparedClaim(NamedTuple):
    """A claim judged on the first run, on this run and on the pooled seeds."""

    before: ClaimRecord
    now: ClaimRecord
    both: ClaimRecord
    changed: bool
    """Whether its measure, band or null changed after the first run."""

    @property
    def same(self) -> bool:
        """Whether the verdicts agree."""
        return self.before.verdict == self.now.verdict

    @property
    def decided(self) -> bool:
        """Whether the claim holds or fails."""
        return self.now.verdict in ("holds", "fails")


def two_runs(found: Stored, first: Stored, registry: Registry) -> Iterator[str]:
    """How many verdicts agree, and a table of the others."""
    judged = [
        (run, claim)
        for run in found.judged
        if run in first.runs
        for claim in _by_claim(run, found, first, registry)
    ]
    apart = [each for each in judged if not (each[1].same and each[1].decided)]
    yield "## Replication with new seeds"
    yield ""
    yield (
        f"An earlier run of the whole paper ({first.every('date')}, seed {first.every('seed')}) "
        "was used to correct bands and nulls; the tables above come from new seeds (seed "
        f"{found.every('seed')}). With today's claims the verdicts agree for "
        f"{_agree(judged, changed=False)} claims that were not changed after the first run, and "
        f"for {_agree(judged, changed=True)} claims whose measure, band or null was."
    )
    yield ""
    if not apart:
        return
    yield (
        "Claims on which the runs differ or are undecided. The last column pools all seeds; it is "
        "not a verdict, since the first run influenced the bands:"
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


def _agree(judged: list[tuple[Run, ComparedClaim]], *, changed: bool) -> str:
    some = [claim.same for _, claim in judged if claim.changed == changed]
    return f"{sum(some)} of {len(some)}"


def _by_claim(
    run: Run, found: Stored, first: Stored, registry: Registry
) -> Iterator[ComparedClaim]:
    now, before = found.runs[run], first.runs[run]
    pooled = {name: [*before[name], *now[name]] for name in now if name in before}
    changed = first.changed(run, registry)
    records = [
        {claim.id: claim for claim in each.claims(run, registry)}
        for each in (first, found, Stored({run: pooled}, {}))
    ]
    for name in records[1]:
        if all(name in each for each in records):  # a new claim has nothing to compare with
            yield ComparedClaim(*(each[name] for each in records), changed=name in changed)
