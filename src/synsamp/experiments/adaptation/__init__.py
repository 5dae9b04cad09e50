"""Figure 4: connections adapt to a changing input. Start reading at `experiment`."""

from synsamp.experiments.adaptation.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
