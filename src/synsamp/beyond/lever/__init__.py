"""A network learns from reward to move a lever while its connections keep changing."""

from synsamp.beyond.lever.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
