"""The exact event-driven spiking engine: circuits of stochastic winner-take-all neurons."""

from synsamp.spiking.lesions import RemoveNeurons, RemoveSynapses, Scheduled, SilenceInputs
from synsamp.spiking.network import (
    ChangeClip,
    Circuit,
    DoubleExponential,
    InputGroup,
    Network,
    Projection,
    Rule,
    TermClip,
    winner_take_all,
)
from synsamp.spiking.probing import Probe
from synsamp.spiking.recording import Recording
from synsamp.spiking.simulation import Simulation
from synsamp.spiking.sinks import MemorySink, Sink, StreamSink
from synsamp.spiking.stimulus import InOrder, RandomOrder, Stimulus

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
    "Rule",
    "Scheduled",
    "SilenceInputs",
    "Simulation",
    "Sink",
    "Stimulus",
    "StreamSink",
    "TermClip",
    "winner_take_all",
]
