"""The exact event-driven spiking simulator: winner-take-all circuits and stochastic neurons."""

from synsamp.spiking.events import EventLog, Observer
from synsamp.spiking.input.stimulus import InOrder, RandomOrder, SpikeTimes, Stimulus
from synsamp.spiking.lesions import NetworkLesion, RemoveNeurons, RemoveSynapses, SilenceInputs
from synsamp.spiking.network import Network, winner_take_all_network
from synsamp.spiking.neurons import (
    DoubleExponential,
    Homeostasis,
    InputGroup,
    StochasticNeurons,
    WinnerTakeAll,
)
from synsamp.spiking.pairing import stdp_curve
from synsamp.spiking.plasticity import (
    ChangeClip,
    CustomPlasticity,
    RewardGradient,
    SpikeLikelihood,
    Synapse,
    TermClip,
)
from synsamp.spiking.potential import DistanceRule, EdgeList, Potential, RandomPairs, SynapseList
from synsamp.spiking.probe import Probe
from synsamp.spiking.projection import Projection
from synsamp.spiking.simulation import Simulation
from synsamp.spiking.space import Line, Plane, Positions, Ring, Space, Torus, Volume
from synsamp.spiking.synapses import SynapseModel

__all__ = [
    "ChangeClip",
    "CustomPlasticity",
    "DistanceRule",
    "DoubleExponential",
    "EdgeList",
    "EventLog",
    "Homeostasis",
    "InOrder",
    "InputGroup",
    "Line",
    "Network",
    "NetworkLesion",
    "Observer",
    "Plane",
    "Positions",
    "Potential",
    "Probe",
    "Projection",
    "RandomOrder",
    "RandomPairs",
    "RemoveNeurons",
    "RemoveSynapses",
    "RewardGradient",
    "Ring",
    "SilenceInputs",
    "Simulation",
    "Space",
    "SpikeLikelihood",
    "SpikeTimes",
    "Stimulus",
    "StochasticNeurons",
    "Synapse",
    "SynapseList",
    "SynapseModel",
    "TermClip",
    "Torus",
    "Volume",
    "WinnerTakeAll",
    "stdp_curve",
    "winner_take_all_network",
]
