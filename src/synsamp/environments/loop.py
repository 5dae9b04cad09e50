"""The closed loop of a network and an environment, with dopamine as the reward signal.

The environment responds at multiples of its period after the start of the loop, however the run is
divided into calls; between two responses, input rates and dopamine are constant. For a compiled
environment `kernel.acting` does the same within the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.environments.base import (
    Counts,
    Environment,
    Response,
    check_environment,
    check_response,
)
from synsamp.environments.compiled import SHOWN, CompiledEnvironment
from synsamp.environments.dopamine import Dopamine
from synsamp.errors import SynsampError, refuse
from synsamp.spiking import Simulation
from synsamp.spiking.input.stimulus import Constant
from synsamp.spiking.kernel import memory
from synsamp.spiking.kernel.acting import BAD_ANSWER, OTHER_INPUTS, ROUNDING, due_s


class Loop:
    """A simulation in a closed loop with an environment.

    Parameters
    ----------
    simulation
        The network; its stimulus is replaced by the rates that the environment returns.
    environment
        Receives the network's spike counts once per period and returns rates and reward.
    seed
        Seed of the environment.
    dopamine
        Converts reward into the modulator of all circuits.
    rewarded
        If False, reward is counted in ``total_reward`` but dopamine stays at its level without
        reward.
    mean_reward
        Initial running mean of the reward.
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
        self._take(*self._check(self._ask(environment.start, seed)))

    def _set_up(
        self, simulation: Simulation, environment: Any, dopamine: Dopamine, rewarded: bool
    ) -> None:
        self.simulation = simulation
        self.environment: Any = check_environment(environment, simulation.network)
        self.dopamine = arguments.instance("dopamine", dopamine, Dopamine, "use Dopamine(...)")
        self.rewarded = arguments.flag("rewarded", rewarded)
        neurons_of = simulation.network.neurons_of
        self._watched = {name: neurons_of(name) for name in self.environment.neurons}
        self._answer_at: int | None = None
        self._state: dict[str, Any] = {}
        if isinstance(environment, CompiledEnvironment):
            self._answer_at = environment.compiled(self._watching.size)
            shown = map(environment.rates_hz, range(environment.n_inputs))
            self._inputs = [self._check(Response({}, rates))[1] for rates in shown]

    def run_until(self, time_s: float) -> None:
        """Simulate up to ``time_s`` (s); a response due at ``time_s`` is included."""
        if self._answer_at is None:
            self._ask_until(time_s)
        else:
            self._act_until(time_s)

    def _ask_until(self, time_s: float) -> None:
        """Run from one response to the next."""
        period_s = self.environment.period_s
        while True:
            due = due_s.py_func(self._start_s, self._answers, period_s)
            if due > time_s + ROUNDING * period_s:
                break
            self.simulation.run_until(due)
            answer = self._asked()
            self._seen = self.simulation.spike_counts
            self._answers += 1
            self._take(*answer)
        if self.simulation.time_s < time_s:
            self.simulation.run_until(time_s)

    def _act_until(self, time_s: float) -> None:
        """Run from one change of the input rates to the next."""
        acting = self._acting()
        status = OTHER_INPUTS
        while status == OTHER_INPUTS:
            self._show(self._inputs[self._state[SHOWN]])
            try:
                status = self.simulation.act_until(time_s, acting)
            finally:  # so that an interrupted run can continue
                self._note(acting)
            if status == BAD_ANSWER:
                self._asked()  # raises the error with its message
                name, rule = self.environment.describe(), "must depend on its arguments alone"
                raise refuse(f"answer of {name}", rule, "another one the second time")

    @property
    def _in_order(self) -> NDArray[np.int64]:
        """All neurons; those of the environment's groups come first."""
        others = np.setdiff1d(np.arange(self._seen.size), self._watching)
        return np.concatenate([self._watching, others])

    @property
    def _watching(self) -> NDArray[np.int64]:
        """Neurons of the environment's groups, group by group."""
        return np.concatenate([np.zeros(0, np.int64), *self._watched.values()])

    def _asked(self) -> tuple[dict[str, Any], dict[str, Any], float]:
        """The checked response to the present counts."""
        state = self.state_of_environment
        return self._check(self._ask(self.environment.respond, state, self._counts()))

    def _counts(self) -> Counts:
        """Spikes since the last response."""
        new = self.simulation.spike_counts - self._seen
        return {name: new[neurons] for name, neurons in self._watched.items()}

    def _acting(self) -> memory.Acting:
        """The loop's state in the arrays of the kernel."""
        environment, dopamine = self.environment, self.dopamine
        state, numbers = environment.flat(self._state), environment.numbers_as_array
        terms, counters = np.zeros(10), np.zeros(4, np.int64)
        terms[memory.START_S], terms[memory.PERIOD_S] = self._start_s, environment.period_s
        terms[memory.KEEP] = dopamine.kept(environment.period_s)
        terms[memory.LEAST], terms[memory.OFFSET] = dopamine.least, dopamine.offset
        terms[memory.FELT], terms[memory.NOW_S] = self.rewarded, self.simulation.time_s
        terms[memory.MEAN_REWARD] = self.mean_reward
        terms[memory.TOTAL_REWARD] = self.total_reward
        counters[memory.ANSWERS], counters[memory.SHOWN] = self._answers, self._state[SHOWN]
        counters[memory.N_INPUTS] = len(self._inputs)
        counters[memory.N_WATCHED] = self._watching.size
        order = self._in_order
        place = np.argsort(order)
        return memory.Acting(
            functions=np.array([0, self._answer_at]),
            terms=terms,
            counters=counters,
            state=state,
            before=state.copy(),
            numbers=numbers,
            given=numbers.copy(),
            place=place,
            counts=(self.simulation.spike_counts - self._seen)[order],
        )

    def _note(self, acting: memory.Acting) -> None:
        """Copy the kernel's arrays back into the loop's state."""
        shown = int(acting.counters[memory.SHOWN])
        self._state = self.environment.named(acting.state, self._state, shown)
        self._answers = int(acting.counters[memory.ANSWERS])
        self.mean_reward = float(acting.terms[memory.MEAN_REWARD])
        self.total_reward = float(acting.terms[memory.TOTAL_REWARD])
        self._seen = self.simulation.spike_counts - acting.counts[acting.place]

    @property
    def state_of_environment(self) -> dict[str, Any]:
        """A copy of the environment's present state."""
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

    def _take(self, state: dict[str, Any], rates: dict[str, Any], reward: float) -> None:
        """Apply a response: state, input rates, dopamine."""
        self._state = state
        self._show(rates)
        felt = reward if self.rewarded else 0.0
        if self._answers > 0:
            period_s = self.environment.period_s
            self.total_reward += reward * period_s
            self.mean_reward = self.dopamine.mean_after(self.mean_reward, felt, period_s)
        self.simulation.modulate(None, self.dopamine.level(felt, self.mean_reward))

    def _check(self, answer: Any) -> tuple[dict[str, Any], dict[str, Any], float]:
        name, simulation = self.environment.describe(), self.simulation
        return check_response(answer, name, simulation.network, simulation.time_s)

    def _show(self, rates: dict[str, Any]) -> None:
        """Set the input rates if they differ from the present ones."""
        if rates.keys() != self._rates.keys() or not all(
            np.array_equal(rates[group], self._rates[group]) for group in rates
        ):
            self.simulation.stimulus = Constant(rates)
            self._rates = rates

    # -- state --------------------

    def state(self) -> dict[str, Any]:
        """Return what is needed to continue, in addition to the simulation's own state."""
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
        """Continue from ``state()``; the simulation's stimulus must be the saved ``rates_hz``."""
        self = cls.__new__(cls)
        self._set_up(simulation, environment, dopamine, rewarded)
        if saved["describe"] != environment.describe():
            raise refuse("environment", f"must be {saved['describe']}", environment.describe())
        self._state = dict(saved["environment"])
        if isinstance(environment, CompiledEnvironment):
            environment.check_state(self._state)
        self.mean_reward = float(saved["mean_reward"])
        self.total_reward = float(saved["total_reward"])
        self._start_s, self._answers = float(saved["start_s"]), int(saved["answers"])
        self._seen = np.array(saved["seen"])
        self._rates = {group: np.array(rates) for group, rates in saved["rates_hz"].items()}
        return self
