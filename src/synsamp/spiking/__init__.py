"""The exact event-driven spiking simulator: winner-take-all circuits and stochastic neurons."""

from synsamp.spiking.events import EventLog, Observer
from synsamp.spiking.input.stimulus import InOrder, RandomOrder, SpikeTimes, Stimulus
from synsamp.spiking.lesions import NetworkLesion, RemoveNeurons, RemoveSynapses, SilenceInputs
from synsamp.spiking.network import Network, Projection, winner_take_all_network
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
from synsamp.spiking.probe import Probe
from synsamp.spiking.simulation import Simulation
from synsamp.spiking.synapses import SynapseModel

__all__ = [
    "ChangeClip",
    "CustomPlasticity",
    "DoubleExponential",
    "EventLog",
    "Homeostasis",
    "InOrder",
    "InputGroup",
    "Network",
    "NetworkLesion",
    "Observer",
    "Probe",
    "Projection",
    "RandomOrder",
    "RemoveNeurons",
    "RemoveSynapses",
    "RewardGradient",
    "SilenceInputs",
    "Simulation",
    "SpikeLikelihood",
    "SpikeTimes",
    "Stimulus",
    "StochasticNeurons",
    "Synapse",
    "SynapseModel",
    "TermClip",
    "WinnerTakeAll",
    "stdp_curve",
    "winner_take_all_network",
]
