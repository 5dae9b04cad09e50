"""Find the speed of a run, and check it afterwards, from the curvature at positions of the chains.

The pilot runs rounds of doubling length. After each, Hessian-vector products give the curvature at
the positions reached, and pairs of minibatches the noise of the gradient (`jax/curvature.py`). Both
limit the speed. The chains continue where the pilot ends, so it is part of the
burn-in.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from synsamp.errors import refuse
from synsamp.jax.batches import Data, Examples, n_rows, rows_of
from synsamp.jax.curvature import GRADIENTS, noise, sharpest
from synsamp.jax.sampler import SampledPosterior, SamplerState
from synsamp.jax.thermostat import Thermostat
from synsamp.rule.overdamped import Overdamped
from synsamp.rule.step import WORTH_A_WARNING, StepSizeWarning, one_digit
from synsamp.rule.underdamped import Underdamped

_FIRST, _ROUNDS = 64, 6
_MOST_STATES, _MOST_ROWS = 8, 4096
_EXCESS = 0.02
"""Excess variance by noise of minibatches at an automatic speed: 1 % of the spread."""

MoveChains = Callable[[SamplerState, int], SamplerState]
"""Moves all chains by a number of steps."""


class Steepness(NamedTuple):
    """What limits the speed: b × curvature, typical and largest, and noise of minibatches."""

    typical: float
    largest: float
    noise: float
    """Excess of the variance of θ by noise of minibatches, as a fraction."""


def measure(
    posterior: SampledPosterior,
    states: SamplerState,
    data: Data,
    key: Any,
    most: int = _MOST_STATES,
) -> Steepness:
    """Curvature and noise at the positions of the chains (at most ``most`` of them)."""
    chains = len(states.progress.steps)
    chosen = np.unique(np.linspace(0, chains - 1, min(chains, most)).astype(int))
    some = jax.tree.map(lambda x: x[chosen], states)
    batch = data.next_batch() if data.next_batch is not None else data.whole
    if n_rows(batch) > _MOST_ROWS:
        batch = rows_of(key, batch, _MOST_ROWS)
    found = np.abs(sharpest(posterior, some, batch, key, _dynamics(posterior).euler_dt(1.0)))
    found = found[np.isfinite(found) & (found > 0)]
    if not len(found):
        found = np.full(1, 1e-12)
    excess = 0.0
    if data.is_random or posterior.takes_key:
        excess = noise(posterior, some, [_minibatch(data, k) for k in jax.random.split(key)])
    return Steepness(float(np.median(found)), float(found.max()), excess)


def _minibatch(data: Data, key: Any) -> tuple[Examples, Any]:
    """The batch of one step, and a key for the log-likelihood."""
    if data.next_batch is not None:
        return data.next_batch(), key
    if data.batch_size is not None:
        return rows_of(key, data.whole, data.batch_size), key
    return data.whole, key


def _dynamics(posterior: SampledPosterior) -> Overdamped | Underdamped:
    """The method without a thermostat, whose curvature limits are the same."""
    method = posterior.settings.method
    return Underdamped(method.tau) if isinstance(method, Thermostat) else method


def best_rate(posterior: SampledPosterior, found: Steepness) -> float:
    """Factor of the speed at which steps are as long as they may be."""
    method = _dynamics(posterior)
    rate = method.best_dt(found.typical, found.largest)
    if isinstance(method, Underdamped):  # τ counts steps, so Δt² is in proportion to b
        rate = rate**2
    if isinstance(posterior.settings.method, Thermostat) or found.noise == 0.0:
        return rate
    return min(rate, _EXCESS / found.noise)


def find_rate(
    posterior: SampledPosterior, states: SamplerState, advance: MoveChains, data: Data, key: Any
) -> tuple[float, SamplerState]:
    """Factor of the speed, and the chains after the pilot."""

    keys = jax.random.split(key, _ROUNDS + 1)
    states = _fresh(states, 1.0)
    rate = best_rate(posterior, measure(posterior, states, data, keys[0]))
    for k in range(_ROUNDS):
        moved = advance(_fresh(states, rate), _FIRST * 2**k)
        if not all(np.all(np.isfinite(x)) for x in jax.tree.leaves(moved.position)):
            rate /= 16.0
            continue
        found = measure(posterior, moved, data, keys[k + 1])
        states, rate = moved, rate * best_rate(posterior, found)
    if not np.isfinite(rate):
        raise refuse("speed", "must be found from the curvature", rate, "use a number as speed")
    return rate, _fresh(states, rate)


def _fresh(states: SamplerState, rate: float) -> SamplerState:
    """The same positions at another speed; counts and running means begin again."""
    now = states.progress
    progress = now._replace(
        steps=jnp.zeros_like(now.steps),
        heat=jnp.zeros_like(now.heat),
        rate=jnp.full_like(now.rate, rate),
    )
    return states._replace(progress=progress)


def warn_if_too_fast(
    posterior: SampledPosterior,
    states: SamplerState,
    data: Data,
    key: Any,
    n_gradients: int,
    find: Callable[[], float],
) -> float:
    """Warn if the speed biases the distribution; returns the relative excess of the spread.

    The check costs about a twentieth of a run of ``n_gradients`` gradients. ``find`` finds a factor
    of the speed in a pilot, since positions of biased chains may mislead.
    """
    settings = posterior.settings
    most = int(np.clip(n_gradients // (20 * GRADIENTS), 1, _MOST_STATES))
    if not np.any(np.asarray(states.progress.heat) > 0):  # T = 0: an optimiser
        return 0.0
    found = measure(posterior, states, data, key, most)
    method = _dynamics(posterior)
    heat = 0.0 if isinstance(settings.method, Thermostat) else found.noise
    excess = (1.0 + method.spread_inflation(found.typical, 1.0)) * np.sqrt(1.0 + heat) - 1.0
    unstable = method.overshoots(found.largest, 1.0, noisy=True)
    if excess > WORTH_A_WARNING or unstable:
        rate = min(find(), best_rate(posterior, found))
        effect = (
            "steps may overshoot in the sharpest direction"
            if unstable
            else f"the spread of θ in the sharpest direction is about {excess:.0%} too wide"
        )
        is_number = isinstance(settings.speed, (int, float))
        advice = (
            f"use speed = {one_digit(rate * settings.speed)} or smaller"
            if is_number
            else f"multiply it by {one_digit(rate)} or less"
        )
        warnings.warn(
            f"speed must be small compared with 1/curvature, got "
            f"{format(settings.speed, 'g') if is_number else 'a schedule or tree'}: at the last "
            f"positions {effect}; {advice}, or speed='auto'",
            StepSizeWarning,
            stacklevel=3,
        )
    return float(excess)


def scaled(posterior: SampledPosterior) -> SampledPosterior:
    """The same posterior with a factor of the speed, for a pilot."""
    return posterior._replace(settings=replace(posterior.settings, scaled=True, _rules={}))
