"""A scene as files for the browser: a description in JSON, and arrays in one binary file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from synsamp.lab.draws import FIRST_THETA
from synsamp.lab.presentations import Levels
from synsamp.lab.wasm.image import Binary, FunctionNames, network_image
from synsamp.spiking.engine import Engine


class Files(NamedTuple):
    """What all scenes share, and the binary file of one."""

    names: FunctionNames
    binary: Binary


class LevelRows:
    """All rows of levels of one input group, each once."""

    def __init__(self, like: Levels) -> None:
        self._like = like
        self._rows: dict[bytes, int] = {}
        self.most_segments = 3  # an image between two pauses

    def presentation(self, shown: Levels) -> list[list[float]]:
        """The row and length (s) of each segment."""
        self.most_segments = max(self.most_segments, len(shown.durations_s))
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
    scene: Any,
    kind: str,
    stimulus: dict[str, Any],
    rows: Sequence[LevelRows],
    files: Files,
    **more: Any,
) -> dict[str, Any]:
    """The engine's part of a scene with a spiking network; ``kind`` is its model in JavaScript."""
    model = scene.model(0, scene.settings())
    simulation = model.simulation
    network = simulation.network
    image = network_image(
        network,
        simulation.drift_interval_s,
        simulation.sync_interval_s,
        files.names,
        files.binary,
        sum(each.most_hz for each in rows),
    )
    streams = {p.name: FIRST_THETA + i for i, p in enumerate(network.projections)}
    for projection in image["projections"]:
        projection["stream"] = streams[projection["name"]]
    image["variants"] = _variants(scene, files.names, simulation)
    image["segments"] = max(each.most_segments for each in rows)
    single = {one["name"]: [[one["name"]]] for one in scene.parts()["projections"]}
    return {
        "kind": kind,
        "mark_every": scene.mark_every,
        "count_every": 100,
        "network": image,
        "rows": [each.written(files.binary) for each in rows],
        "stimulus": stimulus,
        "tuning_labels": [],
        "joined": single,
        **more,
    }


def _variants(scene: Any, names: FunctionNames, simulation: Any) -> dict[str, list[str]] | None:
    """Functions at a postsynaptic spike, by settings that change them (`SpikeLikelihood`)."""
    knobs = {knob.name for knob in scene.knobs}
    if "clip" not in knobs:
        return None
    found = {}
    for retracted in (True, False) if "learn_when_retracted" in knobs else (True,):
        for early, clip in ((True, 5.0), (False, 50.0)):
            chosen: dict[str, Any] = {"clip": clip}
            if not retracted:
                chosen["learn_when_retracted"] = False
            network = scene.network(scene.settings(chosen))
            intervals = simulation.drift_interval_s, simulation.sync_interval_s
            on_post = Engine(network, *intervals).layout.wiring.on_post
            key = f"{str(retracted).lower()},{str(early).lower()}"
            found[key] = [names.of(int(address)) for address in on_post]
    return found


def _shuffled(stimulus: Any, rows: LevelRows) -> dict[str, Any]:
    """A `Shuffled` stimulus: presentations, and which of them have which label."""
    (library,) = stimulus.library.values()
    by_label = {
        str(label): np.flatnonzero(stimulus.labels == label).tolist()
        for label in np.unique(stimulus.labels)
    }
    return {
        "kind": "shuffled",
        "labels": [int(label) for label in by_label],
        "by_label": by_label,
        "presentations": [rows.presentation(one) for one in library],
    }


# -- one function per scene --------------------


def digits(scene: Any, files: Files) -> dict[str, Any]:
    """Ten neurons and digits."""
    shown = scene.stimulus(scene.settings(), 0, 0)
    tests, labels = scene.test_stimulus()
    library, test_library = shown.library["x"], tests.library["x"]
    rows = LevelRows(library[0])
    stimulus = _shuffled(shown, rows)
    picture = scene.picture(np.ones(library[0].levels.shape[1])).library["x"][0]
    dark = rows.row(np.zeros_like(library[0].levels[0]))
    test = {
        "presentations": [[rows.presentation(one)] for one in test_library],
        "labels": labels.tolist(),
        "lead": 0,
        "seconds": float(sum(one.durations_s.sum() for one in test_library)),
        "burn_in_s": 0.0,
        "rest": False,
        "tuning": True,
    }
    segments = [
        ["picture" if levels.any() else dark, float(s)]
        for levels, s in zip(picture.levels, picture.durations_s, strict=True)
    ]
    return spiking_engine(
        scene,
        "spiking",
        stimulus,
        [rows],
        files,
        tuning_labels=stimulus["labels"],
        test=test,
        picture={"group": 0, "segments": segments},
    )


def spines(scene: Any, files: Files) -> dict[str, Any]:
    """One dendrite."""
    from synsamp.lab.scenes.spines import BINS, LAGS
    from synsamp.lab.scenes.survival import GRID

    shown = scene.stimulus(scene.settings(), 0, 0)
    rows = LevelRows(shown.library["x"][0])
    observed = {"bins": BINS.tolist(), "lags": LAGS, "grid": GRID}
    stimulus = _shuffled(shown, rows)
    return spiking_engine(scene, "spines", stimulus, [rows], files, count_every=10, spines=observed)


