"""A lever to be moved down, then up: a network learns it from reward, and keeps on changing."""

from synsamp.beyond.lever.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
