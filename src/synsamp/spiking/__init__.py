"""The exact event-driven spiking engine: circuits of stochastic winner-take-all neurons."""

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
from synsamp.spiking.instruments.sinks import MemorySink, Sink, StreamSink
from synsamp.spiking.network import (
    Circuit,
    DoubleExponential,
    InputGroup,
    Network,
    Projection,
    SynapseModel,
    winner_take_all,
)
from synsamp.spiking.plasticity import ChangeClip, SpikeLikelihood, TermClip
from synsamp.spiking.simulation import Simulation

__all__ = [
    "ChangeClip",
    "Circuit",
    "DoubleExponential",
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
    "Scheduled",
    "SilenceInputs",
    "Simulation",
    "Sink",
    "SpikeLikelihood",
    "SpikeTimes",
    "Stimulus",
    "StreamSink",
    "SynapseModel",
    "TermClip",
    "stdp_curve",
    "winner_take_all",
]
