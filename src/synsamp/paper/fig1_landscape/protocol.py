"""One run of Fig. 1: maximum likelihood paths, and sampling at three temperatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.distance import total_variation_by_chance
from synsamp.errors import refuse
from synsamp.experiments.base import Results, RunContext
from synsamp.models.landscape import Landscape
from synsamp.paper.fig1_landscape.measures import NEAR
from synsamp.paper.fig1_landscape.parameters import LandscapeParameters
from synsamp.paper.shared.limits import MOST_STEPS
from synsamp.priors import Gaussian
from synsamp.rule import Chains, Rule
from synsamp.rule.theory import fokker_planck
from synsamp.seeds import named_seed

_GRID = np.linspace(-4.0, 4.0, 121)
MOST_RELAXATION = 1e6
"""Longest relaxation time for which chains can settle; beyond it they never leave a mode."""
TEMPERATURES = ("at_T", "hot", "cold")
"""Branches of sampling."""


def run(parameters: LandscapeParameters, seed: int, context: RunContext) -> Results:
    """Compute the landscape, follow its gradient, and sample from it at three temperatures."""
    land = Landscape(**parameters.peaks.model_dump())
    rule = parameters.rule
    prior = Gaussian(rule.prior.mean, rule.prior.std)
    posterior = Rule(land.likelihood(), prior, rule.speed, rule.temperature)
    stationary = fokker_planck(posterior, _GRID, _GRID, log_likelihood=land.log_likelihood)
    relaxation = stationary.relaxation_time()
    settling = 5 * relaxation / rule.dt * parameters.chains
    if not 0 < relaxation <= MOST_RELAXATION or settling > MOST_STEPS:
        raise refuse(
            "peaks, rule.prior.std and rule.temperature",
            f"must let chains move between the peaks within {MOST_RELAXATION:g} units of time",
            f"a relaxation time of {relaxation:.3g}",
            "raise rule.temperature, or move the peaks closer together",
        )

    def log_posterior(theta: Any) -> Any:
        return land.log_likelihood(theta) + prior.log_density(theta).sum(axis=-1)

    maxima = land.maxima(log_posterior)
    temperatures = (rule.temperature, rule.hot, rule.cold)
    total = parameters.ml_time + 3 * parameters.path_time + 2 * parameters.chain_time
    with context.progress("gradient ascent and sampling", total=total) as bar:
        ml = _ml_paths(parameters, land, seed, context.threads)
        bar.advance(parameters.ml_time)
        paths = []
        for T in temperatures:
            at_t = Rule(land.likelihood(), prior, rule.speed, T)
            start = maxima[:1] if rule.cold == T else np.zeros((1, 2))
            one = Chains(at_t, start, rule.dt, named_seed(seed, "path", str(T)))
            paths.append(_record(one, parameters.path_time, rule.dt, every=0.02)[0])
            bar.advance(parameters.path_time)
        counts = []
        for T in temperatures[:2]:
            at_t = Rule(land.likelihood(), prior, rule.speed, T)
            # The error of the Euler method is of first order in Δt. Hot chains mix fast, and their
            # many states would reveal it at the step of the others: they take shorter steps.
            dt = rule.dt / max(1.0, T / rule.temperature)
            many = Chains(
                at_t,
                np.zeros((parameters.chains, 2)),
                dt,
                named_seed(seed, "chains", str(T)),
                context.threads,
            )
            many.burn_in(int(5 * relaxation / dt))
            states = _record(many, parameters.chain_time, dt, every=0.1)
            near = ("chain", _share_near(states, maxima))
            counts.append(_count(states, parameters.bins).assign(near=near))
            bar.advance(parameters.chain_time)

    surfaces = xr.Dataset(
        {
            "likelihood": (("x", "y"), np.exp(land.log_likelihood(_points(_GRID)))),
            "prior": (("x", "y"), np.exp(prior.log_density(_points(_GRID)).sum(-1))),
            "posterior": (("x", "y"), stationary.stationary),
        },
        {"x": _GRID, "y": _GRID},
    )
    visited = xr.concat(counts, xr.IndexVariable("branch", list(TEMPERATURES[:2])))
    visited["expected"] = (("bx", "by"), _expected(log_posterior, parameters))
    visited["near_expected"] = _expected_near(log_posterior, rule.hot, maxima, land)
    rng = np.random.default_rng(named_seed(seed, "by chance"))
    by_chance = [total_variation_by_chance(one, 0.999, rng) for one in visited.counts.values]
    visited = visited.assign(relaxation_time=relaxation, by_chance=("branch", by_chance))
    return {
        "surfaces": surfaces,
        "maxima": xr.Dataset(
            {
                "likelihood": (("peak", "parameter"), land.maxima()),
                "posterior": (("mode", "parameter"), maxima),
            }
        ),
        "ml": ml,
        "paths": xr.Dataset(
            {"theta": (("branch", "draw", "parameter"), np.stack(paths))},
            {"branch": list(TEMPERATURES), "T": ("branch", list(temperatures))},
        ),
        "visited": visited,
        "forces": _forces(posterior, land, prior, paths[0], seed),
    }


def _points(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)


def _ml_paths(
    parameters: LandscapeParameters, land: Landscape, seed: int, threads: int
) -> xr.Dataset:
    """Paths of the rule without prior and noise, and where the same paths end with noise."""
    rng = np.random.default_rng(named_seed(seed, "ml start"))
    start = rng.uniform(-3.0, 3.0, (parameters.ml_paths, 2))
    likelihood = land.likelihood()

    def climb(temperature: float) -> NDArray[np.float64]:
        rule = Rule(likelihood, speed=parameters.rule.speed, temperature=temperature)
        moving = Chains(rule, start, parameters.rule.dt, named_seed(seed, "ml"), threads)
        return _record(moving, parameters.ml_time, parameters.rule.dt, every=0.04)

    def slope(ends: NDArray[np.float64]) -> NDArray[np.float64]:
        found = [np.asarray(likelihood.gradient(end, *likelihood.data)) for end in ends]
        return np.linalg.norm(found, axis=1)

    states = climb(0.0)
    ends = states[:, -1], climb(parameters.rule.temperature)[:, -1]
    return xr.Dataset(
        {
            "theta": (
                ("path", "draw", "parameter"),
                np.concatenate([start[:, None], states], axis=1),
            ),
            "end": (("branch", "path", "parameter"), np.stack(ends)),
            "end_slope": (("branch", "path"), np.stack([slope(end) for end in ends])),
        },
        {"branch": ["no_noise", "noise"]},
    )


def _record(chains: Chains, time: float, dt: float, every: float) -> NDArray[np.float64]:
    """States every ``every`` units of time, in chunks so that Ctrl-C interrupts the run."""
    thin = max(1, round(every / dt))
    steps = max(thin, int(time / dt))
    chunk = thin * max(1, 200_000 // (thin * len(chains.theta)))
    parts = [chains.advance(min(chunk, steps - k), thin) for k in range(0, steps, chunk)]
    return np.concatenate(parts, axis=1)


def _count(states: NDArray[np.float64], bins: int) -> xr.Dataset:
    edges = np.linspace(_GRID[0], _GRID[-1], bins + 1)
    counts = [np.histogram2d(chain[:, 0], chain[:, 1], [edges, edges])[0] for chain in states]
    centres = 0.5 * (edges[1:] + edges[:-1])
    return xr.Dataset(
        {"counts": (("chain", "bx", "by"), np.stack(counts))}, {"bx": centres, "by": centres}
    )


def _share_near(states: NDArray[np.float64], maxima: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the states [chain, draw, 2] of each chain that lie near a maximum."""
    distance = np.linalg.norm(states[:, :, None] - maxima, axis=-1)
    return np.asarray(np.mean(distance.min(axis=2) < NEAR, axis=1))


