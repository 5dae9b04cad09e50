"""Numbers of one seed: how far the visited states are from the law."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.beyond.bandit.parameters import BanditParameters
from synsamp.beyond.bandit.protocol import conditions
from synsamp.beyond.bandit.theory import gradient_weight, law, moments
from synsamp.experiments.base import Results

FORGOTTEN = 3.0
"""Relaxation times of the slowest that are left out: e^−3 of the start is left by then."""


def settled(p: BanditParameters, results: Results, name: str) -> Any:
    """What was visited once the start is forgotten."""
    visited = results[f"{name}/visited"]
    times = visited.time.values
    return visited.isel(time=times >= FORGOTTEN / p.relaxations * times[-1])


def measures(p: BanditParameters, results: Results) -> dict[str, float]:
    """Shift of the mean in units of the law's std, ratio of variances, noise of g against T."""
    given = conditions(p)
    states = {name: settled(p, results, name) for name in given}
    theta: dict[str, NDArray[np.float64]] = {n: s.theta.values for n, s in states.items()}
    expected = {T: moments(law(p, T)) for T in (*p.temperatures, 2.0 * p.temperatures[1])}
    middle = p.temperatures[1]
    found: dict[str, float] = {}
    for name, (speed, temperature, _, _) in given.items():
        mean, std = expected[temperature]
        found[f"shift_{name}"] = float(theta[name].mean() - mean) / std
        found[f"spread_{name}"] = float(theta[name].var()) / std**2
        noise = states[name].gradient.values.var() * gradient_weight(p) ** 2
        found[f"noise_{name}"] = float(speed * noise * p.task.gradient_s / temperature)
    found["spread_slow_against_2T"] = float(theta["slow"].var()) / expected[2.0 * middle][1] ** 2
    for name in ("cold", "hot"):
        found[f"spread_{name}_against_T"] = float(theta[name].var()) / expected[middle][1] ** 2
    return found
