"""
When does a lesioned network differ from its twin?
==================================================

A branch continues without the lesion and with the same noise. The parameters of the remaining synapses
separate from those of the twin, in neurons that take over and in neurons that need not.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.protocol import Branch, Lesion, Protocol, Show, every, theta
from synsamp.spiking import RemoveNeurons, SynapseModel, winner_take_all_network

rng = np.random.default_rng(1)
input_hz = rng.uniform(0, 60, 40)
protocol = Protocol(
    winner_take_all_network(40, 6, SynapseModel(speed=3e-4)),
    [
        Show(input_hz, 300),
        Branch("twin", [Show(input_hz, 600)]),
        Lesion(RemoveNeurons("z", [0, 1])),
        Show(input_hz, 600),
    ],
    {"theta": every(10, theta("x->z", post=[2, 3, 4, 5]))},
)
data = protocol.run(seed=1)
lesioned, twin = data["theta/theta"], data["twin/theta/theta"]
lesioned = lesioned.sel(time=~lesioned.after_lesion & (lesioned.time >= 300))
difference = (lesioned - twin).std("pre")

figure, axis = plt.subplots(figsize=(6, 3))
axis.plot(difference.time, difference)
axis.set(xlabel="time (s); lesion at 300 s", ylabel="std of θ − θ of the twin")
axis.legend([f"neuron {k}" for k in difference.post.values])
