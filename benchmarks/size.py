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
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

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

table = markdown_table

EACH = 1000
_SPIKES = 20_000  # per stretch
_STRETCHES = 4
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


RULES = {
    "fixed": CustomPlasticity(),
    "at postsynaptic spikes": CustomPlasticity(_hebbian, None, (1.0,)),
    "reward": RewardGradient(),
    "pair STDP": CustomPlasticity(_post, _pre, (1.0,), (0.02,)),
}
UPDATES = {"fixed": 0, "at postsynaptic spikes": EACH, "reward": EACH, "pair STDP": 2 * EACH}


def network(size: int, rule: str) -> Network:
    """Neurons with homeostasis at 5 Hz, and weak synapses between them."""
    model = SynapseModel(Gaussian(-1.0, 1.0), Exponential(7.0), RULES[rule], speed=1e-4)
    neurons = StochasticNeurons(
        "e", size, _RATE_HZ, max_rate_hz=100.0, homeostasis=Homeostasis(_RATE_HZ, 50.0)
    )
    pairs = RandomPairs(EACH / size) if size > EACH else RandomPairs(1.0)
    wires = Projection("e", "e", model, 0.002, plastic=rule != "fixed", potential=pairs)
    return Network(neurons=[neurons], projections=[wires])


def measure(size: int, rule: str, births: bool = False) -> dict[str, float]:
    """Processor time per spike (µs), bytes per synapse, peak memory (GB), set-up (s)."""
    start = time.perf_counter()
    given = network(size, rule)
    observer = EventLog("births_deaths") if births else None
    sim = Simulation(given, seed=1, observer=observer)
    stretch_s = _SPIKES / (size * _RATE_HZ)
    sim.run(0.2 * stretch_s)
    set_up_s = time.perf_counter() - start
    times = []
    for _ in range(_STRETCHES):
        before, began = sim.n_spikes, time.thread_time()
        sim.run(stretch_s)
        times.append((time.thread_time() - began) / (sim.n_spikes - before) * 1e6)
    listed = given.synapses_of("e->e")
    return {
        "us": min(times),
        "bytes": (sim.nbytes + listed.pre.nbytes) / listed.size,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
        "set up": set_up_s,
    }


def alone(*case: Any) -> dict[str, float]:
    """Measure in a separate process."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, fresh) as pool:
        return pool.submit(measure, *case).result()


def run() -> list[Row]:
    """All rules at all sizes; then the record of births and deaths."""
    rows: list[Row] = []
    smallest: dict[str, float] = {}
    for size in (1_000, 10_000, 100_000):
        fixed_us = 0.0
        for rule, updates in UPDATES.items():
            found = alone(size, rule)
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
                    "bytes per potential synapse": found["bytes"],
                    "peak GB": found["peak"],
                    "set-up, s": found["set up"],
                }
            )
    noted = alone(10_000, "at postsynaptic spikes", True)
    plain = alone(10_000, "at postsynaptic spikes")
    last: Row = dict.fromkeys(rows[0])
    share = 100 * (noted["us"] / plain["us"] - 1)
    rows.append(
        last
        | {
            "neurons": "10,000",
            "plasticity": f"with births and deaths recorded: {share:+.1f} % of the time",
            "us per spike": noted["us"],
            "bytes per potential synapse": noted["bytes"],
            "peak GB": noted["peak"],
        }
    )
    return rows
