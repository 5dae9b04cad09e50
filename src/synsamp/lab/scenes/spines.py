"""Spines (Fig. 3): one dendrite whose spines come and go under prior and noise.

One neuron fires at a constant rate and receives half-size digits. With a data size N of 0 its
synapses do not learn, and the survival of its spines can be predicted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synsamp.lab.joined import Joined
from synsamp.lab.knobs import CLIP, DATA_SIZE, PRIOR_MEAN, PRIOR_STD, SPEED, TEMPERATURE
from synsamp.lab.observer import Watcher
from synsamp.lab.presentations import Shuffled, shown_then_dark
from synsamp.lab.scene import KnobValues, Look, Scene
from synsamp.lab.scenes.rule_settings import LABELS, first_theta, images, rule
from synsamp.lab.scenes.survival import GRID, observe, predict
from synsamp.lab.spiking_model import SpikingModel
from synsamp.mappings import Exponential
from synsamp.paper.shared.digit_circuit import DigitInputSection, SpikingRule, build_synapses
from synsamp.spiking import InputGroup, Network, Projection, Simulation, WinnerTakeAll

SIDE = 14
RATE_HZ = 10.0
"""Mean rate of a neuron in the paper's circuit."""
IMAGES = 50
OBSERVED_EVERY_S = 144.0
LAGS = 60
BINS = np.linspace(-4.0, 6.0, 51)
"""Edges of the histogram of θ."""
DENDRITE = "dendrite"
SHOWN = DigitInputSection()


class SpinesModel(SpikingModel):
    """One dendrite, observed at every tick."""

    def prepare(self) -> Self:
        """Start to observe."""
        self._runs = np.zeros(SIDE * SIDE, np.int64)
        self._present = np.full(LAGS, -1, np.int64)
        self._kept, self._total = np.zeros(LAGS), np.zeros(LAGS)
        self._histogram = np.zeros(BINS.size - 1)
        return self

    def advance(self, ticks: int) -> None:
        """Simulate tick by tick, and observe the spines after each."""
        for _ in range(ticks):
            super().advance(1)
            theta = self.simulation.theta(DENDRITE)[0]
            observe(theta, self._runs, self._present, self._kept, self._total)
            self._histogram += np.histogram(theta, BINS)[0]

    def set(self, settings: KnobValues, name: str) -> None:
        """Change the rule; another prediction needs new observations."""
        super().set(settings, name)
        self.prepare()

    def save(self) -> dict[str, Any]:
        """Return the state, with the observations."""
        observed = self._runs, self._present, self._kept, self._total, self._histogram
        return {**super().save(), "observed": [values.copy() for values in observed]}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        super().restore(saved)
        self._runs, self._present, self._kept, self._total, self._histogram = (
            values.copy() for values in saved["observed"]
        )

    def predicted_survival(self) -> NDArray[np.float64]:
        """Survival under prior and noise alone."""
        s, out = self._settings, np.empty(LAGS)
        numbers = s["prior.mean"], s["prior.std"], s["speed"], s["temperature"]
        predict(*numbers, OBSERVED_EVERY_S, np.empty(2 * GRID + GRID * GRID), out)
        return out

    def look(self, want: frozenset[str], pointer: Mapping[str, Any] | None) -> Look:
        """Return sizes, survival and the distribution of θ as well."""
        found, s = super().look(want, pointer), self._settings
        theta = self.simulation.theta(DENDRITE)[0]
        sizes = np.where(theta > 0, Exponential(SpikingRule().theta_0).weight(theta), 0.0)
        found.arrays["sizes"] = sizes.astype(np.float32)
        found.arrays["survival_time"] = OBSERVED_EVERY_S * np.arange(LAGS)
        curve = self._kept / np.maximum(self._total, 1.0)
        found.arrays["survival"] = np.where(self._total > 0, curve, np.nan).astype(np.float32)
        found.arrays["histogram"] = self._histogram.astype(np.float32)
        found.arrays["bins"] = BINS
        if s["data_size"] == 0 and s["temperature"] > 0:
            found.arrays["survival_law"] = self.predicted_survival().astype(np.float32)
            found.arrays["density"] = _density(s).astype(np.float32)
        found.values["stats"] = {"active": int((theta > 0).sum())}
        return found


