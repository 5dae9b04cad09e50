"""A scene as files for the browser: a description in JSON, and arrays in one binary file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from synsamp.lab.draws import FIRST_THETA
from synsamp.lab.presentations import Levels
from synsamp.lab.wasm.image import Binary, FunctionNames, network_image
from synsamp.spiking import Network
from synsamp.spiking.engine import Engine

ALL_ON = 255
"""The highest level."""


class LevelRows:
    """All rows of levels of one input group, each once."""

    def __init__(self, like: Levels) -> None:
        self._like = like
        self._rows: dict[bytes, int] = {}

    def presentation(self, shown: Levels) -> list[list[float]]:
        """The row and length (s) of each segment."""
        return [
            [self.row(levels), float(seconds)]
            for levels, seconds in zip(shown.levels, shown.durations_s, strict=True)
        ]

    def row(self, levels: Any) -> int:
        """The number of a row of levels."""
        return self._rows.setdefault(np.asarray(levels, np.uint8).tobytes(), len(self._rows))

    def written(self, binary: Binary) -> dict[str, Any]:
        """Where the rows are, and how levels become rates."""
        levels = np.frombuffer(b"".join(self._rows), np.uint8).reshape(len(self._rows), -1)
        return {
            "levels": binary.add(levels),
            "repeat": self._like.repeat,
            "peak_hz": self._like.peak_hz,
            "noise_hz": self._like.noise_hz,
        }

    @property
    def most_hz(self) -> float:
        """The largest total rate of a row, drawn pictures included."""
        channels = len(next(iter(self._rows))) * self._like.repeat
        return channels * (self._like.peak_hz + self._like.noise_hz)


def spiking_engine(
    scene: Any, stimulus: dict[str, Any], rows: Sequence[LevelRows], names: FunctionNames,
    binary: Binary, **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """The engine's part of a scene with a spiking network."""
    settings = scene.settings()
    simulation = scene.simulation(0, settings)
    network = simulation.network
    image = network_image(
        network,
        simulation.drift_interval_s,
        simulation.sync_interval_s,
        names,
        binary,
        sum(each.most_hz for each in rows),
    )
    streams = {p.name: FIRST_THETA + i for i, p in enumerate(network.projections)}
    for projection in image["projections"]:
        projection["stream"] = streams[projection["name"]]
    image["variants"] = _variants(scene, names, simulation)
    shown = (
        [part for group in stimulus["presentations"] for part in group]
        if ("presentations" in stimulus)
        else []
    )
    image["segments"] = max([3, *map(len, shown)])
    return {
        "kind": "spiking",
        "network": image,
        "rows": [each.written(binary) for each in rows],
        "stimulus": stimulus,
        **more,
    }


def _variants(scene: Any, names: FunctionNames, simulation: Any) -> dict[str, list[str]] | None:
    """Functions at a postsynaptic spike, by settings that change them (`SpikeLikelihood`)."""
    knobs = {knob.name for knob in scene.knobs}
    if not {"clip", "learn_when_retracted"} <= knobs:
        return None
    found = {}
    for retracted in (True, False):
        for early, clip in ((True, 5.0), (False, 50.0)):
            chosen = {"clip": clip, "learn_when_retracted": retracted}
            network = scene.network(scene.settings(chosen))
            on_post = _wiring(network, simulation).on_post
            key = f"{str(retracted).lower()},{str(early).lower()}"
            found[key] = [names.of(int(address)) for address in on_post]
    return found


def _wiring(network: Network, like: Any) -> Any:
    return Engine(network, like.drift_interval_s, like.sync_interval_s).layout.wiring


# -- one function per scene --------------------


def digits(scene: Any, names: FunctionNames, binary: Binary) -> dict[str, Any]:
    """The scene `synsamp.lab.scenes.digits`."""
    shown = scene.stimulus(scene.settings(), 0, 0)
    tests, labels = scene.test_stimulus()
    library, test_library = shown.library["x"], tests.library["x"]
    rows = LevelRows(library[0])
    presentations = [rows.presentation(one) for one in library]
    by_label = {
        str(label): np.flatnonzero(shown.labels == label).tolist()
        for label in np.unique(shown.labels)
    }
    picture = scene.picture(np.ones(library[0].levels.shape[1])).library["x"][0]
    lit = picture.levels.max(axis=1) == ALL_ON
    stimulus = {
        "kind": "shuffled",
        "labels": [int(label) for label in by_label],
        "by_label": by_label,
        "presentations": presentations,
    }
    test = {
        "presentations": [[rows.presentation(one)] for one in test_library],
        "labels": labels.tolist(),
        "lead": 0,
        "seconds": float(sum(one.durations_s.sum() for one in test_library)),
        "burn_in_s": 0.0,
        "rest": False,
    }
    dark = rows.row(np.zeros_like(library[0].levels[0]))
    return spiking_engine(
        scene,
        stimulus,
        [rows],
        names,
        binary,
        test=test,
        joined={name: [[name]] for name in [scene.parts()["projections"][0]["name"]]},
        picture={
            "group": 0,
            "segments": [
                ["picture" if on else dark, float(s)]
                for on, s in zip(lit, picture.durations_s, strict=True)
            ],
        },
    )


ENGINE = {"digits": digits}
"""How each scene is written for the browser."""
