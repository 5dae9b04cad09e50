"""``sample``: run a rule and return an xarray Dataset of draws with diagnostics."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from synsamp.arguments import flag, instance, number, numbers, whole
from synsamp.errors import refuse
from synsamp.progress import progress_bar
from synsamp.rule.backends import (
    MOST_CHAINS,
    MOST_STEPS,
    ChainBackend,
    DivergedError,
    Floats,
    Pace,
    as_seed,
)
from synsamp.rule.chains import Chains
from synsamp.rule.diagnostics import diagnose
from synsamp.rule.draw_store import DrawStore, MemoryStore, ZarrStore
from synsamp.rule.likelihood import Batch, Likelihood
from synsamp.rule.mala import MALA
from synsamp.rule.method import Method
from synsamp.rule.overdamped import Overdamped
from synsamp.rule.pilot import MakeBackend, tune
from synsamp.rule.rule import Rule
from synsamp.rule.step import check_step, probe_states
from synsamp.rule.underdamped import Underdamped

_MOST_KEPT = 2**22
"""Numbers in the draws of one piece of the run: 32 MB."""
_FIRST_DRAWS, _MOST_DRAWN = 256, 2**26
"""A run until ``ess`` begins with so many draws per chain and ends at so many numbers (0.5 GB)."""
_R_HAT = 1.01
_ATTEMPTS = 6
"""How often an automatic step is halved if a run diverges."""
_PILOT = (2**32 - 1,)


class ConvergenceWarning(UserWarning):
    """A run ended before the effective sample size was reached."""


def sample(
    rule: Rule,
    start: ArrayLike,
    *,
    steps: int | None = None,
    dt: float | Literal["auto"] = "auto",
    ess: float = 400.0,
    method: Method = Overdamped(),  # noqa: B008 (frozen)
    chains: int = 4,
    burn_in: int = 0,
    thin: int | None = None,
    seed: int | np.random.SeedSequence = 0,
    threads: int | None = None,
    diagnostics: bool = True,
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
    steps : int, optional
        Steps per chain after the burn-in. Default: until ``ess`` is reached and R-hat is below
        1.01 for every parameter.
    dt : float or "auto"
        Time step Δt, in the time unit of the speed b; the paper's learning rate is η = b Δt.
        "auto" finds it in a pilot run, which is also the burn-in: chains with equal start values
        are spread, and all start where the pilot ended.
    ess : float
        Effective sample size of every parameter that ends the run if ``steps`` is None.
    method : Overdamped, Underdamped or MALA
        How θ moves: the paper's dynamics, with inertia (faster), or with rejection (exact).
    chains : int
        Number of independent chains.
    burn_in : int
        Steps before the first draw.
    thin : int, optional
        Keep every ``thin``-th step. Default: 1, or with ``dt="auto"`` a tenth of the relaxation
        time of the slowest direction.
    seed : int or numpy.random.SeedSequence
        Results for one seed are bit-identical.
    threads : int, optional
        Default: all cores. Results do not depend on it.
    diagnostics : bool
        Compute R-hat, ESS and Monte-Carlo error, and check the step.
    progress : bool
        Show a progress bar.
    store : str or Path, optional
        New Zarr folder for draws that do not fit into memory; the Dataset reads from it.

    Returns
    -------
    xarray.Dataset
        ``theta`` (chain, draw, parameter), ``r_hat``, ``ess_bulk`` and ``mcse_mean`` per parameter,
        and the time of each draw; ``attrs`` has ``dt`` and ``tau``. After Ctrl-C it holds the draws
        collected so far, and ``attrs["interrupted"]`` is 1.

    Warns
    -----
    StepSizeWarning
        If ``dt`` is too large for the curvature at the draws. ``attrs["spread_inflation"]`` is the
        fraction by which the spread of θ is then too wide in the sharpest direction.
    ConvergenceWarning
        If ``ess`` was not reached.

    Examples
    --------
    >>> result = sample(Rule(prior=Gaussian(0, 1)), start=[0.0], method=Underdamped())
    >>> result.theta.mean().item()
    """
    instance("rule", rule, Rule, "make one with synsamp.Rule(...)")
    instance("method", method, (Overdamped, Underdamped, MALA), "e.g. synsamp.Underdamped()")
    if steps is not None:
        steps = whole("steps", steps, at_least=1, at_most=MOST_STEPS)
    ess = number("ess", ess, above=0, at_most=1e9)
    chains = whole("chains", chains, at_least=1, at_most=MOST_CHAINS)
    burn_in = whole("burn_in", burn_in, at_least=0, at_most=MOST_STEPS)
    thin = None if thin is None else whole("thin", thin, at_least=1)
    if steps is not None and thin is not None and thin > steps:
        raise refuse("thin", f"must be <= steps ({steps}), or nothing is kept", thin)
    flag("progress", progress)
    flag("diagnostics", diagnostics)
    if steps is None and (store is not None or not diagnostics):
        raise refuse("steps", "must be given with store= or diagnostics=False", None)
    remedy = "give start values of the parameters; for a pytree use synsamp.jax.sampler and run"
    first = np.atleast_1d(numbers("start", start, remedy=remedy))
    begin = np.broadcast_to(first, (chains, first.shape[-1])) if first.ndim == 1 else first
    if begin.ndim != 2 or len(begin) != chains:
        wanted = f"must have shape (parameters,) or ({chains}, parameters)"
        raise refuse("start", wanted, first.shape, "the rows are chains=")
    root = as_seed(seed)
    workers = _cores() if threads is None else threads

    def make(
        start: Floats, dt: float, seed: np.random.SeedSequence, method: Method
    ) -> ChainBackend:
        return make_backend(rule, start, dt, seed, workers, method)

    automatic = isinstance(dt, str) and dt == "auto"
    if isinstance(dt, str) and dt == "auto":
        dt, method, begin, relaxation, _ = tune(make, rule, begin, method, _pilot_seed(root))
        if thin is None:
            most = max(1, steps // 100) if steps is not None else MOST_STEPS
            thin = int(np.clip(relaxation / dt / 10, 1, most))
    thin = thin or 1
    total = None if steps is None else burn_in + steps
    attempts = _ATTEMPTS if automatic else 1
    while True:
        attempts -= 1
        backend = make(begin, dt, _copy(root) if automatic else root, method)
        with progress_bar("sampling", total, progress) as advance:
            try:
                kept, interrupted = _collect(backend, burn_in, steps, thin, ess, store, advance)
                break
            except DivergedError:  # a state sharper than those of the pilot
                if not attempts or store is not None:
                    raise
                dt /= 2
    n_draws = kept.close()
    attributes: dict[str, Any] = {
        "dt": backend.dt,
        "burn_in": burn_in,
        "thin": thin,
        "seed": str(root.entropy),
        "interrupted": int(interrupted),
    }
    if isinstance(method, Underdamped):
        attributes["tau"] = method.tau
    found = {}
    if diagnostics:
        found = diagnose(kept.read, (chains, n_draws, begin.shape[1]), backend.threads)
        if steps is None and not interrupted and not _enough(found, ess):
            _warn_not_converged(found, ess)
        attributes["spread_inflation"] = _check_step(
            kept, n_draws, backend, thin, lambda: _find_dt(make, backend, begin, root)
        )
    times = (burn_in + thin + thin * np.arange(n_draws)) * np.float64(backend.dt)
    return kept.dataset(
        xr.Dataset(
            {name: ("parameter", values) for name, values in found.items()},
            coords={"time": ("draw", times)},
            attrs=attributes,
        )
    )


def _collect(
    backend: ChainBackend,
    burn_in: int,
    steps: int | None,
    thin: int,
    ess: float,
    store: str | Path | None,
    report: Callable[[int], None],
) -> tuple[DrawStore, bool]:
    """Burn in and advance; returns the draws and whether Ctrl-C stopped the run."""
    chains, size = backend.theta.shape
    try:
        for n in Pace().pieces(burn_in):
            backend.burn_in(n)
            report(n)
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
    if steps is None and not interrupted:
        return _until(backend, ess, thin, report)
    shape = (chains, (steps or 0) // thin, size)
    kept: DrawStore = MemoryStore(shape) if store is None else ZarrStore(store, shape)
    if not interrupted:
        interrupted = _advance(backend, steps or 0, thin, kept, report)
    return kept, interrupted


def _copy(root: np.random.SeedSequence) -> np.random.SeedSequence:
    """The same seed, so that a second attempt uses the same noise."""
    return np.random.SeedSequence(
        root.entropy, spawn_key=root.spawn_key, n_children_spawned=root.n_children_spawned
    )


def _pilot_seed(root: np.random.SeedSequence) -> np.random.SeedSequence:
    """A seed for the pilot that differs from those of the run, and leaves ``root`` unchanged."""
    return np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, *_PILOT))


