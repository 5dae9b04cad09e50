"""Theorem 1 and its consequences, as claims. Start reading at `experiment`."""

from synsamp.paper.theorem1.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
