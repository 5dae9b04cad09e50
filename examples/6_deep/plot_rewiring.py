"""
Which pixels does a rewired network connect to?
===============================================

A layer has 300 connections, always. Connections that do not help disappear, and each is replaced by a random
one. After training they sit where the digits are.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax

import synsamp.jax as sj
from synsamp.data import EmbeddedDigits

digits = EmbeddedDigits().load().train
x, y = jnp.asarray(digits.pixels[:500].reshape(-1, 784)), jnp.asarray(digits.labels[:500] - 1)
layer = sj.HardRewiring((784, 10), connections=300, cost=1e-3)
theta, wires = layer.start(key=1)
optimiser = sj.sampling(prior=layer.prior, speed=0.5, temperature=1e-5)
state = optimiser.init(theta)


def loss(theta, wires):  # five units vote for ones, five for twos
    votes = layer.apply(theta, wires, x).reshape(-1, 2, 5).sum(-1)
    return optax.softmax_cross_entropy_with_integer_labels(votes, y).mean()


@jax.jit
def step(carry, key):
    theta, wires, state = carry
    updates, state = optimiser.update(jax.grad(loss)(theta, wires), state, theta)
    return (*layer.rewire(key, optax.apply_updates(theta, updates), wires), state), None


carry, _ = jax.lax.scan(step, (theta, wires, state), jax.random.split(jax.random.key(0), 1500))
figure, axes = plt.subplots(1, 2, figsize=(6, 3.2))
for axis, (_, w), title in zip(
    axes, ((theta, wires), carry[:2]), ("At the start", "After 1,500 steps"), strict=True
):
    inputs = np.asarray(w.places) // 10
    axis.imshow(np.bincount(inputs, minlength=784).reshape(28, 28), cmap="Greys", vmax=4)
    axis.set(title=title, xticks=[], yticks=[])
