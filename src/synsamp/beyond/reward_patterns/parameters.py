"""Parameters of the pattern task."""

from __future__ import annotations

from pydantic import Field, model_validator

from synsamp.beyond.shared.reward_network import Cues, Neurons, RewardRule
from synsamp.experiments.base import Parameters
from synsamp.paper.shared.limits import MOST_EVENTS, MOST_NUMBERS, require_at_most


class PatternTask(Parameters):
    """Durations of patterns, and reward."""

    shortest_s: float = Field(
        0.5, ge=0.01, le=100.0, description="shortest duration of a pattern or pause"
    )
    longest_s: float = Field(
        1.0, ge=0.01, le=100.0, description="longest duration of a pattern or pause"
    )
    period_s: float = Field(0.015, ge=0.001, le=1.0, description="from one reward to the next")
    window_s: float = Field(0.25, ge=0.01, le=10.0, description="window of rate estimates")
    steepness_s: float = Field(0.2, ge=0.0, le=10.0, description="steepness of the sigmoid, per Hz")
    threshold_hz: float = Field(
        25.0, ge=0.0, le=1e3, description="difference of rates with reward 0.5"
    )

    @model_validator(mode="after")
    def _in_order(self) -> PatternTask:
        if not self.period_s <= self.shortest_s <= self.longest_s:
            raise ValueError("period_s, shortest_s and longest_s must go from short to long")
        return self


class PatternParameters(Parameters):
    """Two populations learn from reward to respond to one pattern each."""

    task: PatternTask = PatternTask()
    cues: Cues = Cues()
    rule: RewardRule = RewardRule()
    neurons: Neurons = Neurons()
    population: int = Field(10, ge=1, le=1000, description="neurons of each population")
    learning_s: float = Field(100_000.0, ge=50.0, le=1e7, description="duration of a run")
    record_every_s: float = Field(500.0, ge=10.0, le=1e5, description="between two records")

    @model_validator(mode="after")
    def _fits(self) -> PatternParameters:
        if self.record_every_s % 10 or self.learning_s % self.record_every_s:
            raise ValueError(
                "learning_s must be a multiple of record_every_s, and record_every_s of 10 s"
            )
        if self.learning_s < 5 * self.record_every_s:
            raise ValueError("learning_s must be at least five times record_every_s")
        neurons = 2 * self.population
        inputs = self.cues.inputs * (self.cues.peak_hz + 1 / self.task.period_s)
        spikes = neurons * self.neurons.target_hz
        asked = 2 * self.learning_s * (neurons * inputs + spikes * self.cues.inputs)
        require_at_most("synapse updates", asked, MOST_EVENTS)
        kept = self.learning_s / self.record_every_s * neurons * self.cues.inputs
        require_at_most("numbers in memory", kept, MOST_NUMBERS)
        return self
