"""Figure 2: priors improve generalization. Start reading at `experiment`."""

from synsamp.experiments.generalization.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
