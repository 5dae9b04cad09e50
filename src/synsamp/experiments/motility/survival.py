"""How long new connections of one circuit live, and how that depends on the speed of sampling."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.survival import (
    Lifetimes,
    fit_exponential,
    fit_power_law,
    joined,
    kaplan_meier,
    new_lifetimes,
)

Floats = NDArray[np.floating[Any]]
Bools = NDArray[np.bool_]
ENOUGH = 20
"""Fewer lives seen to end than this are not fitted."""
N_FITTED = 200
"""Points at which fits are kept for the drawing."""


def survival(states: Bools, grid_s: float, every: int, window: int) -> xr.Dataset:
    """Survival of new connections: curve and fits.

    ``states[time, synapse]`` on the grid; every ``every``-th point is looked at; new means not
    active ``window`` of those points before.
    """
    step_s = grid_s * every
    lives = new_lifetimes(states[::every], step_s, window)
    looks = len(states[::every])
    time_s = np.arange(looks - window) * step_s
    fit_s = np.geomspace(step_s / 3, step_s * (looks - 1), N_FITTED)
    found = _curve(lives, time_s)
    values, laws = _fits(lives, fit_s)
    return xr.Dataset(
        {
            **{name: ("time", values) for name, values in found.items()},
            **{name: ((), value) for name, value in values.items()},
            **{name: ("fit_time", law) for name, law in laws.items()},
            "new": ((), len(lives)),
            "censored": ((), int((~lives.ended).sum())),
        },
        coords={"time": ("time", time_s, {"units": "s"}), "fit_time": fit_s},
    )


def _curve(lives: Lifetimes, time_s: Floats) -> dict[str, Floats]:
    """Kaplan–Meier at given times, so that curves of several circuits can be averaged."""
    if len(lives) == 0:
        return {name: np.full(time_s.size, np.nan) for name in ("survival", "low", "high")}
    curve = kaplan_meier(lives)
    # Losses are noticed on the same grid; half a step more keeps rounding out of it.
    at = np.searchsorted(curve.time, time_s + time_s[1] / 2) - 1
    return {"survival": curve.survival[at], "low": curve.low[at], "high": curve.high[at]}


def _fits(lives: Lifetimes, time_s: Floats) -> tuple[dict[str, float], dict[str, Floats]]:
    """Both laws: their numbers, and their curves."""
    names = ("tau", "gamma", "exponential_tau", "aic_gain", "median")
    if lives.ended.sum() < ENOUGH:
        nothing = np.full(time_s.size, np.nan)
        return dict.fromkeys(names, np.nan), {"power_law": nothing, "exponential": nothing}
    power, exponential = fit_power_law(lives), fit_exponential(lives)
    gain = exponential.aic - power.aic
    values = (power.tau, power.gamma, exponential.tau, gain, power.median)
    return dict(zip(names, values, strict=True)), {
        "power_law": power.survival(time_s),
        "exponential": exponential.survival(time_s),
    }


def scaled_lives(
    fast: Bools, slow: Bools, fast_step_s: float, slow_step_s: float, window: int
) -> tuple[Lifetimes, Lifetimes]:
    """Lives of one circuit at both speeds, watched alike in units of 1/b.

    The fast record is cut into pieces as long as the slow one, so that both are censored alike.
    """
    length = len(slow)
    pieces = [fast[i : i + length] for i in range(0, len(fast) - length + 1, length - 1)]
    return (
        joined([new_lifetimes(piece, fast_step_s, window) for piece in pieces]),
        new_lifetimes(slow, slow_step_s, window),
    )


def scaling(
    fast: Bools, slow: Bools, fast_step_s: float, slow_step_s: float, window: int
) -> xr.Dataset:
    """Curves and median lives in the power-law fits at both speeds, watched alike."""
    steps = np.arange(len(slow) - window)
    both = scaled_lives(fast, slow, fast_step_s, slow_step_s, window)
    found: dict[str, list[Any]] = {"survival": [], "median": [], "gamma": [], "new": []}
    for lives, step_s in zip(both, (fast_step_s, slow_step_s), strict=True):
        values, _ = _fits(lives, steps * step_s)
        found["survival"].append(_curve(lives, steps * step_s)["survival"])
        found["median"].append(values["median"])
        found["gamma"].append(values["gamma"])
        found["new"].append(len(lives))
    return xr.Dataset(
        {
            "survival": (("speed", "step"), np.array(found.pop("survival"))),
            **{name: ("speed", values) for name, values in found.items()},
        },
        coords={"speed": ["fast", "slow"], "step": steps},
    )
