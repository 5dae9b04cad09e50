"""Fig. 1: maximum likelihood learning and synaptic sampling. Start reading at `experiment`."""

from synsamp.paper.fig1_landscape.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
