"""The network of Fig. 5: eight circuits of ten neurons, four auditory and four visual.

Every circuit receives all inputs of its modality, and lateral connections may grow between any two
of the 80 neurons (5 ms delay; by default without self-connections). All synapses follow one rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from synsamp.experiments.base import Parameters
from synsamp.paper.fig5_compensation.stimuli import HEARING, SEEING
from synsamp.paper.shared.digit_circuit import CircuitSection
from synsamp.spiking import (
    DoubleExponential,
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    RemoveSynapses,
    SynapseModel,
    WinnerTakeAll,
)

PER_MODALITY = 4
"""Number of auditory circuits, and of visual ones."""
AUDITORY = tuple(f"A{i}" for i in range(PER_MODALITY))
VISUAL = tuple(f"V{i}" for i in range(PER_MODALITY))
CIRCUITS = (*AUDITORY, *VISUAL)


class LateralSection(Parameters):
    """Connections between hidden neurons."""

    delay_s: float = Field(0.005, ge=1e-4, le=1.0, description="delay of lateral connections")
    self_connections: bool = Field(False, description="let a neuron connect to itself")


class Hidden:
    """Numbering of the hidden neurons: z_A first, then z_V, circuit by circuit."""

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
) -> Network:
    """Build the network; all synapses share one model."""
    adaptation = DoubleExponential(circuit.adaptation_rise_s, circuit.adaptation_fall_s)
    circuits = [
        WinnerTakeAll(
            name, circuit.neurons, circuit.rate_hz, adaptation, circuit.adaptation_strength
        )
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
        )
        for target in CIRCUITS
        for source in CIRCUITS
    ]
    return Network(
        [InputGroup(HEARING, n_heard), InputGroup(SEEING, n_seen)], circuits, [*afferent, *between]
    )


# -- reading a running network (a view of a protocol, or a simulation) --------------------


def lateral_theta(view: Any) -> NDArray[np.float64]:
    """θ [post, pre] between all hidden neurons; NaN where no synapse can exist."""
    return np.block(
        [[view.theta(f"{source}->{target}") for source in CIRCUITS] for target in CIRCUITS]
    )


def auditory_theta(view: Any) -> NDArray[np.float64]:
    """θ [neuron of z_A, input]."""
    return np.concatenate([view.theta(f"{HEARING}->{target}") for target in AUDITORY])


def visual_efficacies(view: Any) -> NDArray[np.float64]:
    """Efficacies ŵ [neuron of z_V, pixel]; 0 for retracted and removed synapses."""
    return np.concatenate([view.weight(f"{SEEING}->{target}") for target in VISUAL])


# -- lesions --------------------


def neurons_removed(hidden: Hidden, neurons: Iterable[int]) -> list[RemoveNeurons]:
    """Lesion 1: remove hidden neurons with all their synapses, permanently."""
    lesions = []
    for i, name in enumerate(CIRCUITS):
        start = i * hidden.per_circuit
        local = [int(k) - start for k in neurons if start <= k < start + hidden.per_circuit]
        if local:
            lesions.append(RemoveNeurons(name, local))
    return lesions


def connections_removed(hidden: Hidden, which: NDArray[np.bool_]) -> list[RemoveSynapses]:
    """Lesion 2: remove lateral connections [post, pre]; they cannot regrow."""
    return [
        RemoveSynapses(f"{source}->{target}", part.copy(), regrow=False)
        for i, target in enumerate(CIRCUITS)
        for j, source in enumerate(CIRCUITS)
        if (part := which[hidden.rows(i), hidden.rows(j)]).any()
    ]
