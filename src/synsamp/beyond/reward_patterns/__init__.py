"""Two patterns, two populations: reward alone tells which is to answer to which."""

from synsamp.beyond.reward_patterns.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
