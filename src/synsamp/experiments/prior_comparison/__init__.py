"""Beyond Figure 2: which prior generalises best. Start reading at `experiment`."""

from synsamp.experiments.prior_comparison.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
