"""What averaging over samples of a network gives. Start reading at `experiment`."""

from synsamp.beyond.ensemble_mnist.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
