"""Measures of the rewiring experiment, of one seed. Branches are the networks of `protocol`."""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.beyond.rewiring_mnist.parameters import RewiringParameters
from synsamp.claims import Amount, Multiple, Ratio, Share, measures_in
from synsamp.experiments.base import Results

INK = 0.1
"""A pixel has ink where the mean training image is above this."""
FIXED = {"hard": "fixed", "soft": "fixed_soft", "fixed_again": "fixed"}
"""Fixed wiring with as many connections as a network."""


def accuracy(p: Any, results: Results, branch: str) -> Share:
    """Accuracy on test images at the end of the first task."""
    return float(results["first"].accuracy.sel(branch=branch).isel(step=-1))


def gain_over_fixed(p: Any, results: Results, branch: str) -> float:
    """Accuracy minus that of a fixed wiring of the same size."""
    return accuracy(p, results, branch) - accuracy(p, results, FIXED[branch])


def gain_over_set(p: Any, results: Results, branch: str) -> float:
    """Accuracy minus that of sparse evolutionary training."""
    return accuracy(p, results, branch) - accuracy(p, results, "set")


def relative_loss(p: Any, results: Results, branch: str) -> Ratio:
    """Accuracy lost relative to all connections, over the loss of the fixed wiring."""
    dense = accuracy(p, results, "dense")
    return Ratio(dense - accuracy(p, results, branch), dense - accuracy(p, results, "fixed"))


def connectivity(p: RewiringParameters, results: Results, branch: str) -> Share:
    """Share of possible connections that are active at the end of the first task."""
    share = results["first"].active.sum("layer") / p.possible.sum()
    return float(share.sel(branch=branch).isel(step=-1))


def deviation_from_k(p: RewiringParameters, results: Results, branch: str) -> Amount:
    """Largest deviation of the number of active connections from K."""
    active = results["first"].active.sel(branch=branch).sum("layer")
    return float(abs(active - sum(p.kept)).max("step"))


def new_at_end(p: Any, results: Results, branch: str) -> Share:
    """Share of connections that are new in the last epoch."""
    new = results["first"].new.isel(step=slice(1, None)).dropna("step", how="all")
    return float(new.sel(branch=branch).isel(step=-1))


def connections_on_ink(p: Any, results: Results, branch: str) -> Multiple:
    """Connections per pixel with ink, and per pixel overall."""
    wiring = results["wiring"]
    each = wiring.from_pixel.sel(branch=branch)
    return Ratio(float(each.where(wiring.mean_image > INK).mean()), float(each.mean()))


def steps_over_first_task(p: RewiringParameters, results: Results, branch: str) -> Multiple:
    """Steps to the target on the second task, over those of hard rewiring on the first."""
    return Ratio(_steps(p, results, "second", branch), _steps(p, results, "first", "hard"))


def steps_over_fixed(p: RewiringParameters, results: Results, branch: str) -> Multiple:
    """Steps to the target on the second task, over those of the fixed wiring."""
    return Ratio(_steps(p, results, "second", branch), _steps(p, results, "second", "fixed"))


def _steps(p: RewiringParameters, results: Results, task: str, branch: str) -> float:
    data, horizon = results[task], int(results["second"].step[-1])
    return until(data.step.values, data.accuracy.sel(branch=branch).values, p.target, horizon)


def until(step: Any, accuracy: Any, target: float, horizon: int) -> float:
    """Step at which the target is first reached, interpolated linearly; else the horizon."""
    over = np.flatnonzero((accuracy >= target) & (step <= horizon))
    if over.size == 0:
        return float(horizon)
    k = over[0]
    if k == 0:
        return float(step[0])
    low, high = accuracy[k - 1], accuracy[k]
    return float(step[k - 1] + (step[k] - step[k - 1]) * (target - low) / (high - low))


MEASURES = measures_in(__name__)
ALSO_MEASURED = tuple(f"accuracy@{name}" for name in ("dense", "soft", "hard", "fixed", "set"))
"""Shown in docs/paper/deep-experiments.md."""
