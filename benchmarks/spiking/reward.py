"""Learning from reward: cost by functional synapses, by the paper's rule, and by a NumPy script.

A spike of the circuit visits the functional synapses of all its neurons, so the cost of learning
should go with their share; where all are functional, all are visited, as a dense form does always.
The paper's rule visits the synapses of the winner alone. A frozen twin of each network tells what
inputs, potentials and winner cost. Rounds go through all networks in turn; the table gives the best
of them, in processor time.

The script visits all synapses at each time step. Both get another dopamine every 0.1 s, which takes
a call from Python each time; synapses are refreshed as often here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import Row, missing_peer, peer_python
from benchmarks.spiking.reward_peer import Case, FreeCase, by_numpy
from benchmarks.spiking.rows import Timed, blank
from synsamp.priors import Gaussian
from synsamp.spiking import (
    InputGroup,
    Network,
    Plasticity,
    Projection,
    RewardGradient,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    WinnerTakeAll,
)

_SHARES = (0.05, 0.2, 0.5, 1.0)
_ROUNDS = 9
_N_INPUTS, _N_NEURONS = 784, 10
_PERIOD_S = 0.1
_DT_S = 1e-3
_SIDE_BY_SIDE = 16


def run() -> list[Row]:
    """Measure all networks in alternating rounds, then against the script."""
    reward, paper = RewardGradient(), SpikeLikelihood()
    shares = {share: _network("reward", share, reward) for share in _SHARES}
    frozen = {share: _network("frozen", share, reward, plastic=False) for share in _SHARES}
    papers = {share: _network("the paper's rule", share, paper) for share in _SHARES}
    often = _network(
        f"reward, refreshed every {_PERIOD_S} s", 0.2, reward, drift_interval_s=_PERIOD_S
    )
    for _ in range(_ROUNDS):
        for case in (*shares.values(), *frozen.values(), *papers.values(), often):
            case.turn()
    rows = []
    learning = {share: shares[share].best - frozen[share].best for share in _SHARES}
    for share, case in shares.items():
        rows.append(_row(case, frozen[share]))
        if share < 1.0:
            rows[-1]["against"] = "all functional, hence all visited: learning, time ratio"
            rows[-1]["ratio"] = learning[1.0] / learning[share]
    per_synapse = (learning[1.0] - learning[0.05]) / (0.95 * _N_INPUTS * _N_NEURONS) * 1e3
    rows.append(blank("learning per functional synapse and spike, ns") | {"ratio": per_synapse})
    rows.append(_row(often, frozen[0.2]))
    for share, case in papers.items():
        rows.append(_row(case, frozen[share]))
        rows[-1]["against"] = "reward on the same network, time ratio"
        rows[-1]["ratio"] = shares[share].best / case.best
    circuit = f"x {_N_NEURONS}: reward, 20% functional"
    return [
        *rows,
        _against_numpy(f"50 {circuit}", partial(_case, 50)),
        _against_numpy(f"{_N_INPUTS} {circuit}", partial(_case, _N_INPUTS)),
        _against_numpy("50 x 10 stochastic neurons: reward, 20% functional", _free_case),
    ]


def _network(
    name: str,
    share: float,
    plasticity: Plasticity,
    plastic: bool = True,
    drift_interval_s: float | None = None,
) -> Timed:
    """784 x 10 potential synapses, of which a share is well above 0 and the rest well below."""
    model = SynapseModel(
        Gaussian(0.0, 2.0), plasticity=plasticity, speed=5e-5, temperature=0.1, theta_min=-2.0
    )
    network = Network(
        [InputGroup("x", _N_INPUTS)],
        [WinnerTakeAll("z", _N_NEURONS, adaptation_strength=0.0)],
        [Projection("x", "z", model, plastic=plastic)],
    )
    theta = {"x->z": _theta(_N_INPUTS, share)}
    sim = Simulation(
        network, _rates_hz(_N_INPUTS), seed=1, theta=theta, drift_interval_s=drift_interval_s
    )
    return Timed(f"{_N_INPUTS} x {_N_NEURONS}: {name}, {share:.0%} functional", sim.run(1.0))


def _rates_hz(n_inputs: int) -> np.ndarray:
    return np.random.default_rng(0).gamma(0.5, 20.0, n_inputs).clip(0.0, 100.0)


def _theta(n_inputs: int, share: float) -> np.ndarray:
    """In random places; noise would need hours to change the share."""
    rng = np.random.default_rng(1)
    functional = np.zeros(_N_NEURONS * n_inputs, bool)
    functional[: round(share * functional.size)] = True
    rng.shuffle(functional)
    theta = np.where(functional, rng.uniform(0.5, 1.5, functional.size), -1.0)
    return theta.reshape(_N_NEURONS, n_inputs)


def _row(case: Timed, frozen: Timed) -> Row:
    return blank(case.name) | {
        "us per spike": case.best,
        "inputs, potentials, winner": frozen.best,
        "learning": case.best - frozen.best,
        "bound by": "learning" if case.best > 2 * frozen.best else "input spikes and potentials",
    }


def _against_numpy(name: str, make: Callable[[float, int], Case]) -> Row:
    """Both in turns, three times each."""
    python = peer_python("numpy")
    own: list[float] = []
    theirs: dict[int, list[float]] = {1: [], _SIDE_BY_SIDE: []}
    for seed in range(3):
        own.append(_own_microseconds(make(40.0, seed), seed))
        if python is None:
            continue
        for runs, times in theirs.items():
            case = make(1.0 if runs == 1 else 2 * _PERIOD_S, seed)
            found = by_numpy(case, runs, seed=seed, dt_s=_DT_S, python=python)
            times.append(float(found["seconds"]) / found["spikes"].sum() * 1e6)
    row = blank(f"{name}, dopamine every {_PERIOD_S} s") | {"us per spike": min(own)}
    if python is None:
        return row | {"against": missing_peer("numpy")}
    alone, many = (min(times) for times in theirs.values())
    return row | {
        "against": (
            f"NumPy script, dt {_DT_S * 1e3:g} ms: {alone:.4g} us, "
            f"{many:.4g} us with {_SIDE_BY_SIDE} networks in its arrays"
        ),
        "ratio": alone / min(own),
    }


def _common(n_inputs: int, duration_s: float, seed: int) -> dict[str, Any]:
    levels = np.random.default_rng(seed).gamma(2.0, 0.5, round(duration_s / _PERIOD_S))
    return {
        "rates_hz": _rates_hz(n_inputs),
        "theta0": _theta(n_inputs, 0.2),
        "dopamine": levels,
        "duration_s": duration_s,
        "period_s": _PERIOD_S,
    }


def _case(n_inputs: int, duration_s: float, seed: int) -> Case:
    return Case(**_common(n_inputs, duration_s, seed))


def _free_case(duration_s: float, seed: int) -> Case:
    return FreeCase(**_common(50, duration_s, seed), rate_hz=5.0)


def _own_microseconds(case: Case, seed: int) -> float:
    start = {"x->z": case.theta0}
    sim = Simulation(case.network(), case.rates_hz, seed, theta=start, drift_interval_s=_PERIOD_S)
    begin = time.thread_time()
    for i, level in enumerate(np.asarray(case.dopamine)):
        sim.modulate("z", level)
        sim.run_until((i + 1) * case.period_s)
    return (time.thread_time() - begin) / sim.n_spikes * 1e6
