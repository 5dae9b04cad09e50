"""Figure 1: maximum likelihood against synaptic sampling. Start reading at `experiment`."""

from synsamp.paper.fig1_landscape.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
