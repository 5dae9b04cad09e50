"""Stochastic neurons that learn from reward: the equations in NumPy, time step dt.

    python reward_free.py INPUT.npz OUTPUT.npz

    x      Σ exp(−s/20 ms) − exp(−s/2 ms) over the spikes of an input     EPSP
    w      exp(θ − 3) − exp(−3) for θ > 0, else 0;   u = w x + β
    ρ      rate_hz exp(u), 0 for dead_s after a spike
    dβ   = (goal_hz dt − dn)/τ_β                                          homeostasis; n spikes
    de   = −e/τ_e dt + exp(θ − 3) x (dn − ρ dt)
    dg   = (−g/τ_g + D e) dt
    dθ   = b ((μ − θ)/σ² + c g) dt + sqrt(2 T b) dW,  floor <= θ <= ceiling;  e = g = 0 for θ <= 0

Everything happens once per time step, for all synapses. In a step a neuron spikes at most once,
with probability 1 − exp(−∫ρ), which also is the mean of ∫ρ up to the spike; the spike falls
anywhere in the step, and the step in which a neuron comes back counts by the part that is left.
Dopamine D is constant for a period. Either it is given, or it tells who spiked in the one before: a
spike of neuron k is worth ``worth[k]``, r is their sum over rate_hz period_s,

    D = r / max(mean, least) + offset,   mean <- r + (mean − r) exp(−period/τ_mean),   first r = 0.

INPUT.npz: rates_hz[input], theta0[neuron, input], rate_hz, dead_s, goal_hz, tau_beta_s, tau_e_s,
tau_g_s, c, b, T, mu, sigma, floor, ceiling, duration_s, dt_s, period_s, runs (networks side by
side), seed, and dopamine[period], or worth[neuron], mean_s, least, offset.
OUTPUT.npz: e, g, theta [run, neuron, input] at the end; spikes[run, neuron]; reward[run, period] (0
where dopamine is given); seconds (wall clock or processor, whichever is less).
"""

import sys
import time

import numpy as np

given = np.load(sys.argv[1])
(
    rate_hz, dead_s, goal_hz, tau_beta, tau_e, tau_g, c, b, T, mu, sigma, floor, ceiling,
    duration_s, dt, period_s,
) = (
    float(given[name])
    for name in (
        "rate_hz", "dead_s", "goal_hz", "tau_beta_s", "tau_e_s", "tau_g_s", "c", "b", "T", "mu",
        "sigma", "floor", "ceiling", "duration_s", "dt_s", "period_s",
    )
)  # fmt: skip
rng = np.random.default_rng(int(given["seed"]))
runs, rates_hz = int(given["runs"]), given["rates_hz"]
n_neurons, n_inputs = given["theta0"].shape
periods, steps = round(duration_s / period_s), round(period_s / dt)

theta = np.tile(given["theta0"], (runs, 1, 1))
e, g = np.zeros(theta.shape), np.zeros(theta.shape)
fall, rise = np.zeros((runs, n_inputs)), np.zeros((runs, n_inputs))
beta, ready_s = np.zeros((runs, n_neurons)), np.zeros((runs, n_neurons))
spikes = np.zeros((runs, n_neurons), int)
mean, reward = np.zeros(runs), np.zeros((runs, periods))
closed = "worth" in given
dopamine = np.full(runs, float(given["offset"])) if closed else None
noise = np.sqrt(2 * T * b * dt)

start, used = time.perf_counter(), time.process_time()
for period in range(periods):
    before = spikes.copy()
    if not closed:
        dopamine = np.full(runs, given["dopamine"][period])
    for step in range(steps):
        now = (period * steps + step) * dt
        arrived = rng.poisson(rates_hz * dt, (runs, n_inputs))
        fall = fall * np.exp(-dt / 0.020) + arrived
        rise = rise * np.exp(-dt / 0.002) + arrived
        x = fall - rise
        functional = theta > 0
        slope = np.where(functional, np.exp(theta - 3), 0.0)
        w = np.where(functional, slope - np.exp(-3), 0.0)
        u = (w @ x[:, :, None])[:, :, 0] + beta
        alive_s = np.clip(now + dt - ready_s, 0.0, dt)
        expected = -np.expm1(-rate_hz * np.exp(u) * alive_s)
        fired = rng.random(u.shape) < expected
        at_s = now + dt - alive_s * rng.random(u.shape)
        ready_s = np.where(fired, at_s + dead_s, ready_s)
        spikes += fired
        beta += (goal_hz * dt - fired) / tau_beta
        drift = b * ((mu - theta) / sigma**2 + c * g)
        g += (dopamine[:, None, None] * e - g / tau_g) * dt
        e += slope * x[:, None, :] * (fired - expected)[:, :, None] - e / tau_e * dt
        theta += drift * dt + noise * rng.standard_normal(theta.shape)
        np.clip(theta, floor, ceiling, out=theta)
        retracted = theta <= 0
        e[retracted] = 0.0
        g[retracted] = 0.0
    if closed:
        r = (spikes - before) @ given["worth"] / (rate_hz * period_s)
        mean = r + (mean - r) * np.exp(-period_s / float(given["mean_s"]))
        dopamine = r / np.maximum(mean, float(given["least"])) + float(given["offset"])
        reward[:, period] = r
seconds = min(time.perf_counter() - start, time.process_time() - used)
np.savez(sys.argv[2], e=e, g=g, theta=theta, spikes=spikes, reward=reward, seconds=seconds)
