"""What the robustness map changes, one thing at a time, and with how many seeds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from synsamp.experiments.registry import Registry
from synsamp.runs.execute import describe
from synsamp.runs.overrides import flat

AS_IT_IS = "as it is"
HALVES = {"½": 0.5, "2×": 2.0}


@dataclass(frozen=True)
class Map:
    """What is changed in one experiment.

    ``scaled`` has what is halved and doubled: a label, and the parameters that go together.
    ``changed`` has what is set to something else. ``trial_s`` is what a seed takes of a core, by
    which the number of seeds was chosen: those of the whole paper took 16, 57 and 276 s (Figs. 2, 4
    and 5) on a machine that was also used by others, and here Figs. 2 and 5 simulate two fifths.
    """

    experiment: str
    preset: str
    trials: int
    trial_s: float
    base: Sequence[str] = ()
    scaled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    changed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    length: str = "length"
    """The label whose doubling doubles the cost."""

    def variants(self, registry: Registry) -> Iterator[tuple[str, list[str], float]]:
        """A label, the settings, and the cost of a seed for everything that is run."""
        experiment = registry.find(self.experiment).load()
        values = flat(describe(experiment, self.preset, self.base).resolved)
        yield AS_IT_IS, list(self.base), self.trial_s
        for label, keys in self.scaled.items():
            for word, factor in HALVES.items():
                given = {key: _times(values[key], factor) for key in keys}
                cost = self.trial_s * (factor if label == self.length else 1.0)
                yield f"{label} {word}", _merged(self.base, given), cost
        for label, settings in self.changed.items():
            given = dict(setting.split("=", 1) for setting in settings)
            yield label, _merged(self.base, given), self.trial_s


def _times(value: float | list[float], factor: float) -> str:
    many = [v * factor for v in value] if isinstance(value, list) else value * factor
    whole = isinstance(value, int)
    return json.dumps(round(many) if whole else many)


def _merged(base: Sequence[str], given: Mapping[str, str]) -> list[str]:
    """Settings in which what is given takes the place of what the base says."""
    settings = dict(setting.split("=", 1) for setting in base) | dict(given)
    return [f"{key}={value}" for key, value in settings.items()]


RULE = {
    "N": ["rule.N"],
    "α": ["rule.alpha"],
    "γ": ["circuit.adaptation_strength"],
    "τ rise": ["circuit.adaptation_rise_s"],
    "τ fall": ["circuit.adaptation_fall_s"],
    "clip": ["rule.clip_limit"],
    "prior μ": ["rule.prior_mean"],
    "prior σ": ["rule.prior_std"],
    "T": ["rule.T"],
    "b": ["rule.b"],
}
READINGS = {
    "T = 0": ["rule.T=0"],
    "whole change clipped": ["rule.clip=change"],
    "retracted do not learn": ["rule.retracted_learn=false"],
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
"""Of Fig. 5: two fifths of the time that the paper preset simulates."""

MAPS = (
    Map(
        "generalization",
        "quick",
        trials=16,
        trial_s=6.0,
        scaled={
            "N": ["learning.n_inputs"],
            "b": ["learning.learning_rate"],
            "prior μ": ["prior.means"],
            "prior σ": ["prior.stds"],
            "T": ["temperature"],
            "images learnt": ["training_images"],
            "length": ["learning.updates"],
        },
        changed={"T = 0": ["temperature=0"]},
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
        trial_s=100.0,
        base=[
            "input.speech=fsdd",
            "test.rest_trials=0",  # no claim asks for recall with every trial from rest
            *(f"schedule.{key}={value}" for key, value in SHORTENED.items()),
        ],
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
        },
    ),
)
