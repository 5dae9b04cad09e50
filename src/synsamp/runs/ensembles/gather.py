"""What the trials of an ensemble say together: their claims, side by side and as shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from synsamp.analysis.intervals import share_interval
from synsamp.runs.ensembles.plan import Trial, points
from synsamp.runs.ensembles.stack import Stack
from synsamp.runs.storage.folder import ClaimRecord, RunFolder

MOST = (0.5, 1.0)
"""Over an ensemble a claim holds if it does in most trials, its whole interval above one half."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def gather(
    folder: RunFolder,
    trials: Sequence[Trial],
    finished: Sequence[Trial],
    stack: Stack,
    unfit: Sequence[str],
) -> list[ClaimRecord]:
    """Add claims, seeds and who finished to the Dataset; return the claims over all trials."""
    found = {t.name: RunFolder(folder.path / "trials" / t.name).claims() for t in finished}
    table = _Table(folder, list(dict.fromkeys(r.id for rs in found.values() for r in rs)))
    for trial in trials:
        table.note(trial, found.get(trial.name))
    stack.add(table.dataset(unfit))
    stack.summarise(QUANTILES)
    return table.shares()


class _Table:
    """What was judged in every trial, along claim, what varies, and trial."""

    def __init__(self, folder: RunFolder, claims: list[str]) -> None:
        self._description = folder.description
        self._lead = (*folder.description.vary, "trial")
        along = [len(values) for values in folder.description.vary.values()]
        shape = (*along, folder.description.trials or 0)
        self._row = {id_: i for i, id_ in enumerate(claims)}
        self._value = np.full((len(claims), *shape), np.nan)
        self._holds = np.zeros((len(claims), *shape), bool)
        self._judged = np.zeros((len(claims), *shape), bool)
        self._low = np.full((len(claims), *along), np.nan)
        self._high = self._low.copy()
        self._seed, self._done = np.zeros(shape, np.uint64), np.zeros(shape, bool)
        # Words and bands may depend on what varies, so each combination has its own example.
        self._example: dict[tuple[int, ...], ClaimRecord] = {}

    def note(self, trial: Trial, records: Sequence[ClaimRecord] | None) -> None:
        """Enter one trial; None if it failed."""
        self._seed[trial.place] = trial.description.seed
        self._done[trial.place] = records is not None
        for record in records or ():
            at = (self._row[record.id], *trial.place)
            self._value[at] = np.nan if record.value is None else record.value
            self._holds[at], self._judged[at] = record.holds, True
            low, high = record.band
            self._low[at[:-1]] = -np.inf if low is None else low
            self._high[at[:-1]] = np.inf if high is None else high
            self._example.setdefault(at[:-1], record)

    def dataset(self, unfit: Sequence[str]) -> xr.Dataset:
        """All of it, for the Dataset of the ensemble."""
        first = {id_: next(r for r in self._example.values() if r.id == id_) for id_ in self._row}
        along = ("claim", *self._lead[:-1])
        return xr.Dataset(
            {
                "claim_value": (("claim", *self._lead), self._value),
                "claim_holds": (("claim", *self._lead), self._holds),
                "claim_judged": (("claim", *self._lead), self._judged),
                "claim_low": (along, self._low),
                "claim_high": (along, self._high),
                "trial_seed": (self._lead, self._seed),
                "finished": (self._lead, self._done),
            },
            coords={
                "claim": np.array(list(self._row)),
                "claim_statement": ("claim", np.array([r.statement for r in first.values()])),
                "claim_unit": ("claim", np.array([r.unit for r in first.values()])),
            },
            attrs={"not_stacked": list(unfit)},
        )

    def shares(self) -> list[ClaimRecord]:
        """One record per claim and combination of settings."""
        flat: tuple[Any, ...] = (len(self._row), len(points(self._description.vary)), -1)
        holds, judged = self._holds.reshape(flat), self._judged.reshape(flat)
        values = self._value.reshape(flat)
        records = []
        for i in self._row.values():
            for p, point in enumerate(points(self._description.vary)):
                seen = judged[i, p]
                if seen.any():
                    place = np.unravel_index(p, self._low.shape[1:]) if point else ()
                    example = self._example[(i, *(int(k) for k in place))]
                    there = f" @ {', '.join(point)}" if point else ""
                    failed = seen.size - int(seen.sum())
                    records.append(
                        _over(example, there, holds[i, p][seen], values[i, p][seen], failed)
                    )
        return records


def _over(
    record: ClaimRecord, there: str, hits: np.ndarray, values: np.ndarray, failed: int
) -> ClaimRecord:
    share = share_interval(hits)
    told = f"holds in {int(hits.sum())} of {hits.size} trials"
    if failed:
        told += f" ({failed} more failed)"
    if np.isfinite(values).any():
        quartiles = np.nanquantile(values, (0.25, 0.5, 0.75))
        spread = "median {1:.3g}, half of the trials between {0:.3g} and {2:.3g}"
        told += f"; {spread.format(*quartiles)} {record.unit}".rstrip()
    return record.model_copy(
        update={
            "id": record.id + there,
            "statement": record.statement + there,
            "value": share.value,
            "band": MOST,
            "unit": "of trials",
            "holds": share.low > MOST[0],
            "interval": (share.low, share.high),
            "detail": told.replace("-", "−"),
        }
    )
