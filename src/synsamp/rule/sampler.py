"""``sample``: run a rule, get an xarray Dataset with its diagnostics."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from synsamp.arguments import flag, instance, numbers, text, whole
from synsamp.errors import refuse
from synsamp.progress import progress_bar
from synsamp.rule.backends import ChainBackend, make_backend
from synsamp.rule.chains import MOST_CHAINS, MOST_STEPS, Pace, as_seed
from synsamp.rule.diagnostics import diagnose
from synsamp.rule.draw_store import DrawStore, MemoryStore, ZarrStore
from synsamp.rule.rule import Rule
from synsamp.rule.step import check_step, probe_states

_MOST_KEPT = 2**22
"""Numbers that one piece of the run may hand over: 32 MB."""


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
    store: str | Path | None = None,
) -> xr.Dataset:
    """Sample by the rule and return the draws with R-hat, ESS and Monte-Carlo errors.

    start:   parameters to begin with: shape (parameters,), the same for all chains, or
             (chains, parameters)
    steps:   steps after the burn-in; every ``thin``-th is kept
    dt:      time step Δt; with speed b the paper's learning rate is η = b Δt
    threads: default all cores; the same seed gives the same bits on any number of them
    store:   a new Zarr folder to write the draws to, for runs longer than memory; the Dataset then
             reads from it when asked

    Warns (``StepSizeWarning``) where ``dt`` is too large for the curvature at the draws; the share by
    which the spread is then too wide is ``attrs["spread_inflation"]``.

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
        wanted = f"must have shape (parameters,) or ({chains}, parameters)"
        raise refuse("start", wanted, first.shape, "the rows are chains=")
    root = as_seed(seed)
    backend = make_backend(rule, begin, dt, root, _cores() if threads is None else threads)

    shape = (chains, steps // thin, begin.shape[1])
    kept: DrawStore = MemoryStore(shape) if store is None else ZarrStore(_new_folder(store), shape)
    most = max(1, _MOST_KEPT // (chains * begin.shape[1]))
    interrupted, pace = False, Pace()
    with progress_bar("sampling", burn_in + steps, progress) as advance:
        try:
            for n in pace.pieces(burn_in):
                backend.burn_in(n)
                advance(n)
            for n in pace.pieces(steps, most=most * thin):
                kept.append(backend.advance(n, thin))
                advance(n)
        except KeyboardInterrupt:
            interrupted = True
    n_draws = kept.close()
    attributes = {
        "dt": backend.dt,
        "burn_in": burn_in,
        "thin": thin,
        "seed": str(root.entropy),
        "interrupted": int(interrupted),
        "spread_inflation": _check_step(rule, kept, (chains, n_draws), backend, thin),
    }
    found = diagnose(kept.read, (chains, n_draws, shape[2]), backend.threads)
    times = (burn_in + thin + thin * np.arange(n_draws)) * np.float64(backend.dt)
    return kept.dataset(
        xr.Dataset(
            {name: ("parameter", values) for name, values in found.items()},
            coords={"time": ("draw", times)},
            attrs=attributes,
        )
    )


def _check_step(
    rule: Rule, kept: DrawStore, counts: tuple[int, int], backend: ChainBackend, thin: int
) -> float:
    n_chains, n_draws = counts
    if n_draws == 0:
        return float("nan")
    places = probe_states(n_chains, n_draws, n_chains * n_draws * thin)
    states = np.stack([kept.state(chain, draw) for chain, draw in places])
    return check_step(rule, states, backend.dt, backend.time, backend.fixed_gradient)


def _new_folder(store: Any) -> Path:
    instance("store", store, (str, Path), "name a new folder")
    return Path(text("store", str(store)))


def _cores() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return usable or 1
