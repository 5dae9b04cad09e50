"""Run the rule in small models and compare its states with the stationary distribution.

Every condition starts away from its distribution, runs for several relaxation times, and is then
compared with a distribution that is exact up to a fine grid. Each null breaks one part of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from synsamp.experiments.base import Results, RunContext
from synsamp.paper.theorem1 import models
from synsamp.paper.theorem1.models import (
    HIDDEN,
    SIDES,
    SKEWED,
    TWO_MODES,
    GridDistribution,
    distance,
)
from synsamp.paper.theorem1.parameters import TheoryParameters
from synsamp.rule import Batch, Chains, Rule
from synsamp.seeds import named_seed

Floats = NDArray[np.float64]

BINS = 60
SHOWN_PAIRS = 600


class Condition(NamedTuple):
    """Sampled states, the distribution to compare them with, and the range of the figure."""

    name: str
    states: Floats
    target: GridDistribution
    span: tuple[float, float] = (-2.8, 2.8)


def run(p: TheoryParameters, seed: int, context: RunContext) -> Results:
    """Run all conditions, one group after another."""
    groups: list[Callable[[TheoryParameters, int, int], list[Condition]]] = [
        _stationary,
        _temperature,
        _speed,
        _hidden,
        _online,
    ]
    conditions: list[Condition] = []
    with context.progress("sampling", total=len(groups) + 1) as bar:
        for group in groups:
            conditions += group(p, seed, context.threads)
            bar.advance()
        pairs = _pairs(p, seed, context.threads)
        bar.advance()
    return {
        "conditions": _table(conditions),
        "pairs": pairs,
        "no_noise": _no_noise(p, seed),
        "pass": _pass(),
    }


def _settle(rule: Rule, start: Floats, time: float, dt: float, seed: Any, threads: int) -> Floats:
    """Return the parameters after ``time``; ``start`` has shape (chains, parameters)."""
    chains = Chains(rule, start, dt, seed, threads)
    chains.burn_in(round(time / dt))
    return chains.theta


def _copies(
    p: TheoryParameters,
    seed: int,
    name: str,
    rule: Rule,
    relaxation: float,
    threads: int,
    dt: float | None = None,
) -> Floats:
    """Independent copies of one parameter in two chains, after several relaxation times."""
    start = np.random.default_rng(named_seed(seed, name, "start"))
    begin = start.uniform(-1.5, 1.5, (2, p.copies // 2))
    if dt is None:  # at high temperature shorter, so that the error of Euler steps does not grow
        dt = p.dt / max(1.0, float(rule.temperature))  # type: ignore[arg-type]
    noise = named_seed(seed, name, "noise")
    return _settle(rule, begin, p.relaxations * relaxation, dt, noise, threads)


def _stationary(p: TheoryParameters, seed: int, threads: int) -> list[Condition]:
    """Theorem 1 at T = 1; noise sqrt(b) dW instead of sqrt(2b) dW is the rule at T = 1/2."""
    found = []
    for name, model, span in (
        ("skewed", SKEWED, (-5.0, 1.8)),
        ("two_modes", TWO_MODES, (-2.8, 2.8)),
    ):
        relaxation = model.relaxation_time()
        for label, T in ((name, 1.0), (f"{name}_half_noise", 0.5)):
            states = _copies(p, seed, label, model.rule(temperature=T), relaxation, threads)
            found.append(Condition(label, states, model.distribution(), span))
    return found


def _temperature(p: TheoryParameters, seed: int, threads: int) -> list[Condition]:
    """States at T compared with p*^(1/T), and with p* itself."""
    found = []
    for name, T in (("cold", p.cold), ("hot", p.hot)):
        relaxation = TWO_MODES.relaxation_time(temperature=T)
        states = _copies(p, seed, name, TWO_MODES.rule(temperature=T), relaxation, threads)
        reach = 2.5 * max(1.0, np.sqrt(T))
        found.append(Condition(name, states, TWO_MODES.distribution(T), (-reach, reach)))
        found.append(
            Condition(f"{name}_against_p", states, TWO_MODES.distribution(), (-reach, reach))
        )
    return found


def _speed(p: TheoryParameters, seed: int, threads: int) -> list[Condition]:
    """With b(θ) and T b′ the distribution is p*; without T b′ it is p*/b."""
    relaxation = TWO_MODES.relaxation_time(models.SPEED)
    target, over_b = TWO_MODES.distribution(), TWO_MODES.distribution(over=models.speed_at)
    found = []
    for name, speed in (("speed", models.SPEED), ("uncorrected", models.UNCORRECTED)):
        states = _copies(p, seed, name, TWO_MODES.rule(speed), relaxation, threads)
        found += [
            Condition(f"{name}_against_p", states, target),
            Condition(f"{name}_over_b", states, over_b),
        ]
    return found


def _hidden(p: TheoryParameters, seed: int, threads: int) -> list[Condition]:
    """Responses drawn by the network, and a constant response."""
    relaxation = HIDDEN.relaxation_time()
    alike = HIDDEN.rule(likelihood=models.hidden(drawn=False))
    return [
        Condition(name, _copies(p, seed, name, rule, relaxation, threads), HIDDEN.distribution())
        for name, rule in (("hidden", HIDDEN.rule()), ("hidden_alike", alike))
    ]


def _online(p: TheoryParameters, seed: int, threads: int) -> list[Condition]:
    """One and several inputs at a time, with the factor N and without."""
    relaxation, found = SIDES.relaxation_time(), []
    for name, batch in (("online", 1), ("minibatch", p.batch)):
        for label, data_size in ((name, None), (f"{name}_without_N", 1.0)):
            order = np.random.default_rng(named_seed(seed, label, "order"))
            inputs = models.shuffled_inputs(p.copies // 2, order)
            rule = SIDES.rule(likelihood=models.online(inputs, batch, data_size))
            states = _copies(p, seed, label, rule, relaxation, threads, p.online_dt)
            found.append(Condition(label, states, SIDES.distribution(), (-2.5, 4.5)))
    return found


def _table(conditions: list[Condition]) -> xr.Dataset:
    """Distances, histograms, and densities at the middle of each bin."""
    edges = np.stack([np.linspace(*each.span, BINS + 1) for each in conditions])
    middle = 0.5 * (edges[:, 1:] + edges[:, :-1])
    counts = [np.histogram(each.states, e)[0] for each, e in zip(conditions, edges, strict=True)]
    densities = [each.target.density(m) for each, m in zip(conditions, middle, strict=True)]
    of_bin = ("branch", "bin")
    return xr.Dataset(
        {
            "distance": ("branch", [distance(each.states, each.target.cdf) for each in conditions]),
            "states": ("branch", [each.states.size for each in conditions]),
            "middle": (of_bin, middle),
            "count": (of_bin, np.stack(counts)),
            "density": (of_bin, np.stack(densities)),
        },
        {"branch": [each.name for each in conditions]},
    )


def _pairs(p: TheoryParameters, seed: int, threads: int) -> xr.Dataset:
    """Two parameters that the likelihood correlates, with the prior and without.

    Under the exact posterior (θ − m)ᵀ Σ⁻¹ (θ − m) has a χ² distribution with two degrees of
    freedom.
    """
    time = p.relaxations / np.linalg.eigvalsh(models.PAIR_PRECISION).min()
    shown, gaps, conditions = (
        [],
        [],
        {"pair": models.PAIR_PRIOR, "pair_without_prior": models.NO_PRIOR},
    )
    for name, prior in conditions.items():
        rule = Rule(models.PAIRS, prior)
        noise = named_seed(seed, name, "noise")
        states = _settle(rule, np.zeros((1, 2 * p.copies)), time, p.dt, noise, threads)
        off = states.reshape(p.copies, 2) - models.PAIR_MEAN
        squares = np.einsum("ni,ij,nj->n", off, models.PAIR_PRECISION, off)
        gaps.append(distance(squares, stats.chi2(2).cdf))
        shown.append(states.reshape(p.copies, 2)[:SHOWN_PAIRS])
    return xr.Dataset(
        {
            "distance": ("branch", gaps),
            "theta": (("branch", "state", "parameter"), np.stack(shown)),
        },
        {"branch": list(conditions)},
    )


def _no_noise(p: TheoryParameters, seed: int) -> xr.Dataset:
    """A few paths at T = 0 and T = 1, and the maximum of the posterior."""
    start = np.linspace(-3.0, 3.0, 13)[None]
    dt, steps = p.dt, int(np.ceil(60 * SKEWED.relaxation_time() / p.dt))
    thin = max(1, steps // 200)
    noise = named_seed(seed, "no noise")
    paths = [
        Chains(SKEWED.rule(temperature=T), start, dt, noise).advance(steps, thin)[0]
        for T in (0.0, 1.0)
    ]
    target = SKEWED.distribution()
    states = np.concatenate([np.stack([start, start]), np.stack(paths)], axis=1)
    return xr.Dataset(
        {
            "theta": (("branch", "time", "path"), states),
            "maximum": ((), target.grid[target.values.argmax()]),
            "spread": ((), float(target.quantile(0.8413) - target.quantile(0.1587)) / 2),
        },
        {"branch": ["no_noise", "noise"], "time": dt * thin * np.arange(states.shape[1])},
    )


def _pass() -> xr.Dataset:
    """Difference between online and batch rule after one pass, for several step sizes.

    Inputs come in turn and there is no noise. The few steps are taken in Python, because compiling
    a loop would take longer.
    """
    n = len(models.INPUTS)
    steps = np.array([2e-4, 4e-4, 8e-4, 16e-4])

    def end(rule: Rule, gradients: Sequence[Callable[..., Any]], dt: float) -> float:
        theta = np.array([-1.0])
        for gradient in gradients:
            theta = theta + dt * rule.terms(theta, gradient(theta), 0.0)[0]
        return float(theta[0])

    whole = SIDES.rule(likelihood=Batch(SIDES.slope))
    each = [partial(models.side_gradient.py_func, x=x) for x in models.INPUTS]

    def gaps(data_size: float) -> list[float]:
        one = SIDES.rule(likelihood=models.online(models.INPUTS, 1, data_size))
        return [abs(end(one, each, dt) - end(whole, [SIDES.slope] * n, dt)) for dt in steps]

    return xr.Dataset(
        {"gap": (("branch", "step"), [gaps(n), gaps(1.0)])},
        {"branch": ["with_N", "without_N"], "step": n * steps},
    )
