"""Is it an Ornstein–Uhlenbeck process in log size? Alternatives judged by held-out sessions.

Each model is fitted to the first sessions. It then predicts each later session, one step ahead,
from all sessions before: the log size of a spine that was seen in the session before, or that it
is absent. The score is the mean log density of these predictions; a higher score is better.

    one time scale      the Ornstein–Uhlenbeck process of the rule
    two time scales     the sum of a slow and a fast one
    two populations     spines of two kinds, each with its own mean and relaxation time
    Kesten process      S′ = m + keep (S − m) + noise of variance (a² S² + c²)(1 − keep²), in size

Models of log size use the Gaussian filter. The Kesten process predicts from the last size alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, special, stats

from synsamp.errors import refuse
from synsamp.progress import progress_bar
from synsamp.spines.gaussian_filter import gaussian_log_likelihoods, log_entry_by
from synsamp.spines.likelihood import FEWEST_ANIMALS, maximise
from synsamp.spines.observations import Observations
from synsamp.spines.problem import Problem
from synsamp.spines.process import OneTimeScale, Process, TwoTimeScales
from synsamp.spines.simulate import simulate
from synsamp.spines.table import SpineTable

Floats = NDArray[np.float64]

FEWEST_SESSIONS = 5
SIMULATIONS = 20
"""Tables that are simulated from each model to estimate the power."""

CLEAR = 2.39
"""Standard errors by which a score must be higher: 5 % for the best of three alternatives."""

Predictor = Callable[[SpineTable], Floats]
"""Log densities [spine] of the last session of a table given those before."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores of the models in held-out sessions.

    Attributes
    ----------
    scores
        One row per model: score, its difference to one time scale with standard error, and the
        number of predictions.
    power
        One row per alternative: the share of simulated tables of that model in which one time scale
        is recognised as wrong, and of tables of one time scale in which it is wrongly rejected.
    answer
        The result in plain sentences.
    """

    scores: pd.DataFrame
    power: pd.DataFrame
    answer: str


def held_out(
    table: SpineTable, *, simulations: int = SIMULATIONS, seed: int = 0, progress: bool = False
) -> HeldOut:
    """Compare models of spine sizes by how well they predict sessions that they were not fitted to.

    Parameters
    ----------
    table
        A table from `read` with sizes in at least five sessions.
    simulations
        Tables simulated from each model to estimate the power; 0 skips it.
    seed
        Seed of all random numbers.
    progress
        Show a progress bar on a terminal.

    Returns
    -------
    HeldOut
        Scores of the models, the power to distinguish them, and the answer as a sentence.
    """
    chosen = table.part(table.ever_seen)
    if not chosen.has_sizes or chosen.times.size < FEWEST_SESSIONS:
        raise refuse(
            "table",
            f"must hold sizes in at least {FEWEST_SESSIONS} sessions to hold some out",
            chosen.times.size,
            "image more sessions",
        )
    scores, models = _scores(chosen)
    rows = []
    rng = np.random.default_rng(seed)
    with progress_bar("simulating models", simulations * len(models), progress) as advance:
        for name, model in models.items():
            rejected = []
            for _ in range(simulations):
                drawn = _scores(model.simulate(chosen, rng))[0]
                rejected.append(_best(drawn) not in ("one time scale", ""))
                advance(1)
            if simulations:
                rows.append((name, float(np.mean(rejected)), simulations))
    power = pd.DataFrame(rows, columns=["model", "one_time_scale_rejected", "tables"])
    return HeldOut(scores, power, _answer(scores, power))


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted model: how it predicts the last session of a table, and how it makes one."""

    predict: Predictor
    simulate: Callable[[SpineTable, np.random.Generator], SpineTable]


