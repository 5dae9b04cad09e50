"""Model comparison: AIC, BIC and predictive checks.

Tables are simulated from each fit with the sessions and gaps of the original. A process does not
explain a statistic of the table that lies outside 95 % of the simulated values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synsamp.progress import progress_bar
from synsamp.spines.fit import Fitted
from synsamp.spines.simulate import simulate_like
from synsamp.spines.table import SpineTable

Floats = NDArray[np.float64]
SIMULATIONS = 100
UNDECIDED = 2.0
"""A difference in AIC below which neither process is preferred."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """AIC and BIC of each process, and the table's statistics compared with simulated ones."""

    criteria: pd.DataFrame
    checks: pd.DataFrame
    verdict: str


def statistics_of(table: SpineTable) -> dict[str, float]:
    """Summary statistics of turnover, survival, sizes and autocorrelation.

    Sessions are counted for each spine, since animals may be imaged on different days.
    """
    state, size = _own_sessions(table)
    first, second = state[:, :-1], state[:, 1:]
    both = (first >= 0) & (second >= 0)
    changed = (both & (first != second)).sum()
    held = (both & (first == 1)).sum() + (both & (second == 1)).sum()
    before = first[:, :-1], second[:, :-1], second[:, 1:]
    new = (before[0] == 0) & (before[1] == 1) & (before[2] >= 0)
    back = (before[0] == 1) & (before[1] == 0) & (before[2] >= 0)
    found = {
        "turnover ratio": changed / held if held else np.nan,
        "new spines surviving one session": (new & (before[2] == 1)).sum() / max(new.sum(), 1),
        "lost spines returning one session later": (back & (before[2] == 1)).sum()
        / max(back.sum(), 1),
        "fraction of spines seen in every session": float(
            ((state == 1) | (state < 0)).all(axis=1).mean()
        ),
        "mean fraction of sessions seen": float((state == 1).sum() / (state >= 0).sum()),
    }
    if table.has_sizes:
        with np.errstate(invalid="ignore"):
            log_size = np.log(size)
        x = log_size[np.isfinite(log_size)]
        found |= {
            "mean log size": float(x.mean()),
            "std of log size": float(x.std()),
            "skewness of log size": float(((x - x.mean()) ** 3).mean() / x.std() ** 3),
        }
        for lag in (1, 2, 4):
            if log_size.shape[1] > lag:
                found[f"correlation {lag} session{'s' * (lag > 1)} apart"] = _correlation(
                    log_size[:, :-lag], log_size[:, lag:]
                )
    return {name: float(value) for name, value in found.items()}


def _own_sessions(table: SpineTable) -> tuple[NDArray[np.int8], Floats]:
    """States and sizes at the first, second … session of each spine; −1 and NaN after its last."""
    imaged = table.state >= 0
    if imaged.all():
        return table.state, table.size
    order = np.argsort(~imaged, axis=1, kind="stable")[:, : int(imaged.sum(axis=1).max())]
    return np.take_along_axis(table.state, order, 1), np.take_along_axis(table.size, order, 1)


def _correlation(a: Floats, b: Floats) -> float:
    """Pearson correlation over the pairs in which both were measured."""
    both = np.isfinite(a) & np.isfinite(b)
    if both.sum() < 3:
        return float("nan")
    x, y = a[both], b[both]
    if x.std() == 0 or y.std() == 0:
        return float("nan")
    return float(np.mean((x - x.mean()) * (y - y.mean())) / (x.std() * y.std()))


def compare(
    table: SpineTable,
    fits: Sequence[Fitted],
    seed: int = 0,
    simulations: int = SIMULATIONS,
    progress: bool = False,
) -> Comparison:
    """Rank the processes by AIC and compare the table with simulations from each.

    A process fitted only by the Gaussian filter is ranked by its gain over the first of ``fits``
    under that filter, so that the error of the filter cancels.
    """
    rows = []
    for f in fits:
        offset = 0.0
        if f.method != fits[0].method:
            offset = fits[0].log_likelihood - fits[0].approximate_log_likelihood
        value = f.log_likelihood + offset
        aic, bic = f.aic - 2 * offset, f.bic - 2 * offset
        rows.append((f.process.NAME, f.n_parameters, value, aic, bic, f.method))
    columns = ["process", "parameters", "log_likelihood", "aic", "bic", "method"]
    criteria = pd.DataFrame(rows, columns=columns).sort_values("aic", ignore_index=True)
    criteria["above_best"] = criteria["aic"] - criteria["aic"].min()
    observed = statistics_of(table.part(table.ever_seen))
    checks = []
    for fitted in fits:
        rng = np.random.default_rng(seed)
        rows_drawn = []
        words = f"simulating {fitted.process.NAME}"
        with progress_bar(words, simulations, progress) as advance:
            for _ in range(simulations):
                rows_drawn.append(statistics_of(simulate_like(table, fitted, rng)))
                advance(1)
        drawn = pd.DataFrame(rows_drawn)
        for name, value in observed.items():
            there = drawn[name].to_numpy()
            there = there[np.isfinite(there)]
            if not there.size or not np.isfinite(value):
                continue
            low, high = np.quantile(there, [0.025, 0.975])
            # The tolerance covers statistics that are equal in all tables (all 0, for example).
            inside = low - 1e-12 <= value <= high + 1e-12
            checks.append((fitted.process.NAME, name, value, low, np.median(there), high, inside))
    names = ["process", "statistic", "table", "low", "simulated", "high", "explained"]
    frame = pd.DataFrame(checks, columns=names)
    return Comparison(criteria, frame, _verdict(criteria, frame))


def _verdict(criteria: pd.DataFrame, checks: pd.DataFrame) -> str:
    best = criteria.iloc[0]
    words = f"{best['process']} describes the table best by AIC"
    if len(criteria) > 1:
        second = criteria.iloc[1]
        gap = second["aic"] - best["aic"]
        words = (
            f"{best['process']} and {second['process']} fit equally well "
            f"(difference in AIC {gap:.1f})"
            if gap < UNDECIDED
            else f"{words} ({gap:.1f} ahead of {second['process']})"
        )
    own = checks[checks["process"] == best["process"]]
    missed = own.loc[~own["explained"].astype(bool), "statistic"].tolist()
    if missed:
        return f"{words}; it does not explain: {', '.join(missed)}"
    return f"{words}; simulations from it match the table in all {len(own)} statistics"
