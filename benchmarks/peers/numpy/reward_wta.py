"""Learning from reward in a winner-take-all circuit: the equations in NumPy, time step dt.

    python reward_wta.py INPUT.npz OUTPUT.npz

    x      Σ exp(−s/20 ms) − exp(−s/2 ms) over the spikes of an input     EPSP
    w      exp(θ − 3) − exp(−3) for θ > 0, else 0;   p = softmax(w x)
    de   = −e/τ_e dt + exp(θ − 3) x (dn_k − p_k dn)                       n spikes of the circuit
    dg   = (−g/τ_g + D e) dt
    dθ   = b ((μ − θ)/σ² + c g) dt + sqrt(2 T b) dW,  floor <= θ <= ceiling;  e = g = 0 for θ <= 0

All synapses are updated once per time step; a step has a Poisson number of spikes, so that counts
have the right distribution for any dt. Dopamine D is constant for a period. Either it is given, or
it depends on the spikes of the previous period: r is the mean worth of a spike (a spike of neuron
k is worth ``worth[k]``, and rate_hz period_s of them are expected),

    D = r / max(mean, least) + offset,   mean <- r + (mean − r) exp(−period/τ_mean),   first r = 0.

INPUT.npz: rates_hz[input], theta0[neuron, input], rate_hz (of the circuit), tau_e_s, tau_g_s, c, b,
T, mu, sigma, floor, ceiling, duration_s, dt_s, period_s, runs (networks side by side), seed, and
dopamine[period], or worth[neuron], mean_s, least, offset.
OUTPUT.npz: e, g, theta [run, neuron, input] at the end; spikes[run, neuron]; reward[run, period] (0
where dopamine is given); seconds (wall clock or processor, whichever is less).
"""

import sys
import time

import numpy as np

given = np.load(sys.argv[1])
(
    rate_hz, tau_e, tau_g, c, b, T, mu, sigma, floor, ceiling, duration_s, dt, period_s
) = (
    float(given[name])
    for name in (
        "rate_hz", "tau_e_s", "tau_g_s", "c", "b", "T", "mu", "sigma", "floor", "ceiling",
        "duration_s", "dt_s", "period_s",
    )
)  # fmt: skip
rng = np.random.default_rng(int(given["seed"]))
runs, rates_hz = int(given["runs"]), given["rates_hz"]
n_neurons, n_inputs = given["theta0"].shape
periods, steps = round(duration_s / period_s), round(period_s / dt)

theta = np.tile(given["theta0"], (runs, 1, 1))
e, g = np.zeros(theta.shape), np.zeros(theta.shape)
fall, rise = np.zeros((runs, n_inputs)), np.zeros((runs, n_inputs))
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
    for _ in range(steps):
        arrived = rng.poisson(rates_hz * dt, (runs, n_inputs))
        fall = fall * np.exp(-dt / 0.020) + arrived
        rise = rise * np.exp(-dt / 0.002) + arrived
        x = fall - rise
        functional = theta > 0
        slope = np.where(functional, np.exp(theta - 3), 0.0)
        w = np.where(functional, slope - np.exp(-3), 0.0)
        u = (w @ x[:, :, None])[:, :, 0]
        p = np.exp(u - u.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        n = rng.poisson(rate_hz * dt, runs)
        fired = rng.multinomial(n, p)
        spikes += fired
        surprise = fired - n[:, None] * p
        drift = b * ((mu - theta) / sigma**2 + c * g)
        g += (dopamine[:, None, None] * e - g / tau_g) * dt
        e += slope * x[:, None, :] * surprise[:, :, None] - e / tau_e * dt
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
