"""Mappings from synaptic parameters θ to weights w, one file each."""

from synsamp.mappings.base import CustomMapping, Mapping
from synsamp.mappings.exponential import Exponential
from synsamp.mappings.identity import Identity
from synsamp.mappings.softplus import Softplus

__all__ = ["CustomMapping", "Exponential", "Identity", "Mapping", "Softplus"]
