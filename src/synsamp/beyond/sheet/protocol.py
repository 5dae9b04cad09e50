"""One run: from random wiring to the rule of distance, then a lesion in the middle of the sheet.

settle          after
|---------------|---------------|     the sheet, with a lesion
                |---------------|     twin: no lesion, same noise

Excitatory neurons ``e`` and inhibitory neurons ``i`` lie at random on a torus and fire
spontaneously. Half of the excitatory pairs within reach have a potential synapse. Its prior is a
Gaussian whose mean depends on distance in such a way that

    P(θ > 0) = near_probability · exp(−d/λ).

Functional synapses change by pair STDP, and grow at each presynaptic spike. Both balance if the
postsynaptic neuron fires at its target rate; onto neurons that fire less, synapses grow.
Connections to, from and among inhibitory neurons are fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from numba import njit
from scipy.stats import norm

from synsamp.beyond.shared.reward_network import Floats
from synsamp.beyond.sheet.parameters import SheetParameters
from synsamp.mappings import Exponential
from synsamp.priors import Gaussian
from synsamp.protocol import (
    Branch,
    Lesion,
    Protocol,
    Silence,
    active,
    births_deaths,
    every,
    rates,
)
from synsamp.seeds import named_seed
from synsamp.spiking import (
    CustomPlasticity,
    DistanceRule,
    DoubleExponential,
    Network,
    Projection,
    RemoveNeurons,
    StochasticNeurons,
    SynapseModel,
    Torus,
)
from synsamp.spiking.space import distances

LATERAL = "e->e"
"""The projection that learns."""
SHEET, PLACES, SYNAPSES = "sheet", "places", "synapses"
TWIN = f"{SHEET}/twin"
FIXED = Exponential(0.0)
"""Mapping of fixed synapses: ŵ = e^θ − 1."""


@njit
def on_post(synapse: Any, traces: Any, p: Any) -> float:
    """Potentiation by the EPSP of the input; the spike leaves a trace."""
    traces[0] += 1.0
    return p[0] * synapse.x if synapse.theta > 0 else 0.0


@njit
def on_pre(synapse: Any, traces: Any, p: Any) -> float:
    """Growth, minus depression by the trace of postsynaptic spikes."""
    return p[2] - p[1] * traces[0] if synapse.theta > 0 else 0.0


def run(p: SheetParameters, seed: int) -> Mapping[str, Any]:
    """Return the sheet with its branches, and where its neurons and synapses are."""
    network, s = build_network(p, seed), p.schedule
    often = {
        "active": every(s.record_every_s, active(LATERAL)),
        "rates": every(s.record_every_s, rates()),
    }
    lesion = [
        Lesion(
            RemoveNeurons(
                name, np.flatnonzero(from_centre(p, network, name) < p.lesion_mm).tolist()
            ),
            "in the middle of the sheet",
        )
        for name in ("e", "i")
    ]
    sheet = Protocol(
        network,
        [
            Silence(s.settle_s),
            Branch("twin", [Silence(s.after_s)], {**often, "turnover": births_deaths(LATERAL)}),
            *lesion,
            Silence(s.after_s),
        ],
        often,
        theta=start_of(p, network, seed),
        drift_interval_s=p.rule.drift_interval_s,
    )
    listed = network.synapses_of(LATERAL)
    synapses = {
        "pre": listed.pre,
        "post": listed.post,
        "distance": network.distances_of(LATERAL),
    }
    return {
        SHEET: sheet,
        PLACES: xr.Dataset(
            {
                "position": (("neuron", "axis"), points_of(network, "e")),
                "from_centre": ("neuron", from_centre(p, network, "e")),
            }
        ),
        SYNAPSES: xr.Dataset({name: ("synapse", each) for name, each in synapses.items()}),
    }


# -- the network --------------------


def functional_share(p: SheetParameters, apart: Floats) -> Floats:
    """The rule of distance: share of potential synapses that the prior makes functional."""
    return np.asarray(p.rule.near_probability * np.exp(-apart / p.rule.length_mm))


def growth(p: SheetParameters) -> float:
    """Change of θ/b at a presynaptic spike that balances STDP at the target rate.

    Without correlations, a presynaptic spike meets a trace of rate · τ, and a postsynaptic spike an
    EPSP of rate · (fall − rise).
    """
    epsp, rule = DoubleExponential(), p.rule
    area_s = epsp.fall_s - epsp.rise_s
    return rule.target_hz * (rule.depression * rule.trace_s - rule.potentiation * area_s)


def build_network(p: SheetParameters, seed: int) -> Network:
    """Excitatory neurons ``e`` and inhibitory neurons ``i`` on one torus."""
    w, rule = p.network, p.rule
    numbers = (rule.potentiation, rule.depression, growth(p))
    plasticity = CustomPlasticity(on_post, on_pre, numbers, (rule.trace_s,))
    learns = SynapseModel(
        Gaussian(0.0, rule.std),
        Exponential(rule.theta_0),
        plasticity,
        rule.speed,
        rule.temperature,
    )

    def number(name: str) -> int:
        return int(named_seed(seed, name).generate_state(1)[0])

    def population(name: str, size: int) -> StochasticNeurons:
        where = Torus(w.width_mm, w.width_mm, number(f"positions of {name}"))
        return StochasticNeurons(
            name, size, w.rate_hz, w.refractory_s, max_rate_hz=w.max_rate_hz, positions=where
        )

    def within_reach(share: Callable[[Floats], Floats], name: str) -> DistanceRule:
        return DistanceRule(share, w.reach_mm, number(name))

    def fixed(source: str, target: str) -> Projection:
        share = within_reach(lambda d: w.fixed_share * np.exp(-d / w.fixed_mm), source + target)
        sign = 1 if source == "e" else -1
        stays = SynapseModel(mapping=FIXED)
        return Projection(
            source, target, stays, w.delay_s, plastic=False, sign=sign, potential=share
        )

    lateral = Projection(
        "e",
        "e",
        learns,
        w.delay_s,
        potential=within_reach(lambda d: np.full(d.shape, w.potential_share), "lateral"),
        prior_mean=lambda d: rule.std * norm.ppf(functional_share(p, d)),
    )
    return Network(
        neurons=[population("e", w.excitatory), population("i", w.inhibitory)],
        projections=[lateral, fixed("e", "i"), fixed("i", "e"), fixed("i", "i")],
    )


def start_of(p: SheetParameters, network: Network, seed: int) -> dict[str, Floats]:
    """Initial θ: as many functional synapses as the prior has, at any distance."""
    share = functional_share(p, network.distances_of(LATERAL)).mean()
    rng = np.random.default_rng(named_seed(seed, "start"))
    mean = p.rule.std * float(norm.ppf(share))
    start = {LATERAL: rng.normal(mean, p.rule.std, network.synapses_of(LATERAL).size)}
    for name, weight in (
        ("e->i", p.network.excites),
        ("i->e", p.network.inhibits),
        ("i->i", p.network.inhibits),
    ):
        start[name] = np.full(network.synapses_of(name).size, FIXED.theta(1.0 + weight))
    return start


def points_of(network: Network, population: str) -> Floats:
    """Positions [neuron, axis] of a population."""
    found = next(c for c in network.neurons if c.name == population)
    assert found.positions is not None
    return found.positions.coordinates(found.size)


def from_centre(p: SheetParameters, network: Network, population: str) -> Floats:
    """Distance of each neuron from the middle of the sheet."""
    width_mm = p.network.width_mm
    middle = np.full(2, width_mm / 2)
    return distances(points_of(network, population), middle, (width_mm, width_mm))
