"""A two-armed bandit: does learning from reward visit the states that theory predicts?"""

from synsamp.beyond.bandit.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
