"""How the cost of a spike grows with the network, at 1,000 potential synapses per neuron.

Stochastic neurons at 5 Hz connect at random, one delay, 16 % of the potential synapses functional.
Each case runs in a separate process, so that its memory can be read; times are processor time,
the best of several stretches. A spike reaches 1,000 cells of its column; with plasticity at
postsynaptic spikes it also updates 1,000 synapses of its row, with pair STDP 2,000 synapses. That
is the number of plastic synapses per event by which nanoseconds are divided, after the time of the
fixed network has been subtracted.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from numba import njit

from benchmarks import Row, markdown_table
from synsamp.mappings import Exponential
from synsamp.priors import Gaussian
from synsamp.spiking import (
    CustomPlasticity,
    EventLog,
    Homeostasis,
    Network,
    Projection,
    RandomPairs,
    RewardGradient,
    Simulation,
    StochasticNeurons,
    SynapseModel,
)

TITLE = "Large networks: cost of a spike of 1,000 to 100,000 stochastic neurons"

SIZES = (1_000, 10_000, 100_000)
EACH = 1000
_SPIKES = 20_000  # per stretch
_STRETCHES = 4
_PAIRS = 12  # of stretches with and without the record of births and deaths
_TOUCHED = 200_000
_RATE_HZ = 5.0


@njit
def _post(synapse: Any, traces: Any, p: Any) -> float:
    traces[0] += 1.0
    return p[0] * synapse.slope * synapse.x


@njit
def _pre(synapse: Any, traces: Any, p: Any) -> float:
    return -p[0] * synapse.slope * traces[0]


@njit
def _hebbian(synapse: Any, traces: Any, p: Any) -> float:
    return p[0] * synapse.slope * synapse.x


@njit
def _touch(values: Any, places: Any) -> None:
    for place in places:
        values[place] += 1.0


HEBBIAN = "at postsynaptic spikes"
RULES = {
    "fixed": CustomPlasticity(),
    HEBBIAN: CustomPlasticity(_hebbian, None, (1.0,)),
    "reward": RewardGradient(),
    "pair STDP": CustomPlasticity(_post, _pre, (1.0,), (0.02,)),
}
UPDATES = {"fixed": 0, HEBBIAN: EACH, "reward": EACH, "pair STDP": 2 * EACH}


def network(size: int, rule: str) -> Network:
    """Neurons with homeostasis at 5 Hz, and weak synapses between them."""
    model = SynapseModel(Gaussian(-1.0, 1.0), Exponential(7.0), RULES[rule], speed=1e-4)
    neurons = StochasticNeurons(
        "e", size, _RATE_HZ, max_rate_hz=100.0, homeostasis=Homeostasis(_RATE_HZ, 50.0)
    )
    pairs = RandomPairs(EACH / size) if size > EACH else RandomPairs(1.0)
    wires = Projection("e", "e", model, 0.002, plastic=rule != "fixed", potential=pairs)
    return Network(neurons=[neurons], projections=[wires])


def measure(size: int, rule: str) -> dict[str, float]:
    """Processor time per spike (µs), bytes per synapse, peak memory (GB), set-up (s)."""
    start = time.thread_time()
    given = network(size, rule)
    sim = Simulation(given, seed=1)
    stretch_s = _SPIKES / (size * _RATE_HZ)
    sim.run(0.2 * stretch_s)
    set_up_s = time.thread_time() - start
    listed = given.synapses_of("e->e")
    return {
        "us": min(_spike_us(sim, stretch_s) for _ in range(_STRETCHES)),
        "bytes": (sim.nbytes + listed.pre.nbytes) / listed.size,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
        "set up": set_up_s,
        "random access": _random_access_ns(listed.size),
    }


def measure_births(size: int) -> dict[str, float]:
    """One network with and without the record of births and deaths, stretch by stretch in turn."""
    given, stretch_s = network(size, HEBBIAN), _SPIKES / (size * _RATE_HZ)
    log = EventLog("births_deaths")
    plain, noted = Simulation(given, seed=1), Simulation(given, seed=1, observer=log)
    for sim in (plain, noted):
        sim.run(0.2 * stretch_s)
    times = np.array([[_spike_us(sim, stretch_s) for sim in (plain, noted)] for _ in range(_PAIRS)])
    return {
        "plain": float(times[:, 0].min()),
        "noted": float(times[:, 1].min()),
        "ratio": float(np.median(times[:, 1] / times[:, 0])),
        "bytes": (noted.nbytes + given.synapses_of("e->e").pre.nbytes)
        / given.synapses_of("e->e").size,
    }


def alone(function: Callable[..., dict[str, float]], *case: Any) -> dict[str, float]:
    """Measure in a separate process."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, fresh) as pool:
        return pool.submit(function, *case).result()


def run() -> list[Row]:
    """All rules at all sizes; then the record of births and deaths."""
    rows: list[Row] = []
    smallest: dict[str, float] = {}
    for size in SIZES:
        fixed_us = 0.0
        for rule, updates in UPDATES.items():
            found = alone(measure, size, rule)
            fixed_us = found["us"] if rule == "fixed" else fixed_us
            smallest.setdefault(rule, found["us"])
            per_synapse = (found["us"] - fixed_us) / updates * 1e3 if updates else None
            rows.append(
                {
                    "neurons": f"{size:,}",
                    "plasticity": rule,
                    "us per spike": found["us"],
                    "/ 1,000 neurons": found["us"] / smallest[rule],
                    "ns per plastic synapse and event": per_synapse,
                    "ns per random access": found["random access"],
                    "bytes per potential synapse": found["bytes"],
                    "peak GB": found["peak"],
                    "set-up, s": found["set up"],
                }
            )
            print(rows[-1], file=sys.stderr, flush=True)  # this takes minutes
    noted = alone(measure_births, SIZES[1])
    last: Row = dict.fromkeys(rows[0])
    share = 100 * (noted["ratio"] - 1)
    rows.append(
        last
        | {
            "neurons": f"{SIZES[1]:,}",
            "plasticity": f"{HEBBIAN}, births and deaths recorded: {share:+.1f} %",
            "us per spike": noted["noted"],
            "bytes per potential synapse": noted["bytes"],
        }
    )
    return rows


def table(rows: list[Row]) -> str:
    """The table, and what its columns mean."""
    return f"{markdown_table(rows)}\n\n{NOTE}"


NOTE = (
    "Each neuron has 1,000 potential synapses, 16 % of them functional. Times are processor time, "
    "the best of four stretches of 20,000 spikes; each case runs in a separate process. A random "
    "access reads and writes one number anywhere in an array as long as θ: it becomes slower as "
    "the array outgrows the caches. A presynaptic spike under pair STDP makes such accesses to θ, "
    "w, the trace and its time of each of its synapses. The last row runs one network with and "
    "without the record of births and deaths in turn; its percentage is the median of twelve pairs "
    "of stretches."
)


def _spike_us(sim: Simulation, stretch_s: float) -> float:
    before, began = sim.n_spikes, time.thread_time()
    sim.run(stretch_s)
    return (time.thread_time() - began) / (sim.n_spikes - before) * 1e6


def _random_access_ns(size: int) -> float:
    """Processor time to change one of ``size`` numbers, chosen at random."""
    values, rng, times = np.ones(size), np.random.default_rng(0), []
    for _ in range(4):  # the first one compiles
        places = rng.integers(0, size, _TOUCHED)
        start = time.thread_time()
        _touch(values, places)
        times.append(time.thread_time() - start)
    return min(times) / _TOUCHED * 1e9
