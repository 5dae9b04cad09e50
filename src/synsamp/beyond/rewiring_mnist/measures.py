"""What the rewiring experiment is judged by, of one seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from synsamp.beyond.rewiring_mnist.parameters import RewiringParameters
from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results

INK = 0.1
"""A pixel counts as one with ink where the mean training image is above this."""


def measures(p: RewiringParameters, results: Results) -> dict[str, Value]:
    """Accuracies at the end, how the wiring changes, where it goes, and the second task."""
    first = results["first"].load()
    found = {**_accuracies(first), **_wiring(p, first, results["wiring"].load())}
    if "second" in results:
        found |= _second_task(p, first, results["second"].load())
    return found


def _accuracies(first: xr.Dataset) -> dict[str, Value]:
    end = {str(a): float(first.accuracy.sel(arm=a).isel(step=-1)) for a in first.arm.values}
    sparse_loss = end["dense"] - end["fixed"]
    return {
        "dense_accuracy": end["dense"],
        "soft_accuracy": end["soft"],
        "hard_accuracy": end["hard"],
        "fixed_accuracy": end["fixed"],
        "set_accuracy": end["set"],
        "hard_over_fixed": end["hard"] - end["fixed"],
        "soft_over_fixed": end["soft"] - end["fixed_soft"],
        "fixed_over_fixed": end["fixed_again"] - end["fixed"],
        "hard_loss": Ratio(end["dense"] - end["hard"], sparse_loss),
        "fixed_loss": Ratio(end["dense"] - end["fixed_again"], sparse_loss),
        "hard_over_set": end["hard"] - end["set"],
        "fixed_over_set": end["fixed"] - end["set"],
    }


def _wiring(p: RewiringParameters, first: xr.Dataset, wiring: xr.Dataset) -> dict[str, Value]:
    counts = first.active.sum("layer") / p.possible.sum()
    strayed = abs(first.active.sum("layer") - sum(p.kept)).max("step")
    new = first.new.isel(step=slice(1, None)).dropna("step", how="all")
    ink = wiring.mean_image > INK

    def on_ink(arm: str) -> Ratio:
        """Connections per pixel with ink, against those per pixel of all."""
        each = wiring.from_pixel.sel(arm=arm)
        return Ratio(float(each.where(ink).mean()), float(each.mean()))

    return {
        "hard_connectivity": float(counts.sel(arm="hard").isel(step=-1)),
        "soft_connectivity": float(counts.sel(arm="soft").isel(step=-1)),
        "dense_connectivity": float(counts.sel(arm="dense").isel(step=-1)),
        "hard_strays": float(strayed.sel(arm="hard")),
        "soft_strays": float(strayed.sel(arm="soft")),
        "hard_new_at_end": float(new.sel(arm="hard").isel(step=-1)),
        "fixed_new_at_end": float(new.sel(arm="fixed").isel(step=-1)),
        "hard_on_ink": on_ink("hard"),
        "fixed_on_ink": on_ink("fixed"),
    }


def _second_task(p: RewiringParameters, first: Any, second: Any) -> dict[str, Value]:
    """Steps until the target, after the change of task against a fresh start and a fixed wiring."""
    horizon = int(second.step[-1])

    def steps(task: Any, arm: str) -> float:
        return until(task.step.values, task.accuracy.sel(arm=arm).values, p.target, horizon)

    changed, fresh = steps(second, "hard"), steps(first, "hard")
    fixed = steps(second, "fixed")
    return {
        "change_over_fresh": Ratio(changed, fresh),
        "fresh_over_fresh": Ratio(steps(second, "hard_fresh"), fresh),
        "change_over_fixed": Ratio(changed, fixed),
        "fixed_change_over_fixed": Ratio(steps(second, "fixed_again"), fixed),
        "fixed_change_over_fresh": Ratio(fixed, steps(first, "fixed")),
    }


def until(step: Any, accuracy: Any, target: float, horizon: int) -> float:
    """When the target is reached first, between looks on a straight line; else the horizon."""
    over = np.flatnonzero((accuracy >= target) & (step <= horizon))
    if over.size == 0:
        return float(horizon)
    k = over[0]
    if k == 0:
        return float(step[0])
    low, high = accuracy[k - 1], accuracy[k]
    return float(step[k - 1] + (step[k] - step[k - 1]) * (target - low) / (high - low))
