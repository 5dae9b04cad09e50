"""Stochastic neurons with rates ρ_0 exp(u) in Brian2, C++ standalone: time of a random network.

    python size.py NEURONS EACH STDP STRETCH_S STRETCHES

Prints one line of JSON: seconds and spikes of each run, bytes per synapse, seconds to compile. At
most one spike per neuron and time step of 1 ms. STDP is that of Brian2's documentation: traces of
20 ms, updated at spikes.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from brian2 import (
    Network,
    NeuronGroup,
    SpikeMonitor,
    Synapses,
    defaultclock,
    device,
    ms,
    prefs,
    second,
    seed,
    set_device,
)

neurons, each, stdp = (int(argument) for argument in sys.argv[1:4])
stretch_s, stretches = float(sys.argv[4]), int(sys.argv[5])
folder = tempfile.mkdtemp()
set_device("cpp_standalone", directory=folder, build_on_run=False)
prefs.codegen.cpp.extra_compile_args_gcc = ["-O3", "-march=native"]
defaultclock.dt = 1 * ms
seed(1)
tau, base = 20 * ms, 5 / second
population = NeuronGroup(
    neurons,
    """df/dt = -f/tau : 1
       dr/dt = -r/(2*ms) : 1""",
    threshold="rand() < base*exp(f - r)*dt",
    method="exact",
)
if stdp:
    synapses = Synapses(
        population,
        population,
        """w : 1
           dx/dt = -x/tau : 1 (event-driven)
           dy/dt = -y/tau : 1 (event-driven)""",
        on_pre="f_post += w; r_post += w; x += 1; w = clip(w - 1e-8*y, 0, 1)",
        on_post="y += 1; w = clip(w + 1e-8*x, 0, 1)",
        delay=2 * ms,
    )
else:
    synapses = Synapses(
        population, population, "w : 1", on_pre="f_post += w; r_post += w", delay=2 * ms
    )
synapses.connect("i != j", p=min(1.0, each / neurons))
synapses.w = 1e-3
spikes = SpikeMonitor(population, record=False)
network = Network(population, synapses, spikes)
# Processor time: another program on the machine must not count.
for place in ("before", "after"):
    code = f'std::ofstream("{place}.txt") << std::clock() / (double)CLOCKS_PER_SEC;'
    device.insert_code(f"{place}_network_run", code)
network.run(stretch_s * second)
start = time.perf_counter()
device.build(directory=folder, compile=True, run=False, clean=False, debug=False)
built_s = time.perf_counter() - start

seconds, counts, peak = [], [], 0
for _ in range(stretches):
    program = subprocess.Popen([f"{folder}/main"], cwd=folder, stdout=subprocess.DEVNULL)
    _, code, used = os.wait4(program.pid, 0)
    assert code == 0
    # The simulation alone, without making the synapses.
    began, ended = (float(Path(folder, f"{p}.txt").read_text()) for p in ("before", "after"))
    seconds.append(ended - began)
    counted = next(Path(folder, "results").glob("_dynamic_array_spikemonitor_i*"), None)
    assert counted is None  # nothing is recorded but counts
    total = next(Path(folder, "results").glob("_array_spikemonitor_N_*")).read_bytes()
    counts.append(int.from_bytes(total[:4], "little"))
    peak = max(peak, 1024 * used.ru_maxrss)
shutil.rmtree(folder)
print(
    json.dumps(
        {
            "seconds": seconds,
            "spikes": counts,
            "bytes": peak / (min(each, neurons - 1) * neurons),
            "built_s": built_s,
        }
    )
)
