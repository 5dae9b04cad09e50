"""Figure 3: spine motility as synaptic sampling. Start reading at `experiment`."""

from synsamp.paper.fig3_motility.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
