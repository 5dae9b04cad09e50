"""
Can a network consolidate what it learned?
==========================================

A step that repeats lowers the temperature with time. Turnover fades, while a branch at constant
temperature keeps rewiring.
"""

import matplotlib.pyplot as plt
import numpy as np

from synsamp.protocol import Branch, Change, Protocol, Show, every, turnover
from synsamp.spiking import SynapseModel, winner_take_all_network

input_hz = np.random.default_rng(1).uniform(0, 40, 100)
cool = every(10, Change(lambda view: {"x->z": {"temperature": np.exp(-view.time_s / 300)}}))
protocol = Protocol(
    winner_take_all_network(100, 5, SynapseModel(speed=1e-3)),
    [Branch("constant", [Show(input_hz, 1500)]), cool, Show(input_hz, 1500)],
    {"turnover": every(50, turnover("x->z"))},
)
data = protocol.run(seed=1)

figure, axis = plt.subplots(figsize=(6, 3))
for record, name in (("constant/turnover", "T = 1"), ("turnover", "T falls to 0")):
    changed = data[record]["born"].sum("post") + data[record]["died"].sum("post")
    axis.plot(changed.time, changed, label=name)
axis.set(xlabel="time (s)", ylabel="births and deaths per 50 s")
axis.legend()
