"""Single births and deaths, input spikes, populations, and coordinates of the results."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from synsamp.errors import SynsampError
from synsamp.protocol import (
    Branch,
    Lesion,
    Protocol,
    Show,
    active,
    alive,
    births_deaths,
    every,
    input_spikes,
    potentials,
    rates,
    spikes,
    theta,
    traces,
    turnover,
)
from synsamp.spiking import (
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    SpikeTimes,
    WinnerTakeAll,
)
from tests.protocol.circuit import LEFT, N_INPUTS, N_NEURONS, RIGHT, SYNAPSES, network
from tests.protocol.places import KilledError, Place


def brute_force(updates, start):
    """Births and deaths from θ after each update of each synapse: time, post, pre, born, age."""
    born_s, found, before = {}, [], dict(start)
    for time, key, value in updates:
        if (value > 0) != (before[key] > 0):
            born = value > 0
            age = np.nan if born or key not in born_s else time - born_s[key]
            found.append((time, *key, born, age))
            born_s.pop(key, None)
            if born:
                born_s[key] = time
        before[key] = value
    return np.array(found).T


def assert_events(data, expected):
    assert (data.contact == 0).all()
    for name, values in zip(("time", "post", "pre", "born", "age"), expected, strict=True):
        np.testing.assert_array_equal(data[name].values.astype(float), values, err_msg=name)


ALL_PAIRS = [(post, pre) for post in range(N_NEURONS) for pre in range(N_INPUTS)]
FAST = {"speed": 5e-3}
BOTH = {
    "events": births_deaths(SYNAPSES),
    "updates": traces({SYNAPSES: ALL_PAIRS}),
    "theta": every(1, theta(SYNAPSES)),
}


def from_updates(found, start, folder=""):
    """What `brute_force` makes of all updates, in the order of the table."""
    data = found[f"{folder}updates"].to_dataset()
    pairs = [ALL_PAIRS[i] for i in data.synapse.values]
    return brute_force(zip(data.time.values, pairs, data.theta.values, strict=True), start)


def theta_at(found, time, folder=""):
    matrix = found[f"{folder}theta/theta"].sel(time=time).values
    return {pair: matrix[pair] for pair in ALL_PAIRS}


@pytest.mark.parametrize("drift_interval_s", [0.0, 0.3])
def test_births_and_deaths_are_those_of_theta_at_every_update(drift_interval_s):
    """Event by event; an age that is off by one refresh must be noticed."""
    found = Protocol(
        network(**FAST), [Show(LEFT, 40), Show(RIGHT, 40)], BOTH,
        drift_interval_s=drift_interval_s, sync_interval_s=1.0,
    ).run(seed=2)  # fmt: skip
    data = found["events"].to_dataset()
    expected = from_updates(found, theta_at(found, 0.0))
    assert_events(data, expected)
    aged = np.isfinite(data.age.values)
    assert aged.sum() > 20
    assert (~data.born.values).sum() > aged.sum()  # some were born before the record
    assert (data.time.values % 1.0 != 0).any()
    refresh = max(drift_interval_s, 1e-3)
    for wrong in (aged, np.arange(aged.size) == np.argmax(aged)):  # all ages, or only one
        age = np.where(wrong, data.age + refresh, data.age)
        with pytest.raises(AssertionError, match="age"):
            assert_events(data.assign(age=("event", age)), expected)


def test_the_record_does_not_change_the_run():
    def run(record):
        record = {"theta": every(10, theta(SYNAPSES)), **record}
        return Protocol(network(**FAST), [Show(LEFT, 30)], record, sync_interval_s=1.0).run(seed=4)

    without, noted = run({}), run({"events": births_deaths(SYNAPSES)})
    np.testing.assert_array_equal(without["theta/theta"], noted["theta/theta"])


def test_snapshots_miss_what_happens_between_them():
    record = {
        "events": births_deaths(SYNAPSES),
        "fine": every(1, turnover(SYNAPSES)),
        "coarse": every(30, turnover(SYNAPSES)),
    }
    found = Protocol(network(**FAST), [Show(LEFT, 90)], record, sync_interval_s=1.0).run(seed=2)
    born = int(found["events/born"].sum())
    assert born > int(found["fine/born"].sum()) > 2 * int(found["coarse/born"].sum())


def test_a_lesion_is_a_death_and_a_branch_continues_with_the_ages():
    steps = [
        Show(LEFT, 50),
        Branch("control", [Show(LEFT, 40)]),
        Lesion(RemoveNeurons("z", [1])),
        Show(LEFT, 40),
    ]
    found = Protocol(network(**FAST), steps, BOTH, sync_interval_s=1.0).run(seed=3)
    data = found["events"].to_dataset()
    at_lesion = (data.time == 50) & (data.post == 1) & ~data.born
    before = found["theta/theta"].sel(time=50).values > 0
    assert int(at_lesion.sum()) >= before[1].sum() > 0
    assert not ((data.time > 50) & (data.post == 1)).any()
    trunk = found["updates"].to_dataset()
    control = found["control/updates"].to_dataset()
    updates = [
        (time, ALL_PAIRS[i], value)
        for part in (trunk.isel(update=trunk.time.values <= 50), control)
        for time, i, value in zip(
            part.time.values, part.synapse.values, part.theta.values, strict=True
        )
    ]
    expected = brute_force(updates, theta_at(found, 0.0))
    assert_events(found["control/events"].to_dataset(), expected[:, expected[0] > 50])
    assert np.isfinite(found["control/events/age"]).any()


def two_groups():
    return Network(
        [InputGroup("x", 2), InputGroup("y", 3)],
        [WinnerTakeAll("a", 2), WinnerTakeAll("b", 3)],
        [Projection("x", "a"), Projection("y", "b")],
    )


def test_input_spikes_of_a_group():
    given = {"x": SpikeTimes([0.25, 0.5, 7.0], [1, 0, 1]), "y": SpikeTimes([0.3, 8.0], [2, 0])}
    record = {
        "x": input_spikes("x"),
        "y": input_spikes("y", between_s=(0.0, 5.0)),
        "spikes": spikes(),
    }
    found = Protocol(two_groups(), [Show(given, 10)], record).run()
    assert found["x/time"].values.tolist() == [0.25, 0.5, 7.0]
    assert found["x/input"].values.tolist() == [1, 0, 1]
    assert found["y/time"].values.tolist() == [0.3]
    assert found["y/input"].values.tolist() == [2]
    neuron = found["spikes/neuron"].values
    np.testing.assert_array_equal(found["spikes/population"], neuron >= 2)
    assert "0 a, 1 b" in found["spikes/population"].attrs["description"]


def test_drawn_input_spikes_follow_the_rates():
    found = Protocol(network(), [Show(LEFT, 200)], {"x": input_spikes("x")}).run()
    counts = np.bincount(found["x/input"], minlength=N_INPUTS)
    assert (np.abs(counts - 200 * LEFT) < 4.5 * np.sqrt(200 * LEFT) + 1).all()


def test_both_records_resume_bit_identically_anywhere():
    def protocol():
        steps = [
            Show(LEFT, 5),
            Branch("control", [Show(RIGHT, 4)]),
            Lesion(RemoveNeurons("z", [0])),
            Show(RIGHT, 4),
        ]
        record = {"events": births_deaths(SYNAPSES), "x": input_spikes("x")}
        return Protocol(network(**FAST), steps, record, sync_interval_s=1.0)

    whole = Place()
    protocol().carry_out(3, whole)
    for dies_at in range(1, whole.reports):
        place = Place(dies_at)
        with pytest.raises(KilledError):
            protocol().carry_out(3, place)
        place = place.reborn()
        protocol().carry_out(3, place)
        found, expected = place.arrays(), whole.arrays()
        assert found.keys() == expected.keys()
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values, err_msg=name)


def test_results_of_two_branches_can_be_subtracted():
    lesioned = Branch("lesioned", [Lesion(RemoveNeurons("z", [0])), Show(LEFT, 20)])
    steps = [Show(LEFT, 20), Branch("control", [Show(LEFT, 20)]), lesioned]
    found = Protocol(network(), steps, {"theta": every(10, theta(SYNAPSES))}).run()
    a, b = found["lesioned/theta/theta"], found["control/theta/theta"]
    assert a.indexes["time"].is_unique
    assert a.sizes["time"] == 4  # 20, right after the lesion, 30, 40
    difference = a - b
    assert difference.time.values.tolist() == [20, 30, 40]
    assert (difference.sel(time=20) == 0).all()
    assert np.isnan(difference.sel(time=40)[0]).all()


def test_dimensions_have_coordinates():
    record = {
        "theta": every(10, theta(SYNAPSES)),
        "some": every(10, active(SYNAPSES, post=[1], pre=[0, 3])),
        "alive": every(10, alive()),
        "rates": every(10, rates()),
    }
    found = Protocol(network(), [Show(LEFT, 10)], record).run()
    assert found["theta/post"].values.tolist() == list(range(N_NEURONS))
    assert found["theta/pre"].values.tolist() == list(range(N_INPUTS))
    assert found["some/pre"].values.tolist() == [0, 3]
    assert found["alive/neuron"].values.tolist() == list(range(N_NEURONS))
    assert found["rates/neuron"].values.tolist() == list(range(N_NEURONS))
    u = Protocol(two_groups(), [Show({}, 10)], {"u": every(10, potentials("b"))}).run()
    assert u["u/neuron"].values.tolist() == [2, 3, 4]  # as in the spikes


def test_an_interrupted_run_returns_what_was_recorded():
    def impatient(view):
        if view.time_s == 30:
            raise KeyboardInterrupt
        return view.time_s

    record = {"theta": every(10, theta(SYNAPSES)), "mine": every(10, impatient)}
    protocol = Protocol(network(), [Show(LEFT, 100)], record)
    with pytest.warns(UserWarning, match="interrupted after 20 of 100 s"):
        found = protocol.run(seed=1)
    assert isinstance(found, xr.DataTree)
    assert found["mine/mine"].values.tolist() == [0, 10, 20]
    whole = Protocol(network(), [Show(LEFT, 30)], {"theta": every(10, theta(SYNAPSES))}).run(seed=1)
    np.testing.assert_array_equal(found["theta/theta"], whole["theta/theta"])
    assert found["steps/what"].size == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: {"a": every(10, births_deaths(SYNAPSES))}, "must not have an interval"),
        (lambda: {"a": births_deaths("y->z")}, "y->z"),
        (lambda: {"a": input_spikes("y")}, "input group must be one of x"),
        (lambda: {"a": every(10, lambda view: np.ma.masked_less([0, 1], 1))}, "masked values"),
        (lambda: 5, "record must be a Mapping"),
    ],
)
def test_wrong_records_raise_an_error(make, words):
    with pytest.raises(SynsampError, match=words) as caught:
        Protocol(network(), [Show(LEFT, 10)], make()).run()
    assert "\n" not in str(caught.value)
