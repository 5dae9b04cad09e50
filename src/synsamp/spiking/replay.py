"""Given spikes in place of drawn ones: what `Simulation.replay` takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.kernel.memory import Wiring


def check_given(
    time_s: ArrayLike,
    source: ArrayLike,
    learning: bool,
    now_s: float,
    alive: NDArray[np.bool_],
    wiring: Wiring,
) -> tuple[NDArray[np.float64], NDArray[np.int64], bool]:
    """Times in order, sources that exist and are alive, and learning where it can be."""
    n_inputs = int(wiring.first_input[-1])
    times = arguments.numbers("time_s", time_s, shape=(None,), at_most=1e12)
    sources = arguments.wholes(
        "source", source, shape=(times.size,), at_least=0, at_most=n_inputs + alive.size - 1
    )
    learning = arguments.flag("learning", learning)
    if times.size == 0:
        return times, sources, learning
    if learning and (wiring.stochastic & wiring.assigns_eligibility).any():
        rule = "must be False where stochastic neurons learn from reward"
        remedy = "what they were expected to do is known only of spikes that are drawn"
        raise refuse("learning", rule, learning, remedy)
    if not (np.diff(times) >= 0).all():
        raise refuse("time_s", "must not decrease", "decreasing times", "sort them")
    if times[0] < now_s:
        raise refuse("time_s", f"must be >= {now_s} (now)", float(times[0]))
    spiking = sources[sources >= n_inputs] - n_inputs
    if not alive[spiking].all():
        gone = int(spiking[~alive[spiking]][0])
        raise refuse("source", "must be alive", f"neuron {gone}, which was removed")
    return times, sources, learning
