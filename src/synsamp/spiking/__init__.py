"""The exact event-driven spiking simulator: winner-take-all circuits and stochastic neurons."""

from synsamp.spiking.input.stimulus import InOrder, RandomOrder, SpikeTimes, Stimulus
from synsamp.spiking.instruments.lesions import (
    RemoveNeurons,
    RemoveSynapses,
    Scheduled,
    SilenceInputs,
)
from synsamp.spiking.instruments.pairing import stdp_curve
from synsamp.spiking.instruments.probe import Probe
from synsamp.spiking.instruments.recording import Recording
from synsamp.spiking.instruments.sinks import MemorySink, Sink
from synsamp.spiking.network import Network, Projection, winner_take_all_network
from synsamp.spiking.neurons import (
    DoubleExponential,
    Homeostasis,
    InputGroup,
    StochasticNeurons,
    WinnerTakeAll,
)
from synsamp.spiking.plasticity import (
    ChangeClip,
    CustomPlasticity,
    RewardGradient,
    SpikeLikelihood,
    Synapse,
    TermClip,
)
from synsamp.spiking.simulation import Simulation
from synsamp.spiking.synapses import SynapseModel

__all__ = [
    "ChangeClip",
    "CustomPlasticity",
    "DoubleExponential",
    "Homeostasis",
    "InOrder",
    "InputGroup",
    "MemorySink",
    "Network",
    "Probe",
    "Projection",
    "RandomOrder",
    "Recording",
    "RemoveNeurons",
    "RemoveSynapses",
    "RewardGradient",
    "Scheduled",
    "SilenceInputs",
    "Simulation",
    "Sink",
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
