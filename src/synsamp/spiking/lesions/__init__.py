"""Lesions: remove neurons, remove synapses, silence inputs. One file each."""

from synsamp.spiking.lesions.base import NetworkLesion
from synsamp.spiking.lesions.remove_neurons import RemoveNeurons
from synsamp.spiking.lesions.remove_synapses import RemoveSynapses
from synsamp.spiking.lesions.silence_inputs import SilenceInputs

__all__ = ["NetworkLesion", "RemoveNeurons", "RemoveSynapses", "SilenceInputs"]
