"""Parameters of neurons as arrays: rates, refractory periods, adaptation, homeostasis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.spiking.kernel.simd import LANE
from synsamp.spiking.kernel.thinning import MARGIN, ROOM
from synsamp.spiking.network import Network
from synsamp.spiking.neurons import StochasticNeurons


def neuron_arrays(
    network: Network, first_neuron: NDArray[np.int64], assigns_eligibility: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    """Fields of `Wiring` with the parameters of neurons."""
    circuits = network.neurons
    stochastic = np.array([isinstance(c, StochasticNeurons) for c in circuits], bool)
    rate_hz = np.array([c.rate_hz for c in circuits])
    most_hz = np.array([getattr(c, "max_rate_hz", np.inf) for c in circuits])
    homeostasis = [getattr(c, "homeostasis", None) for c in circuits]
    circuit_of = np.repeat(np.arange(len(circuits)), np.diff(first_neuron))
    highest_hz = np.full(network.n_neurons + LANE, np.inf, np.float32)
    limits = MARGIN * most_hz * np.where(assigns_eligibility, ROOM, 1.0)
    highest_hz[: network.n_neurons] = limits[circuit_of]
    return {
        "rate_up_to": np.cumsum(np.where(stochastic, 0.0, rate_hz)),
        "stochastic": stochastic,
        "base_hz": rate_hz,
        "most_hz": most_hz,
        "refractory_s": np.array([getattr(c, "refractory_s", 0.0) for c in circuits]),
        "adaptation_rise_s": np.array([float(c.adaptation.rise_s) for c in circuits]),
        "adaptation_fall_s": np.array([float(c.adaptation.fall_s) for c in circuits]),
        "adaptation_strength": np.array([float(c.adaptation_strength) for c in circuits]),
        "bias_per_s": np.array([0.0 if h is None else h.rate_hz / h.time_s for h in homeostasis]),
        "bias_per_spike": np.array([0.0 if h is None else 1.0 / h.time_s for h in homeostasis]),
        "circuit_of": circuit_of,
        "highest_limit_hz": highest_hz,
    }
