"""Parameters of the sheet."""

from __future__ import annotations

import math

from pydantic import Field, model_validator

from synsamp.experiments.base import Parameters
from synsamp.paper.shared.limits import MOST_EVENTS, MOST_NUMBERS, require_at_most


class SheetNetwork(Parameters):
    """Populations on a torus, and which neurons may connect."""

    excitatory: int = Field(2000, ge=100, le=10**5, description="excitatory neurons")
    inhibitory: int = Field(500, ge=1, le=10**5, description="inhibitory neurons")
    width_mm: float = Field(1.0, ge=0.1, le=100.0, description="side of the sheet")
    reach_mm: float = Field(0.2, ge=0.01, le=10.0, description="longest connection")
    potential_share: float = Field(
        0.5, ge=0.01, le=1.0, description="of excitatory pairs within reach, with a synapse"
    )
    excites: float = Field(0.5, ge=0.0, le=10.0, description="ŵ onto inhibitory neurons")
    inhibits: float = Field(0.3, ge=0.0, le=10.0, description="ŵ of inhibitory neurons")
    fixed_share: float = Field(0.5, ge=0.0, le=1.0, description="of pairs that they connect at 0")
    fixed_mm: float = Field(0.07, ge=0.001, le=10.0, description="length constant of that share")
    rate_hz: float = Field(2.0, ge=0.1, le=100.0, description="ρ_0, rate at u = 0")
    refractory_s: float = Field(0.005, ge=0.0, le=1.0, description="refractory period")
    max_rate_hz: float = Field(200.0, ge=1.0, le=1e4, description="upper limit of rates")
    delay_s: float = Field(0.001, ge=0.0, le=1.0, description="delay of all connections")

    @model_validator(mode="after")
    def _fits(self) -> SheetNetwork:
        if 2 * self.reach_mm > self.width_mm:
            raise ValueError("reach_mm must be at most half of width_mm")
        return self

    @property
    def potential(self) -> float:
        """Expected number of potential synapses between excitatory neurons."""
        per_neuron = self.excitatory * math.pi * (self.reach_mm / self.width_mm) ** 2
        return self.excitatory * per_neuron * self.potential_share


class SheetRule(Parameters):
    """The prior by distance, and pair STDP of functional synapses."""

    near_probability: float = Field(
        0.6, ge=0.01, le=0.99, description="P(θ > 0) of a potential synapse at distance 0"
    )
    length_mm: float = Field(0.1, ge=0.001, le=10.0, description="λ: it falls as exp(−d/λ)")
    std: float = Field(1.0, ge=0.1, le=10.0, description="σ, standard deviation of the prior")
    speed: float = Field(0.03, ge=1e-6, le=1.0, description="b, speed of sampling, 1/s")
    temperature: float = Field(1.0, ge=0.0, le=10.0, description="T, temperature of the noise")
    theta_0: float = Field(0.4, ge=-5.0, le=20.0, description="θ0 in w = exp(θ − θ0)")
    potentiation: float = Field(1.0, ge=0.0, le=1e3, description="of θ/b, post after pre")
    depression: float = Field(10.0, ge=0.0, le=1e3, description="of θ/b, pre after post")
    target_hz: float = Field(
        5.0, ge=0.0, le=100.0, description="postsynaptic rate at which growth and STDP balance"
    )
    trace_s: float = Field(0.02, ge=1e-3, le=1.0, description="time constant of depression")
    drift_interval_s: float = Field(
        1.0, ge=0.01, le=100.0, description="interval at which w follows θ"
    )


class SheetSchedule(Parameters):
    """Durations."""

    settle_s: float = Field(160.0, ge=20.0, le=1e7, description="from random wiring to the lesion")
    after_s: float = Field(200.0, ge=20.0, le=1e7, description="after the lesion, each branch")
    record_every_s: float = Field(20.0, ge=10.0, le=1e5, description="between two records")

    @model_validator(mode="after")
    def _fits(self) -> SheetSchedule:
        for name in ("settle_s", "after_s"):
            seconds = getattr(self, name)
            if seconds % self.record_every_s or seconds < 2 * self.record_every_s:
                raise ValueError(
                    f"{name} must be a multiple of record_every_s = {self.record_every_s:g} and at "
                    f"least twice as long, not {seconds:g}"
                )
        if self.record_every_s % 10:
            raise ValueError("record_every_s must be a multiple of 10 s")
        return self

    @property
    def seconds(self) -> float:
        """Total duration of all branches."""
        return self.settle_s + 2 * self.after_s


class SheetParameters(Parameters):
    """A sheet of neurons and a lesion."""

    network: SheetNetwork = SheetNetwork()
    rule: SheetRule = SheetRule()
    schedule: SheetSchedule = SheetSchedule()
    lesion_mm: float = Field(0.2, ge=0.01, le=10.0, description="radius of the lesion")
    near_mm: float = Field(
        0.06, ge=0.01, le=10.0, description="neurons near the lesion: distance from its edge"
    )

    @model_validator(mode="after")
    def _fits(self) -> SheetParameters:
        w = self.network
        if 2 * (self.lesion_mm + self.near_mm) > w.width_mm:
            raise ValueError("lesion_mm + near_mm must be at most half of width_mm")
        if w.potential < 1000:
            raise ValueError("reach_mm and potential_share must leave 1000 potential synapses")
        synapses = w.potential / w.excitatory
        spikes = self.schedule.seconds * w.max_rate_hz * (w.excitatory + w.inhibitory)
        require_at_most("synapse updates", 2 * spikes * synapses, MOST_EVENTS)
        rows = self.schedule.seconds / self.schedule.record_every_s
        require_at_most("numbers in memory", rows * w.potential, MOST_NUMBERS)
        return self
