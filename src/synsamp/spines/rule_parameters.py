"""The fitted process as prior and speed of the synaptic sampling rule.

Sizes determine μ, Tσ² and b/σ², but not T. By convention T = 1; then σ² = s² and b = s²/τ. Log
sizes are known up to a shift, which depends on their unit. In the model a synapse is functional
while θ > 0, so θ is the log size above the threshold: the prior is N(μ − threshold, σ²).
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
from synsamp.spines.returns import runs_of
from synsamp.spines.table import SpineTable

SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
STEPS_PER_INTERVAL = 20
MOST_CHAINS = 20_000
MOST_ROUNDS = 40


@dataclass(frozen=True)
class RuleParameters:
    """Parameters of the rule at T = 1 (Eq. 5, synaptic sampling rule, without a likelihood).

    Attributes
    ----------
    prior
        Prior of θ, the log size above the threshold; for a rule or a projection of a network.
    speed
        b per unit of the table's time.
    relaxation
        τ = σ²/b in units of the table's time.
    noise
        Standard deviation η of the measurement noise on log size.
    time_unit
        "second" … "week", or "" if the table does not name it.
    temperature
        T, 1 by convention.
    """

    prior: Gaussian
    speed: float
    relaxation: float
    noise: float
    time_unit: str
    temperature: float = 1.0

    @property
    def speed_per_second(self) -> float:
        """b per second, as the spiking engine takes it."""
        if self.time_unit not in SECONDS:
            raise refuse(
                "unit of time",
                f"must be one of {', '.join(SECONDS)} to convert the speed",
                self.time_unit or "none",
                "name it in the header, as in 'time (days)'",
            )
        return self.speed / SECONDS[self.time_unit]

    @property
    def speed_per_day(self) -> float:
        """b per day."""
        return self.speed_per_second * SECONDS["day"]

    @property
    def frame(self) -> pd.DataFrame:
        """The parameters as a table with units."""
        unit = f"per {self.time_unit}" if self.time_unit else "per unit of time"
        rows = [
            ("prior mean of θ (above the threshold)", self.prior.mean, ""),
            ("prior standard deviation σ", self.prior.std, ""),
            ("speed b", self.speed, unit),
            ("temperature T (by convention)", self.temperature, ""),
        ]
        if self.time_unit in SECONDS and self.time_unit != "day":
            rows.insert(3, ("speed b", self.speed_per_day, "per day"))
        return pd.DataFrame(rows, columns=["quantity", "value", "unit"])


def to_rule_parameters(fitted: Fitted, time_unit: str) -> RuleParameters:
    """Convert a fitted Ornstein–Uhlenbeck process to prior and speed at T = 1.

    Parameters
    ----------
    fitted
        A fit of `OneTimeScale`.
    time_unit
        Unit of the table's times, `SpineTable.time_unit`.

    Returns
    -------
    RuleParameters
        ``prior`` and ``speed`` for `synsamp.rule.Rule` or `synsamp.spiking.SynapseModel`.
    """
    process = fitted.process
    if not isinstance(process, OneTimeScale):
        raise refuse(
            "process", "must have one time scale", process.NAME, "fit synsamp.spines.OneTimeScale"
        )
    return RuleParameters(
        prior=Gaussian(process.mean - fitted.threshold, process.spread),
        speed=process.spread**2 / process.relaxation,
        relaxation=process.relaxation,
        noise=process.noise,
        time_unit=time_unit,
    )


def simulate_rule(table: SpineTable, fitted: Fitted, seed: int) -> SpineTable:
    """Simulate synapses that follow the rule under the fitted prior, without a circuit.

    Potential synapses start from the prior. Each session adds measurement noise and detects those
    above the threshold. The result has as many spines as the table.
    """
    rule_parameters = to_rule_parameters(fitted, table.time_unit)
    whole = table.part(table.ever_seen)
    times, n = whole.times, len(whole.spine)
    rng = np.random.default_rng(seed)
    shortest = float(np.diff(times).min())
    # A step well below both the shortest interval and the time in which θ relaxes.
    dt = min(shortest, rule_parameters.relaxation) / STEPS_PER_INTERVAL
    dt = max(dt, float(np.ptp(times)) / 20_000)
    chains = int(min(MOST_CHAINS, 4 * n + 100))
    state = np.full(whole.state.shape, -1, np.int8)
    size = np.full(state.shape, np.nan)
    left, round_ = np.arange(n), 0
    while left.size and round_ < MOST_ROUNDS:
        theta = _paths(rule_parameters, times, dt, chains, seed + 1000 * round_, rng)
        measured = theta + rule_parameters.noise * rng.standard_normal(theta.shape)
        above = (theta if fitted.threshold_on == "true" else measured) > 0
        above &= rng.random(above.shape) >= (fitted.missed or 0.0)
        k = 0
        for there, row in zip(above, measured, strict=True):
            if k == left.size:
                break
            imaged = whole.state[left[k]] >= 0
            seen = there & imaged
            runs = [seen] if seen.any() else []
            if table.renamed:
                runs = list(runs_of(seen[None], imaged[None])[1])
            for run in runs[: left.size - k]:
                state[left[k]] = np.where(imaged, run, -1)
                size[left[k]] = np.where(run, np.exp(row + fitted.threshold), np.nan)
                k += 1
        left, round_ = left[k:], round_ + 1
    found = replace(whole, state=state, size=size, name="the rule without a circuit")
    return found.part((state == 1).any(axis=1))


def _paths(
    given: RuleParameters,
    times: np.ndarray,
    dt: float,
    chains: int,
    seed: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """θ at every session, [synapse, session]."""
    rule = Rule(prior=given.prior, speed=given.speed, temperature=given.temperature)
    at = rng.normal(given.prior.mean, given.prior.std, (chains, 1))
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
