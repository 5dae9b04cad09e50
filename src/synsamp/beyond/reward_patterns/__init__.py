"""Two populations learn from reward alone to respond to one of two patterns each."""

from synsamp.beyond.reward_patterns.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
