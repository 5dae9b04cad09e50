"""Nothing of a saved state is used before it was checked, and what differs is named."""

import copy
from dataclasses import replace

import numpy as np
import pytest

from synsamp.errors import SynsampError
from synsamp.mappings import Exponential, Softplus
from synsamp.priors import Gaussian
from synsamp.spiking import (
    ChangeClip,
    InputGroup,
    Network,
    Projection,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    WinnerTakeAll,
)

MODEL = SynapseModel()
MASK = np.arange(12).reshape(3, 4) % 3 > 0


def network(model=MODEL, mask=MASK, delay_s=0.003, rate_hz=100.0):
    return Network(
        [InputGroup("x", 4)],
        [WinnerTakeAll("z", 3, rate_hz=rate_hz)],
        [
            Projection("x", "z", model, mask=mask, delay_s=delay_s),
            Projection("z", "z", delay_s=0.005),
        ],
    )


RATES = np.array([5.0, 30.0, 0.0, 60.0])


@pytest.fixture(scope="module")
def saved():
    return Simulation(network(), RATES, seed=3).run(13.3).state()


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (network(replace(MODEL, prior=Gaussian(0.4, 1.0))), "prior of projection 'x->z'"),
        (network(replace(MODEL, mapping=Exponential(2.9))), "mapping of projection 'x->z'"),
        (network(replace(MODEL, mapping=Softplus(1.0))), "mapping of projection 'x->z'"),
        (
            network(replace(MODEL, plasticity=SpikeLikelihood(clip=ChangeClip()))),
            "plasticity of projection 'x->z'",
        ),
        (network(replace(MODEL, speed=2e-4)), "speed of projection 'x->z'"),
        (network(replace(MODEL, temperature=0.5)), "temperature of projection 'x->z'"),
        (network(replace(MODEL, theta_min=-4.0)), "theta_min of projection 'x->z'"),
        (network(mask=~MASK), "mask of projection 'x->z'"),
        (network(delay_s=0.004), "delay_s of projection 'x->z'"),
        (network(rate_hz=99.0), "circuit 'z'"),
    ],
)
def test_another_network_raises_an_error_and_the_difference_named(saved, other, named):
    with pytest.raises(SynsampError) as caught:
        Simulation.from_state(other, saved, RATES)
    assert "network must be the one the state was saved from" in str(caught.value)
    assert named in str(caught.value)


def changed(state, path, value):
    """A copy of the state with one entry exchanged."""
    state = copy.deepcopy(state)
    *folders, name = path.split(".")
    place = state
    for folder in folders:
        place = place[folder]
    place[name] = value(place.get(name)) if callable(value) else value
    return state


def with_value(index, value):
    def change(values):
        values = values.copy()
        values.flat[index] = value
        return values

    return change


DAMAGE = [
    ("time_s", float("nan")),
    ("time_s", -1.0),
    ("time_s", "now"),
    ("drift_interval_s", float("nan")),
    ("sync_interval_s", 0.0),
    ("network", {}),
    ("network", None),
    ("synapses", {}),
    ("synapses.theta", lambda v: v[:-16]),
    ("synapses.theta", lambda v: v.astype(np.float32)),
    ("synapses.theta", with_value(1, np.nan)),
    ("synapses.theta", with_value(1, np.inf)),
    ("synapses.theta", with_value(0, 0.5)),  # the mask allows none there
    ("synapses.theta", with_value(15, 0.5)),  # pads the row
    ("synapses.weight", lambda v: np.zeros(1, np.float32)),
    ("synapses.weight", with_value(15, 0.5)),
    ("synapses.weight", with_value(1, np.nan)),
    ("synapses.refreshed_s", with_value(0, 1e9)),
    ("synapses.refreshed_s", with_value(0, np.nan)),
    ("activity.clock", lambda v: v[:2]),
    ("activity.clock", with_value(0, np.nan)),
    ("activity.clock", with_value(2, 1.0)),
    ("activity.counters", with_value(0, -1)),
    ("activity.counters", with_value(0, 0)),
    ("activity.counters", with_value(0, 50)),
    ("activity.fall", lambda v: [[1.0], [1.0, 2.0]]),
    ("activity.fall", lambda v: v[:-1]),
    ("activity.fall", with_value(0, np.nan)),
    ("activity.bias", with_value(0, 7.0)),
    ("activity.queue_head", with_value(0, 10**6)),
    ("activity.queue_head", with_value(0, -1)),
    ("activity.queue_count", with_value(0, 10**6)),
    ("activity.queue_axon", lambda v: np.full_like(v, 10**6)),
    ("activity.queue_s", lambda v: v[:, :0]),
    ("activity.drawn_until_s", with_value(0, 1e9)),
    ("random.noise.taken", with_value(0, -5)),
    ("random.events.taken", with_value(0, 10**9)),
    ("random.events.buffer", lambda v: v[:10]),
    ("random.inputs.state", lambda v: v * 0),
    ("random", {}),
    ("inputs.rng", {"bit_generator": "MT19937"}),
    ("inputs.next", -1),
    ("inputs.end_s", float("inf")),
    ("inputs.silenced", {"x": np.zeros(9, bool)}),
    ("inputs.blocks", {"0": {"first": 0, "start_s": 0.0, "indices": {"x": np.zeros(3, int)}}}),
    ("inputs.blocks", {"0": {"first": 0, "start_s": 0.0, "indices": {"x": np.full(256, 99)}}}),
    ("spike_counts", None),
    ("spike_counts", np.full(3, -4)),
    ("spike_counts", [[1], []]),
    ("inputs.next", 2**63),
    ("format", 3),
]


@pytest.mark.parametrize(("path", "value"), DAMAGE, ids=[path for path, _ in DAMAGE])
def test_a_damaged_state_raises_a_one_line_error(saved, path, value):
    state = changed(saved, path, value)
    if path == "activity.queue_axon":
        state["activity"]["queue_count"][:] = 1
    with pytest.raises(SynsampError) as caught:
        Simulation.from_state(network(), state, RATES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["time_s", "synapses", "activity", "random", "inputs", "spike_counts"]
)
def test_a_state_with_a_part_missing_raises_an_error(saved, name):
    state = {key: value for key, value in saved.items() if key != name}
    with pytest.raises(SynsampError, match="must be complete"):
        Simulation.from_state(network(), state, RATES)


def test_another_stimulus_raises_an_error(saved):
    with pytest.raises(SynsampError, match="as in the saved state"):
        Simulation.from_state(network(), saved, None)


def test_the_undamaged_state_continues_bit_identical(saved):
    whole = Simulation(network(), RATES, seed=3).run(13.3).run(20.0)
    again = Simulation.from_state(network(), copy.deepcopy(saved), RATES).run(20.0)
    for name in ("x->z", "z->z"):
        np.testing.assert_array_equal(whole.theta(name), again.theta(name))
    assert whole.n_spikes == again.n_spikes > 2000
