"""What the claims and figures of Fig. 3 need, from the records of one circuit."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from synsamp.analysis.ornstein_uhlenbeck import OrnsteinUhlenbeck, estimate_ornstein_uhlenbeck
from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results
from synsamp.experiments.motility.parameters import MotilityParameters
from synsamp.experiments.motility.protocol import forgetting
from synsamp.experiments.motility.sizes import (
    binned_slope,
    change_by_size,
    change_slope,
    dip,
    drift,
    occupancy_counts,
)
from synsamp.experiments.motility.survival import scaling, survival

SPEEDS = ("fast", "slow")
PLACES = {"fast": "circuit", "slow": "circuit/slow"}
"""Where the records of the two speeds stand."""
SIZE_EDGES = np.linspace(-4.5, 1.0, 23)
HELD_WEIGHT = 0.5
"""Above about this weight the likelihood holds a connection: it does not wander any more."""
N_DRAWN = 4
ESTIMATED_STEPS = 100_000
"""Steps from which the process without activity is estimated: enough, and quick."""


def analyse(p: MotilityParameters, results: Results) -> dict[str, xr.Dataset]:
    """Curves and histograms, and the numbers read off them."""
    states = {name: _watched(p, results, name, "active") for name in SPEEDS}
    found = {}
    for name in SPEEDS:
        watch = getattr(p, name)
        every = round(watch.look_every_s / watch.grid_s)
        window = round(watch.new_within_s / watch.look_every_s)
        found[f"survival_{name}"] = survival(states[name], watch.grid_s, every, window)
    window = round(p.slow.new_within_s / p.slow.grid_s)
    found["scaling"] = scaling(states["fast"], states["slow"], p.fast.grid_s, p.slow.grid_s, window)
    found["changes"] = _changes(p, results)
    found["populations"] = _populations(p, results, states["fast"])
    found["traces"] = _traces(p, results)
    return found


def _watched(p: MotilityParameters, results: Results, speed: str, record: str) -> NDArray[Any]:
    """A record [time, synapse] from the moment the circuit has settled."""
    dataset = results[f"{PLACES[speed]}/{record}"]
    settled = dataset.time.values > p.settle_s - p.fast.grid_s / 2
    values = dataset["active" if record == "active" else "theta"].values[settled]
    return values.reshape(len(values), -1)


def _changes(p: MotilityParameters, results: Results) -> xr.Dataset:
    """How changes of w depend on w, over a short and a longer window of b · time."""
    theta_0 = p.rule.theta_0
    theta = {name: _watched(p, results, name, "theta").astype(float) for name in SPEEDS}
    longer = round(p.fast.look_every_s / p.fast.grid_s)
    # All of θ is kept every ``longer`` steps at the larger b, and at every step at the smaller.
    step = {
        "fast": _watched(p, results, "fast", "traced").astype(float)
        if longer > 1
        else theta["fast"],
        "slow": theta["slow"],
    }
    rows_apart = {"fast": 1, "slow": longer}
    middles = (SIZE_EDGES[1:] + SIZE_EDGES[:-1]) / 2
    slopes, spreads, smaller = [], [], []
    for name in SPEEDS:
        first, then = _pairs(step[name], 1)
        slopes.append(
            [
                change_slope(first, then, theta_0),
                change_slope(*_pairs(theta[name], rows_apart[name]), theta_0),
            ]
        )
        spreads.append(change_by_size(first, then, theta_0, SIZE_EDGES))
        smaller.append(binned_slope(middles, spreads[-1], np.exp(-theta_0), HELD_WEIGHT))
    grids = np.array([getattr(p, name).grid_s for name in SPEEDS])
    return xr.Dataset(
        {
            "slope": (("speed", "window"), np.array(slopes)),
            "window_s": (("speed", "window"), grids[:, None] * [1, longer], {"units": "s"}),
            "spread": (("speed", "size"), np.array(spreads)),
            "smaller_slope": ("speed", smaller),
        },
        coords={"speed": list(SPEEDS), "log_weight": ("size", middles)},
    )


def _pairs(theta: NDArray[Any], apart: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """θ and θ some rows later, all synapses and times in one row; none if it was not so long."""
    return theta[:-apart].ravel(), theta[apart:].ravel()


def _populations(p: MotilityParameters, results: Results, states: NDArray[Any]) -> xr.Dataset:
    """Connections by the share of time they are active, with activity and without."""
    free = results["free/active"]
    start_s = forgetting(p)
    first, last = start_s - p.fast.grid_s / 2, start_s + p.fast.tracked_s + p.fast.grid_s / 2
    alike = (free.time.values > first) & (free.time.values < last)
    alone = free.active.values[alike].reshape(int(alike.sum()), -1)
    counts = [occupancy_counts(each) for each in (states, alone)]
    return xr.Dataset(
        {
            "count": (("condition", "tenth"), np.array(counts)),
            "dip": ("condition", [dip(row) for row in counts]),
            "persistent": ((), states.all(axis=0).sum() / states[0].sum()),
        },
        coords={
            "condition": ["learning", "free"],
            "share": ("tenth", (np.arange(len(counts[0])) + 0.5) / len(counts[0])),
        },
    )


def _traces(p: MotilityParameters, results: Results) -> xr.Dataset:
    """θ of a few synapses to draw.

    Among 200 drawn at random, the first four active at more than 95 % of the grid points and the
    first four that came and went, active at 5 to 50 %.
    """
    trace = _watched(p, results, "fast", "traced")
    share = (trace > 0).mean(axis=0)
    persistent = np.flatnonzero(share > 0.95)[:N_DRAWN]
    transient = np.flatnonzero((share > 0.05) & (share < 0.5))[:N_DRAWN]
    chosen = np.concatenate([persistent, transient])
    time_s = np.arange(len(trace)) * p.fast.grid_s
    return xr.Dataset(
        {
            "theta": (("time", "trace"), trace[:, chosen]),
            "persistent": ("trace", np.arange(chosen.size) < persistent.size),
            "synapse": ("trace", results["circuit/traced"].synapse.values[chosen]),
        },
        coords={"time": ("time", time_s, {"units": "s"})},
    )


# -- numbers --------------------------------------------------------------------------------------


def measures(p: MotilityParameters, results: Results) -> dict[str, Value]:
    """One number each, from one circuit."""
    changes, populations = results["changes"], results["populations"]
    medians = results["scaling"]["median"].values
    found: dict[str, Value] = {
        **_free(p, results),
        "time_scale": Ratio(medians[1], medians[0] * p.fast.b / p.slow.b),
        "dip": float(populations.dip[0]),
        "dip_without_activity": float(populations.dip[1]),
        "persistent": float(populations.persistent),
    }
    for k, name in enumerate(SPEEDS):
        lives = results[f"survival_{name}"]
        share = _watched(p, results, name, "active").mean(axis=1)
        found |= {
            f"aic_gain_{name}": float(lives.aic_gain),
            f"gamma_{name}": float(lives.gamma),
            f"tau_{name}_s": float(lives.tau),
            f"new_{name}": float(lives.new),
            f"slope_{name}": float(changes.slope[k, 0]),
            f"slope_{name}_longer": float(changes.slope[k, 1]),
            f"slope_{name}_smaller_weights": float(changes.smaller_slope[k]),
            f"active_{name}": float(share.mean()),
            f"drift_{name}": drift(share),
            f"drift_{name}_strong": drift(_strong(p, _watched(p, results, name, "theta"))),
        }
    return found


def _strong(p: MotilityParameters, theta: NDArray[Any]) -> NDArray[Any]:
    """Share of synapses that the likelihood holds, over time."""
    return (theta > p.rule.theta_0 + np.log(HELD_WEIGHT)).mean(axis=1)


def _free(p: MotilityParameters, results: Results) -> dict[str, Value]:
    """How far the synapses without activity are from what the rule says, in standard errors."""
    last, shortly_after = results["free/pair"].pair.values.reshape(2, -1).astype(float)
    mean, spread = p.rule.prior_mean, p.rule.prior_std * np.sqrt(p.rule.T)
    law = stats.kstest(last, stats.norm(mean, spread).cdf)
    log_weight = last - p.rule.theta_0
    moments = stats.skewtest(log_weight).statistic, stats.kurtosistest(log_weight).statistic
    found = _process(p, results["free/theta"])
    deviations = (
        (found.mean - mean) / found.mean_error,
        (found.spread - spread) / found.spread_error,
        (found.noise - p.fast.b * p.rule.T) / found.noise_error,
    )
    return {
        "free_law": float(law.statistic * np.sqrt(last.size)),
        "free_moments": float(np.sqrt(np.mean(np.square(moments)))),
        "free_process": float(np.max(np.abs(deviations))),
        "free_mean": found.mean,
        "free_spread": found.spread,
        "free_noise": found.noise,
        "free_slope": change_slope(last, shortly_after, p.rule.theta_0),
    }


def _process(p: MotilityParameters, record: xr.Dataset) -> OrnsteinUhlenbeck:
    """The process of θ, estimated from its steps while it was watched."""
    time_s = record.time.values
    watched = time_s > forgetting(p) - p.fast.grid_s / 2
    theta = record.theta.values[watched].astype(float).reshape(int(watched.sum()), -1)
    some = theta[:, : max(1, ESTIMATED_STEPS // (len(theta) - 1))]
    return estimate_ornstein_uhlenbeck(some[:-1], some[1:], np.diff(time_s)[-1])
