"""Let every variant of a trial learn, and record it at fixed updates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.rbm_likelihood import (
    exact_samples,
    log_likelihood,
    log_mean_likelihood,
    log_partition,
)
from synsamp.data import load_digits
from synsamp.experiments.base import Results, RunContext
from synsamp.paper.shared.boltzmann_trial import (
    HISTOGRAM_EDGES,
    N_TRACES,
    LearningTrial,
    TrialParameters,
    Variant,
    draw_trial,
    evaluation_updates,
    learner,
    machine_of,
    trace_updates,
)
from synsamp.seeds import named_seed

N_GENERATED = 20
NATS = {"units": "nats per image"}


class LearningCurves:
    """Records of all variants so far; empty at first."""

    def __init__(self, p: TrialParameters, n_variants: int) -> None:
        evaluations = (n_variants, evaluation_updates(p).size)
        self.train = np.zeros(evaluations)
        self.test = np.zeros((*evaluations, p.test_images))
        self.trace = np.zeros((n_variants, trace_updates(p).size, N_TRACES))
        self.end = np.zeros((n_variants, machine_of(p).size))

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """All records by name."""
        return {"train": self.train, "test": self.test, "trace": self.trace, "end": self.end}


def train_variants(
    p: TrialParameters, variants: Sequence[Variant], seed: int, context: RunContext
) -> Results:
    """Run one trial; returns ``learning`` (curves) and ``example`` (pictures)."""
    trial = draw_trial(p, named_seed(seed, "trial"), load_digits().train.by_digit(1))
    recorded = _record_while_learning(p, variants, trial, context)
    return {
        "learning": _numbers(p, variants, recorded),
        "example": _pictures(p, variants, trial, recorded, seed),
    }


def _record_while_learning(
    p: TrialParameters, variants: Sequence[Variant], trial: LearningTrial, context: RunContext
) -> LearningCurves:
    """Train one variant after another; continues from a checkpoint."""
    recorded, done, saved = LearningCurves(p, len(variants)), 0, context.checkpoint.load()
    points = np.union1d(evaluation_updates(p), trace_updates(p))
    if saved is not None:
        done = int(saved["points"])
        for name, array in recorded.arrays().items():
            array[:] = saved[name]
    with context.progress("learning", total=len(variants) * points.size) as bar:
        bar.advance(done)
        for v in range(done // points.size, len(variants)):
            chains = learner(p, variants[v], trial)
            if saved is not None and done % points.size:
                chains.restore(saved["chains"])
            for update in points[done % points.size :].tolist():
                chains.burn_in(update - chains.step)
                _record(p, trial, recorded, v, update, chains.theta[0])
                done += 1
                bar.advance()
                if context.checkpoint.due():
                    state = {"points": done, "chains": chains.state()}
                    context.checkpoint.save(state | recorded.arrays())
    return recorded


def _record(
    p: TrialParameters,
    trial: LearningTrial,
    recorded: LearningCurves,
    v: int,
    update: int,
    theta: NDArray[np.float64],
) -> None:
    evaluations, traces = evaluation_updates(p), trace_updates(p)
    if update in evaluations:
        i = np.searchsorted(evaluations, update)
        parts = machine_of(p).parts(theta)
        log_z = log_partition(*parts)
        recorded.train[v, i] = log_likelihood(trial.train, *parts, log_z).mean()
        recorded.test[v, i] = log_likelihood(trial.test, *parts, log_z)
    if update in traces:
        recorded.trace[v, np.searchsorted(traces, update)] = theta[trial.traced_weights]
    recorded.end[v] = theta


def _numbers(
    p: TrialParameters, variants: Sequence[Variant], recorded: LearningCurves
) -> xr.Dataset:
    over_time = ("branch", "update")
    second_half = recorded.test[:, evaluation_updates(p) > p.learning.updates / 2]
    weights = [machine_of(p).parts(theta).weights for theta in recorded.end]
    counts = np.stack([np.histogram(w, HISTOGRAM_EDGES)[0] for w in weights])
    # The average of p(x|θ) over samples of the second half, and the mean over single samples.
    averaged = np.array([log_mean_likelihood(one).mean() for one in second_half])
    single = np.array([one.mean() for one in second_half])
    return xr.Dataset(
        {
            "train_log_likelihood": (over_time, recorded.train, NATS),
            "test_log_likelihood": (over_time, recorded.test.mean(axis=2), NATS),
            "averaged_test_log_likelihood": ("branch", averaged, NATS),
            "single_test_log_likelihood": ("branch", single, NATS),
            "weight_count": (("branch", "bin"), counts),
        },
        coords={
            "branch": np.array([variant.label for variant in variants]),
            "temperature": ("branch", np.array([v.temperature for v in variants], float)),
            "update": evaluation_updates(p),
            "bin": 0.5 * (HISTOGRAM_EDGES[1:] + HISTOGRAM_EDGES[:-1]),
        },
    )


def _pictures(
    p: TrialParameters,
    variants: Sequence[Variant],
    trial: LearningTrial,
    recorded: LearningCurves,
    seed: int,
) -> xr.Dataset:
    """Images of a trial, 50 weights, and digits that the machines generate at the end.

    In single precision, because they are only drawn.
    """
    parts = [machine_of(p).parts(theta) for theta in recorded.end]
    seeds = [named_seed(seed, "generated", variant.label) for variant in variants]
    drawn = [
        exact_samples(N_GENERATED, np.random.default_rng(own), *part)
        for own, part in zip(seeds, parts, strict=True)
    ]
    images, probabilities = (
        np.stack(each).reshape(len(variants), -1, 28, 28) for each in zip(*drawn, strict=True)
    )
    image = ("row", "column")
    of_sample = ("branch", "sample", *image)
    end_weight = np.stack([part.weights.reshape(-1, 28, 28) for part in parts])
    return xr.Dataset(
        {
            "train_image": (("train", *image), trial.gray_train.reshape(-1, 28, 28)),
            "test_image": (("test", *image), trial.gray_test.reshape(-1, 28, 28)),
            "trace": (("branch", "time", "weight"), recorded.trace.astype(np.float32)),
            "end_weight": (("branch", "hidden", *image), end_weight.astype(np.float32)),
            "generated": (of_sample, images.astype(np.uint8)),
            "generated_probability": (of_sample, probabilities.astype(np.float32)),
        },
        coords={
            "branch": np.array([variant.label for variant in variants]),
            "time": trace_updates(p),
        },
    )
