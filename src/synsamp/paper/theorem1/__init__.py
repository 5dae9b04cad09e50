"""Theorem 1 and what follows from it, as claims. Start reading at `experiment`."""

from synsamp.paper.theorem1.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
