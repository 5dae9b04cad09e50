"""A Boltzmann machine small enough to write down every state: the slow truth about it."""

from __future__ import annotations

from itertools import product

import numpy as np


class TinyRBM:
    """All joint states of a machine with a few units, each with its probability."""

    def __init__(self, theta, n_visible, n_hidden):
        n = n_visible * n_hidden
        self.weights = theta[:n].reshape(n_hidden, n_visible)
        self.hidden_bias, self.visible_bias = theta[n : n + n_hidden], theta[n + n_hidden :]
        self.xs = np.array(list(product([0, 1], repeat=n_visible)), float)
        self.zs = np.array(list(product([0, 1], repeat=n_hidden)), float)
        boltzmann = np.array([[np.exp(-self.energy(x, z)) for z in self.zs] for x in self.xs])
        self.log_z = np.log(boltzmann.sum())
        self.joint = boltzmann / boltzmann.sum()
        self.of_x, self.of_z = self.joint.sum(1), self.joint.sum(0)
        self.z_given_x = self.joint / self.of_x[:, None]
        self.x_given_z = (self.joint / self.of_z[None]).T

    def energy(self, x, z):
        total = 0.0
        for i, zi in enumerate(z):
            total -= self.hidden_bias[i] * zi
            for j, xj in enumerate(x):
                total -= zi * self.weights[i, j] * xj
        for j, xj in enumerate(x):
            total -= self.visible_bias[j] * xj
        return total

    def presented(self, gray):
        """The distribution of x when an image with these gray values is shown."""
        return np.array([np.prod(np.where(x == 1, gray, 1 - gray)) for x in self.xs])

    def moments(self, joint):
        """Means of z_i x_j, z_i and x_j under a distribution of (x, z), in the order of θ."""
        pairs = np.einsum("ab,bi,aj->ij", joint, self.zs, self.xs)
        return np.concatenate([pairs.ravel(), joint.sum(0) @ self.zs, joint.sum(1) @ self.xs])

    def contrastive_divergence(self, gray, cycles):
        """The exact mean of the CD estimate for an image."""
        wake = self.presented(gray)[:, None] * self.z_given_x
        dream = wake
        for _ in range(cycles):
            dream = (dream.sum(0) @ self.x_given_z)[:, None] * self.z_given_x
        return self.moments(wake) - self.moments(dream)

    def gradient(self, gray):
        """The exact gradient of log p(x|θ), averaged over the presented x."""
        wake = self.presented(gray)[:, None] * self.z_given_x
        return self.moments(wake) - self.moments(self.joint)
