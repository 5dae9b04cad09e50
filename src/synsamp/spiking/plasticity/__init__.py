"""What a spike does to synapses: one file per plasticity."""

from synsamp.spiking.plasticity.base import Plasticity
from synsamp.spiking.plasticity.custom import CustomPlasticity, Synapse
from synsamp.spiking.plasticity.reward import RewardGradient
from synsamp.spiking.plasticity.spike_likelihood import ChangeClip, SpikeLikelihood, TermClip

__all__ = [
    "ChangeClip",
    "CustomPlasticity",
    "Plasticity",
    "RewardGradient",
    "SpikeLikelihood",
    "Synapse",
    "TermClip",
]
