"""The scenes of the lab, one file each."""

from synsamp.lab.scene import Scene
from synsamp.lab.scenes.digits import Digits

SCENES: dict[str, type[Scene]] = {scene.name: scene for scene in (Digits,)}
