"""Analysis of the records of one circuit: survival of new connections, sizes, populations.

A branch is a circuit at one speed (``fast``, ``slow``), or its synapses without activity at that
speed (``no_activity_fast``, ``no_activity_slow``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.ornstein_uhlenbeck import first_passage_survival
from synsamp.analysis.survival import (
    Lifetimes,
    joined,
    kaplan_meier,
    loss_deviations,
    new_lifetimes,
)
from synsamp.analysis.survival_models import (
    SURVIVAL_MODELS,
    SurvivalModel,
    first_passage,
    fit_survival_model,
)
from synsamp.experiments.base import Results
from synsamp.paper.fig3_motility.parameters import ImagingSection, MotilityParameters
from synsamp.paper.fig3_motility.protocol import forgetting
from synsamp.paper.shared.digit_circuit import SpikingRule

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SPEEDS = ("fast", "slow")
CONDITIONS = ("learning", "no_activity")
"""The circuit, and its synapses under prior and noise alone."""
RECORDS = {
    "fast": "circuit",
    "slow": "circuit/slow",
    "no_activity_fast": "no_activity",
    "no_activity_slow": "no_activity/slow",
    "no_activity_unchanged": "no_activity/unchanged",
}
"""Where the records of a branch are stored."""
SIZE_EDGES = np.linspace(-4.5, 1.0, 23)
HELD_WEIGHT = 0.5
"""Above about this weight the likelihood stabilises a connection."""
N_DRAWN = 4
OCCUPANCY_BINS = 10
ENOUGH = 20
"""Fewer losses, or fewer changes of w, are not analysed."""
N_FITTED = 200
"""Points at which fits are stored for the figure."""
COMPARED = (*SURVIVAL_MODELS, "first passage")
POWER_LAW = COMPARED.index("power law")


def branch_of(condition: str, speed: str) -> str:
    """Name of the branch of a condition at a speed."""
    return speed if condition == "learning" else f"{condition}_{speed}"


def imaged(p: MotilityParameters, results: Results, branch: str, record: str) -> NDArray[Any]:
    """Return a record [time, synapse] of a branch after it has settled."""
    dataset = results[f"{RECORDS[branch]}/{record}"]
    imaging = p.fast if branch.endswith("fast") else p.slow
    start_s = forgetting(p) if branch.startswith("no_activity") else p.settle_s
    if branch == "slow":
        start_s += p.slow_settle_s
    since_s = dataset.time.values - start_s
    slack_s = p.fast.record_every_s / 2
    inside = (since_s > -slack_s) & (since_s < imaging.tracked_s + slack_s)
    values = dataset["active" if record == "active" else "theta"].values[inside]
    return values.reshape(int(np.sum(inside)), -1)


def settling(p: MotilityParameters, results: Results) -> NDArray[Any]:
    """Return which synapses were active at the start, over the duration of ``slow`` in 1/b."""
    active = results["circuit/active"].active.values[: p.slow.points + 1]
    return active.reshape(len(active), -1)


def analyse(p: MotilityParameters, results: Results) -> dict[str, xr.Dataset]:
    """Derive curves and histograms from the records."""
    states = {branch: imaged(p, results, branch, "active") for branch in list(RECORDS)[:4]}
    found = {}
    for speed in SPEEDS:
        imaging = getattr(p, speed)
        branches = [branch_of(condition, speed) for condition in CONDITIONS]
        alive = predicted_survival(p.rule, imaging)
        both = [survival(states[branch], imaging, alive) for branch in branches]
        together = xr.concat(both, xr.IndexVariable("branch", branches))
        found[f"survival_{speed}"] = together.assign(
            predicted=("time", alive[: together.sizes["time"]])
        )
    found["scaling"] = _scaling(p, states["fast"], states["slow"])
    if long_enough(p):
        unchanged = imaged(p, results, "no_activity_unchanged", "active")
        found["unchanged"] = _scaling(p, states["no_activity_fast"], unchanged)
    found["changes"] = _changes(p, results)
    found["populations"] = _populations(p, results, states)
    found["traces"] = _traces(p, results)
    return found


def _scaling(p: MotilityParameters, fast: NDArray[Any], slow: NDArray[Any]) -> xr.Dataset:
    window = round(p.slow.new_within_s / p.slow.record_every_s)
    return scaling(fast, slow, p.fast.record_every_s, p.slow.record_every_s, window)


def long_enough(p: MotilityParameters) -> bool:
    """Whether the slow circuit is observed for a relaxation time of the prior or more.

    Over much shorter times θ is a random walk without a time scale: lifetimes in units of sessions
    then hardly depend on b or on activity.
    """
    return p.slow.tracked_s * p.slow.speed >= p.rule.prior.std**2


def _changes(p: MotilityParameters, results: Results) -> xr.Dataset:
    """How changes of w depend on w, over the same b · time at both speeds."""
    theta_0 = p.rule.theta_0
    # At the larger b all of θ is recorded too rarely; θ of 200 synapses is recorded often.
    records = {"fast": "traced", "slow": "theta"}
    middles = (SIZE_EDGES[1:] + SIZE_EDGES[:-1]) / 2
    slopes, spreads, smaller = [], [], []
    for name in SPEEDS:
        theta = imaged(p, results, name, records[name]).astype(float)
        first, then = _pairs(theta, p.change_steps)
        slopes.append([change_slope(first, then, theta_0, shuffled) for shuffled in (False, True)])
        spreads.append(change_by_size(first, then, theta_0, SIZE_EDGES))
        smaller.append(binned_slope(middles, spreads[-1], np.exp(-theta_0), HELD_WEIGHT))
    grids = np.array([getattr(p, name).record_every_s for name in SPEEDS])
    return xr.Dataset(
        {
            "slope": (("branch", "changes"), np.array(slopes)),
            "window_s": ("branch", grids * p.change_steps, {"units": "s"}),
            "spread": (("branch", "size"), np.array(spreads)),
            "smaller_slope": ("branch", smaller),
        },
        coords={
            "branch": list(SPEEDS),
            "changes": ["own", "shuffled"],
            "log_weight": ("size", middles),
        },
    )


def _pairs(theta: NDArray[Any], apart: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """θ, and θ some rows later, of all synapses and times."""
    return theta[:-apart].ravel(), theta[apart:].ravel()


def _populations(p: MotilityParameters, results: Results, states: Any) -> xr.Dataset:
    """Histogram of the share of time active, and the efficacy of persistent connections."""
    counts, shares = [], []
    branches = [branch_of(condition, "fast") for condition in CONDITIONS]
    for branch in branches:
        theta = imaged(p, results, branch, "theta").astype(float)
        counts.append(occupancy_counts(states[branch]))
        shares.append(efficacy_share(theta, states[branch], p.rule.theta_0))
    return xr.Dataset(
        {
            "count": (("branch", "tenth"), np.array(counts)),
            "dip": ("branch", [histogram_dip(row) for row in counts]),
            "efficacy": ("branch", shares),
        },
        coords={
            "branch": branches,
            "share": ("tenth", (np.arange(len(counts[0])) + 0.5) / len(counts[0])),
        },
    )


def _traces(p: MotilityParameters, results: Results) -> xr.Dataset:
    """θ of a few synapses for the figure.

    Of 200 random synapses, the first four active at more than 95 % of the time points and the
    first four active at 5 to 50 %.
    """
    trace = imaged(p, results, "fast", "traced")
    share = (trace > 0).mean(axis=0)
    lasting = np.flatnonzero(persistent(trace > 0))[:N_DRAWN]
    passing = np.flatnonzero((share > 0.05) & (share < 0.5))[:N_DRAWN]
    chosen = np.concatenate([lasting, passing])
    time_s = np.arange(len(trace)) * p.fast.record_every_s
    return xr.Dataset(
        {
            "theta": (("time", "trace"), trace[:, chosen]),
            "persistent": ("trace", np.arange(chosen.size) < lasting.size),
            "synapse": ("trace", results["circuit/traced"].synapse.values[chosen]),
        },
        coords={"time": ("time", time_s, {"units": "s"})},
    )


def predicted_survival(rule: SpikingRule, imaging: ImagingSection) -> Floats:
    """Survival of new connections under prior and noise alone: first passage of θ = 0.

    Of the Ornstein–Uhlenbeck process with mean μ, spread σ√T and relaxation time σ²/b, observed at
    the imaging sessions, with the same definition of "new".
    """
    return first_passage_survival(
        rule.prior.mean,
        rule.prior.std * np.sqrt(rule.temperature),
        rule.prior.std**2 / imaging.speed,
        imaging.session_every_s,
        round(imaging.tracked_s / imaging.session_every_s),
        round(imaging.new_within_s / imaging.session_every_s),
    )


def survival(states: Bools, imaging: ImagingSection, alive: Floats) -> xr.Dataset:
    """Survival of new connections: curve, fits, and deviation from the predicted ``alive``.

    ``states[time, synapse]`` are records; imaging sessions are some of them. New connections were
    not active a given number of sessions before.
    """
    step_s = imaging.session_every_s
    every, window = round(step_s / imaging.record_every_s), round(imaging.new_within_s / step_s)
    lifetimes = new_lifetimes(states[::every], step_s, window)
    sessions = len(states[::every])
    time_s = np.arange(sessions - window, dtype=float) * step_s
    fit_s = np.geomspace(step_s / 3, step_s * (sessions - 1), N_FITTED)
    models = _models(lifetimes, step_s, alive)
    curves = [
        np.full(N_FITTED, np.nan) if model is None else model.survival(fit_s) for model in models
    ]
    power = models[POWER_LAW]
    return xr.Dataset(
        {
            **{name: ("time", values) for name, values in _curve(lifetimes, time_s).items()},
            "fit": (("model", "fit_time"), np.array(curves)),
            "aic": ("model", [np.nan if model is None else model.aic for model in models]),
            "gamma": ((), np.nan if power is None else power.parameters["γ"]),
            "tau": ((), np.nan if power is None else power.parameters["τ"]),
            "losses": ((), _losses(lifetimes, step_s, alive)),
            "new": ((), len(lifetimes)),
            "censored": ((), int((~lifetimes.ended).sum())),
        },
        coords={
            "time": ("time", time_s, {"units": "s"}),
            "fit_time": fit_s,
            "model": list(COMPARED),
        },
    )


def _curve(lifetimes: Lifetimes, time_s: Floats) -> dict[str, Floats]:
    """Kaplan–Meier curve at given times, so that several circuits can be averaged."""
    if len(lifetimes) == 0:
        return {name: np.full(time_s.size, np.nan) for name in ("survival", "low", "high")}
    curve = kaplan_meier(lifetimes)
    # Losses occur on the same grid; half a step more avoids rounding errors.
    at = np.searchsorted(curve.time, time_s + time_s[1] / 2) - 1
    return {"survival": curve.survival[at], "low": curve.low[at], "high": curve.high[at]}


def _models(lifetimes: Lifetimes, step_s: float, alive: Floats) -> list[SurvivalModel | None]:
    """Every fit that is compared, or none if there are too few losses."""
    if lifetimes.ended.sum() < ENOUGH:
        return [None] * len(COMPARED)
    fits = [fit_survival_model(lifetimes, model) for model in SURVIVAL_MODELS]
    return [*fits, first_passage(lifetimes, np.arange(alive.size, dtype=float) * step_s, alive)]


def _losses(lifetimes: Lifetimes, step_s: float, alive: Floats) -> float:
    """Losses at four ages minus predicted losses, in standard errors, root mean square."""
    if lifetimes.ended.sum() < ENOUGH or not np.isfinite(alive).all():
        return np.nan
    return float(np.sqrt(np.mean(loss_deviations(lifetimes, step_s, alive) ** 2)))


def scaled_lifetimes(
    fast: Bools, slow: Bools, fast_step_s: float, slow_step_s: float, window: int
) -> tuple[Lifetimes, Lifetimes]:
    """Lifetimes at both speeds, observed for the same duration in units of 1/b.

    The fast record is cut into pieces of the length of the slow one, so that censoring is the same.
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
    """Curves and medians of power-law fits at both speeds, over the same duration in 1/b."""
    steps = np.arange(len(slow) - window)
    both = scaled_lifetimes(fast, slow, fast_step_s, slow_step_s, window)
    found: dict[str, list[Any]] = {"survival": [], "median": [], "gamma": [], "new": []}
    for lifetimes, step_s in zip(both, (fast_step_s, slow_step_s), strict=True):
        enough = lifetimes.ended.sum() >= ENOUGH
        power = fit_survival_model(lifetimes, "power law") if enough else None
        time_s = np.arange(steps.size, dtype=float) * step_s
        found["survival"].append(_curve(lifetimes, time_s)["survival"])
        found["median"].append(power.median if power else np.nan)
        found["gamma"].append(power.parameters["γ"] if power else np.nan)
        found["new"].append(len(lifetimes))
    return xr.Dataset(
        {
            "survival": (("speed", "step"), np.array(found.pop("survival"))),
            **{name: ("speed", values) for name, values in found.items()},
        },
        coords={"speed": list(SPEEDS), "step": steps},
    )


