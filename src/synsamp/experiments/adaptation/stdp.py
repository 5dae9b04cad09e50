"""The timing curve of the rule (Fig. 4B, C), measured in the running engine.

A circuit of one neuron spikes as a Poisson process at its ρ_net whatever its input. So one such
circuit ``pre`` that projects to another, ``post``, gives independent spikes of known times, and
the recorded θ shows what each postsynaptic spike did: Δθ = b N w (x − α e^w). The prior is so wide
that it does nothing, T = 0 leaves out the noise, and b is so small that w stays what it was.
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.experiments.shared.digit_circuit import RuleSection
from synsamp.mappings import Exponential
from synsamp.priors import Gaussian
from synsamp.spiking import (
    Circuit,
    MemorySink,
    Network,
    Projection,
    Recording,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
)

WEIGHTS = (0.5, 1.0, 1.5)
SPARSE_HZ = 2.0
PAIRING_HZ = 20.0
LONGEST_LAG_S = 0.1
BIN_S = 0.0025
DURATION_S = 1000.0
B, N = 1e-12, 100.0


def measure_stdp(rule: RuleSection, seed: np.random.SeedSequence) -> xr.Dataset:
    """Change per postsynaptic spike, Δw/(b N w²), against the lag t_post − t_pre.

    ``sparse``: presynaptic spikes so rare that each pair is alone (B), for several w.
    ``pairing``: both sides at 20 Hz, mean over all pairs of a lag (C), for the largest w.
    """
    edges = np.arange(-LONGEST_LAG_S, LONGEST_LAG_S + BIN_S / 2, BIN_S)
    seeds = seed.spawn(len(WEIGHTS) + 1)
    sparse = [
        _curve(rule, weight, SPARSE_HZ, edges, one)
        for weight, one in zip(WEIGHTS, seeds, strict=False)
    ]
    pairing = _curve(rule, WEIGHTS[-1], PAIRING_HZ, edges, seeds[-1])
    return xr.Dataset(
        {
            "sparse": (("weight", "lag"), np.array([mean for mean, _ in sparse])),
            "sparse_error": (("weight", "lag"), np.array([error for _, error in sparse])),
            "pairing": ("lag", pairing[0]),
            "pairing_error": ("lag", pairing[1]),
            "sparse_law": (
                ("weight", "fine_lag"),
                np.array([_law(rule, weight, 0.0) for weight in WEIGHTS]),
            ),
            "pairing_law": ("fine_lag", _law(rule, WEIGHTS[-1], PAIRING_HZ)),
        },
        coords={
            "weight": list(WEIGHTS),
            "lag": (edges[1:] + edges[:-1]) / 2,
            "fine_lag": _fine_lags(),
        },
    )


def _fine_lags() -> NDArray[np.float64]:
    return np.linspace(-LONGEST_LAG_S, LONGEST_LAG_S, 801)


def _law(rule: RuleSection, weight: float, pre_hz: float) -> NDArray[np.float64]:
    """ε(lag) + the mean input of all other spikes − α e^w (Eq. wta_dd_like)."""
    lag = np.maximum(_fine_lags(), 0.0)
    rise_s, fall_s = 0.002, 0.020
    return (
        np.exp(-lag / fall_s)
        - np.exp(-lag / rise_s)
        + pre_hz * (fall_s - rise_s)
        - rule.alpha * math.exp(weight)
    )


def _curve(
    rule: RuleSection,
    weight: float,
    pre_hz: float,
    edges: NDArray[np.float64],
    seed: np.random.SeedSequence,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean change and its standard error in each bin of the lag."""
    pre_s, post_s, change = _record(rule, weight, pre_hz, seed)
    if pre_hz < PAIRING_HZ:  # pairs that no second presynaptic spike disturbs
        apart = np.diff(pre_s, prepend=-np.inf, append=np.inf)
        pre_s = pre_s[(apart[:-1] > 2 * LONGEST_LAG_S) & (apart[1:] > 2 * LONGEST_LAG_S)]
    first = np.searchsorted(post_s, pre_s - LONGEST_LAG_S)
    last = np.searchsorted(post_s, pre_s + LONGEST_LAG_S)
    which = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
    lag = post_s[which] - np.repeat(pre_s, last - first)
    values = change[which] / (B * N * weight)
    place = np.digitize(lag, edges) - 1
    inside = (place >= 0) & (place < edges.size - 1)
    place, values = place[inside], values[inside]
    count = np.bincount(place, minlength=edges.size - 1)
    mean = np.bincount(place, values, minlength=edges.size - 1) / count
    square = np.bincount(place, values**2, minlength=edges.size - 1) / count
    return mean, np.sqrt(np.maximum(square - mean**2, 0.0) / count)


def _record(
    rule: RuleSection, weight: float, pre_hz: float, seed: np.random.SeedSequence
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Presynaptic spikes, postsynaptic spikes, and Δθ at each of the latter."""
    wide = SynapseModel(
        prior=Gaussian(0.0, 1e6),
        mapping=Exponential(rule.theta_0),
        plasticity=SpikeLikelihood(N=N, alpha=rule.alpha),
        speed=B,
        temperature=0.0,
    )
    network = Network(
        circuits=[Circuit("pre", 1, pre_hz), Circuit("post", 1, PAIRING_HZ)],
        projections=[Projection("pre", "post", wide)],
    )
    sink = MemorySink()
    start = rule.theta_0 + math.log(weight)
    record = Recording(spikes=True, traces={"pre->post": [(0, 0)]})
    Simulation(
        network,
        seed=seed,
        grid_s=DURATION_S,
        refresh_s=DURATION_S,
        record=record,
        sink=sink,
        theta={"pre->post": start},
    ).run(DURATION_S)
    spikes, trace = sink["spikes"], sink["traces"]
    theta = np.concatenate([[start], trace["theta"]])
    pre, post = (spikes["time_s"][spikes["neuron"] == k] for k in (0, 1))
    # An update is written after every postsynaptic spike and at refreshes, where nothing moves.
    moved = np.isin(trace["time_s"], post)
    return pre, trace["time_s"][moved], np.diff(theta)[moved]
