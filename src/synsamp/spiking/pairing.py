"""Spike-timing dependent plasticity as the engine itself produces it (Fig. 4B and 4C).

One input, one neuron, noise off; pre- and postsynaptic spikes are paired at a given offset, once or
many times at a given rate, and the change of the weight is read.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.spiking.network import winner_take_all_network
from synsamp.spiking.simulation import Simulation
from synsamp.spiking.synapses import SynapseModel


def stdp_curve(
    offset_s: ArrayLike,
    synapses: SynapseModel | None = None,
    theta: float = 3.0,
    pairings: int = 1,
    rate_hz: float = 20.0,
) -> NDArray[np.float64]:
    """Relative change of w, (w_after − w_before)/w_before, for each offset t_post − t_pre.

    ``pairings`` pairs follow each other at ``rate_hz``; one pair is Fig. 4B, many at 20 Hz 4C.

    Parameters
    ----------
    offset_s : array_like of float
        Offsets t_post − t_pre (s).
    synapses : SynapseModel, optional
        Model of the synapses; default: the paper's.
    theta : float
        θ before the first pair.
    pairings : int
        Number of pairs.
    rate_hz : float
        Pairs per second.

    Returns
    -------
    ndarray of float
        Relative change of w for each offset.
    """
    synapses = SynapseModel() if synapses is None else synapses
    arguments.instance("synapses", synapses, SynapseModel)
    offsets = arguments.numbers("offset_s", np.atleast_1d(offset_s), shape=(None,))
    pairings = arguments.whole("pairings", pairings, at_least=1, at_most=10**6)
    rate_hz = arguments.number("rate_hz", rate_hz, above=0, at_most=1e6)
    theta = arguments.number("theta", theta, at_least=synapses.theta_min)
    quiet = replace(synapses, temperature=0.0)
    before = float(quiet.mapping.weight(theta))
    changes = []
    for offset in offsets:
        sim = Simulation(
            winner_take_all_network(1, 1, quiet), theta={"x->z": theta}, drift_interval_s=0.0
        )
        start = 1.0 + np.arange(pairings) / rate_hz
        pre, post = start + max(0.0, -offset), start + max(0.0, offset)
        times = np.concatenate([pre, post])
        sources = np.repeat([0, 1], pairings)
        order = np.lexsort((sources, times))  # at equal times the input comes first
        sim.replay(times[order], sources[order])
        after = float(quiet.mapping.weight(sim.theta("x->z")[0, 0]))
        changes.append(after / before - 1.0)
    return np.array(changes)
