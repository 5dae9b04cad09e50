"""Environments a network acts on: they receive spikes and return input rates and reward."""

from synsamp.environments.base import Environment as Environment
from synsamp.environments.base import Response as Response
from synsamp.environments.base import filtered_rate_hz as filtered_rate_hz
from synsamp.environments.compiled import CompiledEnvironment as CompiledEnvironment
from synsamp.environments.compiled import drawn as drawn
from synsamp.environments.dopamine import Dopamine as Dopamine
from synsamp.environments.gymnasium import GymnasiumEnvironment as GymnasiumEnvironment
from synsamp.environments.loop import Loop as Loop
