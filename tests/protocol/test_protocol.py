"""Protocols: what happens when, what is recorded, and that nothing touches anything else."""

from __future__ import annotations

import json

import numpy as np
import pytest
import xarray as xr

from synsamp.columns import Column, Table
from synsamp.errors import SynsampError
from synsamp.priors import Gaussian
from synsamp.protocol import (
    Branch,
    Change,
    Lesion,
    Mark,
    Protocol,
    Save,
    Show,
    Silence,
    active,
    active_count,
    alive,
    at_marks,
    every,
    potentials,
    presentations,
    probe,
    rates,
    saved_state,
    spikes,
    theta,
    traces,
    turnover,
    weight,
)
from synsamp.protocol.records.base import EventRecord
from synsamp.spiking import (
    RemoveNeurons,
    RemoveSynapses,
    SilenceInputs,
    Simulation,
    winner_take_all_network,
)
from synsamp.spiking.input import stimulus as stimulus_module
from tests.protocol.circuit import LEFT, N_NEURONS, RIGHT, SYNAPSES, network


def counts(found):
    return found.counts(N_NEURONS).sum(axis=0)


def test_a_protocol_is_a_simulation_with_the_stimulus_set_at_each_step():
    from synsamp.seeds import named_seed

    found = Protocol(
        network(),
        [Show(LEFT, 40), Silence(20), Show(RIGHT, 30)],
        {"theta": every(10, theta(SYNAPSES))},
    ).run(seed=3)
    sim = Simulation(network(), seed=named_seed(3, "network"), sync_interval_s=10.0)
    rows = [sim.theta(SYNAPSES)]
    for stimulus, points in ((LEFT, 4), (None, 2), (RIGHT, 3)):
        sim.stimulus = stimulus
        for _ in range(points):
            rows.append(sim.run(10).theta(SYNAPSES))
    np.testing.assert_array_equal(found["theta/theta"], np.stack(rows).astype(np.float32))
    np.testing.assert_array_equal(found["theta/time"], np.arange(0, 100, 10.0))


def test_adding_a_record_a_probe_or_a_branch_changes_no_other_bit():
    steps = [Show(LEFT, 40), Show(RIGHT, 40)]
    few = {"theta": every(20, theta(SYNAPSES)), "tuning": every(40, probe(LEFT, 3, counts))}
    more = {
        "before": every(10, probe(RIGHT, 2, counts)),
        **few,
        "spikes": spikes(),
        "turnover": every(10, turnover(SYNAPSES)),
        "rates": every(20, rates()),
    }
    alone = Protocol(network(), steps, few).run(seed=5)
    branched = [steps[0], Branch("other", [Show(LEFT, 30)]), steps[1]]
    beside = Protocol(network(), branched, more).run(seed=5)
    for name in few:
        xr.testing.assert_identical(alone[name].to_dataset(), beside[name].to_dataset())
    other = Protocol(network(), steps, few).run(seed=6)
    assert not np.array_equal(alone["theta/theta"], other["theta/theta"])


def test_a_branch_shares_the_noise_of_the_trunk():
    record = {"theta": every(10, theta(SYNAPSES)), "spikes": spikes()}
    found = Protocol(
        network(), [Show(LEFT, 30), Branch("same", [Show(LEFT, 30)]), Show(LEFT, 30)], record
    ).run(seed=1)
    trunk, branch = found["theta/theta"].values, found["same/theta/theta"].values
    np.testing.assert_array_equal(branch, trunk[3:])  # from the branch point on
    after = found["spikes/time"].values >= 30
    np.testing.assert_array_equal(found["same/spikes/time"], found["spikes/time"].values[after])


def test_a_branch_under_another_stimulus_goes_its_own_way_and_leaves_the_trunk_alone():
    steps = [Show(LEFT, 30), Branch("other", [Show(RIGHT, 30)]), Show(LEFT, 30)]
    record = {"theta": every(10, theta(SYNAPSES))}
    found = Protocol(network(), steps, record).run(seed=1)
    alone = Protocol(network(), [steps[0], steps[2]], record).run(seed=1)
    np.testing.assert_array_equal(found["theta/theta"], alone["theta/theta"])
    np.testing.assert_array_equal(found["other/theta/theta"][0], found["theta/theta"][3])
    assert not np.array_equal(found["other/theta/theta"][-1], found["theta/theta"][-1])


