"""A second toy, so that `run all` has more than one."""

from __future__ import annotations

from dataclasses import replace

from toys.walk import EXPERIMENT as WALK
from toys.walk import WalkParameters

EXPERIMENT = replace(
    WALK,
    name="stroll",
    alias="fig00",
    title="A short walk",
    presets={"quick": WalkParameters(blocks=5), "paper": WalkParameters(blocks=6)},
)
