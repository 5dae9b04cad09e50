"""Figure 1: maximum likelihood learning against synaptic sampling, with two parameters."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from pydantic import Field, model_validator

from synsamp.analysis.distance import total_variation, total_variation_by_chance
from synsamp.errors import refuse
from synsamp.experiments.base import Claim, Experiment, Parameters, Results, RunContext
from synsamp.experiments.shared.limits import MOST_NUMBERS, MOST_STEPS, require_at_most
from synsamp.models.landscape import Landscape
from synsamp.priors import Gaussian
from synsamp.rule import Chains, Rule
from synsamp.rule.theory import fokker_planck

_DEFAULT = Landscape()
_NEAR = 0.5
"""A state within this distance of a maximum counts as a visit to it."""
_GRID = np.linspace(-4.0, 4.0, 121)


Place = Annotated[float, Field(ge=-3.0, le=3.0)]
Width = Annotated[float, Field(ge=0.2, le=2.0)]  # the grid has cells of 0.07
Height = Annotated[float, Field(ge=1e-3, le=1e3)]
MOST_RELAXATION = 1e6
"""Relaxation time up to which chains are let settle; beyond it they never leave a mode."""


class Peaks(Parameters):
    """The likelihood's peaks; the paper leaves them open."""

    centres: tuple[tuple[Place, Place], ...] = Field(
        _DEFAULT.centres, min_length=1, max_length=12, description="where the peaks are"
    )
    widths: tuple[Width, ...] = Field(
        _DEFAULT.widths, max_length=12, description="their standard deviations"
    )
    heights: tuple[Height, ...] = Field(
        _DEFAULT.heights, max_length=12, description="their relative heights"
    )

    @model_validator(mode="after")
    def _fits(self) -> Peaks:
        if not len(self.centres) == len(self.widths) == len(self.heights):
            raise ValueError("centres, widths and heights must have the same length")
        return self


class RuleSection(Parameters):
    """The rule's numbers."""

    speed: float = Field(1.0, ge=0.01, le=100.0, description="b, the sampling speed")
    temperature: float = Field(1.0, ge=0.2, le=20.0, description="T of the path in panel F")
    hot: float = Field(4.0, ge=0.2, le=20.0, description="a high T, to flatten the modes")
    cold: float = Field(0.01, ge=0.0, le=20.0, description="a low T, to stay at one mode")
    dt: float = Field(0.004, ge=1e-4, le=0.05, description="time step Δt (b·dt is η)")


class PriorSection(Parameters):
    """The prior N(0, std²) of both parameters."""

    std: float = Field(1.5, ge=0.1, le=10.0, description="prior N(0, std²): prefers small θ")


class LandscapeParameters(Parameters):
    """Parameters of Figure 1."""

    peaks: Peaks = Peaks()
    prior: PriorSection = PriorSection()
    rule: RuleSection = RuleSection()
    ml_paths: int = Field(24, ge=1, le=500, description="maximum likelihood paths")
    ml_time: float = Field(60.0, ge=0.1, le=1e4, description="time of each of them")
    path_time: float = Field(600.0, ge=1.0, le=1e5, description="time of the path in panel F")
    chains: int = Field(16, ge=4, le=1024, description="further chains, to measure the law")
    chain_time: float = Field(600.0, ge=10.0, le=1e5, description="time of each further chain")
    bins: int = Field(20, ge=4, le=60, description="bins per axis when the law is compared")

    @model_validator(mode="after")
    def _ends(self) -> LandscapeParameters:
        time = self.ml_paths * self.ml_time + 3 * self.path_time + 2 * self.chains * self.chain_time
        require_at_most("steps", time / self.rule.dt, MOST_STEPS)
        # Two coordinates every tenth of a unit of time, or more often for fewer paths.
        kept = 20 * self.chains * self.chain_time + 50 * self.ml_paths * self.ml_time
        require_at_most("numbers in memory", kept + 300 * self.path_time, MOST_NUMBERS)
        return self