def test_branches_within_branches_with_separate_records():
    inner = Branch("inner", [Show(RIGHT, 10)], {"end": every(10, active_count(SYNAPSES))})
    outer = Branch("outer", [Show(LEFT, 10), inner, Show(LEFT, 10)])
    record = {"theta": every(10, theta(SYNAPSES))}
    found = Protocol(network(), [Show(LEFT, 10), outer, Show(LEFT, 10)], record).run(seed=1)
    assert list(found["outer/theta/time"].values) == [10, 20, 30]
    assert list(found["outer/inner/end/time"].values) == [20, 30]
    assert "theta" not in found["outer/inner"].children


def test_a_lesion_chosen_from_the_state_is_stored_with_the_step():
    def strongest(view):
        draw = np.random.default_rng(view.seed_for("tie")).random()  # a named seed is at hand
        assert 0 <= draw < 1
        return RemoveNeurons("z", [int(np.argmax(view.weight(SYNAPSES).sum(axis=1)))])

    found = Protocol(
        network(),
        [Show(LEFT, 20), Lesion(strongest, "of the strongest"), Show(LEFT, 20)],
        {"alive": every(20, alive()), "theta": every(20, theta(SYNAPSES))},
    ).run(seed=2)
    gone = ~found["alive/alive"].values[-1]
    assert gone.sum() == 1
    log = found["steps"].to_dataset()
    row = int(np.flatnonzero(log.what.values == "lesion of the strongest")[0])
    chosen = json.loads(str(log.chosen.values[row]))
    assert chosen[0]["neurons"] == list(np.flatnonzero(gone))
    np.testing.assert_array_equal(log.removed.values[row], gone)
    assert not np.delete(log.removed.values, row, axis=0).any()
    assert set(log.population.values) == {"z"}
    # a row just before and a row just after
    assert list(found["alive/time"].values) == [0, 20, np.nextafter(20, 21), 40]
    assert found["alive/alive"].values[1].all()
    assert np.isnan(found["theta/theta"].values[2][gone]).all()


def test_rows_right_after_a_lesion_are_marked_and_branches_subtract():
    record = {"theta": every(10, theta(SYNAPSES)), "end": at_marks(alive())}
    lesion = Lesion(RemoveNeurons("z", [1]))
    steps = [
        Branch("lesioned", [lesion, Show(LEFT, 10), lesion, Mark("end")]),
        *(Show(LEFT, 10), Mark("end")),
    ]
    found = Protocol(network(), steps, record).run(seed=3)
    lesioned, control = found["lesioned/theta/theta"], found["theta/theta"]
    assert list(lesioned.after_lesion.values) == [False, True, False, True]
    after = lesioned.sel(time=lesioned.after_lesion)
    assert list(after.time.values) == [np.nextafter(0, 1), np.nextafter(10, 11)]
    assert np.isnan(after.values[:, 1]).all()
    assert not control.after_lesion.any()  # branches have the same coordinates
    assert not xr.concat([lesioned, control], "branch", join="inner").after_lesion.any()
    assert "after_lesion" not in found["lesioned/end"].coords
    difference = lesioned - control
    assert list(difference.time.values) == [0, 10]
    assert not difference.after_lesion.any()
    assert np.isnan(difference.values[1, 1]).all()
    np.testing.assert_array_equal(difference.values[0], 0.0)
    intact = Protocol(network(), [Show(LEFT, 10)], record).run(seed=3)
    assert "after_lesion" not in intact["theta"].coords


def test_several_lesions_at_once():
    mask = np.zeros((N_NEURONS, 12), bool)
    mask[1, 2] = True
    lesions = [RemoveSynapses(SYNAPSES, mask, regrow=False), SilenceInputs("x", [0])]
    found = Protocol(
        network(),
        [Show(LEFT, 10), Lesion(lesions), Show(LEFT, 10)],
        {"theta": every(10, theta(SYNAPSES))},
    ).run()
    assert np.isnan(found["theta/theta"].values[-1][mask]).all()
    assert np.isfinite(found["theta/theta"].values[-1][~mask]).all()
    text = "".join(found["steps"].to_dataset().chosen.values)
    assert '"true at": [[1], [2]]' in text


