"""Two senses (Fig. 5): eight circuits hear words and see digits, with lateral connections."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.data.digit_pairs import HEARING, SEEING, Pairs
from synsamp.lab.joined import Joined
from synsamp.lab.knobs import (
    CLIP,
    DATA_SIZE,
    PRIOR_MEAN,
    PRIOR_STD,
    RETRACTED,
    SPEED,
    TEMPERATURE,
    Knob,
)
from synsamp.lab.observer import Watcher
from synsamp.lab.presentations import Levels, Paired
from synsamp.lab.readout import decode_heard
from synsamp.lab.scene import KnobValues, Scene
from synsamp.lab.scenes.rule_settings import LABELS, first_theta, images, rule
from synsamp.lab.spiking_model import SpikingModel
from synsamp.paper.fig5_compensation.experiment import load_pairs
from synsamp.paper.fig5_compensation.parameters import (
    N_CHANNELS,
    AudiovisualInputSection,
    LateralSection,
)
from synsamp.paper.fig5_compensation.protocol import AUDITORY, CIRCUITS, VISUAL, build_network
from synsamp.paper.shared.digit_circuit import (
    N_PIXELS,
    CircuitSection,
    SpikingRule,
    build_synapses,
)
from synsamp.spiking import InOrder, Network, Simulation

CIRCUIT, SHOWN = CircuitSection(), AudiovisualInputSection()
IMAGES = 60
TICK_S, SYNC_INTERVAL_S = 0.25, 2.5
COUNT_EVERY, PROBE_EVERY = 400, 2400
TEST_TRIALS, TEST_WINDOWS = 60, 5
BURN_IN_S = 75.0
STIMULI = Knob("stimuli", "", "digits shown", list(LABELS), list(LABELS), kind="digits",
               choices=LABELS, help="Which digits are heard and seen.")  # fmt: skip


class SensesScene(Scene):
    """Eight circuits, sound and sight."""

    name = "senses"
    title = "Two senses"
    tick_s = TICK_S
    mark_every = 1200
    knobs = (
        replace(SPEED, value=1e-4, high=3e-4),
        *(TEMPERATURE, PRIOR_MEAN, PRIOR_STD, DATA_SIZE, CLIP, RETRACTED),
        STIMULI,
    )

    def network(self, settings: KnobValues) -> Network:
        """The paper's eight circuits."""
        synapses = build_synapses(rule(settings))
        n_heard = N_CHANNELS * SHOWN.afferents
        return build_network(n_heard, N_PIXELS, CIRCUIT, synapses, LateralSection())

    def stimulus(self, settings: KnobValues, seed: int, tick: int) -> Paired:
        """A word with an image of the same digit, for as long as it lasts."""
        labels = settings["stimuli"]
        return Paired(
            (HEARING, SEEING),
            {label: words("train", label) for label in labels},
            {label: images(label, IMAGES) for label in labels},
            (SHOWN.image_peak_hz, SHOWN.noise_hz),
            seed,
            tick,
        )

    def simulation(self, seed: int, settings: KnobValues) -> Simulation:
        """The network at time 0; θ is drawn from the prior."""
        network = self.network(settings)
        return Simulation(
            network,
            self.stimulus(settings, seed, 0),
            seed,
            drift_interval_s=TICK_S,
            sync_interval_s=SYNC_INTERVAL_S,
            observer=Watcher(),
            theta=first_theta(network, settings, seed),
        )

    def model(self, seed: int, settings: KnobValues) -> SpikingModel:
        """The network as a model of the lab."""
        return SpikingModel(
            self.simulation(seed, settings),
            settings,
            self.tick_s,
            lambda settings, tick: self.stimulus(settings, seed, tick),
            [
                Joined("heard", [[f"{HEARING}->{circuit}"] for circuit in AUDITORY]),
                Joined("seen", [[f"{SEEING}->{circuit}"] for circuit in VISUAL]),
                Joined("lateral", [[f"{pre}->{post}" for pre in CIRCUITS] for post in CIRCUITS]),
            ],
            test=functools.partial(
                decode_heard, recall_stimulus(), self._seeing(), BURN_IN_S, TEST_WINDOWS, seed=seed
            ),
            labels=LABELS,
            count_every=COUNT_EVERY,
        )

    def _seeing(self) -> slice:
        """Numbers of the visual neurons."""
        return slice(len(AUDITORY) * CIRCUIT.neurons, len(CIRCUITS) * CIRCUIT.neurons)

    def parts(self) -> dict[str, Any]:
        """Populations, inputs and projections."""
        size, n_heard = CIRCUIT.neurons, N_CHANNELS * SHOWN.afferents
        total, theta_0 = size * len(CIRCUITS), SpikingRule().theta_0
        half = size * len(AUDITORY)
        return {
            "populations": [
                {"name": name, "label": f"circuit {name}", "size": size, "first": size * i,
                 "modality": "sound" if name in AUDITORY else "sight"}
                for i, name in enumerate(CIRCUITS)
            ],
            "inputs": [
                {"name": HEARING, "label": "hearing", "size": n_heard,
                 "shape": [N_CHANNELS, SHOWN.afferents], "modality": "sound"},
                {"name": SEEING, "label": "pixels", "size": N_PIXELS, "shape": [28, 28],
                 "modality": "sight"},
            ],
            "projections": [
                {"name": "heard", "pre": HEARING, "post": list(AUDITORY),
                 "shape": [half, n_heard], "theta_0": theta_0, "kind": "input"},
                {"name": "seen", "pre": SEEING, "post": list(VISUAL),
                 "shape": [half, N_PIXELS], "theta_0": theta_0, "kind": "input"},
                {"name": "lateral", "pre": list(CIRCUITS), "post": list(CIRCUITS),
                 "shape": [total, total], "theta_0": theta_0, "kind": "lateral"},
            ],
            "lesions": ["neurons", "synapses", "inputs"],
            "labels": [str(label) for label in LABELS],
            "probe": "recall",
            "probe_every_ticks": PROBE_EVERY,
        }  # fmt: skip


