"""Landscape (Fig. 1): two parameters wander over a posterior with a few peaks."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synsamp.lab.knobs import DATA_SIZE, PRIOR_MEAN, PRIOR_STD, SPEED, TEMPERATURE, Knob
from synsamp.lab.scene import Arrays, KnobValues, Look, Scene, SceneModel
from synsamp.lab.scenes.landscape_steps import advance, count, density
from synsamp.models.landscape import Landscape
from synsamp.noise.streams import BLOCK, new_stream

DT = 0.004
THIN, ROWS = 5, 5
"""Steps between two points of the path; points in a tick."""
EXTENT = (-4.0, 4.0)
BINS = 40
MOST_POINTS = 5000
"""Points of the path kept for the next frame, the newest."""

_DEFAULT = Landscape()
PEAKS = [
    [*centre, width, height]
    for centre, width, height in zip(
        _DEFAULT.centres, _DEFAULT.widths, _DEFAULT.heights, strict=True
    )
]


class LandscapeModel(SceneModel):
    """One point on the landscape."""

    def __init__(self, seed: int, settings: KnobValues) -> None:
        self.tick = 0
        self._theta = np.zeros(2)
        # that of the first chain of `synsamp.rule.Chains`
        self._stream = new_stream(np.random.SeedSequence(seed, spawn_key=(0, 0)))
        self._words = np.zeros(BLOCK, np.uint32)
        self._buffer = np.zeros(BLOCK, np.float32)
        self._taken = np.array([BLOCK])
        self._histogram = np.zeros((BINS, BINS))
        self._path = np.zeros((0, 2))
        self._told_density = False
        self._take(settings)

    def _take(self, settings: KnobValues) -> None:
        self._settings = dict(settings)
        names = ("speed", "temperature", "data_size", "prior.mean", "prior.std")
        self._numbers = np.array([*(settings[name] for name in names), np.sqrt(DT)])
        peaks = np.array(settings["peaks"], float)
        self._peaks = peaks[:, :2].copy(), peaks[:, 2].copy(), peaks[:, 3].copy()

    def advance(self, ticks: int) -> None:
        """Simulate some ticks."""
        path = np.empty((ROWS * ticks, 2))
        noise = self._stream, self._words, self._buffer, self._taken
        advance(self._theta, self._numbers, *self._peaks, *noise, THIN, path)
        count(path, *EXTENT, self._histogram)
        self._path = np.concatenate([self._path, path])[-MOST_POINTS:]
        self.tick += ticks

    def set(self, settings: KnobValues, name: str) -> None:
        """Change the rule or the peaks; another posterior needs a new histogram."""
        self._take(settings)
        if name != "speed":
            self._histogram[:] = 0.0
            self._told_density = False

    def save(self) -> dict[str, Any]:
        """Return the position, the noise, the histogram and the settings."""
        state = self._theta, self._stream, self._buffer, self._taken, self._histogram
        arrays = [array.copy() for array in state]
        return {"arrays": arrays, "settings": self._settings, "tick": self.tick}

    def restored(self, saved: Mapping[str, Any]) -> Self:
        """Return a new model that continues from a saved state."""
        other = copy.copy(self)
        other.restore(saved)
        return other

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self._theta, self._stream, self._buffer, self._taken, self._histogram = (
            array.copy() for array in saved["arrays"]
        )
        self.tick = saved["tick"]
        self._words, self._path, self._told_density = self._words.copy(), np.zeros((0, 2)), False
        self._take(saved["settings"])

    def theta(self) -> Arrays:
        """Return θ."""
        return {"theta": self._theta.copy()}

    def density(self) -> NDArray[np.float64]:
        """Probability of each bin under the posterior."""
        out = np.empty((BINS, BINS))
        density(self._numbers, *self._peaks, *EXTENT, out)
        return out

    def look(self, want: frozenset[str], pointer: Mapping[str, Any] | None) -> Look:
        """Return the path since the last look, the histogram, and the density if it is new."""
        found = Look()
        found.arrays["path"] = self._path.astype(np.float32)
        self._path = np.zeros((0, 2))
        found.arrays["histogram"] = self._histogram.astype(np.float32)
        exact = self.density()
        if not self._told_density:
            found.arrays["density"] = exact.astype(np.float32)
            self._told_density = True
        visits = self._histogram.sum()
        found.values["extent"] = list(EXTENT)
        found.values["visits"] = int(visits)
        if visits:
            found.values["distance"] = float(0.5 * np.abs(self._histogram / visits - exact).sum())
        return found


class LandscapeScene(Scene):
    """Two parameters on a posterior."""

    name = "landscape"
    title = "Landscape"
    tick_s = DT * THIN * ROWS
    knobs = (
        replace(SPEED, value=1.0, paper=None, unit="", low=0.05, high=2.0),
        replace(TEMPERATURE, low=0.05, high=5.0),
        replace(PRIOR_MEAN, value=0.0, paper=None, help="Centre of the prior of both parameters."),
        replace(PRIOR_STD, value=1.5, paper=None, low=0.4, help="Width of the prior."),
        replace(DATA_SIZE, value=1.0, paper=None, low=0.0, high=3.0),
        Knob("peaks", "", "peaks of the likelihood", PEAKS, None, kind="peaks",
             help="Drag a peak to move it."),
    )  # fmt: skip

    def model(self, seed: int, settings: KnobValues) -> LandscapeModel:
        """The point at its start."""
        return LandscapeModel(seed, settings)

    def parts(self) -> dict[str, Any]:
        """Suggested speed."""
        return {"suggested_speed": 10.0, "bins": BINS, "extent": list(EXTENT)}
