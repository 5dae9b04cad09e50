"""What the sensitivity analysis changes, one thing at a time, and over how many seeds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from synsamp.experiments.registry import Registry
from synsamp.runs.ensembles.plan import UNCHANGED
from synsamp.runs.execute import describe_run
from synsamp.runs.overrides import flat

HALVES = {"½": 0.5, "2×": 2.0}


@dataclass(frozen=True)
class Map:
    """The changes to one experiment.

    ``scaled`` maps a label to the parameters that are halved or doubled together, ``changed`` a
    label to other settings. ``trial_s`` is the core time per seed; the number of seeds was chosen
    by it. That of Fig. 5 is from a map of 124 networks, which took 64 min on two cores.
    """

    experiment: str
    preset: str
    trials: int
    trial_s: float
    base: Sequence[str] = ()
    scaled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    changed: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def changes(self, registry: Registry) -> dict[str, tuple[str, ...]]:
        """The settings of each change by label, starting with no change."""
        experiment = registry.find(self.experiment).load()
        values = flat(describe_run(experiment, self.preset, self.base).resolved)
        return {
            UNCHANGED: (),
            **{
                f"{label} {word}": tuple(f"{key}={_times(values[key], factor)}" for key in keys)
                for label, keys in self.scaled.items()
                for word, factor in HALVES.items()
            },
            **{label: tuple(settings) for label, settings in self.changed.items()},
        }

    def hours(self, registry: Registry) -> float:
        """Approximate hours on two cores; half and double length together cost 2.5 trials."""
        more = 0.5 if "length" in self.scaled else 0.0
        return (len(self.changes(registry)) + more) * self.trials * self.trial_s / 7200


def _times(value: float | list[float], factor: float) -> str:
    many = [v * factor for v in value] if isinstance(value, list) else value * factor
    whole = isinstance(value, int)
    return json.dumps(round(many) if whole else many)


RULE = {
    "N": ["rule.data_size"],
    "α": ["rule.alpha"],
    "γ": ["circuit.adaptation_strength"],
    "τ rise": ["circuit.adaptation_rise_s"],
    "τ fall": ["circuit.adaptation_fall_s"],
    "clip": ["rule.clip_limit"],
    "prior μ": ["rule.prior.mean"],
    "prior σ": ["rule.prior.std"],
    "T": ["rule.temperature"],
    "b": ["rule.speed"],
}
READINGS = {
    "T = 0": ["rule.temperature=0"],
    "whole change clipped": ["rule.clip=change"],
    "retracted do not learn": ["rule.learn_when_retracted=false"],
    "printed sign of the prior": ["rule.prior_sign=printed"],
    "θ0 = 4": ["rule.theta_0=4"],
    "θ0 = 5": ["rule.theta_0=5"],
}
SHORTENED = {
    "learning_s": 3600,
    "after_lesion_1_s": 3600,
    "after_lesion_2_s": 7200,
    "no_lesion_s": 3600,
    "frozen_1_s": 1800,
    "frozen_2_s": 1800,
    "noise_off_1_s": 0,
    "noise_off_2_s": 0,
    "likelihood_2_s": 0,
}
"""Durations for Fig. 5: two fifths of the time that the paper preset simulates."""

MAPS = (
    Map(
        "generalisation",
        "quick",
        trials=16,
        trial_s=6.0,
        scaled={
            "N": ["rule.data_size"],
            "b": ["learning.learning_rate"],
            "prior μ": ["rule.prior.means"],
            "prior σ": ["rule.prior.stds"],
            "T": ["rule.temperature"],
            "images learned": ["training_images"],
            "length": ["learning.updates"],
        },
        changed={"T = 0": ["rule.temperature=0"]},
    ),
    Map(
        "adaptation",
        "paper",
        trials=5,
        trial_s=48.0,
        scaled={**RULE, "length": ["phase_s"]},
        changed={
            **READINGS,
            "digits swapped": ["phases=2;2,1;2"],
            "digits 3 and 4": ["data=mnist", "phases=3;3,4;3"],
        },
    ),
    Map(
        "compensation",
        "paper",
        trials=4,
        trial_s=62.0,
        base=[f"schedule.{key}={value}" for key, value in SHORTENED.items()],
        scaled={
            **RULE,
            "length": [f"schedule.{key}" for key, value in SHORTENED.items() if value],
        },
        changed={
            **READINGS,
            "digits swapped": ["input.digits=2,1"],
            "voice jackson": ["input.speaker=jackson"],
            "voice george": ["input.speaker=george"],
            "voice lucas": ["input.speaker=lucas"],
            "voice synthetic": ["input.speech=embedded"],
            "normalised by channel": ["input.normalisation=channel"],
            "normalised by training set": ["input.normalisation=training"],
        },
    ),
)
