"""What the trials of an ensemble say together: their claims, side by side and as shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from synsamp.analysis.intervals import share_interval
from synsamp.runs.ensembles.plan import Trial, points
from synsamp.runs.ensembles.stack import Stack
from synsamp.runs.folder import ClaimRecord, RunFolder

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
    example: dict[str, ClaimRecord] = {}
    for records in found.values():
        for record in records:
            example.setdefault(record.id, record)
    along = [len(values) for values in folder.description.vary.values()]
    shape = (*along, folder.description.trials or 0)
    values = np.full((len(example), *shape), np.nan)
    holds = np.zeros((len(example), *shape), bool)
    judged = np.zeros((len(example), *shape), bool)
    seeds, done = np.zeros(shape, np.uint64), np.zeros(shape, bool)
    rows = {id_: i for i, id_ in enumerate(example)}
    for trial in trials:
        seeds[trial.place] = trial.description.seed
        done[trial.place] = trial.name in found
        for record in found.get(trial.name, []):
            at = (rows[record.id], *trial.place)
            values[at] = np.nan if record.value is None else record.value
            holds[at], judged[at] = record.holds, True
    stack.add(_about_all(folder, example, values, holds, judged, seeds, done, unfit))
    stack.summarise(QUANTILES)
    return _shares(folder, example, holds, judged, values)


def _about_all(
    folder: RunFolder,
    example: dict[str, ClaimRecord],
    values: np.ndarray,
    holds: np.ndarray,
    judged: np.ndarray,
    seeds: np.ndarray,
    done: np.ndarray,
    unfit: Sequence[str],
) -> xr.Dataset:
    lead = (*folder.description.vary, "trial")
    description = folder.description
    return xr.Dataset(
        {
            "claim_value": (("claim", *lead), values),
            "claim_holds": (("claim", *lead), holds),
            "claim_judged": (("claim", *lead), judged),
            "seed": (lead, seeds),
            "finished": (lead, done),
        },
        coords={
            "claim": np.array(list(example)),
            "claim_statement": ("claim", np.array([r.statement for r in example.values()])),
            "claim_unit": ("claim", np.array([r.unit for r in example.values()])),
            "claim_low": ("claim", [_end(r.band[0], -np.inf) for r in example.values()]),
            "claim_high": ("claim", [_end(r.band[1], np.inf) for r in example.values()]),
        },
        attrs={
            "experiment": description.experiment,
            "preset": description.preset,
            "settings": list(description.given),
            "seed": description.seed,
            "not_stacked": list(unfit),
        },
    )


def _end(end: float | None, otherwise: float) -> float:
    return otherwise if end is None else end


def _shares(
    folder: RunFolder,
    example: dict[str, ClaimRecord],
    holds: np.ndarray,
    judged: np.ndarray,
    values: np.ndarray,
) -> list[ClaimRecord]:
    """One record per claim and combination of settings."""
    at_points = points(folder.description.vary)
    flat: tuple[Any, ...] = (len(example), len(at_points), -1)
    records = []
    for i, record in enumerate(example.values()):
        for p, point in enumerate(at_points):
            seen = judged.reshape(flat)[i, p]
            if not seen.any():
                continue
            there = f" @ {', '.join(point)}" if point else ""
            hits = holds.reshape(flat)[i, p][seen]
            records.append(_over(record, there, hits, values.reshape(flat)[i, p][seen]))
    return records


def _over(record: ClaimRecord, there: str, hits: np.ndarray, values: np.ndarray) -> ClaimRecord:
    share = share_interval(hits)
    quartiles = np.nanquantile(values, (0.25, 0.5, 0.75)) if np.isfinite(values).any() else None
    spread = (
        ""
        if quartiles is None
        else "; median {1:.3g}, half of the trials between {0:.3g} and {2:.3g}".format(*quartiles)
    )
    unit = f" {record.unit}" if record.unit else ""
    return record.model_copy(
        update={
            "id": record.id + there,
            "statement": record.statement + there,
            "value": share.value,
            "band": MOST,
            "unit": "of trials",
            "holds": share.low > MOST[0],
            "interval": (share.low, share.high),
            "detail": f"holds in {int(hits.sum())} of {hits.size} trials{spread}{unit}".replace(
                "-", "−"
            ),
        }
    )
