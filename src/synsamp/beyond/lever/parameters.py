"""Parameters of the lever task."""

from __future__ import annotations

from pydantic import Field, model_validator

from synsamp.beyond.shared.reward_network import Cues, Neurons, RewardRule
from synsamp.experiments.base import Parameters
from synsamp.paper.shared.limits import MOST_EVENTS, MOST_NUMBERS, require_at_most


class LeverTask(Parameters):
    """The lever and the movement."""

    period_s: float = Field(0.015, ge=0.001, le=1.0, description="between two positions")
    keep: float = Field(0.95, ge=0.0, le=0.999, description="share of the position that remains")
    window_s: float = Field(0.25, ge=0.01, le=10.0, description="window of rate estimates")
    threshold_hz: float = Field(15.0, ge=0.0, le=1e3, description="threshold on either side")
    limit_s: float = Field(10.0, ge=0.1, le=1e3, description="longest trial")
    reward_s: float = Field(0.3, ge=0.01, le=100.0, description="duration of reward")
    shortest_wait_s: float = Field(0.5, ge=0.01, le=100.0, description="shortest pause")
    longest_wait_s: float = Field(1.0, ge=0.01, le=100.0, description="longest pause")

    @model_validator(mode="after")
    def _in_order(self) -> LeverTask:
        if not self.period_s <= self.shortest_wait_s <= self.longest_wait_s:
            raise ValueError("period_s and waits must go from short to long")
        if self.limit_s < 2 * self.period_s:
            raise ValueError("limit_s must be at least two periods")
        return self


class LeverNetwork(Parameters):
    """Sizes of populations and fixed connections."""

    hidden: int = Field(40, ge=1, le=1000, description="hidden neurons")
    seeing: int = Field(30, ge=1, le=1000, description="neurons with input, hidden first")
    motor: int = Field(10, ge=1, le=1000, description="neurons for up, and for down")
    inhibitory: int = Field(20, ge=1, le=1000, description="inhibitory neurons")
    excites: float = Field(0.5, ge=0.0, le=10.0, description="ŵ onto inhibitory neurons")
    inhibits: float = Field(1.0, ge=0.0, le=10.0, description="ŵ of inhibitory neurons")
    excites_share: float = Field(0.575, ge=0.0, le=1.0, description="of excitatory to inhibitory")
    inhibits_share: float = Field(0.6, ge=0.0, le=1.0, description="of inhibitory to excitatory")
    among_share: float = Field(0.55, ge=0.0, le=1.0, description="among inhibitory neurons")
    inhibitory_hz: float = Field(5.0, ge=0.01, le=100.0, description="ρ_0 of inhibitory neurons")
    inhibitory_refractory_s: float = Field(
        0.002, ge=0.0, le=1.0, description="their refractory period"
    )
    delay_s: float = Field(0.001, ge=0.0, le=1.0, description="of connections between neurons")

    @model_validator(mode="after")
    def _fits(self) -> LeverNetwork:
        if self.seeing > self.excitatory:
            raise ValueError("seeing must be at most hidden + 2 motor")
        return self

    @property
    def excitatory(self) -> int:
        """Hidden neurons, then those for up, then those for down."""
        return self.hidden + 2 * self.motor


class LeverSchedule(Parameters):
    """Durations; 0 omits a branch. Branches without plasticity are as long as those with it."""

    learning_s: float = Field(50_000.0, ge=50.0, le=1e7, description="before the task is changed")
    same_s: float = Field(25_000.0, ge=50.0, le=1e7, description="control: the task continues")
    changed_s: float = Field(25_000.0, ge=50.0, le=1e7, description="with the changed task")
    lesion_s: float = Field(25_000.0, ge=50.0, le=1e7, description="after the lesion")
    random_s: float = Field(50_000.0, ge=0.0, le=1e7, description="reward at random from the start")
    noiseless_s: float = Field(50_000.0, ge=0.0, le=1e7, description="T = 0 from the start")
    record_every_s: float = Field(250.0, ge=10.0, le=1e5, description="between two records")

    @model_validator(mode="after")
    def _fits(self) -> LeverSchedule:
        for name, seconds in self.model_dump().items():
            short = name != "record_every_s" and 0 < seconds < 5 * self.record_every_s
            if short or seconds % self.record_every_s:
                raise ValueError(
                    f"{name} must be a multiple of record_every_s = {self.record_every_s:g} and at "
                    f"least five times as long, not {seconds:g}"
                )
        if self.record_every_s % 10:
            raise ValueError("record_every_s must be a multiple of 10 s")
        return self

    @property
    def seconds(self) -> float:
        """Total duration of all branches."""
        trunk = self.learning_s + self.changed_s + self.lesion_s
        return 2 * trunk + self.same_s + self.random_s + self.noiseless_s


class LeverParameters(Parameters):
    """A network that moves a lever."""

    task: LeverTask = LeverTask()
    cues: Cues = Cues()
    rule: RewardRule = RewardRule(weight_0=5.0)
    neurons: Neurons = Neurons()
    wiring: LeverNetwork = LeverNetwork()
    schedule: LeverSchedule = LeverSchedule()
    lesion_share: float = Field(
        0.4, ge=0.0, le=0.9, description="share of motor neurons that are removed"
    )

    @model_validator(mode="after")
    def _fits(self) -> LeverParameters:
        w, inputs = self.wiring, self.cues.inputs
        synapses = w.seeing * inputs + w.excitatory * (w.excitatory + 2 * w.inhibitory)
        events_hz = (
            inputs * self.cues.peak_hz
            + w.excitatory * self.neurons.target_hz
            + w.inhibitory * w.inhibitory_hz
            + 1 / self.task.period_s
        )
        asked = self.schedule.seconds * events_hz * synapses
        require_at_most("synapse updates", asked, MOST_EVENTS)
        kept = self.schedule.seconds / self.schedule.record_every_s * w.excitatory * w.excitatory
        require_at_most("numbers in memory", kept, MOST_NUMBERS)
        return self