def _advance(
    backend: ChainBackend, steps: int, thin: int, kept: DrawStore, report: Callable[[int], None]
) -> bool:
    """Advance and store the draws; returns whether Ctrl-C stopped it."""
    chains, size = backend.theta.shape
    try:
        for n in Pace().pieces(steps, most=max(1, _MOST_KEPT // (chains * size)) * thin):
            kept.append(backend.advance(n, thin))
            report(n)
    except KeyboardInterrupt:
        return True
    return False


def _until(
    backend: ChainBackend, ess: float, thin: int, report: Callable[[int], None]
) -> tuple[MemoryStore, bool]:
    """Advance in rounds of doubling length until every parameter has the ESS."""
    chains, size = backend.theta.shape
    n = max(_FIRST_DRAWS, int(ess) // chains)
    whole_run = MemoryStore((chains, 0, size))
    while True:
        more = MemoryStore((chains, n - whole_run.n_draws, size))
        interrupted = _advance(backend, (n - whole_run.n_draws) * thin, thin, more, report)
        more.close()
        whole_run = whole_run.joined(more)
        shape = (chains, whole_run.n_draws, size)
        if interrupted or n * chains * size >= _MOST_DRAWN:
            return whole_run, interrupted
        if _enough(diagnose(whole_run.read, shape, backend.threads), ess):
            return whole_run, False
        n *= 2


def _enough(found: dict[str, Floats], ess: float) -> bool:
    return bool(np.all(found["ess_bulk"] >= ess) and not np.any(found["r_hat"] >= _R_HAT))


def _warn_not_converged(found: dict[str, Floats], ess: float) -> None:
    warnings.warn(
        f"ess must reach {ess:g} with R-hat below {_R_HAT:g}, got {np.min(found['ess_bulk']):.0f} "
        f"and {np.max(found['r_hat']):.3f} in the longest run that is kept in memory; try "
        "method=synsamp.Underdamped(), or look for several modes",
        ConvergenceWarning,
        stacklevel=3,
    )


def _check_step(
    kept: DrawStore,
    n_draws: int,
    backend: ChainBackend,
    thin: int,
    find_dt: Callable[[], float],
) -> float:
    n_chains = len(backend.theta)
    if n_draws == 0:
        return float("nan")
    places = probe_states(n_chains, n_draws, n_chains * n_draws * thin)
    states = np.stack([kept.state(chain, draw) for chain, draw in places])
    rule, gradient, method = backend.rule, backend.fixed_gradient, backend.method
    return check_step(rule, states, backend.dt, backend.time, gradient, method, find_dt)


def _find_dt(
    make: MakeBackend, backend: ChainBackend, start: Floats, root: np.random.SeedSequence
) -> float:
    """A good step for the same method, from a pilot: draws of biased chains may mislead."""
    rule, method = backend.rule, backend.method
    if rule.likelihood is not None and not rule.likelihood.has_fixed_gradient:
        return backend.dt / 10
    return method.best_dt(*tune(make, rule, start, method, _pilot_seed(root)).curvature)


def make_backend(
    rule: Rule,
    start: Floats,
    dt: float,
    seed: np.random.SeedSequence,
    threads: int,
    method: Method,
) -> ChainBackend:
    """Chains that run where the likelihood was compiled for: here, or on JAX's device.

    `synsamp.jax` is an extra that imports this folder, so it is imported only when needed.
    """
    if is_jax_jitted(rule.likelihood):
        found: ChainBackend = import_module("synsamp.jax.chains").JaxChains(
            rule, start, dt, seed, threads, method
        )
        return found
    return Chains(rule, start, dt, seed, threads, method)


def is_jax_jitted(likelihood: Likelihood | None) -> bool:
    """Whether a batch likelihood was compiled by ``jax.jit``."""
    jax = sys.modules.get("jax")  # already imported if such a function exists
    if jax is None or type(likelihood) is not Batch:
        return False
    return isinstance(likelihood.gradient, jax.stages.Wrapped)


def _cores() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return usable or 1