@functools.cache
def pairs() -> Pairs:
    """The embedded words and images."""
    return load_pairs(SHOWN, 0)


@functools.cache
def words(split: str, label: int) -> tuple[Levels, ...]:
    """Words of a digit as levels of the channels of the ear."""
    found = pairs()
    sounds, classes = (
        (found.train_sounds, found.train_classes)
        if split == "train"
        else (found.test_sounds, found.test_classes)
    )
    which = np.flatnonzero(classes == SHOWN.digits.index(label))
    return tuple(_levels(sounds[k]) for k in which)


def _levels(sound: Any) -> Levels:
    channels = (sound.rates_hz[:, :: SHOWN.afferents] - SHOWN.noise_hz) / SHOWN.sound_peak_hz
    levels = np.asarray(np.round(255.0 * np.clip(channels, 0.0, 1.0)), np.uint8)
    return Levels(
        np.array(sound.durations_s), levels, SHOWN.sound_peak_hz, SHOWN.noise_hz, SHOWN.afferents
    )


@functools.cache
def recall_stimulus() -> tuple[InOrder, NDArray[np.int64]]:
    """Words that were not learned, heard alone in turn, and their labels."""
    known = {label: words("test", label) for label in LABELS}
    labels = np.tile(LABELS, TEST_TRIALS // len(LABELS))
    heard = [known[label][k // len(LABELS) % len(known[label])] for k, label in enumerate(labels)]
    dark = [
        Levels(np.array([one.durations_s.sum()]), np.zeros((1, N_PIXELS), np.uint8),
               SHOWN.image_peak_hz, SHOWN.noise_hz)
        for one in heard
    ]  # fmt: skip
    return InOrder({HEARING: heard, SEEING: dark}), labels
