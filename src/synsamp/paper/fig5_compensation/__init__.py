"""Figure 5 and S1: inherent compensation for lesions. Start reading at `experiment`."""

from synsamp.paper.fig5_compensation.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
