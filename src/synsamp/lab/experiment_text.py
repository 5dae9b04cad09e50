"""The Python file of a saved session: a template that this module and the page fill in alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from synsamp.lab.literals import lines, literal


def template() -> str:
    """The text of a saved session, with ``{scene}``, ``{seed}``, … to be filled in."""
    return (files("synsamp.lab") / "static" / "experiment.txt").read_text(encoding="utf-8")


def file_name(scene: str) -> str:
    """Name of the file of a saved session."""
    return f"lab_{re.sub(r'[^A-Za-z0-9_]', '_', scene.removesuffix('.py'))[:40]}.py"


def experiment_text(
    scene: str,
    tick_s: float,
    seed: int,
    settings: Mapping[str, Any],
    actions: Sequence[Mapping[str, Any]],
    ticks: int,
) -> str:
    """The file of an experiment that repeats a session."""
    values = {
        "file": file_name(scene),
        "tick_s": literal(tick_s),
        "scene": literal(scene),
        "seed": literal(seed),
        "settings": literal(settings),
        "actions": lines(actions),
        "ticks": literal(ticks),
    }
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], template())
