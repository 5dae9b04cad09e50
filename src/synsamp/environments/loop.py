"""The closed loop: a network acts, an environment answers, dopamine tells what it was worth.

The environment is asked at multiples of its period after the loop began, whatever the pieces in
which time is spent; between two answers inputs and dopamine are constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from synsamp import arguments
from synsamp.environments.base import Environment, check_environment, check_response
from synsamp.environments.dopamine import Dopamine
from synsamp.errors import SynsampError, refuse
from synsamp.spiking import Simulation
from synsamp.spiking.input.stimulus import Constant


class Loop:
    """A simulation and an environment that act on each other.

    ``rewarded=False`` keeps the reward from the network: it goes on acting, and dopamine is that
    of no reward. ``mean_reward`` is the running mean to begin with.
    """

    def __init__(
        self,
        simulation: Simulation,
        environment: Environment,
        seed: int = 0,
        *,
        dopamine: Dopamine = Dopamine(),  # noqa: B008 (frozen)
        rewarded: bool = True,
        mean_reward: float = 0.0,
    ) -> None:
        self._set_up(simulation, environment, dopamine, rewarded)
        self.mean_reward = arguments.number("mean_reward", mean_reward)
        self.total_reward = 0.0
        self._start_s, self._answers = simulation.time_s, 0
        self._seen = simulation.spike_counts
        self._rates: dict[str, Any] = {}
        seed = arguments.seed("seed", seed)
        self._take(self._ask(environment.start, seed))

    def _set_up(
        self, simulation: Simulation, environment: Any, dopamine: Dopamine, rewarded: bool
    ) -> None:
        self.simulation = simulation
        self.environment: Environment = check_environment(environment, simulation.network)
        self.dopamine = arguments.instance("dopamine", dopamine, Dopamine, "use Dopamine(...)")
        self.rewarded = arguments.flag("rewarded", rewarded)
        neurons_of = simulation.network.neurons_of
        self._watched = {name: neurons_of(name) for name in self.environment.circuits}

    def run_until(self, time_s: float) -> None:
        """Let time pass; an answer that is due at ``time_s`` is still asked for."""
        while True:
            due_s = self._start_s + (self._answers + 1) * self.environment.period_s
            if due_s > time_s + 1e-9 * self.environment.period_s:
                break
            self.simulation.run_until(due_s)
            counts = self.simulation.spike_counts
            new = counts - self._seen
            seen = {name: new[neurons] for name, neurons in self._watched.items()}
            answer = self._ask(self.environment.respond, self.state_of_environment, seen)
            self._seen = counts
            self._answers += 1
            self._take(answer)
        if self.simulation.time_s < time_s:
            self.simulation.run_until(time_s)

    @property
    def state_of_environment(self) -> dict[str, Any]:
        """The environment as it is."""
        return dict(self._state)

    def _ask(self, question: Callable[..., Any], *given: Any) -> Any:
        try:
            return question(*given)
        except SynsampError:
            raise
        except Exception as error:
            what = f"environment {self.environment.describe()} at {self.simulation.time_s:.3f} s"
            remedy = "mend it, and resume: the last checkpoint is kept"
            raise refuse(what, "must answer", f"{type(error).__name__}: {error}", remedy) from error

    def _take(self, answer: Any) -> None:
        """Another state, other inputs, another level of dopamine."""
        simulation, name = self.simulation, self.environment.describe()
        self._state, rates, reward = check_response(
            answer, name, simulation.network, simulation.time_s
        )
        if rates.keys() != self._rates.keys() or not all(
            np.array_equal(rates[group], self._rates[group]) for group in rates
        ):
            simulation.stimulus = Constant(rates)
            self._rates = rates
        felt = reward if self.rewarded else 0.0
        if self._answers > 0:
            period_s = self.environment.period_s
            self.total_reward += reward * period_s
            self.mean_reward = self.dopamine.mean_after(self.mean_reward, felt, period_s)
        simulation.modulate(None, self.dopamine.level(felt, self.mean_reward))

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, beside the state of the simulation."""
        return {
            "environment": self.state_of_environment,
            "describe": self.environment.describe(),
            "mean_reward": self.mean_reward,
            "total_reward": self.total_reward,
            "start_s": self._start_s,
            "answers": self._answers,
            "seen": self._seen.copy(),
            "rates_hz": dict(self._rates),
        }

    @classmethod
    def restore(
        cls,
        simulation: Simulation,
        environment: Environment,
        saved: Mapping[str, Any],
        *,
        dopamine: Dopamine = Dopamine(),  # noqa: B008 (frozen)
        rewarded: bool = True,
    ) -> Loop:
        """Go on where ``state()`` left it; the simulation must show the saved ``rates_hz``."""
        self = cls.__new__(cls)
        self._set_up(simulation, environment, dopamine, rewarded)
        if saved["describe"] != environment.describe():
            raise refuse("environment", f"must be {saved['describe']}", environment.describe())
        self._state = dict(saved["environment"])
        self.mean_reward = float(saved["mean_reward"])
        self.total_reward = float(saved["total_reward"])
        self._start_s, self._answers = float(saved["start_s"]), int(saved["answers"])
        self._seen = np.array(saved["seen"])
        self._rates = {group: np.array(rates) for group, rates in saved["rates_hz"].items()}
        return self
