"""Many trials of the Boltzmann machine: every variant of every trial is one job."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.rbm_likelihood import exact_samples
from synsamp.data import load_digits
from synsamp.experiments.base import RunContext, Seeds, State
from synsamp.experiments.shared.boltzmann_trials import (
    HISTOGRAM_EDGES,
    N_VISIBLE,
    LearningJob,
    LearningTrial,
    TrialParameters,
    Variant,
    draw_trial,
    evaluation_updates,
    numbers,
    trace_updates,
)
from synsamp.models.rbm import RBM

N_GENERATED = 20

Table = dict[str, NDArray[Any]]


def run_trials(
    p: TrialParameters, variants: Sequence[Variant], context: RunContext
) -> dict[str, xr.Dataset]:
    """Run every variant of every trial; returns ``trials`` (numbers) and ``example`` (trial 0)."""
    makers = [
        partial(_job, p, variant, context.seed_for, t)
        for t in range(p.trials)
        for variant in variants
    ]
    ended = context.run_jobs("learning", makers)
    rows = [numbers(p, state) for state in ended]
    table = {
        name: np.stack([row[name] for row in rows]).reshape(
            (p.trials, len(variants), *np.shape(rows[0][name]))
        )
        for name in rows[0]
    }
    return {
        "trials": _trials_dataset(p, variants, {k: v.swapaxes(0, 1) for k, v in table.items()}),
        "example": _example_dataset(p, variants, context, ended[: len(variants)]),
    }


def _trial(p: TrialParameters, seed_for: Seeds, number: int) -> LearningTrial:
    return draw_trial(p, seed_for("trial", number), load_digits().train.by_digit(1))


def _job(
    p: TrialParameters, variant: Variant, seed_for: Seeds, number: int, state: State | None
) -> LearningJob:
    return LearningJob(p, variant, _trial(p, seed_for, number), state)


def _trials_dataset(p: TrialParameters, variants: Sequence[Variant], table: Table) -> xr.Dataset:
    both, nats = ("variant", "trial"), {"units": "nats per image"}
    over_time = (*both, "update")
    return xr.Dataset(
        {
            "train_log_likelihood": (over_time, table["train_log_likelihood"], nats),
            "test_log_likelihood": (over_time, table["test_log_likelihood"], nats),
            "averaged_test_log_likelihood": (both, table["averaged_test_log_likelihood"], nats),
            "single_test_log_likelihood": (both, table["single_test_log_likelihood"], nats),
            "weight_count": ((*both, "bin"), table["weight_count"]),
        },
        coords={
            "variant": np.array([variant.label for variant in variants]),
            "temperature": ("variant", np.array([v.temperature for v in variants], float)),
            "trial": np.arange(p.trials),
            "update": evaluation_updates(p),
            "bin": 0.5 * (HISTOGRAM_EDGES[1:] + HISTOGRAM_EDGES[:-1]),
        },
    )


def _example_dataset(
    p: TrialParameters,
    variants: Sequence[Variant],
    context: RunContext,
    ended: Sequence[State],
) -> xr.Dataset:
    """Pictures of trial 0: its images, 50 weights, and digits that the machines make up."""
    trial = _trial(p, context.seed_for, 0)
    machine = RBM(N_VISIBLE, p.machine.hidden_units)
    parts = [machine.parts(np.asarray(state["chains"]["theta"])[0]) for state in ended]
    generated = [
        exact_samples(N_GENERATED, np.random.default_rng(context.seed_for("generated", v)), *part)
        for v, part in enumerate(parts)
    ]
    image = ("row", "column")
    return xr.Dataset(
        {
            "train_image": (("train", *image), trial.gray_train.reshape(-1, 28, 28)),
            "test_image": (("test", *image), trial.gray_test.reshape(-1, 28, 28)),
            "trace": (
                ("variant", "time", "weight"),
                np.stack([np.asarray(state["traced"]) for state in ended]),
            ),
            "end_weight": (
                ("variant", "hidden", *image),
                np.stack([part.weights.reshape(-1, 28, 28) for part in parts]),
            ),
            "generated": (
                ("variant", "sample", *image),
                np.stack([x.reshape(-1, 28, 28) for x, _ in generated]),
            ),
            "generated_probability": (
                ("variant", "sample", *image),
                np.stack([probability.reshape(-1, 28, 28) for _, probability in generated]),
            ),
        },
        coords={
            "variant": np.array([variant.label for variant in variants]),
            "time": trace_updates(p),
        },
    )
