"""A spiking network in the lab: a `Simulation` with stimuli that follow the settings."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.lab.joined import Joined
from synsamp.lab.observer import Recent, Watcher
from synsamp.lab.scene import Arrays, KnobValues, Look, SceneModel
from synsamp.lab.tuning import Tuning
from synsamp.lab.turnover import TurnoverCounts
from synsamp.priors import Gaussian
from synsamp.spiking import (
    NetworkLesion,
    RemoveNeurons,
    RemoveSynapses,
    SilenceInputs,
    Simulation,
    SpikeLikelihood,
    TermClip,
)

RULE = ("speed", "temperature", "data_size", "prior.mean", "prior.std", "clip")
"""KnobValues that change parameters of plastic projections."""


class SpikingModel(SceneModel):
    """One network.

    Parameters
    ----------
    simulation
        The network; its observer is a `Watcher`.
    settings
        All settings of the scene.
    tick_s
        Length of a tick (s).
    stimulus
        ``stimulus(settings, tick)`` returns what is shown from a tick on, with ``labels`` by index
        of the first input group.
    shown
        Matrices of projections that are shown together.
    picture
        Returns the stimulus of a drawn picture; None if the scene shows no pictures.
    test
        ``test(simulation, seed)`` returns the results of a probe.
    labels
        Labels of the stimuli.
    count_every
        Ticks between two counts of synapses that have formed or were lost.
    """

    def __init__(
        self,
        simulation: Simulation,
        settings: KnobValues,
        tick_s: float,
        stimulus: Callable[[KnobValues, int], Any],
        shown: Sequence[Joined],
        *,
        picture: Callable[[NDArray[Any]], Any] | None = None,
        test: Callable[[Simulation, int], dict[str, Any]] | None = None,
        labels: Sequence[Any] = (),
        count_every: int = 100,
    ) -> None:
        self.simulation, self.tick, self._tick_s = simulation, 0, tick_s
        self._network = simulation.network  # that of the saved states
        self._settings = dict(settings)
        self._stimulus, self._picture, self._test = stimulus, picture, test
        self._shown = {matrix.name: matrix for matrix in shown}
        self._tuning = Tuning(simulation.network.n_neurons, labels)
        self._drawn = False
        self._turnover = TurnoverCounts(count_every)
        self._recent = Recent()
        self._active: dict[str, NDArray[np.bool_]] = {}
        self._last_shown: NDArray[np.int64] | None = None

    # -- running --------------------

    def advance(self, ticks: int) -> None:
        """Simulate some ticks, and count turnover when it is due."""
        end = self.tick + ticks
        while self.tick < end:
            self._turnover.count(self.tick, self.theta)
            self._advance_to(min(end, self._turnover.next_after(self.tick)))

    def _advance_to(self, tick: int) -> None:
        self.tick = tick
        self.simulation.run_until(self.tick * self._tick_s)
        watcher: Watcher = self.simulation.observer
        found = watcher.taken()
        self._recent.add(found.times, found.neurons)
        if len(found.index):
            self._last_shown = found.index[-1]
        if self._tuning.labels and not self._drawn:
            labels = [self._label_of(shown) for shown in found.index]
            self._tuning.take(found.times, found.neurons, found.starts, labels)

    def _label_of(self, shown: NDArray[np.int64]) -> Any:
        stimulus: Any = self.simulation.stimulus
        return stimulus.labels[shown[0]].item()

    def save(self) -> dict[str, Any]:
        """Return the state of the network, and what belongs to it in the lab."""
        return {
            "network": self.simulation.state(),
            "stimulus": self.simulation.stimulus,
            "settings": dict(self._settings),
            "tuning": copy.deepcopy(self._tuning),
            "turnover": copy.deepcopy(self._turnover),
            "drawn": self._drawn,
            "last_shown": self._last_shown,
            "tick": self.tick,
        }

    def restored(self, saved: Mapping[str, Any]) -> Self:
        """Return a new model that continues from a saved state."""
        other = copy.copy(self)
        other.restore(saved)
        return other

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self.simulation = Simulation.from_state(
            self._network, saved["network"], saved["stimulus"], observer=Watcher()
        )
        self._settings, self._drawn = dict(saved["settings"]), saved["drawn"]
        self._tuning = copy.deepcopy(saved["tuning"])
        self._turnover = copy.deepcopy(saved["turnover"])
        self._last_shown, self.tick = saved["last_shown"], saved["tick"]
        self._recent, self._active = Recent(), {}

    # -- actions --------------------

    def set(self, settings: KnobValues, name: str) -> None:
        """Change parameters of all plastic projections, or the stimuli."""
        self._settings = dict(settings)
        if name == "stimuli":
            self.draw(None)
        elif name in RULE:
            network = self.simulation.network
            plastic = [p for p in network.projections if p.plastic]
            self.simulation.change({p.name: _changed(p.synapses, settings, name) for p in plastic})

    def draw(self, picture: NDArray[Any] | None) -> None:
        """Show a drawn picture throughout, or the scene's own stimuli again."""
        if picture is None:
            self._drawn = False
            self.simulation.stimulus = self._stimulus(self._settings, self.tick)
        elif self._picture is None:
            super().draw(picture)
        else:
            self.simulation.stimulus = self._picture(picture)
            self._drawn = True
        self._tuning.forget()
        self._last_shown = None

    def lesion(self, lesion: Mapping[str, Any]) -> None:
        """Remove neurons or synapses, or silence inputs."""
        what = arguments.one_of("lesion", lesion.get("what"), ("neurons", "synapses", "inputs"))
        lesions: dict[str, Callable[[Mapping[str, Any]], Sequence[NetworkLesion]]] = {
            "neurons": self._neurons,
            "synapses": self._synapses,
            "inputs": self._inputs,
        }
        for one in lesions[what](lesion):
            self.simulation.lesion(one)

    def _neurons(self, lesion: Mapping[str, Any]) -> list[RemoveNeurons]:
        """Members count within the population, or over all neurons if none is named."""
        populations = {c.name: c.size for c in self.simulation.network.neurons}
        name = lesion.get("population")
        if name is not None:
            arguments.one_of("population", name, populations)
            members = _members(lesion, populations[name])
            self._leave_some({name: members})
            return [RemoveNeurons(name, members)]
        members = _members(lesion, self.simulation.network.n_neurons)
        found, first = {}, 0
        for name, size in populations.items():
            own = [k - first for k in members if first <= k < first + size]
            found.update({name: own} if own else {})
            first += size
        self._leave_some(found)
        return [RemoveNeurons(name, own) for name, own in found.items()]

    def _leave_some(self, removed: Mapping[str, Sequence[int]]) -> None:
        alive = self.simulation.alive
        for name, members in removed.items():
            left = alive[self.simulation.neurons_of(name)]
            left[list(members)] = False
            if not left.any():
                rule = "must leave at least one neuron of each circuit"
                raise refuse("lesion", rule, f"all of {name}", "choose fewer neurons")

    def _synapses(self, lesion: Mapping[str, Any]) -> list[RemoveSynapses]:
        regrow = arguments.flag("regrow", lesion.get("regrow", True))
        name = arguments.one_of("projection", lesion.get("projection"), self._shown)
        return [
            RemoveSynapses(projection, "active", regrow=regrow)
            for projection in self._shown[name].members
        ]

    def _inputs(self, lesion: Mapping[str, Any]) -> list[SilenceInputs]:
        groups = {g.name: g.size for g in self.simulation.network.inputs}
        name = arguments.one_of("group", lesion.get("group"), groups)
        return [SilenceInputs(name, _members(lesion, groups[name]))]

    def probe(self, seed: int) -> dict[str, Any] | None:
        """Test a copy with plasticity off."""
        return None if self._test is None else self._test(self.simulation, seed)

    # -- reading --------------------

    def theta(self) -> Arrays:
        """Return θ of each matrix, NaN where no synapse can exist."""
        return {name: matrix.theta(self.simulation) for name, matrix in self._shown.items()}

    def weights(self) -> Arrays:
        """Return the efficacies of each matrix."""
        return {name: matrix.weight(self.simulation) for name, matrix in self._shown.items()}

    def look(self, want: frozenset[str], pointer: Mapping[str, Any] | None) -> Look:
        """Return spikes since the last look, and matrices as wanted."""
        found = Look()
        arrays, simulation = found.arrays, self.simulation
        times, neurons, found.values["dropped"] = self._recent.take()
        if "spikes" in want:
            arrays["spike_time"], arrays["spike_neuron"] = times, neurons
        for name, matrix in self._shown.items():
            theta = matrix.theta(simulation)
            active = theta > 0
            if "theta" in want:
                arrays[f"theta.{name}"] = theta.astype(np.float32)
            if "weights" in want:
                arrays[f"weights.{name}"] = matrix.weight(simulation).astype(np.float32)
            if "active" in want:
                before = self._active.get(name, active)
                arrays[f"active.{name}"] = np.array([active.sum()], np.int32)
                arrays[f"formed.{name}"] = np.flatnonzero(active & ~before).astype(np.int32)
                arrays[f"lost.{name}"] = np.flatnonzero(before & ~active).astype(np.int32)
            self._active[name] = active
            if pointer is not None and pointer["projection"] == name:
                found.values["pointed"] = _at(theta, pointer)
        if "stimulus" in want:
            arrays |= {f"stimulus.{group}": rates for group, rates in self._rates().items()}
        if self._tuning.labels and "tuning" in want:
            arrays["tuning"] = self._tuning.mean.astype(np.float32)
        found.values["turnover"] = self._turnover.totals
        found.values["n_spikes"] = simulation.n_spikes
        arrays["alive"] = simulation.alive.astype(np.uint8)
        shown = self._last_shown
        found.values["label"] = (
            None
            if self._drawn or shown is None or not self._tuning.labels
            else self._label_of(shown)
        )
        return found

    def _rates(self) -> Arrays:
        """Mean rates (Hz) of the last presentation, by input group."""
        stimulus: Any = self.simulation.stimulus
        if self._last_shown is None or not hasattr(stimulus, "library"):
            return {}
        found = {}
        for group, index in zip(self.simulation.network.inputs, self._last_shown, strict=True):
            if index >= 0:
                one = stimulus.library[group.name][index]
                share = one.durations_s / one.durations_s.sum()
                found[group.name] = (share @ one.rates_hz).astype(np.float32)
        return found


def _changed(model: Any, settings: KnobValues, name: str) -> dict[str, Any]:
    """The new parameter of a synapse model."""
    value = settings[name]
    if name in ("speed", "temperature"):
        return {name: value}
    if name.startswith("prior."):
        return {"prior": Gaussian(settings["prior.mean"], settings["prior.std"])}
    plasticity: SpikeLikelihood = model.plasticity
    changed = {"clip": TermClip(value)} if name == "clip" else {"data_size": value}
    return {"plasticity": replace(plasticity, **changed)}


def _members(lesion: Mapping[str, Any], size: int) -> list[int]:
    members = arguments.wholes(
        "members", lesion.get("members"), shape=(None,), at_least=0, at_most=size - 1
    )
    if members.size == 0:
        raise refuse("members", "must not be empty", 0, "choose at least one")
    return sorted(set(members.tolist()))


def _at(theta: NDArray[Any], pointer: Mapping[str, Any]) -> float | None:
    """θ under the pointer; None where there is no synapse."""
    post, pre = pointer["post"], pointer["pre"]
    if not (0 <= post < theta.shape[0] and 0 <= pre < theta.shape[1]):
        return None
    value = float(theta[post, pre])
    return value if np.isfinite(value) else None
