"""Beyond Figure 2: which prior generalises best. Start reading at `experiment`."""

from synsamp.paper.fig2_prior_comparison.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