def change_slope(theta: Floats, later: Floats, theta_0: float, shuffled: bool = False) -> float:
    """Slope of log |Δw| over log w of connections active at first; 1 means proportional.

    ``shuffled``: changes are shuffled across connections, so that size has no effect.
    """
    active = theta > 0
    w, after = np.exp(theta[active] - theta_0), np.exp(later[active] - theta_0)
    moved = np.abs(after - w)
    if shuffled:
        moved = np.random.default_rng(0).permutation(moved)
    some = moved > 0
    if some.sum() < ENOUGH or np.ptp(w[some]) == 0:
        return np.nan
    return float(np.polyfit(np.log(w[some]), np.log(moved[some]), 1)[0])


def change_by_size(theta: Floats, later: Floats, theta_0: float, edges: Floats) -> Floats:
    """Standard deviation of Δw in bins of log w; NaN in bins with few changes."""
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
    """Slope of log std(Δw) over log w, in the bins between two weights."""
    some = np.isfinite(spread) & (np.exp(log_weight) > lowest) & (np.exp(log_weight) < highest)
    if some.sum() < 3:
        return np.nan
    return float(np.polyfit(log_weight[some], np.log(spread[some]), 1)[0])


def occupancy_counts(states: Bools) -> NDArray[np.int64]:
    """Histogram of the share of time in which connections are active, in tenths."""
    share = states.mean(axis=0)
    return np.histogram(share, np.linspace(0.0, 1.0, OCCUPANCY_BINS + 1))[0]


def histogram_dip(counts: NDArray[np.int64]) -> float:
    """Emptiest inner tenth of the histogram, relative to the smaller outer tenth; at most 1.

    Far below 1 there are two populations, one active nearly always and one rarely.
    """
    smaller, least = min(int(counts[0]), int(counts[-1])), int(counts[1:-1].min())
    return least / smaller if smaller > least else 1.0


def persistent(states: Bools) -> Bools:
    """Connections that are active at more than 95 % of the time points."""
    found: Bools = states.mean(axis=0) > 0.95
    return found


def efficacy_share(theta: Floats, states: Bools, theta_0: float) -> float:
    """Share of the summed efficacy ŵ, over all time points, of persistent connections."""
    efficacy = np.maximum(np.exp(theta - theta_0) - np.exp(-theta_0), 0.0).sum(axis=0)
    return float(efficacy[persistent(states)].sum() / efficacy.sum())


def relative_drift(share: Floats) -> float:
    """Mean of the last quarter over mean of the first, minus 1; 0 is a steady state."""
    quarter = max(1, len(share) // 4)
    return float(share[-quarter:].mean() / share[:quarter].mean() - 1.0)
