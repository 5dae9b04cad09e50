"""Run many trials of the Boltzmann machine on all cores, and take them up after a stop.

A trial of one variant is one job of a few seconds. Its place in the tables depends on nothing but
its number, so the results are the same bits on any number of threads and after any stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.rbm_likelihood import exact_samples
from synsamp.data import load_digits
from synsamp.experiments.boltzmann.trials import (
    HISTOGRAM_EDGES,
    N_TRACES,
    N_VISIBLE,
    Row,
    TrialParameters,
    Variant,
    draw_trial,
    evaluation_updates,
    learn,
    learner,
    trace_updates,
)
from synsamp.experiments.protocol import ProgressBar, RunContext
from synsamp.models.rbm import RBM

N_GENERATED = 20

Table = dict[str, NDArray[Any]]


class _Stopped(Exception):  # noqa: N818 (an order, not an error)
    """The run is ending; a job has nothing to return."""


def run_trials(
    p: TrialParameters, variants: Sequence[Variant], context: RunContext
) -> dict[str, xr.Dataset]:
    """Run every variant of every trial; returns ``trials`` (numbers) and ``example`` (trial 0)."""
    ones = load_digits().train.by_digit(1)
    table = _empty_table(p, len(variants))
    saved = context.checkpoint.load()
    if saved is not None:
        for name, array in saved.items():
            table[name][...] = array
    if not table["done"].all():
        _run_jobs(p, variants, context, ones, table)
    return {
        "trials": _trials_dataset(p, variants, table),
        "example": _example_dataset(p, variants, context, ones, table),
    }


def _empty_table(p: TrialParameters, n_variants: int) -> Table:
    """All that is kept, and all that a checkpoint holds."""
    both = (n_variants, p.trials)
    n_evaluations, n_times = evaluation_updates(p).size, trace_updates(p).size
    size = RBM(N_VISIBLE, p.machine.hidden_units).size
    return {
        "done": np.zeros(both, bool),
        "train_log_likelihood": np.zeros((*both, n_evaluations)),
        "test_log_likelihood": np.zeros((*both, n_evaluations)),
        "averaged_test_log_likelihood": np.zeros(both),
        "single_test_log_likelihood": np.zeros(both),
        "weight_count": np.zeros((*both, HISTOGRAM_EDGES.size - 1), np.int64),
        "trace": np.zeros((n_variants, n_times, N_TRACES)),
        "theta": np.zeros((n_variants, size)),
    }


def _run_jobs(
    p: TrialParameters,
    variants: Sequence[Variant],
    context: RunContext,
    ones: NDArray[Any],
    table: Table,
) -> None:
    with context.progress("compiling", total=len(variants)) as bar:
        first = draw_trial(p, context.seed_for("trial", 0), ones)
        for variant in variants:  # here, because threads would each compile for themselves
            learner(p, variant, first).burn_in(1)
            bar.advance()
    stop = threading.Event()
    jobs = [
        (t, v) for t in range(p.trials) for v in range(len(variants)) if not table["done"][v, t]
    ]
    total = p.trials * len(variants) * p.learning.updates
    with (
        context.progress("learning", total=total) as bar,
        ThreadPoolExecutor(context.threads) as pool,
    ):
        bar.advance(total - len(jobs) * p.learning.updates)
        advance = _advance(bar, stop)

        def one(t: int, v: int) -> tuple[Row, Row]:
            return learn(p, variants[v], draw_trial(p, context.seed_for("trial", t), ones), advance)

        running = {pool.submit(one, t, v): (t, v) for t, v in jobs}
        try:
            for job in as_completed(running):
                t, v = running.pop(job)
                _note(table, t, v, *job.result())
                if context.checkpoint.due():
                    context.checkpoint.save(table)
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _advance(bar: ProgressBar, stop: threading.Event) -> Callable[[int], None]:
    def advance(updates: int) -> None:
        if stop.is_set():
            raise _Stopped
        bar.advance(updates)

    return advance


def _note(table: Table, t: int, v: int, numbers: Row, pictures: Row) -> None:
    for name, value in numbers.items():
        table[name][v, t] = value
    if t == 0:
        for name, value in pictures.items():
            table[name][v] = value
    table["done"][v, t] = True


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
    ones: NDArray[Any],
    table: Table,
) -> xr.Dataset:
    """Pictures of trial 0: its images, 50 weights, and digits that the machines make up."""
    trial = draw_trial(p, context.seed_for("trial", 0), ones)
    machine = RBM(N_VISIBLE, p.machine.hidden_units)
    parts = [machine.parts(theta) for theta in table["theta"]]
    generated = [
        exact_samples(N_GENERATED, np.random.default_rng(context.seed_for("generated", v)), *part)
        for v, part in enumerate(parts)
    ]
    image = ("row", "column")
    return xr.Dataset(
        {
            "train_image": (("train", *image), trial.gray_train.reshape(-1, 28, 28)),
            "test_image": (("test", *image), trial.gray_test.reshape(-1, 28, 28)),
            "trace": (("variant", "time", "weight"), table["trace"]),
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