def test_changes_once_and_repeated():
    off = (
        Protocol(
            network(),
            [Show(LEFT, 20), Change(SYNAPSES, speed=0.0), Show(LEFT, 20)],
            {"theta": every(10, theta(SYNAPSES))},
        )
        .run()["theta/theta"]
        .values
    )
    assert not np.array_equal(off[0], off[2])
    np.testing.assert_array_equal(off[2], off[4])

    asked = []

    def cooling(view):
        asked.append(view.time_s)
        return {SYNAPSES: {"temperature": 1.0 / (1.0 + view.time_s)}}

    def temperature(view):
        return view.network.projection(SYNAPSES).synapses.temperature

    found = Protocol(
        network(),
        [
            Show(LEFT, 20),
            every(10, Change(cooling)),
            Branch("on", [Show(LEFT, 20)]),
            Show(LEFT, 30),
        ],
        {"temperature": every(10, temperature)},
    ).run()
    assert asked == [20, 30, 40, 30, 40, 50]  # at once, in the branch, and in the trunk
    expected = [1, 1, 1, 1 / 21, 1 / 31, 1 / 41]  # a row is taken before the change of its time
    np.testing.assert_allclose(found["temperature/temperature"], expected)
    np.testing.assert_allclose(found["on/temperature/temperature"], [1 / 21, 1 / 21, 1 / 31])


def test_consolidation_prior_means_follow_the_synapses():
    def consolidate(view):
        return {SYNAPSES: {"prior": Gaussian(view.theta(SYNAPSES), 0.1)}}

    start = Gaussian(np.zeros((N_NEURONS, 12)), 1.0)
    found = Protocol(
        network(prior=start),
        [Show(LEFT, 50), every(10, Change(consolidate)), Show(LEFT, 50)],
        {"mean": every(50, lambda view: view.network.projection(SYNAPSES).synapses.prior.mean)},
    ).run()
    assert np.all(found["mean/mean"].values[0] == 0)
    assert np.std(found["mean/mean"].values[-1]) > 0.1


def test_marks_and_saved_states():
    protocol = Protocol(
        network(),
        [Show(LEFT, 20), Mark("learned"), Save("end"), Show(RIGHT, 20), Mark("after")],
        {
            "weight": at_marks(weight(SYNAPSES)),
            "late": at_marks(active(SYNAPSES, post=[1], pre=[0, 3]), "after"),
            "theta": every(10, theta(SYNAPSES)),
        },
    )
    found = protocol.run(seed=8)
    assert list(found["weight/mark"].values) == ["learned", "after"]
    assert list(found["weight/time"].values) == [20, 40]
    assert found["late/late"].shape == (1, 1, 2)
    assert list(found["late/pre"].values) == [0, 3]
    state = saved_state(found, "end")
    went_on = Protocol(
        network(), [Show(RIGHT, 20)], {"theta": every(10, theta(SYNAPSES))}, start=state
    ).run(seed=99)
    np.testing.assert_array_equal(went_on["theta/theta"], found["theta/theta"][2:])
    for results, name in ((found, "begin"), (None, "end"), (5, "end")):
        with pytest.raises(SynsampError, match="Save step"):
            saved_state(results, name)
    with pytest.raises(SynsampError, match="name must be"):
        saved_state(found, 3)


def test_a_damaged_saved_state_raises_an_error():
    found = Protocol(network(), [Show(LEFT, 10), Save("end")], {}).run()
    dataset = found["saved/end"].to_dataset().copy(deep=True)
    dataset.state.values[100] ^= 1
    with pytest.raises(SynsampError, match="checksum"):
        saved_state({"saved/end": dataset}, "end")


def test_spikes_rates_and_turnover_agree():
    found = Protocol(
        network(),
        [Show(LEFT, 40), Show(RIGHT, 20)],
        {
            "spikes": spikes(),
            "window": spikes((15.0, 25.0)),
            "rates": every(20, rates()),
            "active": every(10, active(SYNAPSES)),
            "turnover": every(10, turnover(SYNAPSES)),
            "shown": presentations(),
            "u": every(20, potentials("z")),
            "traces": traces({SYNAPSES: [(0, 1)]}),
        },
    ).run(seed=4)
    time, neuron = found["spikes/time"].values, found["spikes/neuron"].values
    for row, low in zip(found["rates/rates"].values[1:], (0, 20, 40), strict=True):
        inside = (time >= low) & (time < low + 20)
        np.testing.assert_allclose(row, np.bincount(neuron[inside], minlength=N_NEURONS) / 20)
    assert np.isnan(found["rates/rates"].values[0]).all()
    inside = (time >= 15) & (time < 25)
    np.testing.assert_array_equal(found["window/time"], time[inside])
    now = found["active/active"].values
    born = (now[1:] & ~now[:-1]).sum(axis=2)
    died = (~now[1:] & now[:-1]).sum(axis=2)
    np.testing.assert_array_equal(found["turnover/born"].values[1:], born)
    np.testing.assert_array_equal(found["turnover/died"].values[1:], died)
    assert born.sum() > 0
    assert died.sum() > 0
    assert found["shown/time"].size > 0
    assert found["u/u"].shape == (4, N_NEURONS)
    assert found["traces/theta"].size > 10


