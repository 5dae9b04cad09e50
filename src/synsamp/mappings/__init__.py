"""Mappings from synaptic parameters θ to weights w, one file each."""

from synsamp.mappings.base import CustomMapping as CustomMapping
from synsamp.mappings.base import Mapping as Mapping
from synsamp.mappings.exponential import Exponential as Exponential
from synsamp.mappings.identity import Identity as Identity
from synsamp.mappings.softplus import Softplus as Softplus
