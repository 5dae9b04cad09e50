"""How long new connections live, which law describes it, and how that depends on the speed."""

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
from synsamp.analysis.survival_models import SURVIVAL_MODELS, SurvivalModel, first_passage, fit_survival_model
from synsamp.paper.fig3_motility.parameters import WatchSection
from synsamp.paper.shared.digit_circuit import RuleSection

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
ENOUGH = 20
"""Fewer lives seen to end than this are not fitted."""
N_FITTED = 200
"""Points at which fits are kept for the drawing."""
COMPARED = (*SURVIVAL_MODELS, "first passage")
POWER_LAW = COMPARED.index("power law")


def foretold(rule: RuleSection, watch: WatchSection) -> Floats:
    """S at each look of new connections under prior and noise alone: first passage of θ = 0.

    Of the Ornstein–Uhlenbeck process with mean μ, spread σ√T and relaxation time σ²/b, seen on
    the grid of looks, with the same definition of "new".
    """
    return first_passage_survival(
        rule.prior.mean,
        rule.prior.std * np.sqrt(rule.temperature),
        rule.prior.std**2 / watch.speed,
        watch.look_every_s,
        round(watch.tracked_s / watch.look_every_s),
        round(watch.new_within_s / watch.look_every_s),
    )


def survival(states: Bools, watch: WatchSection, alive: Floats) -> xr.Dataset:
    """Survival of new connections: curve, laws, and losses against those ``alive`` foretells.

    ``states[time, synapse]`` on the grid; every look is one of its points; new means not active
    so many looks before.
    """
    step_s = watch.look_every_s
    every, window = round(step_s / watch.sync_interval_s), round(watch.new_within_s / step_s)
    lives = new_lifetimes(states[::every], step_s, window)
    looks = len(states[::every])
    time_s = np.arange(looks - window, dtype=float) * step_s
    fit_s = np.geomspace(step_s / 3, step_s * (looks - 1), N_FITTED)
    laws = _laws(lives, step_s, alive)
    curves = [np.full(N_FITTED, np.nan) if law is None else law.survival(fit_s) for law in laws]
    power = laws[POWER_LAW]
    return xr.Dataset(
        {
            **{name: ("time", values) for name, values in _curve(lives, time_s).items()},
            "law": (("law_name", "fit_time"), np.array(curves)),
            "aic": ("law_name", [np.nan if law is None else law.aic for law in laws]),
            "gamma": ((), np.nan if power is None else power.parameters["γ"]),
            "tau": ((), np.nan if power is None else power.parameters["τ"]),
            "losses": ((), _losses(lives, step_s, alive)),
            "new": ((), len(lives)),
            "censored": ((), int((~lives.ended).sum())),
        },
        coords={
            "time": ("time", time_s, {"units": "s"}),
            "fit_time": fit_s,
            "law_name": list(COMPARED),
        },
    )


def margin(found: xr.Dataset) -> float:
    """AIC of the best of the other laws less that of the power law: above 0 it is the best."""
    aic = found.aic.values
    return float(np.delete(aic, POWER_LAW).min() - aic[POWER_LAW])


def leads(found: xr.Dataset) -> dict[str, float]:
    """AIC of each other law less that of the power law, by a name that a measure may have."""
    power = float(found.aic[POWER_LAW])
    return {
        law.lower().replace(" ", "_").replace("-", "_"): float(found.aic[k]) - power
        for k, law in enumerate(COMPARED)
        if k != POWER_LAW
    }


def _curve(lives: Lifetimes, time_s: Floats) -> dict[str, Floats]:
    """Kaplan–Meier at given times, so that curves of several circuits can be averaged."""
    if len(lives) == 0:
        return {name: np.full(time_s.size, np.nan) for name in ("survival", "low", "high")}
    curve = kaplan_meier(lives)
    # Losses are noticed on the same grid; half a step more keeps rounding out of it.
    at = np.searchsorted(curve.time, time_s + time_s[1] / 2) - 1
    return {"survival": curve.survival[at], "low": curve.low[at], "high": curve.high[at]}


def _laws(lives: Lifetimes, step_s: float, alive: Floats) -> list[SurvivalModel | None]:
    """Every law that is compared, or none where too few lives ended."""
    if lives.ended.sum() < ENOUGH:
        return [None] * len(COMPARED)
    fits = [fit_survival_model(lives, law) for law in SURVIVAL_MODELS]
    return [*fits, first_passage(lives, np.arange(alive.size, dtype=float) * step_s, alive)]


def _losses(lives: Lifetimes, step_s: float, alive: Floats) -> float:
    """Losses at four ages less those foretold, in standard errors, root mean square."""
    if lives.ended.sum() < ENOUGH or not np.isfinite(alive).all():
        return np.nan
    return float(np.sqrt(np.mean(loss_deviations(lives, step_s, alive) ** 2)))


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
        enough = lives.ended.sum() >= ENOUGH
        power = fit_survival_model(lives, "power law") if enough else None
        time_s = np.arange(steps.size, dtype=float) * step_s
        found["survival"].append(_curve(lives, time_s)["survival"])
        found["median"].append(power.median if power else np.nan)
        found["gamma"].append(power.parameters["γ"] if power else np.nan)
        found["new"].append(len(lives))
    return xr.Dataset(
        {
            "survival": (("speed", "step"), np.array(found.pop("survival"))),
            **{name: ("speed", values) for name, values in found.items()},
        },
        coords={"speed": ["fast", "slow"], "step": steps},
    )