def run(parameters: LandscapeParameters, context: RunContext) -> Results:
    """Draw the landscape, climb it, sample from it at three temperatures."""
    land = Landscape(**parameters.peaks.model_dump())
    prior = Gaussian(0.0, parameters.prior.std)
    rule = parameters.rule
    posterior = Rule(land.likelihood(), prior, rule.speed, rule.temperature)
    law = fokker_planck(posterior, _GRID, _GRID, log_likelihood=land.log_likelihood)
    relaxation = law.relaxation_time()
    settling = 5 * relaxation / rule.dt * parameters.chains
    if not 0 < relaxation <= MOST_RELAXATION or settling > MOST_STEPS:
        raise refuse(
            "peaks, prior.std and rule.temperature",
            f"must let chains change between the peaks within {MOST_RELAXATION:g} units of time",
            f"a relaxation time of {relaxation:.3g}",
            "raise rule.temperature, or bring the peaks nearer",
        )

    def log_posterior(theta: Any) -> Any:
        return land.log_likelihood(theta) + prior.log_density(theta).sum(axis=-1)

    maxima = land.maxima(log_posterior)
    temperatures = (rule.temperature, rule.hot, rule.cold)
    total = parameters.ml_time + 3 * parameters.path_time + 2 * parameters.chain_time
    with context.progress("climbing and sampling", total=total) as bar:
        ml = _ml_paths(parameters, land, context)
        bar.advance(parameters.ml_time)
        paths = []
        for T in temperatures:
            at_t = Rule(land.likelihood(), prior, rule.speed, T)
            start = maxima[:1] if rule.cold == T else np.zeros((1, 2))
            one = Chains(at_t, start, rule.dt, context.seed_for("path", str(T)))
            paths.append(_record(one, parameters.path_time, rule.dt, every=0.02)[0])
            bar.advance(parameters.path_time)
        counts = []
        for T in temperatures[:2]:
            at_t = Rule(land.likelihood(), prior, rule.speed, T)
            many = Chains(
                at_t,
                np.zeros((parameters.chains, 2)),
                rule.dt,
                context.seed_for("chains", str(T)),
                context.threads,
            )
            many.burn_in(int(5 * relaxation / rule.dt))
            states = _record(many, parameters.chain_time, rule.dt, every=0.1)
            near = _share_near(states, maxima)
            counts.append(_count(states, parameters.bins).assign(near=near))
            bar.advance(parameters.chain_time)

    surfaces = xr.Dataset(
        {
            "likelihood": (("x", "y"), np.exp(land.log_likelihood(_points(_GRID)))),
            "prior": (("x", "y"), np.exp(prior.log_density(_points(_GRID)).sum(-1))),
            "posterior": (("x", "y"), law.stationary),
        },
        {"x": _GRID, "y": _GRID},
    )
    visited = xr.concat(counts, xr.Variable("T", list(temperatures[:2])))
    visited["expected"] = (("bx", "by"), _expected(log_posterior, parameters))
    rng = np.random.default_rng(context.seed_for("by chance"))
    by_chance = total_variation_by_chance(visited.counts.values[0], 0.999, rng)
    visited = visited.assign(relaxation_time=relaxation, by_chance=by_chance)
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
            {"theta": (("T", "draw", "parameter"), np.stack(paths))}, {"T": list(temperatures)}
        ),
        "visited": visited,
        "forces": _forces(posterior, land, prior, paths[0], context),
    }


def _points(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)


def _ml_paths(parameters: LandscapeParameters, land: Landscape, context: RunContext) -> xr.Dataset:
    """The same rule without prior and noise: paths along the gradient of the likelihood."""
    rng = np.random.default_rng(context.seed_for("ml start"))
    start = rng.uniform(-3.0, 3.0, (parameters.ml_paths, 2))
    climb = Rule(land.likelihood(), speed=parameters.rule.speed, temperature=0.0)
    moving = Chains(climb, start, parameters.rule.dt, context.seed_for("ml"), context.threads)
    states = _record(moving, parameters.ml_time, parameters.rule.dt, every=0.04)
    states = np.concatenate([start[:, None], states], axis=1)
    likelihood = land.likelihood()
    slope = np.array([likelihood.gradient(end, *likelihood.data) for end in states[:, -1]])
    return xr.Dataset(
        {
            "theta": (("path", "draw", "parameter"), states),
            "end_slope": ("path", np.linalg.norm(slope, axis=1)),
        }
    )


def _record(chains: Chains, time: float, dt: float, every: float) -> NDArray[np.float64]:
    """States every ``every`` units of time, in chunks so that Ctrl-C is heard."""
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


def _share_near(states: NDArray[np.float64], maxima: NDArray[np.float64]) -> float:
    distance = np.linalg.norm(states.reshape(-1, 1, 2) - maxima, axis=-1)
    return float(np.mean(distance.min(axis=1) < _NEAR))


def _expected(log_posterior: Any, parameters: LandscapeParameters) -> NDArray[np.float64]:
    """The posterior's probability of every bin, by summing a 10 × 10 sub-grid in each."""
    n, sub = parameters.bins, 10
    step = (_GRID[-1] - _GRID[0]) / (n * sub)
    fine = _GRID[0] + step * (np.arange(n * sub) + 0.5)
    density = np.exp(log_posterior(_points(fine)) / parameters.rule.temperature)
    cells = density.reshape(n, sub, n, sub).sum(axis=(1, 3))
    return np.asarray(cells / cells.sum())


