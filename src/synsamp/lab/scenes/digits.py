"""Digits (Fig. 4): ten winner-take-all neurons learn handwritten ones and twos."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from synsamp.lab.presentations import Levels, Shuffled, shown_then_dark
from synsamp.lab.readout import decode_digits
from synsamp.lab.scene import KnobValues, Scene
from synsamp.lab.scenes.rule_settings import LABELS, first_theta, images, rule
from synsamp.lab.spiking_model import SpikingModel
from synsamp.paper.shared.digit_circuit import (
    N_PIXELS,
    SYNAPSES,
    CircuitSection,
    DigitInputSection,
    SpikingRule,
    build_network,
    build_synapses,
)
from synsamp.spiking import InOrder, Network, Simulation

IMAGES = 100
"""Images of each digit to learn; the next ``TESTS`` are for probes."""
TESTS = 80
SHOWN = DigitInputSection()
SYNC_INTERVAL_S = 2.5
COUNT_EVERY, PROBE_EVERY = 400, 1600
"""Ticks between two counts of formed and lost synapses, and between two probes."""
CIRCUIT = CircuitSection()
STIMULI = Knob("stimuli", "", "digits shown", list(LABELS), list(LABELS), kind="digits",
               choices=LABELS, help="Which digits the network sees.")  # fmt: skip


def presentation(pixels: NDArray[np.uint8]) -> Levels:
    """An image for 200 ms, then noise alone for 50 ms."""
    times_s = SHOWN.digit_s, SHOWN.gap_s
    return shown_then_dark(pixels, times_s, SHOWN.peak_rate_hz, SHOWN.noise_hz)


class DigitsScene(Scene):
    """Ten neurons learn digits."""

    name = "digits"
    title = "Digits"
    tick_s = SHOWN.digit_s + SHOWN.gap_s
    knobs = (
        *(SPEED, TEMPERATURE, PRIOR_MEAN, PRIOR_STD, DATA_SIZE, CLIP, RETRACTED),
        STIMULI,
    )

    def network(self, settings: KnobValues) -> Network:
        """The paper's circuit."""
        return build_network(N_PIXELS, CIRCUIT, build_synapses(rule(settings)))

    def stimulus(self, settings: KnobValues, seed: int, tick: int) -> Shuffled:
        """All learning images of the chosen digits in random order."""
        labels = settings["stimuli"]
        shown = [presentation(one) for label in labels for one in images(label, IMAGES)]
        return Shuffled("x", shown, np.repeat(np.array(labels), IMAGES), seed, tick)

    def simulation(self, seed: int, settings: KnobValues) -> Simulation:
        """The network at time 0; θ is drawn from the prior."""
        network = self.network(settings)
        return Simulation(
            network,
            self.stimulus(settings, seed, 0),
            seed,
            drift_interval_s=self.tick_s,
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
            [Joined(SYNAPSES, [[SYNAPSES]])],
            picture=self.picture,
            test=functools.partial(decode_digits, self.test_stimulus(), seed=seed),
            labels=LABELS,
            count_every=COUNT_EVERY,
        )

    def picture(self, values: NDArray[Any]) -> InOrder:
        """A drawn picture, shown as the digits are."""
        return InOrder([presentation(np.asarray(np.round(255.0 * values), np.uint8))])

    def test_stimulus(self) -> tuple[InOrder, NDArray[np.int64]]:
        """Images that were not learned, one digit after the other, and their labels."""
        alternating = [
            images(label, IMAGES + TESTS)[IMAGES + k] for k in range(TESTS) for label in LABELS
        ]
        return InOrder([presentation(one) for one in alternating]), np.tile(LABELS, TESTS)

    def parts(self) -> dict[str, Any]:
        """Populations, inputs and projections."""
        neurons = CIRCUIT.neurons
        return {
            "populations": [
                {"name": "z", "label": "neurons", "size": neurons, "first": 0, "modality": None}
            ],
            "inputs": [
                {"name": "x", "label": "pixels", "size": N_PIXELS, "shape": [28, 28],
                 "modality": None}
            ],
            "projections": [
                {"name": SYNAPSES, "pre": "x", "post": "z", "shape": [neurons, N_PIXELS],
                 "theta_0": SpikingRule().theta_0, "kind": "input"}
            ],
            "lesions": ["neurons", "synapses", "inputs"],
            "labels": [str(label) for label in LABELS],
            "probe": "tuning",
            "draw": True,
            "probe_every_ticks": PROBE_EVERY,
            "suggested_speed": None,
        }  # fmt: skip
