"""A fitted process in the words of the paper.

A table of sizes tells μ, Tσ² and b/σ², of which T cannot be told apart. By convention T = 1; then
σ² = s² and b = s²/τ. Log sizes are known up to a shift, that of their unit; in the model a synapse
is there while θ > 0, so θ is the log size above the threshold: the prior is N(μ − threshold, σ²).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from synsamp.errors import refuse
from synsamp.priors import Gaussian
from synsamp.rule import Rule, sample
from synsamp.spines.fit import Fitted
from synsamp.spines.process import OneTimeScale
from synsamp.spines.table import SpineTable

SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
STEPS_PER_INTERVAL = 20
MOST_CHAINS = 20_000


@dataclass(frozen=True)
class ModelWords:
    """Prior and speed at T = 1; ``b`` is per unit of the table's time."""

    prior_mean: float
    prior_std: float
    b: float
    relaxation: float
    noise: float
    time_unit: str
    temperature: float = 1.0

    @property
    def prior(self) -> Gaussian:
        """The prior of θ, for a rule or a projection of a network."""
        return Gaussian(self.prior_mean, self.prior_std)

    @property
    def b_per_second(self) -> float:
        """b as the spiking engine takes it; refused where the unit of time is not known."""
        if self.time_unit not in SECONDS:
            raise refuse(
                "unit of time",
                f"must be one of {', '.join(SECONDS)} for this",
                self.time_unit or "not told",
                "name it in the header, as in 'time (days)'",
            )
        return self.b / SECONDS[self.time_unit]

    @property
    def b_per_day(self) -> float:
        """b per day."""
        return self.b_per_second * SECONDS["day"]

    @property
    def frame(self) -> pd.DataFrame:
        """The same as a table with units."""
        unit = f"per {self.time_unit}" if self.time_unit else "per unit of time"
        rows = [
            ("prior mean of θ (above the threshold)", self.prior_mean, ""),
            ("prior width σ", self.prior_std, ""),
            ("speed b", self.b, unit),
            ("temperature T (by convention)", self.temperature, ""),
        ]
        if self.time_unit in SECONDS and self.time_unit != "day":
            rows.insert(3, ("speed b", self.b_per_day, "per day"))
        return pd.DataFrame(rows, columns=["quantity", "value", "unit"])


def in_model_words(fitted: Fitted, time_unit: str) -> ModelWords:
    """μ, s and τ of one time scale as prior and speed at T = 1."""
    process = fitted.process
    if not isinstance(process, OneTimeScale):
        raise refuse(
            "process", "must have one time scale", process.NAME, "fit synsamp.spines.OneTimeScale"
        )
    return ModelWords(
        prior_mean=process.mean - fitted.threshold,
        prior_std=process.spread,
        b=process.spread**2 / process.relaxation,
        relaxation=process.relaxation,
        noise=process.noise,
        time_unit=time_unit,
    )


def simulate_rule(table: SpineTable, fitted: Fitted, seed: int) -> SpineTable:
    """Synapses without a circuit: the package's own rule under the fitted prior, seen as spines.

    Potential synapses start from the prior and follow the rule; a session adds the noise of
    measurement and finds those above the threshold. As many are kept as the table has spines.
    """
    words = in_model_words(fitted, table.time_unit)
    whole = table.part(table.ever_seen)
    times, n = whole.times, len(whole.spine)
    rng = np.random.default_rng(seed)
    shortest = float(np.diff(times).min())
    # A step well below both the shortest interval and the time in which θ relaxes.
    dt = min(shortest / STEPS_PER_INTERVAL, words.relaxation / STEPS_PER_INTERVAL)
    dt = max(dt, float(np.ptp(times)) / 20_000)
    rule = Rule(prior=words.prior, speed=words.b, temperature=words.temperature)
    chains = int(min(MOST_CHAINS, 4 * n + 100))
    state = np.full(whole.state.shape, -1, np.int8)
    size = np.full(state.shape, np.nan)
    left, round_ = np.arange(n), 0
    while left.size and round_ < 40:
        theta = _paths(rule, words, times, dt, chains, seed + 1000 * round_, rng)
        measured = theta + words.noise * rng.standard_normal(theta.shape)
        above = (theta if fitted.by_true_size else measured) > 0
        k = 0
        for there, row in zip(above, measured, strict=True):
            if k == left.size:
                break
            seen = there & (whole.state[left[k]] >= 0)
            if seen.any():
                state[left[k]] = np.where(whole.state[left[k]] >= 0, seen, -1)
                size[left[k]] = np.where(seen, np.exp(row + fitted.threshold), np.nan)
                k += 1
        left, round_ = left[k:], round_ + 1
    good = (state == 1).any(axis=1)
    found = replace(whole, state=state, size=size, name="the rule without a circuit")
    return found.part(good)


def _paths(
    rule: Rule,
    words: ModelWords,
    times: np.ndarray,
    dt: float,
    chains: int,
    seed: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """θ at every session, [synapse, session]."""
    at = rng.normal(words.prior_mean, words.prior_std, (chains, 1))
    rows = [at[:, 0]]
    for k, interval in enumerate(np.diff(times)):
        steps = max(1, round(float(interval) / dt))
        moved = sample(
            rule,
            at,
            steps=steps,
            thin=steps,
            dt=float(interval) / steps,
            chains=chains,
            seed=seed + k,
            progress=False,
        )
        at = moved["theta"].values[:, -1, :]
        rows.append(at[:, 0])
    return np.stack(rows, axis=1)
