"""Two arms, known odds: does learning from reward visit the states that theory says?"""

from synsamp.beyond.bandit.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
