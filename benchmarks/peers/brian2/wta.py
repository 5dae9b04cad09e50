"""The winner-take-all circuit of the paper in Brian2, C++ standalone: same equations, time step dt.

    python wta.py INPUT.npz

INPUT.npz: rates_hz[frame, input], frame_s, theta0[neuron, input], b, N, gamma, duration_s, dt_s,
runs.
Prints one line of JSON: seconds of each run (wall clock or processor, whichever is less), spikes
per neuron, mean change of θ per input.
Everything that the paper leaves to continuous time happens once per time step here: input spikes,
the softmax, prior and noise of all synapses; the likelihood term acts at postsynaptic spikes.
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
    SpikeMonitor,
    Synapses,
    TimedArray,
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

n_neurons, n_inputs = given["theta0"].shape
b, N = float(given["b"]), float(given["N"])
names = {
    "rate": TimedArray(given["rates_hz"] / second, dt=float(given["frame_s"]) * second),
    "tau_f": 0.02 * second,
    "tau_r": 0.002 * second,
    "tau_af": 30.0 * second,
    "tau_ar": 12.0 * second,
    "gamma": float(given["gamma"]),
    "rho_net": 100.0 / second,
    "b": b / second,
    "jump": b * N,
    "alpha": np.exp(-2.0),
    "offset": np.exp(-3.0),
    "mu": 0.5,
}
inputs = NeuronGroup(
    n_inputs,
    """dxf/dt = -xf/tau_f : 1
       dxr/dt = -xr/tau_r : 1
       x = xf - xr : 1""",
    threshold="rand() < rate(t, i)*dt",
    reset="xf += 1; xr += 1",
    method="exact",
    namespace=names,
)
neurons = NeuronGroup(
    n_neurons,
    """daf/dt = -af/tau_af : 1
       dar/dt = -ar/tau_ar : 1
       drive : 1
       others : 1
       u = drive + gamma*(af - ar) : 1
       rho = rho_net/others : Hz""",
    threshold="rand() < rho*dt",
    reset="af += 1; ar += 1",
    method="exact",
    namespace=names,
)
synapses = Synapses(
    inputs,
    neurons,
    """dtheta/dt = b*(mu - theta) + sqrt(2*b)*xi : 1 (clock-driven)
       w = exp(theta - 3) : 1
       drive_post = clip(w - offset, 0, 1e9)*x_pre : 1 (summed)""",
    on_post="theta = clip(theta + jump*w*(x_pre - clip(alpha*exp(w), 0, 5)), -5, 1e9)",
    method="euler",
    namespace=names,
)
synapses.connect()
synapses.theta = given["theta0"].T.ravel()  # Brian2 numbers them by input, then by neuron
# Divisive inhibition: ρ_k = ρ_net / Σ_l exp(u_l − u_k), which cannot overflow by itself.
inhibition = Synapses(
    neurons,
    neurons,
    "others_post = exp(clip(u_pre - u_post, -500, 500)) : 1 (summed)",
    namespace=names,
)
inhibition.connect()
neurons.others = n_neurons
spikes = SpikeMonitor(neurons, record=False)
network = Network(inputs, neurons, synapses, inhibition, spikes)
network.run(float(given["duration_s"]) * second)
device.build(directory=folder, compile=True, run=False, clean=False, debug=False)

seconds, counts, drifts = [], [], []
for _ in range(int(given["runs"])):
    start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    device.run(folder, with_output=False, run_args=[])
    wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
    own = getattr(device, "_last_run_time", None)  # without starting the program and writing files
    seconds.append(min(used, own if own is not None else wall))
    counts.append(np.array(spikes.count[:]).tolist())
    after = np.array(synapses.theta[:]).reshape(n_inputs, n_neurons).T
    drifts.append((after - given["theta0"]).mean(0).tolist())
    device.array_cache.clear()
shutil.rmtree(folder)
print(json.dumps({"seconds": seconds, "spikes": counts, "drift": drifts}))
