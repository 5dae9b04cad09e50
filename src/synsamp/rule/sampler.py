"""``sample``: run a rule, get an xarray Dataset with its diagnostics."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from synsamp.arguments import flag, instance, numbers, whole
from synsamp.errors import refuse
from synsamp.progress import progress_bar
from synsamp.rule.chains import MOST_CHAINS, MOST_STEPS, Chains, as_seed, pieces
from synsamp.rule.rule import Rule


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
    instance("rule", rule, Rule, "make one with synsamp.Rule(...)")
    steps = whole("steps", steps, at_least=1, at_most=MOST_STEPS)
    chains = whole("chains", chains, at_least=1, at_most=MOST_CHAINS)
    burn_in = whole("burn_in", burn_in, at_least=0, at_most=MOST_STEPS)
    thin = whole("thin", thin, at_least=1)
    if thin > steps:
        raise refuse("thin", f"must be <= steps ({steps}), or nothing is kept", thin)
    flag("progress", progress)
    first = np.atleast_1d(numbers("start", start, remedy="give start values of the parameters"))
    begin = np.broadcast_to(first, (chains, first.shape[-1])) if first.ndim == 1 else first
    if begin.ndim != 2 or len(begin) != chains:
        shape = f"must have shape (parameters,) or ({chains}, parameters)"
        raise refuse("start", shape, first.shape, "the rows are chains=")
    root = as_seed(seed)
    moving = Chains(rule, begin, dt, root, _cores() if threads is None else threads)

    kept: list[NDArray[np.float64]] = []
    interrupted = False
    with progress_bar("sampling", burn_in + steps, progress) as advance:
        try:
            for n in pieces(burn_in):
                moving.burn_in(n)
                advance(n)
            for n in pieces(steps):
                kept.append(moving.advance(n, thin))
                advance(n)
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


def _cores() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return usable or 1


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
