"""A scene that only counts ticks, so that engine processes of tests start at once."""

from __future__ import annotations

import os

import numpy as np

from synsamp.errors import SynsampError
from synsamp.lab.knobs import Knob
from synsamp.lab.scene import Look, Scene, SceneModel


class Counting(SceneModel):
    def __init__(self, seed):
        self.tick, self.seed = 0, seed

    def advance(self, ticks):
        self.tick += ticks

    def set(self, settings, name):
        pass

    def save(self):
        return self.tick, self.seed

    def restored(self, saved):
        other = Counting(saved[1])
        other.tick = saved[0]
        return other

    def look(self, want, pointer):
        found = Look()
        found.arrays["ticks"] = np.array([self.tick])
        return found

    def theta(self):
        return {"theta": np.array([float(self.tick)])}


class Toy(Scene):
    name = "toy"
    title = "Toy"
    tick_s = 1.0
    knobs = (Knob("temperature", "T", "temperature", 1.0, high=10.0),)

    def model(self, seed, settings):
        return Counting(seed)


def toy_scenes():
    return {"toy": Toy}


def crashing():
    """Scenes whose engine ends at once."""
    os._exit(7)


def without_scene():
    """A file that holds no network."""
    raise SynsampError("mine.py must define network, got nothing")
