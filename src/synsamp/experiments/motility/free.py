"""The synapses of a circuit that never spikes: prior and noise alone (Fig. 3B, D).

Without postsynaptic spikes the likelihood term is silent and the rule is an Ornstein–Uhlenbeck
process with the prior as its law; w = exp(θ − θ0) is then log-normal. Run in the engine itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from synsamp.analysis.ornstein_uhlenbeck import OrnsteinUhlenbeck, estimate_ornstein_uhlenbeck
from synsamp.experiments.shared.digit_circuit import (
    SYNAPSES,
    CircuitSection,
    RuleSection,
    build_network,
    build_synapses,
)
from synsamp.spiking import Simulation

SILENT_HZ = 1e-12
POINTS_PER_RELAXATION = 5
RELAXATIONS = 40
SHORT = 0.005
"""Window of single changes, in relaxation times: so short that the prior hardly pulls."""
ESTIMATED = 500
"""Synapses from which the process is estimated: 100,000 steps are enough and quick."""


class Free(NamedTuple):
    """θ [time, synapse] on a grid, θ ``short_s`` after its end, and what was found in it."""

    theta: NDArray[np.float64]
    shortly_after: NDArray[np.float64]
    short_s: float
    law_p: float  # Kolmogorov–Smirnov against the prior
    log_normal_p: float  # of w, by its logarithm's skewness and kurtosis
    estimate: OrnsteinUhlenbeck


def run_free(
    rule: RuleSection, circuit: CircuitSection, n_inputs: int, seed: np.random.SeedSequence
) -> Free:
    """Start all synapses at θ = 0, let them relax, and watch for 40 relaxation times."""
    relaxation_s = rule.prior_std**2 / rule.b
    step_s = relaxation_s / POINTS_PER_RELAXATION
    silent = circuit.model_copy(update={"rate_hz": SILENT_HZ})
    network = build_network(n_inputs, silent, build_synapses(rule))
    watched, shortly = seed.spawn(2)
    sim = Simulation(network, seed=watched, grid_s=step_s, theta={SYNAPSES: 0.0})
    sim.run(10 * relaxation_s)  # what is left of the start: e^−10
    rows = [sim.theta(SYNAPSES).ravel()]
    for _ in range(RELAXATIONS * POINTS_PER_RELAXATION):
        sim.run(step_s)
        rows.append(sim.theta(SYNAPSES).ravel())
    theta = np.stack(rows)
    short_s = SHORT * relaxation_s
    end = {SYNAPSES: sim.theta(SYNAPSES)}
    after = Simulation(network, seed=shortly, grid_s=short_s, theta=end).run(short_s)
    shortly_after = after.theta(SYNAPSES).ravel()
    last = theta[-1]
    law = stats.kstest(last, stats.norm(rule.prior_mean, rule.prior_std * np.sqrt(rule.T)).cdf)
    weight = np.exp(last - rule.theta_0)
    return Free(
        theta,
        shortly_after,
        short_s,
        float(law.pvalue),
        float(stats.normaltest(np.log(weight)).pvalue),
        estimate_ornstein_uhlenbeck(theta[:-1, :ESTIMATED], theta[1:, :ESTIMATED], step_s),
    )
