"""Other models: a custom plasticity against the paper's, stochastic neurons against Brian2.

Every round measures all cases; the table gives the best round, in processor time. For stochastic
neurons it also gives the mean number of spikes per run, for Brian2 at each time step.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from benchmarks import Row, missing_peer, peer_python, peers_folder
from benchmarks.spiking.rows import Timed, blank
from synsamp.spiking import (
    CustomPlasticity,
    InputGroup,
    Network,
    Projection,
    Simulation,
    SpikeLikelihood,
    StochasticNeurons,
    SynapseModel,
    winner_take_all_network,
)

_ROUNDS = 9
_BRIAN_DT_S = 1e-4


@njit
def _papers_term(synapse: Any, traces: Any, p: Any) -> float:
    expected = min(p[1] * math.exp(synapse.w), 5.0)
    return p[0] * synapse.slope * (synapse.x - expected)


@njit
def _post(synapse: Any, traces: Any, p: Any) -> float:
    traces[1] += 1.0
    return p[0] * traces[0]


@njit
def _pre(synapse: Any, traces: Any, p: Any) -> float:
    traces[0] += 1.0
    return -p[1] * traces[1]


OWN = {
    "the paper's term by a user's function": CustomPlasticity(
        _papers_term, parameter_values=(100.0, math.exp(-2.0))
    ),
    "pair STDP with arrivals and two traces": CustomPlasticity(
        _post, _pre, (1.0, 1.0), time_constants_s=(0.02, 0.02)
    ),
}
"""Plasticities as a user writes them."""


def run() -> list[Row]:
    """Measure all cases in alternating rounds."""
    papers = Timed("the paper's plasticity, in lanes", _circuit(SpikeLikelihood()))
    own = [Timed(name, _circuit(plasticity)) for name, plasticity in OWN.items()]
    free = [Timed(f"{n} stochastic neurons", _free(n)) for n in (20, 80, 320, 1280)]
    busy = Timed("20 stochastic neurons, 784 inputs", _free(20, n_inputs=784))
    for _ in range(_ROUNDS):
        for case in (papers, *own, *free, busy):
            case.turn()
    rows = [_row(f"784 x 10: {case.name}", case) for case in (papers, *own)]
    for row, case in zip(rows[1:], own, strict=True):
        row["against"] = "the paper's plasticity, time ratio"
        row["ratio"] = case.best / papers.best
    rows += [_row(case.name, case) for case in (*free, busy)]
    rows[len(own) + 1] |= _against_brian2(free[0].best)
    loop_s, *own_s = _first_uses()
    rows.append(blank("first use of stochastic neurons: compiling, s") | {"ratio": loop_s})
    for name, seconds in zip(OWN, own_s, strict=True):
        rows.append(blank(f"{name}: compiling, s") | {"ratio": seconds})
    return rows


def _row(name: str, case: Timed) -> Row:
    return blank(name) | {"us per spike": case.best}


def _circuit(plasticity: Any) -> Simulation:
    model = SynapseModel(plasticity=plasticity)
    rates = np.random.default_rng(0).gamma(0.5, 20.0, 784).clip(0, 100)
    return Simulation(winner_take_all_network(784, 10, model), rates, seed=1).run(1.0)


def _free(n: int, n_inputs: int = 50) -> Simulation:
    network = Network(
        [InputGroup("x", n_inputs)],
        [StochasticNeurons("h", n, rate_hz=5.0, refractory_s=0.005)],
        [Projection("x", "h", plastic=False)],
    )
    rates = np.full(n_inputs, 500.0 / n_inputs)  # the same drive whatever their number
    theta = np.random.default_rng(1).normal(0.5, 1.0, (n, n_inputs))
    theta = np.minimum(
        theta, 3.0
    )  # among many, one would fire its neuron alone, thousands a second
    return Simulation(network, rates, seed=1, theta={"x->h": theta}).run(1.0)


def print_first_uses() -> None:
    """Processor time of the first stochastic neurons, then of each plasticity, one by one.

    The loop of the paper's circuits is compiled before: `bench.spiking.circuits` has its time.
    """
    _circuit(SpikeLikelihood())
    for make in (lambda: _free(20), *(lambda p=p: _circuit(p) for p in OWN.values())):
        start = time.process_time()
        make()
        print(time.process_time() - start)


def _first_uses() -> list[float]:
    with tempfile.TemporaryDirectory() as folder:  # an empty cache
        found = subprocess.run(
            [sys.executable, "-c", f"from {__name__} import print_first_uses as p; p()"],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
        )
    return [float(seconds) for seconds in found.stdout.split()]


def _against_brian2(own: float) -> Row:
    python = peer_python("brian2")
    if python is None:
        return {"against": missing_peer("brian2"), "ratio": None}
    seconds, runs = 20.0, 200  # enough to see a difference of half a per cent
    sim = _free(20)
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "given.npz"
        np.savez(
            given,
            rate_hz=10.0,
            weight=sim.weight("x->h"),
            base_hz=5.0,
            dead_s=0.005,
            duration_s=seconds,
            dt_s=_BRIAN_DT_S,
            runs=runs,
        )
        script = str(peers_folder() / "brian2" / "free.py")
        answer = subprocess.run(
            [str(python), script, str(given)], check=True, capture_output=True, text=True
        )
    found = json.loads(answer.stdout.splitlines()[-1])
    theirs = np.array([sum(counts) for counts in found["spikes"]], float)
    ours = []
    for _ in range(runs):
        before = sim.n_spikes
        ours.append(sim.run(seconds).n_spikes - before)
    per_spike = min(s / n * 1e6 for s, n in zip(found["seconds"], theirs, strict=True))
    here, there = (f"{np.mean(n):.0f} ± {np.std(n) / math.sqrt(runs):.0f}" for n in (ours, theirs))
    return {
        "against": (
            f"Brian2 2.9.0, C++ standalone, dt {_BRIAN_DT_S * 1e3:g} ms: {per_spike:.4g} us; "
            f"spikes in {seconds:g} s: {here} here, {there} there"
        ),
        "ratio": per_spike / own,
    }
