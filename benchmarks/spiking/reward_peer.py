"""Neurons that learn from reward, by this package and by plain NumPy scripts.

The scripts, `benchmarks/peers/numpy/reward_*.py`, have the equations and what the numbers mean.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks import peers_folder
from synsamp.environments import Dopamine, Environment, Loop, Response
from synsamp.priors import Gaussian
from synsamp.spiking import (
    Homeostasis,
    InputGroup,
    Network,
    Projection,
    RewardGradient,
    Simulation,
    StochasticNeurons,
    SynapseModel,
    WinnerTakeAll,
)

Floats = NDArray[np.float64]
Found = dict[str, Any]
"""e, g, theta[run, neuron, input] at the end, spikes[run, neuron], reward[run, period]."""


@dataclass(frozen=True, eq=False)
class Case:
    """Numbers that both take, by the script's names; dopamine is given, or tells who won."""

    rates_hz: Floats
    theta0: Floats
    dopamine: Floats | None = None
    worth: Floats | None = None
    rate_hz: float = 100.0
    tau_e_s: float = 1.0
    tau_g_s: float = 50.0
    c: float = 1.0
    b: float = 5e-5
    T: float = 0.1
    mu: float = 0.0
    sigma: float = 2.0
    floor: float = -2.0
    ceiling: float = 5.0
    duration_s: float = 1.0
    period_s: float = 0.1
    mean_s: float = 50.0
    least: float = 0.02
    offset: float = 0.02

    script: ClassVar[str] = "reward_wta.py"

    def network(self, expectation: bool = True) -> Network:
        """Inputs x and neurons z in this package; without expected spikes it is a wrong one."""
        rule = RewardGradient(self.tau_e_s, self.tau_g_s, self.c, self.ceiling, expectation)
        synapses = SynapseModel(
            Gaussian(self.mu, self.sigma),
            plasticity=rule,
            speed=self.b,
            temperature=self.T,
            theta_min=self.floor,
        )
        n_neurons, n_inputs = self.theta0.shape
        inputs, projection = InputGroup("x", n_inputs), Projection("x", "z", synapses)
        return Network([inputs], [self.neurons(n_neurons)], [projection])

    def neurons(self, size: int) -> WinnerTakeAll | StochasticNeurons:
        """A circuit without adaptation."""
        return WinnerTakeAll("z", size, self.rate_hz, adaptation_strength=0.0)


@dataclass(frozen=True, eq=False)
class FreeCase(Case):
    """The same for stochastic neurons, of the rate ``rate_hz`` at u = 0."""

    script: ClassVar[str] = "reward_free.py"
    rate_hz: float = 1.0
    dead_s: float = 0.005
    goal_hz: float = 5.0
    tau_beta_s: float = 50.0

    def neurons(self, size: int) -> StochasticNeurons:
        """With a refractory period and homeostasis."""
        goal = Homeostasis(self.goal_hz, self.tau_beta_s)
        return StochasticNeurons("z", size, self.rate_hz, self.dead_s, homeostasis=goal)


class WhoWon(Environment):
    """Spikes are worth something by who fires them; the inputs stay as they are."""

    neurons = ("z",)

    def __init__(self, case: Case) -> None:
        self.period_s, self._case = case.period_s, case

    def start(self, seed: int) -> Response:
        """No reward yet."""
        return Response({"rewards": np.zeros(0)}, self._case.rates_hz)

    def respond(self, state: Mapping[str, Any], counts: dict[str, Any]) -> Response:
        """What the spikes of a period are worth, by how many a rate of ``rate_hz`` gives."""
        worth = np.asarray(self._case.worth)
        reward = float(counts["z"] @ worth) / (self._case.rate_hz * self.period_s)
        rewards = np.append(np.asarray(state["rewards"]), reward)
        return Response({"rewards": rewards}, self._case.rates_hz, reward)


def by_synsamp(
    case: Case,
    runs: int,
    *,
    seed: int,
    expectation: bool = True,
    rewarded: bool = True,
    **refresh: Any,
) -> Found:
    """Runs of this package; ``refresh`` is what `Simulation` takes."""
    network = case.network(expectation)
    found: dict[str, list[Any]] = {name: [] for name in ("e", "g", "theta", "spikes", "reward")}
    for own in np.random.SeedSequence(seed).spawn(runs):
        sim = Simulation(network, case.rates_hz, own, theta={"x->z": case.theta0}, **refresh)
        if case.worth is not None:
            dopamine = Dopamine(case.mean_s, case.least, case.offset)
            loop = Loop(sim, WhoWon(case), dopamine=dopamine, rewarded=rewarded)
            loop.run_until(case.duration_s)
            found["reward"].append(loop.state_of_environment["rewards"])
        else:
            for i, level in enumerate(np.asarray(case.dopamine)):
                sim.modulate("z", level)
                sim.run_until((i + 1) * case.period_s)
        found["e"].append(sim.eligibility("x->z").trace)
        found["g"].append(sim.eligibility("x->z").gradient)
        found["theta"].append(sim.theta("x->z"))
        found["spikes"].append(sim.spike_counts)
    return {name: np.array(values) for name, values in found.items()}


def by_numpy(case: Case, runs: int, *, seed: int, dt_s: float, python: Path | str) -> Found:
    """Runs of the script, side by side in its arrays; and its ``seconds``."""
    numbers = {name: value for name, value in asdict(case).items() if value is not None}
    script = peers_folder() / "numpy" / case.script
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "given.npz", Path(folder) / "found.npz"
        np.savez(given, runs=runs, seed=seed, dt_s=dt_s, **numbers)
        subprocess.run([str(python), str(script), str(given), str(out)], check=True)
        with np.load(out) as found:
            return dict(found)
