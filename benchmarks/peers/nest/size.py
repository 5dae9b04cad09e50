"""Stochastic neurons with rates ρ_0 exp(u) in NEST: time and memory of a random network.

    python size.py NEURONS EACH STDP STRETCH_S STRETCHES

Prints one line of JSON: processor seconds and spikes of each stretch, bytes per synapse, seconds to
build. The neurons are ``pp_psc_delta``: u jumps at a spike and decays with 20 ms.
"""

import json
import resource
import sys
import time

import nest

neurons, each, stdp = (int(argument) for argument in sys.argv[1:4])
stretch_s, stretches = float(sys.argv[4]), int(sys.argv[5])

nest.verbosity = nest.VerbosityLevel.ERROR
nest.resolution = 1.0
nest.rng_seed = 1
population = nest.Create(
    "pp_psc_delta",
    neurons,
    {"c_1": 0.0, "c_2": 5.0, "c_3": 1.0, "dead_time": 1.0, "tau_m": 20.0, "tau_minus": 20.0},
)
synapse = {"synapse_model": "static_synapse", "weight": 1e-3, "delay": 2.0}
if stdp:
    synapse |= {"synapse_model": "stdp_synapse", "lambda": 1e-4, "Wmax": 1.0, "tau_plus": 20.0}
wires = {"rule": "fixed_indegree", "indegree": each, "allow_autapses": False}
if each >= neurons - 1:
    wires = {"rule": "all_to_all", "allow_autapses": False}


def memory() -> int:
    """Peak memory so far, bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


before, start = memory(), time.process_time()
nest.Connect(population, population, wires, synapse)
nest.Simulate(1000 * 0.2 * stretch_s)  # sorts the synapses
built_s, taken = time.process_time() - start, memory() - before
seconds, spikes = [], []
for _ in range(stretches):
    start = time.process_time()
    nest.Simulate(1000 * stretch_s)
    seconds.append(time.process_time() - start)
    spikes.append(nest.local_spike_counter)  # of this stretch
print(
    json.dumps(
        {
            "seconds": seconds,
            "spikes": spikes,
            "bytes": taken / nest.num_connections,
            "built_s": built_s,
        }
    )
)
