"""The noise of single spikes in the engine, against its formula (docs/reference/fig3-methods.md).

At each spike of a neuron Δθ = b N w (x − α e^w). Where the likelihood is at rest, E x = α e^w,
spikes at rate r give θ the variance r b² N² w² V per second, with V = Var(x) (1 + 2 r c): the x of
neighbouring spikes are alike, as they share their EPSPs for a time c.
"""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.mappings import Exponential
from synsamp.spiking import SpikeLikelihood, SynapseModel, winner_take_all_network
from synsamp.spiking.simulation import Simulation

pytestmark = pytest.mark.statistical

RATE_HZ, INPUT_HZ, N, SPEED = 10.0, 50.0, 100.0, 1e-6
FALL_S, RISE_S = 0.020, 0.002
AREA_S = FALL_S - RISE_S
SQUARE_S = FALL_S / 2 + RISE_S / 2 - 2 * FALL_S * RISE_S / (FALL_S + RISE_S)
MEAN, VARIANCE = INPUT_HZ * AREA_S, INPUT_HZ * SQUARE_S  # Campbell: of x = Σ ε(t − t_k)
ALIKE_S = 0.5 * AREA_S**2 / SQUARE_S  # ∫ of the correlation of x over the time between spikes


def variance_per_second(weight, seconds=10.0, windows=12, n_inputs=2000):
    """Of θ among the inputs of one neuron without any Wiener noise; mean over windows."""
    theta = 3.0 + np.log(weight)
    likelihood = SpikeLikelihood(
        data_size=N, alpha=MEAN * np.exp(-weight)
    )  # at rest at this weight
    synapses = SynapseModel(
        plasticity=likelihood, mapping=Exponential(3.0), speed=SPEED, temperature=0.0
    )
    network = winner_take_all_network(n_inputs, 1, synapses, rate_hz=RATE_HZ)
    simulation = Simulation(
        network,
        np.full(n_inputs, INPUT_HZ),
        seed=1,
        drift_interval_s=seconds,
        sync_interval_s=seconds,
        theta={"x->z": theta},
    )
    found, before = [], simulation.theta("x->z").copy()
    for _ in range(windows):
        simulation.run(seconds)
        now = simulation.theta("x->z").copy()
        found.append((now - before).var() / seconds)
        before = now
    return np.mean(found)


@pytest.mark.parametrize("weight", [0.05, 1.0, 2.0])
def test_single_spikes_move_weights_as_the_formula_says(weight):
    alone = RATE_HZ * (SPEED * N * weight) ** 2 * VARIANCE
    expected = alone * (1 + 2 * RATE_HZ * ALIKE_S)
    found = variance_per_second(weight)
    # About 1,200 spikes: their number scatters by 3 %, and so does what they share.
    assert found == pytest.approx(expected, rel=0.15)
    assert found > 1.2 * alone, "the control: spikes that share no EPSP"


def test_at_the_papers_speed_it_is_more_than_the_noise_of_the_rule():
    """r b N² w² V/2 against T = 1 at b = 1e-4: the numbers of the page."""
    share = 0.5 * RATE_HZ * 1e-4 * N**2 * VARIANCE * np.array([0.05, 1.0, 2.0]) ** 2
    assert share == pytest.approx([0.0046, 1.84, 7.36], rel=0.01)
    assert share * (1 + 2 * RATE_HZ * ALIKE_S) == pytest.approx([0.0066, 2.65, 10.6], rel=0.01)
