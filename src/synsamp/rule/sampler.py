"""``sample``: run a rule, get an xarray Dataset with its diagnostics."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from synsamp.errors import refuse
from synsamp.progress import progress_bar
from synsamp.rule.chains import Chains
from synsamp.rule.rule import Rule

_CHUNK_SECONDS = 0.1
"""How long a chunk of steps should take: short enough for Ctrl-C and a lively progress bar."""


def sample(
    rule: Rule,
    start: ArrayLike,
    *,
    steps: int,
    dt: float,
    chains: int = 4,
    burn_in: int = 0,
    thin: int = 1,
    seed: int | np.random.SeedSequence = 0,
    threads: int | None = None,
    progress: bool = True,
) -> xr.Dataset:
    """Sample by the rule and return the draws with R-hat, ESS and Monte-Carlo errors.

    start:   parameters to begin with: shape (parameters,), the same for all chains, or
             (chains, parameters)
    steps:   steps after the burn-in; every ``thin``-th is kept
    dt:      time step Δt; with speed b the paper's learning rate is η = b Δt
    threads: default all cores; the same seed gives the same bits on any number of them

    Ctrl-C ends the run and returns the draws so far (``attrs["interrupted"]`` is then 1).
    """
    for name, value, least in (
        ("steps", steps, 1),
        ("chains", chains, 1),
        ("burn_in", burn_in, 0),
        ("thin", thin, 1),
    ):
        if int(value) != value or value < least:
            raise refuse(name, f"must be a whole number >= {least}", value)
    if thin > steps:
        raise refuse("thin", f"must be <= steps ({steps}), or nothing is kept", thin)
    first = np.atleast_1d(np.asarray(start, float))
    begin = np.broadcast_to(first, (chains, first.shape[-1])) if first.ndim == 1 else first
    if len(begin) != chains:
        raise refuse("start", f"must have {chains} rows, one per chain", first.shape)
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    moving = Chains(rule, np.array(begin), dt, root, threads or cores or 1)

    kept: list[NDArray[np.float64]] = []
    interrupted = False
    with progress_bar("sampling", burn_in + steps, progress) as advance:
        try:
            for n in _chunks(burn_in, advance):
                moving.burn_in(n)
            for n in _chunks(steps, advance):
                kept.append(moving.advance(n, thin))
        except KeyboardInterrupt:
            interrupted = True
    draws = np.concatenate(kept, axis=1) if kept else np.empty((chains, 0, begin.shape[1]))
    attributes = {
        "dt": float(dt),
        "burn_in": burn_in,
        "thin": thin,
        "seed": str(root.entropy),
        "interrupted": int(interrupted),
    }
    first_kept = burn_in + thin
    times = (first_kept + thin * np.arange(draws.shape[1])) * np.float64(dt)
    return as_dataset(draws, times, attributes)


def _chunks(total: int, advance: Callable[[float], None]) -> Iterator[int]:
    """Cut ``total`` steps into chunks of about ``_CHUNK_SECONDS`` each, reporting each one."""
    size, done = 1, 0
    while done < total:
        n = min(size, total - done)
        began = time.perf_counter()
        yield n
        took = time.perf_counter() - began
        done += n
        advance(n)
        if took < _CHUNK_SECONDS:
            size *= 2


def as_dataset(
    draws: NDArray[np.float64], times: NDArray[np.float64], attributes: dict[str, Any]
) -> xr.Dataset:
    """Draws of shape (chains, draws, parameters) as a Dataset with diagnostics per parameter."""
    theta = xr.DataArray(
        draws,
        dims=("chain", "draw", "parameter"),
        coords={"time": ("draw", times)},
        name="theta",
    )
    dataset = theta.to_dataset().assign_attrs(attributes)
    enough = draws.shape[1] >= 4  # split chains need two halves of two draws
    import arviz_stats  # half a second, so only when somebody samples

    for name, diagnostic in (
        ("r_hat", arviz_stats.rhat),
        ("ess_bulk", arviz_stats.ess),
        ("mcse_mean", arviz_stats.mcse),
    ):
        nothing = ("parameter", np.full(draws.shape[2], np.nan))
        dataset[name] = diagnostic(theta) if enough else nothing
    return dataset


def to_arviz(dataset: xr.Dataset) -> xr.DataTree:
    """The draws as ArviZ takes them, e.g. ``arviz_plots.plot_trace(to_arviz(result))``."""
    import arviz_base  # slow to import, as above

    tree: xr.DataTree = arviz_base.convert_to_datatree(dataset[["theta"]])
    return tree
