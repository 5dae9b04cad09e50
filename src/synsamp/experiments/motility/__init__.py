"""Figure 3: spine motility as synaptic sampling. Start reading at `experiment`."""

from synsamp.experiments.motility.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