def _expected_near(
    log_posterior: Any, T: float, maxima: NDArray[np.float64], land: Landscape
) -> float:
    """Share near a maximum under p*^(1/T), summed over a fine grid that includes the tails."""
    reach = np.abs(np.array(land.centres)).max() + 6 * np.sqrt(T) * max(land.widths)
    axis, top = np.linspace(-reach, reach, 1601), log_posterior(maxima).max()
    near = everywhere = 0.0
    for x in axis:  # column by column: all at once would take hundreds of megabytes
        points = np.stack([np.full_like(axis, x), axis], axis=-1)
        density = np.exp((log_posterior(points) - top) / T)
        distance = np.linalg.norm(points[:, None] - maxima, axis=-1).min(axis=1)
        near += float(density[distance < NEAR].sum())
        everywhere += float(density.sum())
    return near / everywhere


def _expected(log_posterior: Any, parameters: LandscapeParameters) -> NDArray[np.float64]:
    """Posterior probability of every bin, summed over a 10 × 10 sub-grid in each."""
    n, sub = parameters.bins, 10
    step = (_GRID[-1] - _GRID[0]) / (n * sub)
    fine = _GRID[0] + step * (np.arange(n * sub) + 0.5)
    density = np.exp(log_posterior(_points(fine)) / parameters.rule.temperature)
    cells = density.reshape(n, sub, n, sub).sum(axis=(1, 3))
    return np.asarray(cells / cells.sum())


def _forces(
    rule: Rule, land: Landscape, prior: Gaussian, path: NDArray[np.float64], seed: int
) -> xr.Dataset:
    """The parts of one long step (panel G), at a state of the path with strong drift."""
    likelihood = land.likelihood()
    gradients = np.array([likelihood.gradient(theta, *likelihood.data) for theta in path])
    drift = np.linalg.norm(gradients + prior.gradient(path), axis=1)
    at = int(np.argsort(drift)[int(0.9 * len(drift))])  # strong, but not the extreme of the path
    dt = 0.12
    b = float(np.ravel(rule.speed.evaluate(path[at])[0])[0])
    noise = np.random.default_rng(named_seed(seed, "one step")).standard_normal(2)
    _, diffusion = rule.terms(path[at], gradients[at], rule.temperature)
    return xr.Dataset(
        {
            "start": ("parameter", path[at]),
            "prior": ("parameter", b * dt * prior.gradient(path[at])),
            "likelihood": ("parameter", b * dt * gradients[at]),
            "noise": ("parameter", np.broadcast_to(diffusion, (2,)) * np.sqrt(dt) * noise),
            "dt": dt,
        }
    )