def test_any_function_of_the_state():
    def answer(view):
        several = [view.probe(LEFT, 2.0, "block", i).time_s.size for i in range(2)]
        assert several[0] != several[1] or view.time_s > 0  # independent draws
        return {
            "number": 3.5,
            "image": xr.DataArray(np.ones((2, 2)), {"row": [5, 6]}, ("row", "column")),
        }

    found = Protocol(network(), [Show(LEFT, 20)], {"mine": every(10, answer)}).run()
    assert found["mine/number"].dims == ("time",)
    assert found["mine/image"].dims == ("time", "row", "column")
    assert list(found["mine/row"].values) == [5, 6]


class Slashed(EventRecord):
    """A user's record with a column that could not be a folder."""

    event = "spikes"

    def table(self, network):
        return Table("spike", {"time/../../x": Column("<f8")})

    def rows(self, events, network):
        return {"time/../../x": events["time_s"]}


@pytest.mark.parametrize(
    ("steps", "record", "words"),
    [
        ([Show(LEFT, 15)], {}, "multiple of sync_interval_s"),
        ([Show(LEFT, 20)], {"a": every(7, active_count(SYNAPSES))}, "multiple of sync_interval_s"),
        ([Show(LEFT, 20)], {"a": every(10, theta("y->z"))}, "y->z"),
        ([Show(LEFT, 20)], {"a": every(10, theta(SYNAPSES, pre=[99]))}, "99"),
        ([Show(LEFT, 20)], {"a": theta(SYNAPSES)}, "when it is taken"),
        ([Show(LEFT, 20)], {"a b": spikes()}, "letters"),
        ([Show(LEFT, 20)], {"steps": spikes()}, "must not be"),
        ([Show(LEFT, 20)], {"measures": spikes()}, "must not be"),
        ([Show(LEFT, 20)], {"saved": spikes()}, "must not be"),
        ([Show(LEFT, 20)], {"Measures": spikes()}, "capital letters"),
        ([Show(LEFT, 20)], {"a": spikes(), "A": spikes()}, "capital letters"),
        ([Branch("measures", [])], {}, "differ"),
        ([Branch("a", [], {"measures": spikes()})], {}, "must not be"),
        ([Branch("rates", [])], {"rates": spikes()}, "differ"),
        ([Branch("Rates", [])], {"rates": spikes()}, "differ"),
        ([Show(LEFT, 20)], {"a": Slashed()}, "column of record 'a' must begin with a letter"),
        ([Show(LEFT, 20)], {"a": spikes(), "b": traces({}), "c": traces({})}, "traces"),
        ([LEFT], {}, "step"),
        ([Show(LEFT[:5], 20)], {}, "12"),
        ([Change("y->z", speed=0.0)], {}, "y->z"),
        ([every(10, Show(LEFT, 10))], {}, "Change"),
        ([Branch("a", []), Branch("a", [])], {}, "differ"),
        ([Branch("a", [Show(LEFT, 5)])], {}, "multiple of sync_interval_s"),
        ([Save("a"), Save("a")], {}, "once"),
        ("steps", {}, "steps must be a list"),
        ([Change(SYNAPSES, speed="fast")], {}, "speed must be a finite number"),
        ([Change(SYNAPSES, speeed=0.0)], {}, "what to change must be one of"),
        ([Show(LEFT, 20)], {"a": traces({SYNAPSES: [(99, 0)]})}, "traced synapse"),
        ([Show(LEFT, 20)], {"a": every(10, probe(LEFT[:3], 1, counts))}, "12"),
    ],
)
def test_what_cannot_be_run_raises_an_error_before_anything_runs(steps, record, words):
    with pytest.raises(SynsampError, match=words) as caught:
        Protocol(network(), steps, record)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (lambda view: np.zeros(int(view.time_s) + 1), "keep its shape"),
        (lambda view: {"a": 1} if view.time_s else {"b": 1}, "same names"),
        (lambda view: 0.5 if view.time_s else 1, "keep its kind"),
        (lambda view: "word", "give numbers"),
        (lambda view: {"time": 1.0}, "must not use"),
    ],
)
def test_rows_that_do_not_fit_raise_a_clear_error(record, words):
    protocol = Protocol(network(), [Show(LEFT, 20)], {"mine": every(10, record)})
    with pytest.raises(SynsampError, match=words) as caught:
        protocol.run()
    assert "\n" not in str(caught.value)


