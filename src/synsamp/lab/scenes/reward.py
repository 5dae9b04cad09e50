"""Reward: a bandit with two choices, and one synapse whose θ samples where reward is high."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synsamp.beyond.bandit.parameters import BanditParameters, BanditPrior, BanditRule, BanditTask
from synsamp.beyond.bandit.protocol import (
    DRIFT_INTERVAL_S,
    SYNAPSE,
    SYNC_INTERVAL_S,
    Bandit,
    build_network,
)
from synsamp.beyond.bandit.theory import GRID, OTHER_THETA, chance_of_best, expected_reward
from synsamp.environments import Dopamine, Loop
from synsamp.lab.knobs import PRIOR_MEAN, PRIOR_STD, SPEED, TEMPERATURE
from synsamp.lab.observer import Recent, Watcher
from synsamp.lab.scene import Arrays, KnobValues, Look, Scene, SceneModel
from synsamp.priors import Gaussian
from synsamp.spiking import Network, Simulation

BINS = np.linspace(-2.0, 4.0, 61)
MOST_POINTS = 5000
FORGET = 0.99
"""What remains of the share of the better choice after a tick."""


def parameters(settings: KnobValues) -> BanditParameters:
    """The bandit with the prior of the knobs."""
    prior = BanditPrior(mean=settings["prior.mean"], std=settings["prior.std"])
    return BanditParameters(rule=BanditRule(prior=prior))


class RewardModel(SceneModel):
    """A network in a closed loop with the bandit."""

    def __init__(self, seed: int, settings: KnobValues, tick_s: float) -> None:
        self.tick, self._tick_s, self._settings = 0, tick_s, dict(settings)
        p = parameters(settings)
        self._network: Network = build_network(
            p, settings["speed"], settings["temperature"], expectation=True
        )
        simulation = Simulation(
            self._network,
            seed=seed,
            drift_interval_s=DRIFT_INTERVAL_S,
            sync_interval_s=SYNC_INTERVAL_S,
            observer=Watcher(),
            theta={SYNAPSE: settings["prior.mean"], "other": OTHER_THETA},
        )
        self._environment, self._dopamine = Bandit(p.task), Dopamine(mean_s=p.task.mean_s)
        self.loop = Loop(simulation, self._environment, seed, dopamine=self._dopamine)
        self._histogram = np.zeros(BINS.size - 1)
        self._best, self._total = 0.0, 0.0
        self._clear()

    def _clear(self) -> None:
        self._recent, self._points = Recent(), np.zeros((0, 3))

    @property
    def simulation(self) -> Simulation:
        """The network."""
        return self.loop.simulation

    def advance(self, ticks: int) -> None:
        """Simulate tick by tick; θ is counted after each."""
        points = np.empty((ticks, 3))
        for k in range(ticks):
            self.tick += 1
            self.loop.run_until(self.tick * self._tick_s)
            watcher: Watcher = self.simulation.observer
            found = watcher.taken()
            self._recent.add(found.times, found.neurons)
            self._best = FORGET * self._best + float((found.neurons == 0).sum())
            self._total = FORGET * self._total + float(found.neurons.size)
            theta = float(self.simulation.theta(SYNAPSE)[0, 0])
            points[k] = self.simulation.time_s, theta, self.loop.mean_reward
            self._histogram += np.histogram(theta, BINS)[0]
        self._points = np.concatenate([self._points, points])[-MOST_POINTS:]

    def set(self, settings: KnobValues, name: str) -> None:
        """Change the rule; another distribution needs a new histogram."""
        self._settings = dict(settings)
        changed: dict[str, Any] = (
            {"prior": Gaussian(settings["prior.mean"], settings["prior.std"])}
            if name.startswith("prior.")
            else {name: settings[name]}
        )
        self.simulation.change(SYNAPSE, **changed)
        if name != "speed":
            self._histogram[:] = 0.0

    def save(self) -> dict[str, Any]:
        """Return the state of the network and of the loop."""
        return {
            "network": self.simulation.state(),
            "loop": self.loop.state(),
            "settings": dict(self._settings),
            "histogram": self._histogram.copy(),
            "best": (self._best, self._total),
            "tick": self.tick,
        }

    def restored(self, saved: Mapping[str, Any]) -> Self:
        """Return a new model that continues from a saved state."""
        other = copy.copy(self)
        other.restore(saved)
        return other

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        simulation = Simulation.from_state(
            self._network, saved["network"], saved["loop"]["rates_hz"], observer=Watcher()
        )
        self.loop = Loop.restore(
            simulation, self._environment, saved["loop"], dopamine=self._dopamine
        )
        self._settings, self.tick = dict(saved["settings"]), saved["tick"]
        self._histogram = saved["histogram"].copy()
        self._best, self._total = saved["best"]
        self._clear()

    def theta(self) -> Arrays:
        """Return θ of the synapse that learns."""
        return {SYNAPSE: self.simulation.theta(SYNAPSE)[:1]}

    def densities(self) -> dict[str, NDArray[np.float64]]:
        """Prior p_S and theory (p_S V^κ)^(1/T) on the grid; theory is exact as b goes to 0."""
        p, T = parameters(self._settings), self._settings["temperature"]
        prior = Gaussian(p.rule.prior.mean, p.rule.prior.std).log_density(GRID)
        log_reward = p.task.exponent * np.log(expected_reward(p, GRID))
        logs = {"prior": prior, "theory": (prior + log_reward) / T}
        heights = {name: np.exp(log - log.max()) for name, log in logs.items()}
        return {name: h / np.trapezoid(h, GRID) for name, h in heights.items()}

    def look(self, want: frozenset[str], pointer: Mapping[str, Any] | None) -> Look:
        """Return reward and θ since the last look, and the distribution of θ."""
        found = Look()
        times, neurons, found.values["dropped"] = self._recent.take()
        found.arrays["spike_time"], found.arrays["spike_neuron"] = times, neurons
        points, self._points = self._points, np.zeros((0, 3))
        found.arrays["reward_time"] = found.arrays["trace_time"] = points[:, 0].copy()
        found.arrays["trace"] = points[:, 1].astype(np.float32)
        found.arrays["reward"] = points[:, 2].astype(np.float32)
        found.arrays["histogram"] = self._histogram.astype(np.float32)
        found.arrays["bins"] = BINS
        densities = self.densities()
        middles = 0.5 * (BINS[1:] + BINS[:-1])
        density = np.interp(middles, GRID, densities["theory"])
        found.arrays["density"] = density.astype(np.float32)
        found.arrays["alive"] = self.simulation.alive.astype(np.uint8)
        found.values["n_spikes"] = self.simulation.n_spikes
        found.values["stats"] = {
            "reward": self.loop.mean_reward,
            "best": self._best / self._total if self._total else None,
            **{
                f"best_{name}": float(np.trapezoid(density * chance_of_best(GRID), GRID))
                for name, density in densities.items()
            },
        }
        return found


class RewardScene(Scene):
    """A bandit with two choices."""

    name = "reward"
    title = "Reward"
    tick_s = SYNC_INTERVAL_S
    mark_every = 400
    knobs = tuple(
        replace(knob, paper=None, applies_to=(SYNAPSE,))
        for knob in (
            replace(SPEED, value=0.04, low=0.01, high=1.0),
            replace(TEMPERATURE, low=0.05, high=5.0),
            replace(PRIOR_MEAN, value=0.3, low=-1.5, high=3.0),
            replace(PRIOR_STD, value=0.7, low=0.1, high=3.0),
        )
    )

    def model(self, seed: int, settings: KnobValues) -> RewardModel:
        """The network with its bandit."""
        return RewardModel(seed, settings, self.tick_s)

    def parts(self) -> dict[str, Any]:
        """Populations, inputs and projections."""
        return {
            "populations": [
                {"name": "z", "label": "choices", "size": 2, "first": 0, "modality": None}
            ],
            "inputs": [{"name": "x", "label": "input", "size": 1, "shape": [1, 1],
                        "modality": None}],
            "projections": [{"name": SYNAPSE, "pre": "x", "post": "z", "shape": [1, 1],
                             "theta_0": 0.0, "kind": "input"}],
            "suggested_speed": 100.0,
            "bandit": {"earns": [BanditTask().best, BanditTask().other],
                       "other_theta": OTHER_THETA},
        }  # fmt: skip
