"""Environments a network acts on: they receive spikes and return input rates and reward."""

from synsamp.environments.base import Environment, Response, filtered_rate_hz
from synsamp.environments.compiled import CompiledEnvironment, drawn
from synsamp.environments.dopamine import Dopamine
from synsamp.environments.gymnasium import GymnasiumEnvironment
from synsamp.environments.loop import Loop

__all__ = [
    "CompiledEnvironment",
    "Dopamine",
    "Environment",
    "GymnasiumEnvironment",
    "Loop",
    "Response",
    "drawn",
    "filtered_rate_hz",
]