def _density(settings: KnobValues) -> NDArray[np.float64]:
    """Density of θ at the middle of each bin, under prior and noise alone."""
    width = settings["prior.std"] * np.sqrt(settings["temperature"])
    z = (0.5 * (BINS[1:] + BINS[:-1]) - settings["prior.mean"]) / width
    return np.asarray(np.exp(-0.5 * z * z) / (width * np.sqrt(2.0 * np.pi)))


class SpinesScene(Scene):
    """One dendrite under prior and noise."""

    name = "spines"
    title = "Spines"
    tick_s = OBSERVED_EVERY_S
    knobs = tuple(
        replace(knob, applies_to=(DENDRITE,))
        for knob in (
            replace(SPEED, value=1e-4, low=2e-5, high=1e-3),
            replace(TEMPERATURE, high=5.0),
            PRIOR_MEAN,
            replace(PRIOR_STD, low=0.3),
            replace(DATA_SIZE, value=0.0, help="0: no learning, prior and noise alone."),
            CLIP,
        )
    )

    def network(self, settings: KnobValues) -> Network:
        """One neuron with an input per pixel."""
        return Network(
            [InputGroup("x", SIDE * SIDE)],
            [WinnerTakeAll("z", 1, rate_hz=RATE_HZ)],
            [Projection("x", "z", build_synapses(rule(settings)), name=DENDRITE)],
        )

    def stimulus(self, settings: KnobValues, seed: int, tick: int) -> Shuffled:
        """Digits at half size."""
        times_s = SHOWN.digit_s, SHOWN.gap_s
        shown = [
            shown_then_dark(pixels, times_s, SHOWN.peak_rate_hz, SHOWN.noise_hz)
            for label in LABELS
            for pixels in _half_size(images(label, IMAGES))
        ]
        return Shuffled("x", shown, np.repeat(np.array(LABELS), IMAGES), seed, tick)

    def simulation(self, seed: int, settings: KnobValues) -> Simulation:
        """The network at time 0."""
        network = self.network(settings)
        return Simulation(
            network,
            self.stimulus(settings, seed, 0),
            seed,
            drift_interval_s=1.0,
            sync_interval_s=OBSERVED_EVERY_S,
            observer=Watcher(),
            theta=first_theta(network, settings, seed),
        )

    def model(self, seed: int, settings: KnobValues) -> SpinesModel:
        """The dendrite as a model of the lab."""
        return SpinesModel(
            self.simulation(seed, settings),
            settings,
            self.tick_s,
            lambda settings, tick: self.stimulus(settings, seed, tick),
            [Joined(DENDRITE, [[DENDRITE]])],
            count_every=10,
        ).prepare()

    def parts(self) -> dict[str, Any]:
        """Populations, inputs and projections."""
        return {
            "populations": [
                {"name": "z", "label": "neuron", "size": 1, "first": 0, "modality": None}
            ],
            "inputs": [
                {"name": "x", "label": "pixels", "size": SIDE * SIDE, "shape": [SIDE, SIDE],
                 "modality": None}
            ],
            "projections": [
                {"name": DENDRITE, "pre": "x", "post": "z", "shape": [1, SIDE * SIDE],
                 "theta_0": SpikingRule().theta_0, "kind": "input"}
            ],
            "lesions": ["synapses", "inputs"],
            "suggested_speed": 3600.0,
        }  # fmt: skip


def _half_size(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Means of 2 × 2 pixels, [image, pixel]."""
    blocks = pixels.reshape(len(pixels), SIDE, 2, SIDE, 2).mean(axis=(2, 4))
    return np.asarray(np.round(blocks.reshape(len(pixels), -1)), np.uint8)