def _forces(
    rule: Rule, land: Landscape, prior: Gaussian, path: NDArray[np.float64], context: RunContext
) -> xr.Dataset:
    """One long step taken apart (panel G): at the path's state where the drift is strongest."""
    likelihood = land.likelihood()
    gradients = np.array([likelihood.gradient(theta, *likelihood.data) for theta in path])
    drift = np.linalg.norm(gradients + prior.gradient(path), axis=1)
    at = int(np.argsort(drift)[int(0.9 * len(drift))])  # strong, but not the extreme of the path
    dt = 0.12
    b = float(np.ravel(rule.speed.evaluate(path[at])[0])[0])
    noise = np.random.default_rng(context.seed_for("one step")).standard_normal(2)
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


def claims(parameters: LandscapeParameters, results: Results) -> list[Claim]:
    """What Fig. 1 states, measured."""
    ml, maxima, visited = results["ml"], results["maxima"], results["visited"]
    ends = ml.theta.values[:, -1]
    gap = np.linalg.norm(ends[:, None] - maxima.likelihood.values, axis=-1).min(axis=1)
    at_maximum = float(np.mean((gap < 1e-2) & (ml.end_slope.values < 1e-2)))
    modes = maxima.posterior.values
    distance = total_variation(visited.counts.values[0].sum(axis=0), visited.expected.values)
    hot = float(visited.near.values[1] / visited.near.values[0])
    return [
        Claim(
            "ml-ends",
            "Every maximum likelihood path ends in a local maximum of the likelihood",
            "Fig. 1C",
            at_maximum,
            (1.0, 1.0),
            "share of paths",
            f"{len(ends)} random starts; ends within 0.01 of a maximum, slope below 0.01",
        ),
        Claim(
            "law",
            "The states visited by synaptic sampling follow the posterior",
            "Fig. 1F, Theorem 1",
            distance,
            (None, float(visited.by_chance)),
            "total variation",
            f"{parameters.chains} chains of {parameters.chain_time:g} time units (relaxation time "
            f"{float(visited.relaxation_time):.1f}) in {parameters.bins}×{parameters.bins} bins; "
            "the band is what the chains' own scatter stays below in 99.9 % of cases",
        ),
        Claim(
            "all-modes",
            "One sampling path fluctuates between the different solutions: it visits every mode",
            "Fig. 1F",
            float(_visited_modes(results, 0)) / len(modes),
            (1.0, 1.0),
            "share of modes",
            f"within {_NEAR} of each of {len(modes)} modes in {parameters.path_time:g} time units",
        ),
        Claim(
            "hot",
            f"At T = {parameters.rule.hot:g} the modes flatten: states near a mode become rarer",
            "Text after Fig. 1",
            hot,
            (None, 0.7),
            f"share near a mode, relative to T = {parameters.rule.temperature:g}",
            f"within {_NEAR} of a mode: {float(visited.near[1]):.3f} against "
            f"{float(visited.near[0]):.3f}",
        ),
        Claim(
            "cold",
            f"As T → 0 (here {parameters.rule.cold:g}) the path stays at one mode",
            "Text after Fig. 1",
            float(_visited_modes(results, 2)),
            (1.0, 1.0),
            "modes visited",
        ),
    ]


def _visited_modes(results: Results, which: int) -> int:
    path = results["paths"].theta.values[which]
    modes = results["maxima"].posterior.values
    distance = np.linalg.norm(path[:, None] - modes, axis=-1)
    return int(np.sum(distance.min(axis=0) < _NEAR))


def draw(parameters: LandscapeParameters, results: Results) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.experiments.landscape import figures

    return figures.draw(parameters, results)


EXPERIMENT = Experiment(
    name="landscape",
    alias="fig1",
    title="Maximum likelihood learning against synaptic sampling",
    summary="Two parameters, a few solutions: climbing ends in one, sampling visits them all.",
    parameters=LandscapeParameters,
    presets={
        "quick": LandscapeParameters(),
        "paper": LandscapeParameters(ml_paths=60, chains=64, chain_time=3000.0, path_time=3000.0),
    },
    run=run,
    claims=claims,
    draw=draw,
    captions={
        "A": "A likelihood function: given the inputs, a density for each setting of θ.",
        "B": "The function belongs to some underlying neural network with these two parameters.",
        "C": "Paths along the gradient of the likelihood from random starts (dots) each end in a "
        "local maximum (red triangles).",
        "D": "A prior that prefers small parameters.",
        "E": "The posterior, product of prior and likelihood.",
        "F": "One path of synaptic sampling fluctuates between solutions; the states it visits "
        "cluster near the local optima (red triangles).",
        "G": "One step taken apart: the drift (prior and likelihood) points to the next local "
        "maximum, the diffusion has a random direction.",
        "T": "High temperature flattens the landscape; as T → 0 the path stays at one maximum.",
    },
    assumptions=(
        "The paper leaves the likelihood and the prior of Fig. 1 open: here four Gaussian peaks "
        "and a Gaussian prior around 0.",
        "Panel B is a cartoon in the paper too: the peaks stand for the likelihood of a network "
        "with two parameters.",
        "Panel G shows a step of 0.12 time units so that the arrows can be seen; the simulation's "
        "step is rule.dt.",
    ),
)
