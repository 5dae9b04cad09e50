"""The closed loop: what it costs that an environment answers every 15 ms.

As in the lever task of Kappel et al. 2018 there are 50 inputs; rates and reward are others at each
answer of Python; a compiled environment answers with another reward each time, and other rates
every 50 answers. The same networks without an environment take turns with them. The environments do
as good as nothing, so that what is measured is the loop's own part.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba import njit

from benchmarks import Row
from benchmarks.spiking.rows import blank
from synsamp.environments import CompiledEnvironment, Environment, Loop, Response
from synsamp.priors import Gaussian
from synsamp.spiking import (
    InputGroup,
    Network,
    Projection,
    RewardGradient,
    Simulation,
    StochasticNeurons,
    SynapseModel,
    winner_take_all_network,
)

_ROUNDS = 9
_ANSWERS = 400  # per round
_N_INPUTS = 50
_PERIOD_S = 0.015
_RATES_HZ = np.random.default_rng(0).uniform(0, 30, (64, _N_INPUTS))


class _Restless(Environment):
    """Other rates and another reward at each answer."""

    period_s, neurons = _PERIOD_S, ("z",)

    def start(self, seed: int) -> Response:
        """The first rates."""
        return Response({"step": 0}, _RATES_HZ[0])

    def respond(self, state: Mapping[str, Any], counts: Any) -> Response:
        """The next."""
        step = state["step"] + 1
        return Response({"step": step}, _RATES_HZ[step % 64], 0.1 * (step % 7))


@njit
def _restless(state: Any, counts: Any, numbers: Any) -> tuple[int, float]:
    state[0] += 1.0
    return int(state[0] // 50) % 64, 0.1 * (state[0] % 7)


class _Compiled(CompiledEnvironment):
    """Another reward at each answer, other rates every 50."""

    period_s, neurons = _PERIOD_S, ("z",)
    inputs = _RATES_HZ
    answer = staticmethod(_restless)

    def first(self, seed: int) -> dict[str, float]:
        """A counter."""
        return {"step": 0.0}


def run() -> list[Row]:
    """Measure circuits and stochastic neurons, with and without an environment."""
    names = ("1 x 10 neurons that learn from reward", "100 stochastic neurons")
    kinds = {"": _Restless, ", compiled": _Compiled}
    rows = []
    for name, make in zip(names, (_circuit, _free), strict=True):
        cases = [_alone(make()), *(_acting(make(), kind()) for kind in kinds.values())]
        times: list[list[float]] = [[] for _ in cases]
        for _ in range(_ROUNDS):
            for case, measured in zip(cases, times, strict=True):
                measured.append(case())
        alone, *loops = map(min, times)
        for word, loop in zip(kinds, loops, strict=True):
            against = f"{loop:.3g} us; 15 ms without environment {alone:.3g} us, time ratio"
            rows.append(
                blank(f"closed loop, per answer of the environment{word}: {name}")
                | {"against": against, "ratio": loop / alone}
            )
    return rows


def _circuit() -> Simulation:
    model = SynapseModel(
        Gaussian(0.0, 2.0), plasticity=RewardGradient(), speed=5e-5, temperature=0.1, theta_min=-2.0
    )
    network = winner_take_all_network(_N_INPUTS, 10, model)
    return Simulation(network, np.full(_N_INPUTS, 15.0), seed=1, drift_interval_s=0.1).run(1.0)


def _free() -> Simulation:
    network = Network(
        [InputGroup("x", _N_INPUTS)],
        [StochasticNeurons("z", 100, rate_hz=2.0, refractory_s=0.005)],
        [Projection("x", "z", plastic=False)],
    )
    theta = np.random.default_rng(1).normal(-0.5, 1.0, (100, _N_INPUTS))
    return Simulation(network, np.full(_N_INPUTS, 15.0), seed=1, theta={"x->z": theta}).run(1.0)


def _acting(sim: Simulation, environment: Environment) -> Callable[[], float]:
    loop = Loop(sim, environment)
    return lambda: _microseconds(sim, loop.run_until)


def _alone(sim: Simulation) -> Callable[[], float]:
    return lambda: _microseconds(sim, sim.run_until)


def _microseconds(sim: Simulation, run_until: Callable[[float], Any]) -> float:
    """Processor time per 15 ms."""
    start = time.thread_time()
    run_until(sim.time_s + _ANSWERS * _PERIOD_S)
    return (time.thread_time() - start) / _ANSWERS * 1e6
