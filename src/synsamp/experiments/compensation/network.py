"""The network of Fig. 5: eight circuits of ten neurons, four that hear and four that see.

Every circuit gets all inputs of its own modality, and lateral connections may grow between any two
of the 80 neurons (5 ms delay; no neuron to itself unless wanted). All synapses follow the one rule.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from synsamp.experiments.base import Parameters
from synsamp.experiments.compensation.stimuli import HEARING, SEEING
from synsamp.experiments.shared.digit_circuit import CircuitSection
from synsamp.spiking import (
    Circuit,
    DoubleExponential,
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    RemoveSynapses,
    Simulation,
    SynapseModel,
)

PER_MODALITY = 4
"""Circuits that hear, and circuits that see."""
AUDITORY = tuple(f"A{i}" for i in range(PER_MODALITY))
VISUAL = tuple(f"V{i}" for i in range(PER_MODALITY))
CIRCUITS = (*AUDITORY, *VISUAL)


class LateralSection(Parameters):
    """Connections between hidden neurons."""

    delay_s: float = Field(0.005, ge=1e-4, le=1.0, description="delay of lateral connections")
    self_connections: bool = Field(False, description="let a neuron connect to itself")


class Hidden:
    """How many neurons there are and where: z_A first, then z_V, circuit by circuit."""

    def __init__(self, per_circuit: int) -> None:
        self.per_circuit = per_circuit
        self.n_each = PER_MODALITY * per_circuit
        self.n = 2 * self.n_each
        self.auditory = np.arange(self.n_each)
        self.visual = np.arange(self.n_each, self.n)

    def rows(self, circuit: int) -> slice:
        """Neurons of a circuit."""
        return slice(circuit * self.per_circuit, (circuit + 1) * self.per_circuit)


def build_network(
    n_heard: int,
    n_seen: int,
    circuit: CircuitSection,
    synapses: SynapseModel,
    lateral: LateralSection,
    allowed: NDArray[np.bool_] | None = None,
) -> Network:
    """The network; ``allowed[post, pre]`` restricts the lateral connections (default: all)."""
    hidden = Hidden(circuit.neurons)
    adaptation = DoubleExponential(circuit.adaptation_rise_s, circuit.adaptation_fall_s)
    circuits = [
        Circuit(name, circuit.neurons, circuit.rate_hz, adaptation, circuit.adaptation_strength)
        for name in CIRCUITS
    ]
    afferent = [
        Projection(source, target, synapses)
        for source, targets in ((HEARING, AUDITORY), (SEEING, VISUAL))
        for target in targets
    ]
    between = [
        Projection(
            source,
            target,
            synapses,
            delay_s=lateral.delay_s,
            allow_self=lateral.self_connections,
            mask=None if allowed is None else allowed[hidden.rows(i), hidden.rows(j)],
        )
        for i, target in enumerate(CIRCUITS)
        for j, source in enumerate(CIRCUITS)
    ]
    return Network(
        [InputGroup(HEARING, n_heard), InputGroup(SEEING, n_seen)], circuits, [*afferent, *between]
    )


def lateral_theta(sim: Simulation) -> NDArray[np.float64]:
    """θ[post, pre] between all hidden neurons in the state the network runs on; NaN: cannot exist.

    On the grid at which the engine brings every synapse up to date this is θ at that moment.
    """
    return np.block(
        [[sim.theta(f"{source}->{target}") for source in CIRCUITS] for target in CIRCUITS]
    )


def afferent_theta(sim: Simulation, group: str, targets: Iterable[str]) -> NDArray[np.float64]:
    """θ[neuron, input] of the synapses from an input group."""
    return np.concatenate([sim.theta(f"{group}->{target}") for target in targets])


def visual_efficacies(sim: Simulation) -> NDArray[np.float64]:
    """ŵ[neuron of z_V, pixel], 0 for what is retracted or removed."""
    return np.concatenate([sim.weight(f"{SEEING}->{target}") for target in VISUAL])


def remove_neurons(sim: Simulation, hidden: Hidden, neurons: Iterable[int]) -> None:
    """Lesion 1: these hidden neurons fall silent for good, all their synapses go."""
    for i, name in enumerate(CIRCUITS):
        start = i * hidden.per_circuit
        local = [int(k) - start for k in neurons if start <= k < start + hidden.per_circuit]
        if local:
            sim.lesion(RemoveNeurons(name, local))


def remove_connections(sim: Simulation, hidden: Hidden, which: NDArray[np.bool_]) -> None:
    """Lesion 2: these lateral connections [post, pre] go and may not regrow."""
    for i, target in enumerate(CIRCUITS):
        for j, source in enumerate(CIRCUITS):
            part = which[hidden.rows(i), hidden.rows(j)]
            if part.any():
                name = f"{source}->{target}"
                sim.lesion(RemoveSynapses(name, part.copy(), regrow=False))
