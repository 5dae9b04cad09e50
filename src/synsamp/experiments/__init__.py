"""Experiments: what one consists of (`base`), and the list of all of them (`registry`)."""

from synsamp.experiments.base import (
    Experiment,
    GaussianSection,
    Parameters,
    Results,
    RunContext,
)

__all__ = ["Experiment", "GaussianSection", "Parameters", "Results", "RunContext"]
