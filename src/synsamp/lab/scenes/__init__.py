"""The scenes of the lab, one file each; a file is imported when its scene opens."""

from collections.abc import Callable
from importlib import import_module

from synsamp.lab.scene import Scene

_FILES = {
    "digits": "DigitsScene",
    "landscape": "LandscapeScene",
    "spines": "SpinesScene",
    "senses": "SensesScene",
    "reward": "RewardScene",
}


def _loader(name: str) -> Callable[[], Scene]:
    def load() -> Scene:
        found = getattr(import_module(f"synsamp.lab.scenes.{name}"), _FILES[name])()
        assert isinstance(found, Scene)
        return found

    return load


SCENES: dict[str, Callable[[], Scene]] = {name: _loader(name) for name in _FILES}