def senses(scene: Any, files: Files) -> dict[str, Any]:
    """Eight circuits, sound and sight."""
    from synsamp.data.digit_pairs import HEARING, SEEING
    from synsamp.lab.scenes import senses as own
    from synsamp.lab.scenes.rule_settings import images
    from synsamp.paper.fig5_compensation.protocol import AUDITORY, CIRCUITS, VISUAL

    settings = scene.settings()
    labels = settings["stimuli"]
    shown = scene.stimulus(settings, 0, 0)
    groups = [g.name for g in scene.network(settings).inputs]
    library = {name: shown.library[name] for name in groups}
    rows = {name: LevelRows(library[name][0]) for name in groups}
    heard, seen = rows[HEARING], rows[SEEING]
    pixels = [one for label in labels for one in images(label, own.IMAGES)]
    counts = {label: (len(own.words("train", label)), own.IMAGES) for label in labels}
    firsts = np.cumsum([(0, 0), *counts.values()], axis=0).tolist()
    dark = seen.row(np.zeros_like(pixels[0]))
    stimulus = {
        "kind": "paired",
        "labels": labels,
        "sound_first": groups[0] == HEARING,
        "sounds": [heard.presentation(one) for one in library[HEARING]],
        "images": [{"row": seen.row(one), "dark": dark} for one in pixels],
        "by_label": {
            str(label): {
                "sounds": list(range(first[0], first[0] + counts[label][0])),
                "images": list(range(first[1], first[1] + counts[label][1])),
            }
            for label, first in zip(labels, firsts, strict=False)
        },
    }
    recall, of = own.recall_stimulus()
    library_of: Any = recall.library
    words = library_of[HEARING]
    lengths = np.array([one.durations_s.sum() for one in words])
    test = {
        "presentations": [
            [rows[name].presentation(library_of[name][k]) for name in groups]
            for k in range(len(words))
        ],
        "labels": of.tolist(),
        "lead": groups.index(HEARING),
        "starts": np.concatenate([[0.0], np.cumsum(lengths)])[:-1].tolist(),
        "within_s": float(lengths.min()),
        "windows": own.TEST_WINDOWS,
        "seconds": float(lengths.sum()),
        "burn_in_s": own.BURN_IN_S,
        "rest": False,
        "from": len(AUDITORY) * own.CIRCUIT.neurons,
        "to": len(CIRCUITS) * own.CIRCUIT.neurons,
    }
    joined = {
        "heard": [[f"{HEARING}->{circuit}"] for circuit in AUDITORY],
        "seen": [[f"{SEEING}->{circuit}"] for circuit in VISUAL],
        "lateral": [[f"{pre}->{post}" for pre in CIRCUITS] for post in CIRCUITS],
    }
    return spiking_engine(
        scene,
        "spiking",
        stimulus,
        list(rows.values()),
        files,
        tuning_labels=list(labels),
        test=test,
        joined=joined,
        count_every=own.COUNT_EVERY,
    )


def reward(scene: Any, files: Files) -> dict[str, Any]:
    """The bandit."""
    from synsamp.beyond.bandit import theory
    from synsamp.beyond.bandit.protocol import SYNC_INTERVAL_S, Bandit
    from synsamp.environments import Dopamine
    from synsamp.lab.scenes.reward import BINS, parameters

    task = parameters(scene.settings()).task
    dopamine, bandit = Dopamine(mean_s=task.mean_s), Bandit(task)
    constant = Levels(np.ones(1), np.full((1, 1), 255, np.uint8), theory.INPUT_HZ, 0.0)
    rows = LevelRows(constant)
    rows.presentation(constant)
    known = {
        "bins": BINS.tolist(),
        "period_s": bandit.period_s,
        "sync_s": SYNC_INTERVAL_S,
        "per_spike": list(bandit.numbers[:2]),
        "keep": dopamine.kept(bandit.period_s),
        "least": dopamine.least,
        "offset": dopamine.offset,
        "other_theta": theory.OTHER_THETA,
        "x": theory.X,
        "theta_0": theory.MAPPING.offset,
        "best": task.best,
        "other": task.other,
        "exponent": task.exponent,
        "grid": [theory.THETA_MIN, theory.THETA_MAX, theory.GRID.size],
    }
    return spiking_engine(scene, "reward", {"kind": "constant"}, [rows], files, reward=known)


def landscape(scene: Any, files: Files) -> dict[str, Any]:
    """One point on a posterior."""
    from synsamp.lab.scenes import landscape as own
    from synsamp.noise.streams import BLOCK

    return {
        "kind": "landscape",
        "mark_every": scene.mark_every,
        "bins": own.BINS,
        "extent": list(own.EXTENT),
        "rows": own.ROWS,
        "thin": own.THIN,
        "block": BLOCK,
        "sqrt_dt": float(np.sqrt(own.DT)),
    }


ENGINE: dict[str, Callable[[Any, Files], dict[str, Any]]] = {
    "digits": digits,
    "landscape": landscape,
    "spines": spines,
    "senses": senses,
    "reward": reward,
}
"""How each scene is written for the browser."""
