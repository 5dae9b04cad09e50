"""Figure 4: connections adapt to a changing input. Start reading at `experiment`."""

from synsamp.paper.fig4_adaptation.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
