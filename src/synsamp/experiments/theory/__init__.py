"""Theorem 1 and what follows from it, as claims. Start reading at `experiment`."""

from synsamp.experiments.theory.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
