"""Let the rule run in small models and compare where it settles with the law it should have.

Every arm starts away from its law, runs for several relaxation times, and is then compared, state
by state, with a law that is exact up to a fine grid. Nulls break one thing each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from synsamp.experiments.base import Results, RunContext
from synsamp.paper.theorem1 import models
from synsamp.paper.theorem1.law import GridLaw, distance
from synsamp.paper.theorem1.models import HIDDEN, SIDES, SKEWED, TWO_MODES
from synsamp.rule import Batch, Chains, Rule
from synsamp.seeds import named_seed

if TYPE_CHECKING:
    from synsamp.paper.theorem1.experiment import TheoryParameters

Floats = NDArray[np.float64]

BINS = 60
SHOWN_PAIRS = 600


class Arm(NamedTuple):
    """Sampled states, the law they are held against, and from where to where both are drawn."""

    name: str
    states: Floats
    law: GridLaw
    span: tuple[float, float] = (-2.8, 2.8)


def run(p: TheoryParameters, seed: int, context: RunContext) -> Results:
    """All arms, one group after the other."""
    groups: list[Callable[[TheoryParameters, int, int], list[Arm]]] = [
        _law,
        _temperature,
        _speed,
        _hidden,
        _online,
    ]
    arms: list[Arm] = []
    with context.progress("sampling", total=len(groups) + 1) as bar:
        for group in groups:
            arms += group(p, seed, context.threads)
            bar.advance()
        pairs = _pairs(p, seed, context.threads)
        bar.advance()
    return {"arms": _table(arms), "pairs": pairs, "no_noise": _no_noise(p, seed), "pass": _pass()}


def _settle(rule: Rule, start: Floats, time: float, dt: float, seed: Any, threads: int) -> Floats:
    """Where the parameters are after ``time``; ``start`` has shape (chains, parameters)."""
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
    if dt is None:  # at high temperature shorter, so that Euler's error does not grow with it
        dt = p.dt / max(1.0, float(rule.temperature))  # type: ignore[arg-type]
    noise = named_seed(seed, name, "noise")
    return _settle(rule, begin, p.relaxations * relaxation, dt, noise, threads)


def _law(p: TheoryParameters, seed: int, threads: int) -> list[Arm]:
    """Theorem 1 at T = 1; noise sqrt(b) dW instead of sqrt(2b) dW is the rule at T = 1/2."""
    found = []
    for name, model, span in (
        ("skewed", SKEWED, (-5.0, 1.8)),
        ("two_modes", TWO_MODES, (-2.8, 2.8)),
    ):
        relaxation = model.relaxation_time()
        for arm, T in ((name, 1.0), (f"{name}_half_noise", 0.5)):
            states = _copies(p, seed, arm, model.rule(temperature=T), relaxation, threads)
            found.append(Arm(arm, states, model.law(), span))
    return found


def _temperature(p: TheoryParameters, seed: int, threads: int) -> list[Arm]:
    """The law at T, and the same states against the law at T = 1."""
    found = []
    for name, T in (("cold", p.cold), ("hot", p.hot)):
        relaxation = TWO_MODES.relaxation_time(temperature=T)
        states = _copies(p, seed, name, TWO_MODES.rule(temperature=T), relaxation, threads)
        reach = 2.5 * max(1.0, np.sqrt(T))
        found.append(Arm(name, states, TWO_MODES.law(T), (-reach, reach)))
        found.append(Arm(f"{name}_against_p", states, TWO_MODES.law(), (-reach, reach)))
    return found


def _speed(p: TheoryParameters, seed: int, threads: int) -> list[Arm]:
    """With b(θ) and T b′ the law is p*; without T b′ it is p*/b."""
    relaxation = TWO_MODES.relaxation_time(models.SPEED)
    law, over_b = TWO_MODES.law(), TWO_MODES.law(over=models.speed_at)
    found = []
    for name, speed in (("speed", models.SPEED), ("uncorrected", models.UNCORRECTED)):
        states = _copies(p, seed, name, TWO_MODES.rule(speed), relaxation, threads)
        found += [Arm(f"{name}_against_p", states, law), Arm(f"{name}_over_b", states, over_b)]
    return found


def _hidden(p: TheoryParameters, seed: int, threads: int) -> list[Arm]:
    """Responses drawn from the network, and responses that are always the same."""
    relaxation = HIDDEN.relaxation_time()
    alike = HIDDEN.rule(likelihood=models.hidden(drawn=False))
    return [
        Arm(name, _copies(p, seed, name, rule, relaxation, threads), HIDDEN.law())
        for name, rule in (("hidden", HIDDEN.rule()), ("hidden_alike", alike))
    ]


def _online(p: TheoryParameters, seed: int, threads: int) -> list[Arm]:
    """One and several inputs at a time, with the factor N and without it."""
    relaxation, found = SIDES.relaxation_time(), []
    for name, batch in (("online", 1), ("minibatch", p.batch)):
        for arm, data_size in ((name, None), (f"{name}_without_N", 1.0)):
            order = np.random.default_rng(named_seed(seed, arm, "order"))
            inputs = models.inputs_in_own_order(p.copies // 2, order)
            rule = SIDES.rule(likelihood=models.online(inputs, batch, data_size))
            states = _copies(p, seed, arm, rule, relaxation, threads, p.online_dt)
            found.append(Arm(arm, states, SIDES.law(), (-2.5, 4.5)))
    return found


def _table(arms: list[Arm]) -> xr.Dataset:
    """Distances, histograms, and the laws at the middle of each bin."""
    edges = np.stack([np.linspace(*arm.span, BINS + 1) for arm in arms])
    middle = 0.5 * (edges[:, 1:] + edges[:, :-1])
    counts = [np.histogram(arm.states, e)[0] for arm, e in zip(arms, edges, strict=True)]
    laws = [arm.law.density(m) for arm, m in zip(arms, middle, strict=True)]
    of_bin = ("arm", "bin")
    return xr.Dataset(
        {
            "distance": ("arm", [distance(arm.states, arm.law.cdf) for arm in arms]),
            "states": ("arm", [arm.states.size for arm in arms]),
            "middle": (of_bin, middle),
            "count": (of_bin, np.stack(counts)),
            "law": (of_bin, np.stack(laws)),
        },
        {"arm": [arm.name for arm in arms]},
    )


def _pairs(p: TheoryParameters, seed: int, threads: int) -> xr.Dataset:
    """Two parameters that hang together through the likelihood, with the prior and without.

    By the exact posterior (θ − m)ᵀ Σ⁻¹ (θ − m) has a χ² law with two degrees of freedom.
    """
    time = p.relaxations / np.linalg.eigvalsh(models.PAIR_PRECISION).min()
    shown, gaps, arms = [], [], {"pair": models.PAIR_PRIOR, "pair_without_prior": models.NO_PRIOR}
    for name, prior in arms.items():
        rule = Rule(models.PAIRS, prior)
        noise = named_seed(seed, name, "noise")
        states = _settle(rule, np.zeros((1, 2 * p.copies)), time, p.dt, noise, threads)
        off = states.reshape(p.copies, 2) - models.PAIR_MEAN
        squares = np.einsum("ni,ij,nj->n", off, models.PAIR_PRECISION, off)
        gaps.append(distance(squares, stats.chi2(2).cdf))
        shown.append(states.reshape(p.copies, 2)[:SHOWN_PAIRS])
    return xr.Dataset(
        {"distance": ("arm", gaps), "theta": (("arm", "state", "parameter"), np.stack(shown))},
        {"arm": list(arms)},
    )


def _no_noise(p: TheoryParameters, seed: int) -> xr.Dataset:
    """A few paths at T = 0 and T = 1, and the maximum of the posterior they should end in."""
    start = np.linspace(-3.0, 3.0, 13)[None]
    dt, steps = p.dt, int(np.ceil(60 * SKEWED.relaxation_time() / p.dt))
    thin = max(1, steps // 200)
    noise = named_seed(seed, "no noise")
    paths = [
        Chains(SKEWED.rule(temperature=T), start, dt, noise).advance(steps, thin)[0]
        for T in (0.0, 1.0)
    ]
    law = SKEWED.law()
    states = np.concatenate([np.stack([start, start]), np.stack(paths)], axis=1)
    return xr.Dataset(
        {
            "theta": (("T", "time", "path"), states),
            "maximum": ((), law.grid[law.values.argmax()]),
            "spread": ((), float(law.quantile(0.8413) - law.quantile(0.1587)) / 2),
        },
        {"T": [0.0, 1.0], "time": dt * thin * np.arange(states.shape[1])},
    )


def _pass() -> xr.Dataset:
    """Online against batch after one pass through all inputs, for shorter and shorter steps.

    Without noise and with the inputs in turn, so nothing is left to chance. So few steps are taken
    in Python: compiling a loop for them would take longer.
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
        {"gap": ("step", gaps(n)), "gap_without_N": ("step", gaps(1.0))}, {"step": n * steps}
    )
