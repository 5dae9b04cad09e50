"""A slow twin of learning from reward: e, g and what g does to θ by Euler steps.

The rest is the twin of winner-take-all circuits, on the same random numbers. Prior and noise are
exact there, so Euler steps are compared with the closed form of e, g and φ.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from oracles.spiking_twin import Twin
from synsamp.priors import Flat
from synsamp.spiking import RewardGradient


@dataclass
class RewardTwin(Twin):
    step_s: float = 1e-4
    dopamine: dict = field(default_factory=dict)  # per circuit, 1 unless given

    def __post_init__(self):
        super().__post_init__()
        shapes = {p.name: self.theta[p.name].shape for p in self.rewarded()}
        self.e, self.g, self.phi = (
            {name: np.zeros(shape) for name, shape in shapes.items()} for _ in range(3)
        )
        self.met = set()  # bounds that stopped a synapse
        self.credited = {c.name: 0.0 for c in self.network.neurons}

    def rewarded(self, circuit=None):
        return [
            p
            for p in self.projections
            if isinstance(p.synapses.plasticity, RewardGradient)
            and p.plastic
            and circuit in (None, p.target)
        ]

    def pass_time(self, circuit, now):
        """Euler steps of de = −e/τ_e, dg = −g/τ_g + D e, dφ = −b/σ² φ + b c g."""
        elapsed = now - self.credited[circuit.name]
        self.credited[circuit.name] = now
        steps = int(np.ceil(elapsed / self.step_s))
        if steps == 0:
            return
        dopamine = self.dopamine.get(circuit.name, 1.0)
        for p in self.rewarded(circuit.name):
            rule, b = p.synapses.plasticity, p.synapses.speed
            pull = 0.0 if isinstance(p.synapses.prior, Flat) else p.synapses.prior.std**-2
            change = np.array(
                [
                    [-1 / rule.eligibility_s, 0.0, 0.0],
                    [dopamine, -1 / rule.gradient_s, 0.0],
                    [0.0, b * rule.weight, -b * pull],
                ]
            )
            step = np.eye(3) + elapsed / steps * change
            before = np.stack([each[p.name] for each in (self.e, self.g, self.phi)])
            after = np.einsum("ij,jkl->ikl", np.linalg.matrix_power(step, steps), before)
            self.e[p.name], self.g[p.name], self.phi[p.name] = after

    def eligibility(self, circuit, k, now, p):
        """e += dw/dθ x (1[wins] − p) where a synapse has an effect."""
        surprise = -p.copy()
        surprise[k] += 1.0
        self.add_eligibility(circuit, surprise, now)

    def add_eligibility(self, circuit, surprise, now):
        """e += dw/dθ x × spikes beyond those expected, per neuron."""
        for each in self.rewarded(circuit.name):
            theta = self.theta[each.name]
            active = theta > 0
            slope = np.zeros(theta.shape)
            slope[active] = each.synapses.mapping.slope(theta[active])
            x = self.epsps(each, now)
            self.e[each.name] += each.sign * surprise[:, None] * slope * x[None, :]

    def refresh(self, circuit, k, now):
        if now == self.refreshed[circuit.name][k]:
            return
        super().refresh(circuit, k, now)
        for p in self.rewarded(circuit.name):
            theta, rule = self.theta[p.name][k], p.synapses.plasticity
            exists = np.isfinite(theta)
            moved = theta[exists] + self.phi[p.name][k][exists]
            theta[exists] = np.clip(moved, p.synapses.theta_min, rule.theta_max)
            self.met |= {"floor"} if (theta[exists] == p.synapses.theta_min).any() else set()
            self.met |= {"ceiling"} if (moved > rule.theta_max).any() else set()
            self.phi[p.name][k] = 0.0
            self.e[p.name][k][theta <= 0] = 0.0
            self.g[p.name][k][theta <= 0] = 0.0

    def sweep(self, now):
        for circuit in self.network.neurons:
            self.pass_time(circuit, now)
        super().sweep(now)

    def learn_at(self, circuit, k, now, p):
        if self.rewarded(circuit.name):
            self.pass_time(circuit, now)
            self.eligibility(circuit, k, now, p)
            for each in range(circuit.size):
                if now - self.refreshed[circuit.name][each] >= self.drift_interval_s:
                    self.refresh(circuit, each, now)
        super().learn_at(circuit, k, now, p)

    def jump(self, circuit, k, now):
        for p in self.projections:
            if p.target == circuit.name and p.plastic and p not in self.rewarded():
                self.learn(p, k, now)

    def modulate(self, circuit, value, now):
        self.pass_time(circuit, now)
        self.dopamine[circuit.name] = value
