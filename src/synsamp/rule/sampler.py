"""``sample``: run a rule and return an xarray Dataset of draws with diagnostics."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from synsamp.arguments import flag, instance, numbers, whole
from synsamp.errors import refuse
from synsamp.progress import progress_bar
from synsamp.rule.backends import MOST_CHAINS, MOST_STEPS, ChainBackend, Floats, Pace, as_seed
from synsamp.rule.chains import Chains
from synsamp.rule.diagnostics import diagnose
from synsamp.rule.draw_store import DrawStore, MemoryStore, ZarrStore
from synsamp.rule.likelihood import Batch, Likelihood
from synsamp.rule.rule import Rule
from synsamp.rule.step import check_step, probe_states

_MOST_KEPT = 2**22
"""Numbers in the draws of one piece of the run: 32 MB."""


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
    """Sample from the stationary distribution of a rule (Eq. 21, the rule in discrete time).

    Parameters
    ----------
    rule : Rule
        Prior, likelihood, speed, temperature and mapping.
    start : array_like, shape (parameters,) or (chains, parameters)
        Start values of θ, shared by all chains or one row per chain.
    steps : int
        Steps per chain after the burn-in.
    dt : float
        Time step Δt, in the time unit of the speed b; the paper's learning rate is η = b Δt.
    chains : int
        Number of independent chains.
    burn_in : int
        Steps before the first draw.
    thin : int
        Keep every ``thin``-th step.
    seed : int or numpy.random.SeedSequence
        Results for one seed are bit-identical.
    threads : int, optional
        Default: all cores. Results do not depend on it.
    progress : bool
        Show a progress bar.
    store : str or Path, optional
        New Zarr folder for draws that do not fit into memory; the Dataset reads from it.

    Returns
    -------
    xarray.Dataset
        ``theta`` (chain, draw, parameter), ``r_hat``, ``ess_bulk`` and ``mcse_mean`` per parameter,
        and the time of each draw. After Ctrl-C it holds the draws collected so far, and
        ``attrs["interrupted"]`` is 1.

    Warns
    -----
    StepSizeWarning
        If ``dt`` is too large for the curvature at the draws. ``attrs["spread_inflation"]`` is the
        fraction by which the spread of θ is then too wide.

    Examples
    --------
    >>> result = sample(Rule(prior=Gaussian(0, 1)), start=[0.0], steps=1000, dt=0.01)
    >>> result.theta.mean().item()
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
    kept: DrawStore = MemoryStore(shape) if store is None else ZarrStore(store, shape)
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


def make_backend(
    rule: Rule, start: Floats, dt: float, seed: np.random.SeedSequence, threads: int
) -> ChainBackend:
    """Chains that run where the likelihood was compiled for: here, or on JAX's device.

    `synsamp.jax` is an extra that imports this folder, so it is imported only when needed.
    """
    if is_jax_jitted(rule.likelihood):
        found: ChainBackend = import_module("synsamp.jax.chains").JaxChains(
            rule, start, dt, seed, threads
        )
        return found
    return Chains(rule, start, dt, seed, threads)


def is_jax_jitted(likelihood: Likelihood | None) -> bool:
    """Whether a batch likelihood was compiled by ``jax.jit``."""
    jax = sys.modules.get("jax")  # already imported if such a function exists
    if jax is None or type(likelihood) is not Batch:
        return False
    return isinstance(likelihood.gradient, jax.stages.Wrapped)


def _cores() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return usable or 1
