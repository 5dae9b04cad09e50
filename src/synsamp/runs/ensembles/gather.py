"""What the trials of an ensemble say together: claims judged over seeds, at every combination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import xarray as xr

from synsamp.claims import Claim, Judged, Value, judge_all
from synsamp.claims.judge import Verdict
from synsamp.claims.measures import MEASURES, values_of
from synsamp.experiments.base import Experiment
from synsamp.runs.ensembles.plan import Trial, coordinates, labels
from synsamp.runs.overrides import restore
from synsamp.runs.storage.contents import TRIALS
from synsamp.runs.storage.folder import ClaimRecord, RunFolder
from synsamp.runs.storage.results import open_dataset
from synsamp.runs.storage.stack import NOT_STACKED, TRIAL, open_ensemble, summarise

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
VERDICTS: tuple[str, ...] = get_args(Verdict)
"""In the Dataset a verdict is its number in this row; −1: not judged."""


def gather(
    experiment: Experiment,
    folder: RunFolder,
    trials: Sequence[Trial],
    finished: Sequence[Trial],
    unfit: Sequence[str],
) -> tuple[xr.Dataset, list[ClaimRecord]]:
    """Judge the claims; return the Dataset of verdicts, seeds and finished trials, and records."""
    about = folder.description
    names, along = labels(about), coordinates(about)
    values: list[dict[str, list[Value]]] = [{} for _ in names]
    claims: list[list[Claim]] = [[] for _ in names]  # none where no trial has finished
    for trial in finished:
        measured = open_dataset(folder.path / TRIALS / trial.name, MEASURES)
        at = _number(trial, along)
        for name, found in ({} if measured is None else values_of(measured)).items():
            values[at].setdefault(name, []).extend(found)
        resolved = trial.description.resolved
        parameters = restore(experiment.parameters, resolved, f"{TRIALS}/{trial.name}")
        claims[at] = experiment.applicable_claims(parameters)
    judged = [judge_all(*each) for each in zip(claims, values, strict=True)]
    records = [
        ClaimRecord.of(each, name)
        for name, there in zip(names, judged, strict=True)
        for each in there
    ]
    return _dataset(experiment, along, judged, trials, finished, unfit), records


def trial_quantiles(folder: Path, together: xr.Dataset) -> xr.Dataset:
    """Return the quantiles over trials of what the trials of an ensemble stored."""
    own = open_ensemble(folder, together).drop_vars(set(together.data_vars) - {"finished"})
    return summarise(own, QUANTILES).drop_vars("finished")


def _number(trial: Trial, vary: Mapping[str, Sequence[str]]) -> int:
    """The number of a trial's combination in the order of `points`."""
    shape = [len(values) for values in vary.values()]
    return int(np.ravel_multi_index(trial.place[:-1], shape)) if shape else 0


def _dataset(
    experiment: Experiment,
    vary: Mapping[str, Sequence[str]],
    judged: Sequence[Sequence[Judged]],
    trials: Sequence[Trial],
    finished: Sequence[Trial],
    unfit: Sequence[str],
) -> xr.Dataset:
    along = [len(values) for values in vary.values()]
    lead = (*vary, TRIAL)
    shape = tuple(max(t.place[i] for t in trials) + 1 for i in range(len(lead)))
    seed, done = np.zeros(shape, np.uint64), np.zeros(shape, bool)
    for trial in trials:
        seed[trial.place] = trial.description.seed
    for trial in finished:
        done[trial.place] = True
    claims = list(experiment.claims)
    row = {claim.id: i for i, claim in enumerate(claims)}
    numbers = np.full((3, len(claims), len(judged)), np.nan)
    verdict = np.full((len(claims), len(judged)), -1, np.int8)
    for p, there in enumerate(judged):
        for each in there:
            numbers[:, row[each.claim.id], p] = each.measured
            verdict[row[each.claim.id], p] = VERDICTS.index(each.verdict)
    dimensions, full = ("claim", *vary), (len(claims), *along)
    ends = np.array([[np.nan if e is None else e for e in c.band] for c in claims]).reshape(-1, 2)
    return xr.Dataset(
        {
            "claim_value": (dimensions, numbers[0].reshape(full)),
            "claim_low": (dimensions, numbers[1].reshape(full)),
            "claim_high": (dimensions, numbers[2].reshape(full)),
            "claim_verdict": (
                dimensions,
                verdict.reshape(full),
                {"flag_values": list(range(len(VERDICTS))), "flag_meanings": list(VERDICTS)},
            ),
            "band_low": ("claim", ends[:, 0]),
            "band_high": ("claim", ends[:, 1]),
            "trial_seed": (lead, seed),
            "finished": (lead, done),
        },
        coords={
            **{key: np.asarray(values) for key, values in vary.items()},
            TRIAL: np.arange(shape[-1]),
            "claim": np.array([claim.id for claim in claims], str),
            "claim_measure": ("claim", np.array([claim.key for claim in claims], str)),
            "claim_statement": ("claim", np.array([claim.statement for claim in claims], str)),
            "claim_unit": ("claim", np.array([claim.unit for claim in claims], str)),
        },
        attrs={NOT_STACKED: list(unfit)},
    )
