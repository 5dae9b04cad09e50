"""What the claims of Fig. 3 are about: survival, scaling, size of changes, two populations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.survival import (
    Fit,
    Lifetimes,
    fit_exponential,
    fit_power_law,
    joined,
    kaplan_meier,
    new_lifetimes,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
OCCUPANCY_BINS = 10
ENOUGH = 20
"""Fewer lives seen to end than this are not fitted."""


def survival(states: Sequence[Bools], grid_s: float, every: int, window: int) -> xr.Dataset:
    """Survival of new connections of all circuits: pooled curve and fits, and fits per circuit.

    ``states[seed][time, synapse]`` on the grid; every ``every``-th point is looked at; new means
    not active ``window`` of those points before.
    """
    lives = [new_lifetimes(s[::every], grid_s * every, window) for s in states]
    pooled = joined(lives)
    found = _curve(pooled)
    rows = [_fits(one) for one in lives]
    for name in rows[0]:
        found[name] = ("seed", np.array([row[name] for row in rows]))
    found["new"] = ("seed", np.array([len(one) for one in lives]))
    found["censored"] = ("seed", np.array([int((~one.ended).sum()) for one in lives]))
    for name, value in _fits(pooled).items():
        found[f"pooled_{name}"] = ((), value)
    return xr.Dataset(found, attrs={"step_s": grid_s * every, "window_s": grid_s * every * window})


def _curve(lives: Lifetimes) -> dict[str, Any]:
    if len(lives) == 0:
        nothing = np.zeros(0)
        return {n: ("loss", nothing) for n in ("time", "survival", "low", "high", "at_risk")}
    curve = kaplan_meier(lives)
    return {
        "time": ("loss", curve.time, {"units": "s"}),
        "survival": ("loss", curve.survival),
        "low": ("loss", curve.low),
        "high": ("loss", curve.high),
        "at_risk": ("loss", curve.at_risk),
    }


def _fits(lives: Lifetimes) -> dict[str, float]:
    if lives.ended.sum() < ENOUGH:
        names = (
            "tau",
            "gamma",
            "tau_error",
            "gamma_error",
            "exponential_tau",
            "aic_gain",
            "median",
        )
        return dict.fromkeys(names, np.nan)
    power, exponential = fit_power_law(lives), fit_exponential(lives)
    return {
        "tau": power.tau,
        "gamma": power.gamma,
        "tau_error": power.tau_error,
        "gamma_error": power.gamma_error,
        "exponential_tau": exponential.tau,
        "aic_gain": exponential.aic - power.aic,
        "median": power.median,
    }


def power_law(dataset: xr.Dataset, time_s: Any) -> Floats:
    """The pooled power-law fit at given times."""
    tau, gamma = float(dataset.pooled_tau), float(dataset.pooled_gamma)
    return Fit("power law", tau, gamma, np.nan, np.nan, 0.0, 0).survival(time_s)


def exponential(dataset: xr.Dataset, time_s: Any) -> Floats:
    """The pooled exponential fit at given times."""
    tau = float(dataset.pooled_exponential_tau)
    return Fit("exponential", tau, np.inf, np.nan, np.nan, 0.0, 0).survival(time_s)


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
    fast: Sequence[Bools],
    slow: Sequence[Bools],
    fast_step_s: float,
    slow_step_s: float,
    window: int,
) -> xr.Dataset:
    """Fits to both, per circuit and pooled: how many times longer do connections live?"""
    pairs = [
        scaled_lives(f, s, fast_step_s, slow_step_s, window)
        for f, s in zip(fast, slow, strict=True)
    ]
    pooled = [joined(list(side)) for side in zip(*pairs, strict=True)]
    medians = np.array([[_fits(one)["median"] for one in pair] for pair in pairs])
    fits = [_fits(side) for side in pooled]
    found: dict[str, Any] = {
        "median": (("seed", "speed"), medians, {"units": "s"}),
        "ratio": ("seed", medians[:, 1] / medians[:, 0]),
        "pooled_ratio": ((), fits[1]["median"] / fits[0]["median"]),
        "tau": ("speed", [fit["tau"] for fit in fits]),
        "gamma": ("speed", [fit["gamma"] for fit in fits]),
        "new": ("speed", [len(side) for side in pooled]),
    }
    curves = [_curve(side) for side in pooled]
    for speed, curve in zip(("fast", "slow"), curves, strict=True):
        for name in ("time", "survival"):
            found[f"{speed}_{name}"] = (f"{speed}_loss", curve[name][1])
    return xr.Dataset(found, coords={"speed": ["fast", "slow"]})


def change_slope(theta: Floats, later: Floats, theta_0: float) -> float:
    """Slope of log |Δw| against log w over connections active at first; 1 is proportional."""
    active = theta > 0
    w, after = np.exp(theta[active] - theta_0), np.exp(later[active] - theta_0)
    moved = np.abs(after - w)
    some = moved > 0
    if some.sum() < ENOUGH or np.ptp(w[some]) == 0:
        return np.nan
    return float(np.polyfit(np.log(w[some]), np.log(moved[some]), 1)[0])


def change_by_size(theta: Floats, later: Floats, theta_0: float, edges: Floats) -> Floats:
    """Standard deviation of Δw in bins of log w; NaN where few fell (for the drawing)."""
    w = np.exp(theta - theta_0)
    change = np.exp(later - theta_0) - w
    place = np.digitize(np.log(w), edges) - 1
    spread = np.full(edges.size - 1, np.nan)
    for k in range(edges.size - 1):
        inside = change[place == k]
        if inside.size >= ENOUGH:
            spread[k] = inside.std()
    return spread


def binned_slope(log_weight: Floats, spread: Floats, lowest: float, highest: float) -> float:
    """Slope of log std(Δw) against log w over the bins between two weights."""
    some = np.isfinite(spread) & (np.exp(log_weight) > lowest) & (np.exp(log_weight) < highest)
    if some.sum() < 3:
        return np.nan
    return float(np.polyfit(log_weight[some], np.log(spread[some]), 1)[0])


def occupancy_counts(states: Bools) -> NDArray[np.int64]:
    """How many connections were active for which share of the time (in tenths)."""
    share = states.mean(axis=0)
    return np.histogram(share, np.linspace(0.0, 1.0, OCCUPANCY_BINS + 1))[0]


def dip(counts: NDArray[np.int64]) -> float:
    """Least populated tenth between the outer ones, relative to the smaller outer one.

    Far below 1: two populations, one nearly always there, one seldom. About 1 or more, or an
    empty outer tenth: none.
    """
    smaller = min(int(counts[0]), int(counts[-1]))
    return float(counts[1:-1].min() / smaller) if smaller > 0 else np.inf
