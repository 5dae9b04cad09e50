"""Deep rewiring on handwritten digits. Start reading at `experiment`."""

from synsamp.beyond.rewiring_mnist.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
