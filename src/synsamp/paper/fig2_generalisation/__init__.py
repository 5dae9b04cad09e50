"""Figure 2: priors improve generalisation. Start reading at `experiment`."""

from synsamp.paper.fig2_generalisation.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
