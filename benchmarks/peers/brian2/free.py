"""Stochastic neurons with rates ρ_0 exp(u) in Brian2, C++ standalone: same equations, time step dt.

    python free.py INPUT.npz

INPUT.npz: rate_hz (of each input), weight[neuron, input], base_hz, dead_s, duration_s, dt_s, runs.
Prints one line of JSON: seconds of each run (wall clock or processor, whichever is less), spikes
per neuron. At most one spike per neuron and time step, with probability ρ dt.
"""

import json
import resource
import shutil
import sys
import tempfile
import time

import numpy as np
from brian2 import (
    Network,
    NeuronGroup,
    PoissonGroup,
    SpikeMonitor,
    Synapses,
    defaultclock,
    device,
    prefs,
    second,
    set_device,
)

given = np.load(sys.argv[1])
folder = tempfile.mkdtemp()
set_device("cpp_standalone", directory=folder, build_on_run=False)
prefs.codegen.cpp.extra_compile_args_gcc = ["-O3", "-march=native"]
defaultclock.dt = float(given["dt_s"]) * second
n_neurons, n_inputs = given["weight"].shape
names = {
    "tau_f": 0.02 * second,
    "tau_r": 0.002 * second,
    "base": float(given["base_hz"]) / second,
}
inputs = PoissonGroup(n_inputs, rates=float(given["rate_hz"]) / second)
neurons = NeuronGroup(
    n_neurons,
    """df/dt = -f/tau_f : 1
       dr/dt = -r/tau_r : 1""",
    threshold="rand() < base*exp(f - r)*dt",
    refractory=float(given["dead_s"]) * second,
    method="exact",
    namespace=names,
)
synapses = Synapses(inputs, neurons, "w : 1", on_pre="f_post += w; r_post += w")
synapses.connect()
synapses.w = given["weight"].T.ravel()  # Brian2 numbers them by input, then by neuron
spikes = SpikeMonitor(neurons, record=False)
network = Network(inputs, neurons, synapses, spikes)
network.run(float(given["duration_s"]) * second)
device.build(directory=folder, compile=True, run=False, clean=False, debug=False)

seconds, counts = [], []
for _ in range(int(given["runs"])):
    start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    device.run(folder, with_output=False, run_args=[])
    wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
    own = getattr(device, "_last_run_time", None)  # without starting the program and writing files
    seconds.append(min(used, own if own is not None else wall))
    counts.append(np.array(spikes.count[:]).tolist())
    device.array_cache.clear()
shutil.rmtree(folder)
print(json.dumps({"seconds": seconds, "spikes": counts}))
