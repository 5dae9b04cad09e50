"""The engine against its slow twin, fed the same random draws, spike by spike."""

from types import SimpleNamespace

import numpy as np
import pytest

from oracles.spiking_twin import Twin
from synsamp.mappings import Exponential, Softplus
from synsamp.priors import Gaussian, GaussianMixture
from synsamp.spiking import (
    ChangeClip,
    EventLog,
    InOrder,
    InputGroup,
    Network,
    Projection,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    WinnerTakeAll,
    winner_take_all_network,
)

FAST = {
    "speed": 2e-3,
    "plasticity": SpikeLikelihood(data_size=20.0),
}  # so that θ moves visibly in the short time a twin can afford


def shown(rng, n_inputs, n=4, n_segments=2):
    return [
        SimpleNamespace(
            durations_s=rng.uniform(0.02, 0.06, n_segments),
            rates_hz=np.minimum(rng.gamma(0.5, 60.0, (n_segments, n_inputs)), 100.0),
        )
        for _ in range(n)
    ]


def rich_network(scale=1, rate_hz=None):
    """Everything at once: two input groups, unequal circuits, delays, masks, kinds of rule."""
    rng = np.random.default_rng(5)
    n_x, n_a = 12 * scale, 4 * scale
    half = rng.random((n_a, n_x)) < 0.5
    graded = Gaussian(np.linspace(0.0, 1.0, 9), np.linspace(0.5, 1.5, 9))
    other = SynapseModel(
        prior=GaussianMixture(),
        mapping=Softplus(0.7),
        plasticity=SpikeLikelihood(data_size=20.0, clip=ChangeClip(3.0)),
        max_euler_step=2e-4,
        speed=2e-3,
    )
    rates = (60.0, 100.0) if rate_hz is None else (rate_hz, rate_hz)
    return Network(
        inputs=[InputGroup("x", n_x), InputGroup("y", 9)],
        neurons=[
            WinnerTakeAll("a", n_a, rate_hz=rates[0]),
            WinnerTakeAll("b", 11, rate_hz=rates[1]),
        ],
        projections=[
            Projection("y", "b", SynapseModel(prior=graded, **FAST), delay_s=0.003),
            Projection("x", "a", SynapseModel(**FAST), mask=half, name="half"),
            Projection("x", "a", other, mask=~half, name="other half"),
            Projection("y", "a", SynapseModel(**FAST), plastic=False),
            Projection("b", "b", SynapseModel(temperature=0.5, **FAST), delay_s=0.005),
            Projection(
                "a", "b", SynapseModel(temperature=0.5, **FAST), delay_s=0.005
            ),  # one block with the former
            Projection("b", "a", SynapseModel(mapping=Exponential(2.0), **FAST), delay_s=0.002),
        ],
    )


def start_values(network, seed=3):
    rng = np.random.default_rng(seed)
    return {p.name: rng.normal(1.5, 1.2, network.mask_of(p).shape) for p in network.projections}


def compare(network, library, drift_interval_s, sync_interval_s, duration_s, theta_tolerance):
    theta = start_values(network)
    twin = Twin(network, library, 11, theta, drift_interval_s, sync_interval_s).run(duration_s)
    sim = Simulation(
        network,
        InOrder(library),
        seed=11,
        theta=theta,
        drift_interval_s=drift_interval_s,
        sync_interval_s=sync_interval_s,
        observer=EventLog("spikes"),
    ).run(duration_s)
    spikes = sim.observer["spikes"]
    assert len(twin.spike_s) > 300
    np.testing.assert_array_equal(spikes["neuron"], twin.spike_neuron)
    np.testing.assert_allclose(spikes["time_s"], twin.spike_s, rtol=1e-13)
    for p in network.projections:
        mine = sim.theta(p.name)
        np.testing.assert_array_equal(np.isnan(mine), np.isneginf(twin.theta[p.name]))
        exists = np.isfinite(mine)
        np.testing.assert_allclose(
            mine[exists], twin.theta[p.name][exists], atol=theta_tolerance, rtol=0, err_msg=p.name
        )
        moved = np.abs(mine - np.maximum(theta[p.name], p.synapses.theta_min))[exists].max()
        assert moved > 100 * theta_tolerance or not p.plastic
    return sim, twin


@pytest.mark.parametrize("drift_interval_s", [0.0, 0.05])
def test_every_spike_and_every_theta_agree_on_a_rich_network(drift_interval_s):
    rng = np.random.default_rng(0)
    library = {"x": shown(rng, 12), "y": shown(rng, 9)}
    for part, other in zip(library["x"], library["y"], strict=True):
        other.durations_s = part.durations_s
    compare(rich_network(), library, drift_interval_s, 0.25, 3.0, 2e-5)


def test_potentials_agree_with_direct_sums():
    rng = np.random.default_rng(1)
    network = winner_take_all_network(40, 6, SynapseModel(**FAST))
    library = {"x": shown(rng, 40)}
    theta = start_values(network)
    twin = Twin(network, library, 11, theta, 0.0, 1.0).run(1.5)
    sim = Simulation(
        network, InOrder(library), seed=11, theta=theta, drift_interval_s=0.0, sync_interval_s=1.0
    )
    for time_s, expected in zip(twin.spike_s, twin.potentials, strict=True):
        sim.run(np.nextafter(time_s, 0.0) - sim.time_s)
        np.testing.assert_allclose(sim.potentials("z"), expected, atol=3e-5)


def test_the_twin_would_notice_a_wrong_kernel(monkeypatch):
    """Negative control: another rise time in the twin alone makes the two part ways."""
    rng = np.random.default_rng(2)
    network = winner_take_all_network(20, 5, SynapseModel(**FAST))
    library = {"x": shown(rng, 20)}
    monkeypatch.setattr(
        "oracles.spiking_twin.double_exponential",
        lambda s, kernel: np.where(
            np.asarray(s) >= 0,
            np.exp(-np.maximum(s, 0.0) / kernel.fall_s)
            - np.exp(-np.maximum(s, 0.0) / (1.05 * kernel.rise_s)),
            0.0,
        ),
    )
    with pytest.raises(AssertionError):
        compare(network, library, 0.0, 1.0, 5.0, 2e-5)