def _scores(table: SpineTable) -> tuple[pd.DataFrame, dict[str, Model]]:
    """Fit all models to the first sessions, and score the others."""
    n_held = max(1, table.times.size // 3)
    n_first = table.times.size - n_held
    first = _until(table, n_first)
    first = first.part(first.ever_seen)
    models = {
        "one time scale": _process(first, OneTimeScale),
        "two time scales": _process(first, TwoTimeScales),
        "two populations": _populations(first),
        "Kesten process": _kesten(first),
    }
    found: dict[str, list[Floats]] = {name: [] for name in models}
    unit: list[NDArray[np.int64]] = []
    clusters = table.animal_number
    if clusters.max() + 1 < FEWEST_ANIMALS:
        clusters = np.arange(len(clusters))
    for k in range(n_first, table.times.size):
        here = _until(table, k + 1)
        # Spines that were seen in the session before: a prediction needs a past.
        known = (here.state[:, -2] == 1) & np.isfinite(here.size[:, -2]) & (here.state[:, -1] >= 0)
        known &= (here.state[:, -1] == 0) | np.isfinite(here.size[:, -1])
        if not known.any():
            continue
        part = replace(here.part(known), times=here.times, state=here.state[known],
                       size=here.size[known])  # fmt: skip
        unit.append(clusters[known])
        for name, model in models.items():
            found[name].append(model.predict(part))
    if not unit:
        raise refuse("table", "must hold spines in successive sessions", "none", "image more often")
    whose = np.concatenate(unit)
    base = np.concatenate(found["one time scale"])
    rows = []
    for name in models:
        own = np.concatenate(found[name])
        gain = own - base
        summed = np.bincount(np.unique(whose, return_inverse=True)[1], gain)
        error = float(np.sqrt(summed.size) * summed.std(ddof=1) / gain.size)
        rows.append((name, float(own.mean()), float(gain.mean()), error, gain.size))
    columns = ["model", "score", "difference", "error", "predictions"]
    return pd.DataFrame(rows, columns=columns), models


def _until(table: SpineTable, n: int) -> SpineTable:
    """The first sessions of a table."""
    return replace(table, times=table.times[:n], state=table.state[:, :n], size=table.size[:, :n])


def _whole(process: Process, seen: Observations) -> Floats:
    """log P(observations) of each spine, not divided by the probability of being in the table."""
    return gaussian_log_likelihoods(process, seen) + log_entry_by(process, seen)


def _step(table: SpineTable, whole: Callable[[Observations], Floats], least: float) -> Floats:
    """log P(last session | sessions before) of each spine."""
    kept = replace(table, renamed=False)  # a name that ends is one that is not seen again
    now, before = (t.observations(float(np.exp(least))) for t in (kept, _until(kept, -1)))
    return whole(now) - whole(before)


def _process(first: SpineTable, kind: type[Process]) -> Model:
    problem = Problem(kind, first.observations())
    bounds, starts = problem.bounds_and_starts()
    q, _ = maximise(problem.approximate, starts[::2], bounds)
    process, least = kind.from_vector(q), problem.seen.threshold

    def make(table: SpineTable, rng: np.random.Generator) -> SpineTable:
        imaged = table.state >= 0
        drawn = simulate(
            process, least, table.times, len(imaged), rng, imaged, renamed=table.renamed
        )
        return replace(table, state=drawn[0], size=drawn[1])

    return Model(lambda table: _step(table, lambda seen: _whole(process, seen), least), make)


def _populations(first: SpineTable) -> Model:
    """Two processes with one spread and noise; the share of the first among all places."""
    seen = first.observations()
    single = Problem(OneTimeScale, seen)
    bounds, starts = single.bounds_and_starts()
    best, _ = maximise(single.approximate, starts[::2], bounds)

    def split(q: Floats) -> tuple[tuple[OneTimeScale, OneTimeScale], Floats]:
        one = OneTimeScale.from_vector([q[0], q[1], q[2], q[3]])
        two = OneTimeScale.from_vector([q[4], q[1], q[5], q[3]])
        return (one, two), np.log([special.expit(q[6]), special.expit(-q[6])])

    def mixed(q: Floats, given: Observations) -> Floats:
        pair, logs = split(q)
        found: Floats = np.logaddexp(
            *(w + _whole(p, given) for p, w in zip(pair, logs, strict=True))
        )
        return found

    def likelihood(q: Floats) -> Floats:
        pair, logs = split(q)
        entry = np.logaddexp(*(w + log_entry_by(p, seen) for p, w in zip(pair, logs, strict=True)))
        return mixed(q, seen) - entry

    sd = float(seen.sized().std())
    # A population far below the threshold would hardly be in the table.
    means = (best[0] - 2.0 * sd, best[0] + 2.0 * sd)
    limits = [means, *bounds[1:], means, bounds[2], (-4.0, 4.0)]
    tries = [
        np.r_[
            best[0] + d * sd, best[1] - 0.2, best[2] + e, best[3], best[0] - d * sd, best[2] - e, 0
        ]
        for d, e in ((0.5, 0.7), (0.0, 1.0))
    ]
    q, _ = maximise(likelihood, tries, limits)
    pair, logs = split(q)

    def make(table: SpineTable, rng: np.random.Generator) -> SpineTable:
        imaged = table.state >= 0
        # Spines in the table are of the first kind in proportion to what each kind contributes.
        odds = [
            float(np.exp(w + log_entry_by(p, seen).mean())) for p, w in zip(pair, logs, strict=True)
        ]
        kind = rng.random(len(imaged)) < odds[0] / sum(odds)
        state, size = np.full(imaged.shape, -1, np.int8), np.full(imaged.shape, np.nan)
        for process, own in ((pair[0], kind), (pair[1], ~kind)):
            if own.any():
                state[own], size[own] = simulate(
                    process, seen.threshold, table.times, int(own.sum()), rng, imaged[own],
                    renamed=table.renamed,
                )  # fmt: skip
        return replace(table, state=state, size=size)

    return Model(lambda table: _step(table, lambda given: mixed(q, given), seen.threshold), make)


def _kesten(first: SpineTable) -> Model:
    least = float(np.nanmin(first.size))

    def density(v: Floats, before: Floats, after: Floats, interval: Floats) -> Floats:
        middle, a, c = np.exp(v[0]), np.exp(v[2]), np.exp(v[3])
        keep = np.exp(-interval / np.exp(v[1]))
        mean = middle + keep * (before - middle)
        sd = np.sqrt((a**2 * before**2 + c**2) * (1 - keep**2))
        seen = np.isfinite(after)
        # Of log size, so that all models predict the same quantity.
        log_p = stats.norm.logpdf(np.where(seen, after, 1.0), mean, sd)
        log_p += np.log(np.where(seen, after, 1.0))
        found: Floats = np.where(seen, log_p, special.log_ndtr((least - mean) / sd))
        return found

    pairs = _pairs(first)
    middle, sd = float(np.median(pairs[0])), float(pairs[0].std())
    span = float(np.ptp(first.times))
    start = np.array([np.log(middle), np.log(max(span / 2, 1e-9)), np.log(0.6), np.log(sd / 2)])
    limits = [
        (start[0] - 4, start[0] + 2),
        (np.log(pairs[2].min() / 10), np.log(30 * span)),
        (-6.0, 3.0),
        (np.log(sd) - 6, np.log(sd) + 3),
    ]
    best = optimize.minimize(
        lambda v: -float(density(v, *pairs).sum()), start, method="L-BFGS-B", bounds=limits
    ).x

    def predict(table: SpineTable) -> Floats:
        before, after = table.size[:, -2], table.size[:, -1]
        return density(best, before, after, np.full(before.size, np.diff(table.times)[-1]))

    def make(table: SpineTable, rng: np.random.Generator) -> SpineTable:
        """Sizes start from those of the table; a lost spine is replaced by a new one."""
        pool = first.size[np.isfinite(first.size)]
        now = rng.choice(pool, len(table.state))
        state, size = np.full(table.state.shape, 0, np.int8), np.full(table.state.shape, np.nan)
        for k in range(table.times.size):
            if k:
                keep = np.exp(-(table.times[k] - table.times[k - 1]) / np.exp(best[1]))
                sd = np.sqrt((np.exp(2 * best[2]) * now**2 + np.exp(2 * best[3])) * (1 - keep**2))
                now = (
                    np.exp(best[0])
                    + keep * (now - np.exp(best[0]))
                    + sd * rng.standard_normal(now.size)
                )
            there = now > least
            state[:, k], size[:, k] = there, np.where(there, now, np.nan)
        state = np.where(table.state >= 0, state, -1).astype(np.int8)
        drawn = replace(table, state=state, size=np.where(state == 1, size, np.nan), renamed=False)
        return drawn.part(drawn.ever_seen)

    return Model(predict, make)


def _pairs(table: SpineTable) -> tuple[Floats, Floats, Floats]:
    """Size before, size after (NaN if absent) and interval, of successive sessions."""
    before, after, interval = [], [], []
    for k in range(table.times.size - 1):
        known = np.isfinite(table.size[:, k]) & (table.state[:, k + 1] >= 0)
        known &= (table.state[:, k + 1] == 0) | np.isfinite(table.size[:, k + 1])
        before.append(table.size[known, k])
        after.append(table.size[known, k + 1])
        interval.append(np.full(int(known.sum()), table.times[k + 1] - table.times[k]))
    return np.concatenate(before), np.concatenate(after), np.concatenate(interval)


def _best(scores: pd.DataFrame) -> str:
    """The model that predicts clearly better than one time scale; "" if none does."""
    better = scores[scores["difference"] > CLEAR * scores["error"]]
    better = better[better["difference"] > 0]
    return "" if better.empty else str(better.loc[better["difference"].idxmax(), "model"])


def _answer(scores: pd.DataFrame, power: pd.DataFrame) -> str:
    best = _best(scores)
    row = scores.set_index("model")
    if best:
        gain, error = row.loc[best, ["difference", "error"]]
        words = (
            "No: one Ornstein–Uhlenbeck process in log size does not describe these spines best. "
            f"{best[:1].upper()}{best[1:]} predicts held-out sessions better, by {gain:.3f} ± "
            f"{error:.3f} in log density per prediction."
        )
    else:
        words = (
            "Nothing speaks against one Ornstein–Uhlenbeck process in log size: no alternative "
            "predicts held-out sessions clearly better."
        )
    if len(power):
        shares = power.set_index("model")["one_time_scale_rejected"]
        others = ", ".join(
            f"{100 * share:.0f} % if it were {name}"
            for name, share in shares.items()
            if name != "one time scale"
        )
        words += (
            f" A table of this size would reject one time scale in {others}, and wrongly in "
            f"{100 * shares['one time scale']:.0f} % ({int(power['tables'].iloc[0])} simulated "
            "tables each)."
        )
    return words
