"""Custom networks in the lab: from Python objects, or from a file.

A file must define ``network`` (a `synsamp.spiking.Network`), and ``stimulus`` if it has inputs; or
an ``EXPERIMENT`` whose run is a `Protocol`, of which the network, the initial θ and the first
stimulus are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from synsamp import arguments
from synsamp.errors import SynsampError, refuse
from synsamp.experiments.loading import execute_file, read_file
from synsamp.lab.joined import Joined
from synsamp.lab.knobs import CLIP, DATA_SIZE, PRIOR_MEAN, PRIOR_STD, SPEED, TEMPERATURE, Knob
from synsamp.lab.observer import Watcher
from synsamp.lab.scene import KnobValues, Scene
from synsamp.lab.spiking_model import SpikingModel
from synsamp.priors import Gaussian
from synsamp.protocol import Protocol, Show
from synsamp.spiking import Network, Simulation, SpikeLikelihood, TermClip

MOST_SYNAPSES = 200_000
"""Largest projection of which matrices are sent to the page."""
TICK_S = 0.25


class OwnNetwork(Scene):
    """A network of a user.

    Parameters
    ----------
    network
        The network.
    stimulus
        What it is shown, as for `synsamp.spiking.Simulation`.
    name, title
        How the page calls it.
    theta, sync_interval_s, drift_interval_s
        As for `Simulation`.
    """

    name = "own"
    title = "Own network"
    tick_s = TICK_S

    def __init__(
        self,
        network: Network,
        stimulus: Any = None,
        *,
        name: str = "own",
        title: str = "Own network",
        theta: Any = None,
        sync_interval_s: float | None = None,
        drift_interval_s: float | None = None,
    ) -> None:
        arguments.instance("network", network, Network, "e.g. winner_take_all_network()")
        self._network, self._stimulus = network, stimulus
        self.name, self.title = name, title  # type: ignore[misc]
        self._options = {
            "theta": theta,
            "sync_interval_s": sync_interval_s,
            "drift_interval_s": drift_interval_s,
        }
        self.knobs = _knobs(network)
        self._shown = [
            Joined(p.name, [[p.name]])
            for p in network.projections
            if p.listed is None and int(np.prod(network.shape_of(p))) <= MOST_SYNAPSES
        ]

    def simulation(self, seed: int, settings: KnobValues) -> Simulation:
        """The network at time 0."""
        return Simulation(
            self._network, self._stimulus, seed, observer=Watcher(), **self._options
        )  # fmt: skip

    def model(self, seed: int, settings: KnobValues) -> SpikingModel:
        """The network as a model of the lab."""
        model = SpikingModel(
            self.simulation(seed, settings),
            self.settings(),
            self.tick_s,
            lambda settings, tick: self._stimulus,
            self._shown,
        )
        for name, value in settings.items():
            if value != self.knob(name).value:
                model.set(settings, name)
        return model

    def parts(self) -> dict[str, Any]:
        """Populations, inputs and projections."""
        network = self._network
        first = np.cumsum([0, *(c.size for c in network.neurons)]).tolist()
        shown = {matrix.name for matrix in self._shown}
        groups = {g.name for g in network.inputs}
        return {
            "populations": [
                {"name": c.name, "label": c.name, "size": c.size, "first": at, "modality": None}
                for c, at in zip(network.neurons, first, strict=False)
            ],
            "inputs": [
                {"name": g.name, "label": g.name, "size": g.size, "shape": _picture(g.size),
                 "modality": None}
                for g in network.inputs
            ],
            "projections": [
                {"name": p.name, "pre": p.source, "post": p.target,
                 "shape": list(network.shape_of(p)), "theta_0": 0.0,
                 "kind": "input" if p.source in groups else "lateral"}
                for p in network.projections
                if p.name in shown
            ],
            "lesions": ["neurons", "synapses", "inputs"],
        }  # fmt: skip


def _picture(size: int) -> list[int]:
    """The shape of inputs as a picture: square if they can be, else one row."""
    side = round(size**0.5)
    return [side, side] if side * side == size and side > 1 else [1, size]


def _knobs(network: Network) -> tuple[Knob, ...]:
    """Knobs for the parameters that all plastic projections share, with their values."""
    plastic = [p for p in network.projections if p.plastic]
    if not plastic:
        return ()
    names, model = tuple(p.name for p in plastic), plastic[0].synapses
    if any(_rule(p.synapses) != _rule(model) for p in plastic):
        return ()  # one knob cannot show several values
    values: dict[str, tuple[Knob, float]] = {
        "speed": (SPEED, model.speed),
        "temperature": (TEMPERATURE, model.temperature),
    }
    if isinstance(model.prior, Gaussian) and np.ndim(model.prior.mean) == 0:
        values["prior.mean"] = (PRIOR_MEAN, float(model.prior.mean))
        values["prior.std"] = (PRIOR_STD, float(model.prior.std))
    if isinstance(model.plasticity, SpikeLikelihood):
        values["data_size"] = (DATA_SIZE, model.plasticity.data_size)
        if isinstance(model.plasticity.clip, TermClip) and np.isfinite(model.plasticity.clip.limit):
            values["clip"] = (CLIP, model.plasticity.clip.limit)
    return tuple(_around(knob, value, names) for knob, value in values.values())


def _rule(model: Any) -> tuple[Any, ...]:
    return model.speed, model.temperature, model.prior, model.plasticity


def _around(knob: Knob, value: float, applies_to: tuple[str, ...]) -> Knob:
    """The knob with this value, within a range that includes it."""
    low, high = min(knob.low, value), max(knob.high, value)
    return replace(knob, value=value, paper=None, low=low, high=high, applies_to=applies_to)


# -- files --------------------


def scenes_of_file(path: str) -> Mapping[str, Callable[[], Scene]]:
    """The one scene of a file, which is executed."""
    scene = scene_of_file(path)
    return {scene.name: lambda: scene}


def scene_of_file(path: str) -> Scene:
    """Execute a file and make a scene of its network."""
    file = read_file(path)
    found = execute_file(file)
    name = Path(path).name
    network = getattr(found, "network", None)
    if network is not None:
        arguments.instance(f"network of {name}", network, Network, "use synsamp.spiking.Network")
        return OwnNetwork(
            network, getattr(found, "stimulus", None), name=name, title=Path(path).stem
        )
    if not hasattr(found, "EXPERIMENT"):
        raise refuse(
            name, "must define network (and stimulus), or EXPERIMENT", "neither",
            "`synsamp new my_experiment.py` writes a file to start from",
        )  # fmt: skip
    experiment = file()
    protocol = _protocol_of(name, experiment)
    shown = [step.stimulus for step in protocol.steps if isinstance(step, Show)]
    return OwnNetwork(
        protocol.network,
        shown[0] if shown else None,
        name=name,
        title=experiment.title,
        theta=protocol.theta,
        sync_interval_s=protocol.sync_interval_s,
        drift_interval_s=protocol.drift_interval_s,
    )


def _protocol_of(name: str, experiment: Any) -> Protocol:
    """The first protocol of an experiment's run with its first preset and seed 0."""
    parameters = next(iter(experiment.presets.values()))
    if experiment.takes_context:
        raise refuse(name, "must return a Protocol from run(parameters, seed)", "run with context")
    try:
        made = experiment.run(parameters, 0)
    except SynsampError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise refuse(name, "must run without an error", said) from error
    parts = made.values() if isinstance(made, Mapping) else [made]
    for part in parts:
        if isinstance(part, Protocol):
            return part
    rule = "must return a Protocol from run(parameters, seed)"
    raise refuse(name, rule, type(made).__name__, "or define network and stimulus in the file")
