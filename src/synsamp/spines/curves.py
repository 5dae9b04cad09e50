"""The curves of the report's figures: for the table, and for tables simulated from its fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synsamp.spines.fit import Fitted
from synsamp.spines.lifetimes import new_spine_lifetimes
from synsamp.spines.proportions import surviving_at
from synsamp.spines.simulate import simulate_like
from synsamp.spines.table import SpineTable

Floats = NDArray[np.float64]
SIMULATED = 40
BINS, LAGS, MOST_TIMES = 10, 12, 200


def curves_of(
    table: SpineTable, fitted: Fitted | None, simulated: SpineTable | None, seed: int = 0
) -> dict[str, pd.DataFrame]:
    """Size distribution, change against size, autocorrelation and survival, each as a frame.

    Columns: ``at`` and ``table``; with a fit also ``low``, ``simulated`` and ``high`` (median and
    95 % range of simulated tables); with a simulation of the rule also ``rule``.
    """
    chosen = table.part(table.ever_seen)
    makers: dict[str, Any] = {"survival": _survival}
    if table.has_sizes:
        makers |= {"distribution": _distribution, "change": _change, "correlation": _correlation}
    bins_of = {name: _bins(name, chosen) for name in makers}
    found = {}
    tables = []
    if fitted is not None:
        rng = np.random.default_rng(seed)
        tables = [simulate_like(table, fitted, rng) for _ in range(SIMULATED)]
    for name, make in makers.items():
        at, edges = bins_of[name]
        if not at.size:
            continue
        frame = pd.DataFrame({"at": at, "table": make(chosen, edges)})
        if tables:
            drawn = np.array([make(one, edges) for one in tables])
            with np.errstate(invalid="ignore"):
                enough = np.isfinite(drawn).sum(axis=0) >= SIMULATED // 2
                low, middle, high = _quantiles(drawn)
            frame["low"] = np.where(enough, low, np.nan)
            frame["simulated"] = np.where(enough, middle, np.nan)
            frame["high"] = np.where(enough, high, np.nan)
        if simulated is not None:
            frame["rule"] = make(simulated, edges)
        found[name] = frame
    return found


def _quantiles(drawn: Floats) -> Floats:
    """2.5, 50 and 97.5 % quantiles of each column, ignoring NaN; NaN where all are NaN."""
    found = np.full((3, drawn.shape[1]), np.nan)
    for k in range(drawn.shape[1]):
        column = drawn[np.isfinite(drawn[:, k]), k]
        if column.size:
            found[:, k] = np.quantile(column, [0.025, 0.5, 0.975])
    return found


def _bins(name: str, table: SpineTable) -> tuple[Any, Any]:
    """Points at which a curve is drawn, and the edges of its bins."""
    if name == "survival":
        ends = new_spine_lifetimes(table).durations.first_missed
        at = np.unique(np.append(ends[np.isfinite(ends)], 0.0))
        at = at[np.unique(np.linspace(0, at.size - 1, min(at.size, MOST_TIMES)).astype(int))]
        return at, at
    log_size = _log_sizes(table)
    values = log_size[np.isfinite(log_size)]
    if name == "distribution":
        bins = int(np.clip(2.0 * values.size ** (1 / 3), BINS, 4 * BINS))  # Rice's rule
        edges = np.linspace(values.min(), values.max() + 1e-9, bins + 1)
        return (edges[1:] + edges[:-1]) / 2, edges
    if name == "change":
        edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)))
        return (edges[1:] + edges[:-1]) / 2, edges
    step = table.usual_interval
    span = float(np.ptp(table.times))
    edges = step * (np.arange(0, min(LAGS, int(span / step)) + 1) + 0.5)
    return (edges[1:] + edges[:-1]) / 2, edges


def _log_sizes(table: SpineTable) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.log(table.size)
    return found


def _distribution(table: SpineTable, edges: Floats) -> Floats:
    values = _log_sizes(table)
    values = values[np.isfinite(values)]
    counts, _ = np.histogram(values, edges)
    density: Floats = counts / max(len(values), 1) / np.diff(edges)
    return density


def _pairs(table: SpineTable) -> tuple[Floats, Floats]:
    """Log size before and after, for spines measured in two successive observations."""
    log_size = _log_sizes(table)
    before, after = [], []
    last = np.full(len(log_size), np.nan)
    for k in range(table.times.size):
        here = log_size[:, k]
        both = np.isfinite(last) & np.isfinite(here)
        before.append(last[both])
        after.append(here[both])
        last = np.where(table.state[:, k] >= 0, here, last)
    return np.concatenate(before), np.concatenate(after)


def _change(table: SpineTable, edges: Floats) -> Floats:
    """Mean change of log size to the next observation, by size."""
    before, after = _pairs(table)
    which = np.clip(np.searchsorted(edges, before, side="right") - 1, 0, edges.size - 2)
    sums = np.bincount(which, after - before, minlength=edges.size - 1)
    counts = np.bincount(which, minlength=edges.size - 1)
    return np.where(counts >= 3, sums / np.maximum(counts, 1), np.nan)


def _correlation(table: SpineTable, edges: Floats) -> Floats:
    """Correlation of log size between sessions, binned by the time between them."""
    log_size = _log_sizes(table)
    values = log_size[np.isfinite(log_size)]
    centred = log_size - values.mean()
    variance = values.var()
    sums, counts = np.zeros(edges.size - 1), np.zeros(edges.size - 1)
    for i in range(table.times.size):
        for k in range(i + 1, table.times.size):
            where = int(np.searchsorted(edges, table.times[k] - table.times[i], side="right")) - 1
            if 0 <= where < edges.size - 1:
                product = centred[:, i] * centred[:, k]
                good = np.isfinite(product)
                sums[where] += product[good].sum()
                counts[where] += good.sum()
    return np.where(counts >= 10, sums / np.maximum(counts, 1) / variance, np.nan)


def _survival(table: SpineTable, at: Floats) -> Floats:
    return surviving_at(new_spine_lifetimes(table).durations, at)
