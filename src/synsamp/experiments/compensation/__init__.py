"""Figure 5 and S1: inherent compensation for lesions. Start reading at `experiment`."""

from synsamp.experiments.compensation.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
