"""How much weights change, how that depends on their size, and who is there how often."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
OCCUPANCY_BINS = 10
ENOUGH = 20
"""Fewer changes than this say nothing about their spread."""


def change_slope(theta: Floats, later: Floats, theta_0: float, dealt: bool = False) -> float:
    """Slope of log |Δw| against log w over connections active at first; 1 is proportional.

    ``dealt``: changes are dealt out anew among them, so that size plays no part.
    """
    active = theta > 0
    w, after = np.exp(theta[active] - theta_0), np.exp(later[active] - theta_0)
    moved = np.abs(after - w)
    if dealt:
        moved = np.random.default_rng(0).permutation(moved)
    some = moved > 0
    if some.sum() < ENOUGH or np.ptp(w[some]) == 0:
        return np.nan
    return float(np.polyfit(np.log(w[some]), np.log(moved[some]), 1)[0])


def change_by_size(theta: Floats, later: Floats, theta_0: float, edges: Floats) -> Floats:
    """Standard deviation of Δw in bins of log w; NaN where few fell."""
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
    """Least populated tenth between the outer ones, relative to the smaller outer one; at most 1.

    Far below 1: two populations, one nearly always there, one seldom. 1: none, or an outer tenth
    is empty.
    """
    smaller, least = min(int(counts[0]), int(counts[-1])), int(counts[1:-1].min())
    return least / smaller if smaller > least else 1.0


def persistent(states: Bools) -> Bools:
    """Which connections were there at more than 95 % of the looks."""
    found: Bools = states.mean(axis=0) > 0.95
    return found


def lasting_efficacy(theta: Floats, states: Bools, theta_0: float) -> float:
    """Share of the summed efficacy ŵ, over all looks, that persistent connections contribute."""
    efficacy = np.maximum(np.exp(theta - theta_0) - np.exp(-theta_0), 0.0).sum(axis=0)
    return float(efficacy[persistent(states)].sum() / efficacy.sum())


def drift(share: Floats) -> float:
    """Mean of the last quarter over mean of the first, less 1: 0 is a steady state."""
    quarter = max(1, len(share) // 4)
    return float(share[-quarter:].mean() / share[:quarter].mean() - 1.0)
