"""A slow twin of stochastic neurons that learn from reward.

Candidates come from the twin of stochastic neurons, from the twin of reward the Euler steps of e, g
and φ. Candidates that are rejected stand for the spikes that were to be expected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracles.event_by_event_twin import MARGIN, InOrderTwin
from oracles.reward_twin import RewardTwin


@dataclass
class FreeRewardTwin(RewardTwin, InOrderTwin):
    def margin(self, c):
        return 2 * MARGIN if self.rewarded(c.name) else MARGIN

    saturated: int = 0

    def slope(self, c, k):
        """∂log ρ/∂u: 0 where the rate rises no further."""
        above = c.rate_hz * np.exp(self.potential(c, self.now)[k]) > c.max_rate_hz
        self.saturated += int(above)
        return 0.0 if above else 1.0

    def worth(self, spiked, chance):
        """What a candidate counts: a spike, or the spikes expected that it stands for."""
        return 1.0 if spiked else -chance / (1.0 - chance)

    def consider(self, c, k, spiked, chance):
        if not self.rewarded(c.name):
            return
        self.pass_time(c, self.now)
        surprise = np.zeros(c.size)
        surprise[k] = self.slope(c, k) * self.worth(spiked, chance)
        self.add_eligibility(c, surprise, self.now)
        if self.now - self.refreshed[c.name][k] >= self.drift_interval_s:
            self.refresh(c, k, self.now)

    def update_all(self):
        for c in self.network.neurons:
            self.pass_time(c, self.now)
        super().update_all()