def test_a_view_cannot_change_the_run():
    def vandal(view):
        view.theta(SYNAPSES)[:] = 0
        view.active(SYNAPSES)[:] = False
        view.alive[:] = False
        view.probe(RIGHT, 1.0)
        return 1.0

    steps, record = [Show(LEFT, 20)], {"theta": every(10, theta(SYNAPSES))}
    clean = Protocol(network(), steps, record).run()
    touched = Protocol(network(), steps, {"mine": every(10, vandal), **record}).run()
    np.testing.assert_array_equal(clean["theta/theta"], touched["theta/theta"])


def test_seeds_come_from_seed_branch_record_and_time():
    def drawn(view):
        return view.seed_for("part").generate_state(1)[0]

    def found(seed):
        data = Protocol(
            network(),
            [
                Show(LEFT, 20),
                Branch("other", [Show(LEFT, 10)]),
                Lesion(SilenceInputs("x", [0])),
                Show(LEFT, 10),
            ],
            {"one": every(10, drawn), "two": every(10, drawn)},
        ).run(seed)
        return [
            *(data[f"{name}/{name}"].values.tolist() for name in ("one", "two")),
            data["other/one/one"].values.tolist(),
        ]

    one, two, other = found(seed=1)
    assert one[2] == one[3]  # just before and just after the lesion: the same draws
    drawn_once = [*one[:3], one[4], *two[:3], two[4], *other]
    assert len(set(drawn_once)) == len(drawn_once)
    assert not set(drawn_once) & set(found(seed=2)[0])


def test_spikes_are_counted_from_the_beginning_in_a_branch_too():
    def total(view):
        return view.spike_counts.sum()

    found = Protocol(
        network(),
        [Show(LEFT, 20), Branch("other", [Show(LEFT, 10)]), Show(RIGHT, 10)],
        {"rates": every(10, rates()), "total": every(10, total)},
    ).run()
    trunk, other = found["total/total"].values, found["other/total/total"].values
    assert trunk[0] == 0
    assert other[0] == trunk[2] > 400
    assert other[1] > other[0]
    without = Protocol(network(), [Show(LEFT, 10)], {"total": every(10, total)})
    with pytest.raises(SynsampError, match="must be counted to be read"):
        without.run()


def test_a_stimulus_is_checked_once_and_kept_from_later_changes(monkeypatch):
    checked = []

    def counted(given, groups):
        checked.append(given)
        return parsed(given, groups)

    parsed = stimulus_module._parsed
    monkeypatch.setattr(stimulus_module, "_parsed", counted)
    shown, probed = LEFT.copy(), RIGHT.copy()
    record = {"probed": every(10, probe(probed, 2, lambda p: p.time_s.size))}
    steps = [Show(shown, 20), Branch("other", [Show(shown, 20)]), Show(shown, 10), Save("end")]
    protocol = Protocol(network(), steps, record)
    assert [given is shown for given in checked] == [False, True, True, True]
    shown[:] = probed[:] = 0.0
    found = protocol.run(seed=1)
    assert not any(given is shown or given is probed for given in checked[4:])
    assert (found["probed/probed"] > 0).all()


def test_a_checked_stimulus_is_checked_again_for_other_inputs():
    checked = stimulus_module.parse_stimulus(LEFT, network())
    assert stimulus_module.parse_stimulus(checked, network()) is checked
    with pytest.raises(SynsampError, match="rates for 'x'"):
        stimulus_module.parse_stimulus(checked, winner_take_all_network(5, 2))
