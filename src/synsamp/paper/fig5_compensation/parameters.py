"""Parameters of Fig. 5: stimuli, schedule, tests, lateral connections."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from synsamp.data.normalisation import Normalisation
from synsamp.experiments import Parameters
from synsamp.paper.shared.digit_circuit import N_PIXELS, CircuitSection, SpikingRule
from synsamp.paper.shared.limits import MOST_EVENTS, events, require_at_most

PER_MODALITY = 4
"""Number of auditory circuits, and of visual ones."""
N_CHANNELS = 77
"""Channels of the cochlear model."""
BEFORE_S, AFTER_S, WINDOW_S = 1800.0, 1800.0, 1800.0
"""A shift is measured from the half hour before a lesion to the second half hour after it."""
HOUR_S = 3600.0
STEP_S = 100.0
"""Interval (s) at which lateral θ is recorded."""


FSDD_SPEAKERS = ("jackson", "george", "lucas")
"""Speakers of the Free Spoken Digits that a network may be given, drawn from its seed."""


Digit = Annotated[int, Field(ge=0, le=9)]


class AudiovisualInputSection(Parameters):
    """Sounds and images, and how they are encoded as spikes."""

    digits: tuple[Digit, Digit] = Field(
        (1, 2), description="the two digits; lesion 1 hits the second"
    )
    speech: Literal["embedded", "voices", "fsdd", "ti46", "folder"] = Field(
        "embedded",
        description="embedded (synthetic), voices (embedded, three speakers), fsdd, ti46 or folder",
    )
    speaker: str = Field(
        "",
        max_length=100,
        description="one speaker; empty: the only one, with voices or fsdd one drawn",
    )
    images: Literal["embedded", "mnist", "folder"] = Field(
        "embedded", description="embedded (ones and twos), mnist or folder of PNG files"
    )
    speech_folder: str = Field("", max_length=1000, description="for speech=ti46 or folder")
    images_folder: str = Field("", max_length=1000, description="for images=folder")
    train_utterances: int = Field(7, ge=1, le=1000, description="utterances per digit, learning")
    test_utterances: int = Field(3, ge=1, le=1000, description="utterances per digit, tests")
    sound_peak_hz: float = Field(80.0, ge=0.01, le=1e4, description="rate at the loudest place")
    normalisation: Normalisation = Field(
        "utterance",
        description="sound_peak_hz is reached by each utterance, by each channel of it, or by each "
        "channel over the training words (utterance, channel, training)",
    )
    image_peak_hz: float = Field(50.0, ge=0.01, le=1e4, description="rate of a white pixel")
    noise_hz: float = Field(1.0, ge=0.0, le=1e3, description="rate added to every input")
    afferents: int = Field(10, ge=1, le=100, description="input neurons per channel of the ear")
    padding_s: float = Field(0.025, ge=1e-3, le=10.0, description="noise before and after")

    @model_validator(mode="after")
    def _fits(self) -> AudiovisualInputSection:
        if self.digits[0] == self.digits[1]:
            raise ValueError("digits must be two different digits from 0 to 9")
        for name, needs in (("speech", ("ti46", "folder")), ("images", ("folder",))):
            if getattr(self, name) in needs and not getattr(self, f"{name}_folder"):
                raise ValueError(f"{name}={getattr(self, name)} needs {name}_folder")
            if getattr(self, name) in ("embedded", "voices") and set(self.digits) != {1, 2}:
                raise ValueError(
                    f"{name}={getattr(self, name)} holds digits 1 and 2 only; use "
                    + ("speech=fsdd" if name == "speech" else "images=mnist")
                )
        return self


class LateralSection(Parameters):
    """Connections between hidden neurons."""

    delay_s: float = Field(0.005, ge=1e-4, le=1.0, description="delay of lateral connections")
    self_connections: bool = Field(False, description="let a neuron connect to itself")


class ScheduleSection(Parameters):
    """Durations (s); 0 omits a part."""

    learning_s: float = Field(9000.0, ge=1.0, le=1e8, description="before lesion 1")
    after_lesion_1_s: float = Field(5400.0, ge=1.0, le=1e8, description="until lesion 2")
    after_lesion_2_s: float = Field(12600.0, ge=0.0, le=1e8, description="0: no lesion 2")
    no_lesion_s: float = Field(9000.0, ge=0.0, le=1e8, description="control without lesions")
    frozen_1_s: float = Field(1800.0, ge=0.0, le=1e8, description="b = 0 after lesion 1")
    frozen_2_s: float = Field(1800.0, ge=0.0, le=1e8, description="b = 0 after lesion 2")
    noise_off_1_s: float = Field(5400.0, ge=0.0, le=1e8, description="T = 0 after lesion 1")
    noise_off_2_s: float = Field(8100.0, ge=0.0, le=1e8, description="T = 0 after lesion 2")
    likelihood_2_s: float = Field(
        3600.0, ge=0.0, le=1e8, description="neither noise nor prior after lesion 2"
    )

    @model_validator(mode="after")
    def _fits(self) -> ScheduleSection:
        for name in ("frozen_2_s", "noise_off_2_s", "likelihood_2_s"):
            if getattr(self, name) > 0 and self.after_lesion_2_s == 0:
                raise ValueError(f"{name} must be 0 if after_lesion_2_s is 0")
        if self.after_lesion_1_s + self.after_lesion_2_s < 2 * STEP_S:
            # the path of θ′ needs one point before the lesion and two after it
            raise ValueError(f"after_lesion_1_s must be at least {2 * STEP_S:g} s without lesion 2")
        return self

    @property
    def lesions_s(self) -> tuple[float, ...]:
        """Times (s) of the lesions."""
        second = self.learning_s + self.after_lesion_1_s
        return (self.learning_s, second) if self.after_lesion_2_s else (self.learning_s,)

    @property
    def end_s(self) -> float:
        """End (s) of the main run, without controls."""
        return self.learning_s + self.after_lesion_1_s + self.after_lesion_2_s


class TestSection(Parameters):
    """How recall is tested."""

    __test__ = False  # not for pytest

    every_s: float = Field(900.0, ge=100.0, le=1e6, description="between two tests")
    blocks: int = Field(4, ge=2, le=50, description="independent blocks of trials per test")
    block_s: float = Field(100.0, ge=10.0, le=1e5, description="length of a block")
    burn_in_s: float = Field(75.0, ge=0.0, le=1e4, description="sound alone before each block")
    windows: int = Field(5, ge=1, le=50, description="time windows of a word for the decoder")
    tuning_s: float = Field(200.0, ge=20.0, le=1e5, description="audio-visual test before lesion 1")
    significance: float = Field(0.05, ge=1e-12, lt=1.0, description="tuned: p below this / neurons")


class CompensationParameters(Parameters):
    """All parameters of Fig. 5."""

    schedule: ScheduleSection = ScheduleSection()
    test: TestSection = TestSection()
    input: AudiovisualInputSection = AudiovisualInputSection()
    lateral: LateralSection = LateralSection()
    rule: SpikingRule = SpikingRule()
    circuit: CircuitSection = CircuitSection()

    @model_validator(mode="after")
    def _fits(self) -> CompensationParameters:
        test = self.test
        if test.every_s % STEP_S:
            raise ValueError(f"test.every_s must be a multiple of {STEP_S:g} s")
        durations = self.schedule.model_dump()
        for name, seconds in durations.items():
            if seconds % test.every_s:  # each part ends with a test
                rule = f"must be a multiple of test.every_s = {test.every_s:g} s, not {seconds:g}"
                raise ValueError(f"schedule.{name} {rule}")
        learned = sum(durations.values())
        one_test = test.blocks * (test.block_s + test.burn_in_s)
        n_tests = learned / test.every_s + 9
        seconds = learned + n_tests * one_test + test.tuning_s
        neurons = 2 * PER_MODALITY * self.circuit.neurons
        asked = events(
            seconds,
            self.circuit.neurons,
            2 * PER_MODALITY * (N_CHANNELS * self.input.afferents + N_PIXELS + neurons),
            self.circuit.rate_hz,
            max(self.input.sound_peak_hz, self.input.image_peak_hz) + self.input.noise_hz,
            100.0,  # frames of the ear
        )
        require_at_most("spikes times synapses", asked, MOST_EVENTS)
        return self


# -- what a claim needs --------------------


def lesions_twice(p: CompensationParameters) -> bool:
    """Whether there is a second lesion."""
    return len(p.schedule.lesions_s) > 1


def frozen_1(p: CompensationParameters) -> bool:
    """Whether a control has plasticity off after lesion 1."""
    return p.schedule.frozen_1_s > 0


def frozen_2(p: CompensationParameters) -> bool:
    """Whether a control has plasticity off after lesion 2."""
    return lesions_twice(p) and p.schedule.frozen_2_s > 0


def noise_off_1(p: CompensationParameters) -> bool:
    """Whether a control has no noise after lesion 1."""
    return p.schedule.noise_off_1_s > 0


def noise_off_2(p: CompensationParameters) -> bool:
    """Whether a control has no noise after lesion 2."""
    return lesions_twice(p) and p.schedule.noise_off_2_s > 0


def without_lesions(p: CompensationParameters) -> bool:
    """Whether a control has no lesions."""
    return p.schedule.no_lesion_s > 0


def codes_without_lesions(p: CompensationParameters) -> bool:
    """Whether codes are compared over hours, without lesions and without plasticity."""
    return p.schedule.no_lesion_s >= HOUR_S and frozen_1(p)


def path_without_lesions(p: CompensationParameters) -> bool:
    """Whether the control without lesions reaches beyond the last lesion."""
    s = p.schedule
    return s.lesions_s[0] + s.no_lesion_s > s.lesions_s[-1]


def window_1(p: CompensationParameters) -> bool:
    """Whether all paths cover the windows around lesion 1."""
    return _windows_fit(p, 0)


def window_2(p: CompensationParameters) -> bool:
    """Whether all paths cover the windows around lesion 2."""
    return lesions_twice(p) and _windows_fit(p, 1)


def _windows_fit(p: CompensationParameters, lesion: int) -> bool:
    s = p.schedule
    at_s, end_s = s.lesions_s[lesion], min(s.end_s, s.lesions_s[0] + s.no_lesion_s)
    after_s = at_s + AFTER_S + WINDOW_S
    return path_without_lesions(p) and at_s >= BEFORE_S and after_s <= end_s + STEP_S
