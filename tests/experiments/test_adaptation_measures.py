"""What figure 4 measures, on made-up records: each number can come out otherwise."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from synsamp.claims import Ratio
from synsamp.paper.fig4_adaptation.analysis import active_shares, choose_shown
from synsamp.paper.fig4_adaptation.course import Course
from synsamp.paper.fig4_adaptation.images import (
    background,
    candidate_inputs,
    matters,
    new_inputs,
)
from synsamp.paper.fig4_adaptation.measures import (
    comeback,
    elimination,
    elimination_at_the_end,
    fluctuation,
    probing,
    returned,
    sparseness,
    stability,
    turned,
)
from synsamp.paper.fig4_adaptation.phases import DigitPhase
from synsamp.paper.fig4_adaptation.records import record_of, turning

COURSE = Course((200.0, 400.0, 600.0), ((1,), (1, 2), (1,)))
SNAPSHOTS = np.arange(0.0, 601.0, 100.0)
GRID = np.arange(0.0, 601.0, 10.0)
INK = np.array([[0.9, 0.0, 0.0, 0.03, 0.0], [0.9, 0.8, 0.3, 0.9, 0.0]])


def record(values, times=SNAPSHOTS, last="pre"):
    values = np.asarray(values)
    return xr.DataArray(values, {"time": times}, ("time", "post", last)[: values.ndim])


# -- phases --------------------


def test_a_course_knows_when_phases_are_and_which_is_new():
    phases = [DigitPhase(digits=(1,)), DigitPhase(digits=(2, 1), duration_s=600.0)]
    course = Course.of([*phases, phases[0]], 400.0)
    assert course.ends_s == (400.0, 1000.0, 1400.0)
    assert course.digits == ((1,), (1, 2), (1,))
    assert course.all_digits == (1, 2)
    assert (course.new_phase, course.new_digit, course.return_phase) == (1, 2, 2)
    assert (course.start_s(1), course.length_s(1), course.middle_s(1)) == (400.0, 600.0, 700.0)
    assert [course.phase_at(t) for t in (0.0, 400.0, 401.0, 1400.0)] == [0, 0, 1, 2]


@pytest.mark.parametrize(
    ("digits", "new_phase", "new_digit", "return_phase"),
    [
        (((1,), (1,)), None, None, None),
        (((1, 2), (1,), (2,)), None, None, None),
        (((3,), (3,), (0, 5), (7,), (3,)), 2, 0, 4),
        (((1,), (2,)), 1, 2, None),
        (((1,), (1, 2), (2,)), 1, 2, None),
    ],
)
def test_the_new_digit_is_the_first_that_was_not_shown(digits, new_phase, new_digit, return_phase):
    course = Course(tuple(100.0 * (i + 1) for i in range(len(digits))), digits)
    found = (course.new_phase, course.new_digit, course.return_phase)
    assert found == (new_phase, new_digit, return_phase)


# -- inputs --------------------


def test_inputs_are_sorted_by_the_images_alone():
    assert background(INK[:1]).tolist() == [False, True, True, False, True]
    assert background(INK).tolist() == [False, False, False, False, True]
    assert matters(INK).tolist() == [True, True, False, True, False]
    assert new_inputs(INK, COURSE).tolist() == [False, True, True, True, False]
    # The fourth is bright for the new digit but not background for the old one.
    assert candidate_inputs(INK, INK, COURSE).tolist() == [1, 2, 4]
    # What counts is how much brighter an input is for the new digit than it was for the old ones.
    mean = np.array([[0.0, 0.4, 0.0, 0.1, 0.0], [0.2, 0.7, 0.6, 0.3, 0.0]])
    assert candidate_inputs(mean, 0 * INK, COURSE)[:3].tolist() == [2, 1, 0]


def test_what_the_old_digits_use_at_times_is_not_new():
    ink = np.array([[0.04, 0.06, 0.0], [0.3, 0.3, 0.19]])
    assert new_inputs(ink, COURSE).tolist() == [True, False, False]


def test_without_a_new_digit_the_brightest_inputs_are_traced():
    course = Course((100.0,), ((1, 2),))
    assert not new_inputs(INK, course).any()
    assert candidate_inputs(INK, INK, course).tolist() == [0, 3, 1, 2, 4]


# -- elimination and sparseness --------------------


def test_shares_are_of_the_inputs_of_the_phase_that_was_shown():
    images = xr.Dataset(
        {
            "background": (("phase", "pre"), [[1, 1, 0], [0, 1, 0], [1, 1, 0]]),
            "matters": (("phase", "pre"), [[0, 0, 1], [1, 0, 1], [0, 0, 1]]),
        }
    ).astype(bool)
    theta = np.full((7, 2, 3), -1.0)
    theta[0] = 1.0
    theta[2, 0, 0] = theta[2, :, 2] = 1.0  # the end of the first phase counts to the first
    theta[3, 0, 0] = theta[3, 0, 2] = 1.0
    found = active_shares(record(theta), images, COURSE)
    assert found.background_active.values.tolist() == [1, 0, 0.25, 0, 0, 0, 0]
    assert found.matters_active.values.tolist() == [1, 0, 1.0, 0.5, 0, 0, 0]


def test_elimination_compares_the_end_of_phase_1_with_the_start():
    background = [0.8, 0.5, 0.2, 0.9, 0.9, 0.9, 0.9]
    matters = [0.5, 0.6, 0.75, 0.1, 0.1, 0.1, 0.1]
    adapting = xr.Dataset(
        {"background_active": record(background), "matters_active": record(matters)}
    )
    assert elimination(adapting, COURSE) == {
        "background_left": Ratio(0.2, 0.8),
        "background_active": 0.2,
        "matters_active": 0.75,
    }


def test_sparseness_is_that_of_the_whole_run_and_of_what_follows_the_first_phase():
    active = np.full((61, 2), 1)
    active[0] = 9  # the start counts
    active[30] = [4, 2]
    active[19] = 8  # before the end of the first phase
    found = sparseness(record(active, GRID), 10, COURSE)
    assert found["largest_active_share"] == 18 / 20
    assert found["largest_active_share_later"] == 6 / 20
    assert found["low_after_s"] == 300.0  # a quarter or less from then on
    always_low = sparseness(record(0 * active, GRID), 10, COURSE)
    assert (always_low["largest_active_share"], always_low["low_after_s"]) == (0, 0)
    alone = sparseness(record(active, GRID), 10, Course((600.0,), ((1,),)))
    assert "largest_active_share_later" not in alone


def test_fluctuation_counts_what_the_last_snapshot_did_not_have():
    background = xr.DataArray([[1, 1, 0], [1, 1, 0], [1, 1, 1]], dims=("phase", "pre"))
    images = xr.Dataset({"background": background.astype(bool)})
    theta = np.full((7, 1, 3), -1.0)
    theta[2] = [[1, -1, 1]]  # the end of the first phase: what follows is compared with it
    theta[3] = [[1, 1, 1]]
    theta[4] = [[-1, 1, 1]]
    theta[5] = [[1, -1, -1]]
    theta[6] = [[1, -1, 1]]
    found = fluctuation(record(theta), images, COURSE)
    assert found == {"new_dots_share": Ratio(2, 5)}  # the third input is not always background
    assert fluctuation(record(theta), images, Course((600.0,), ((1,),))) == {}


# -- the new digit --------------------


def test_a_neuron_has_turned_only_with_spikes_and_weights():
    mean = xr.DataArray(
        [[1.0, 0, 0, 0, 0], [0, 1.0, 1.0, 0, 0]], {"digit": [1, 2]}, ("digit", "pre")
    )
    weight = np.zeros((1, 4, 5))
    weight[0, 0, 1:3] = 1.0  # looks like 2 and answers to it
    weight[0, 1, 0] = 1.0  # looks like 1, answers to 2
    weight[0, 2, 1:3] = 1.0  # looks like 2, answers to both
    spikes = np.array([[[1, 99], [1, 99], [50, 50], [0, 0]]])  # the fourth is silent, no weights
    found = turning(record(spikes, [0.0], "digit"), record(weight, [0.0]), mean, 2)
    assert found.turned.values.tolist() == [[True, False, False, False]]
    np.testing.assert_array_equal(found.new_share[0], [0.99, 0.99, 0.5, np.nan])
    np.testing.assert_allclose(found.new_likeness[0], [1.0, -0.408248, 1.0, np.nan], atol=1e-6)


def test_a_neuron_must_look_more_like_the_new_digit_than_like_any_other():
    mean = xr.DataArray(np.eye(3), {"digit": [1, 2, 3]}, ("digit", "pre"))
    weight = np.stack([np.eye(3)] * 2)  # neuron k looks like digit k
    spikes = np.zeros((2, 3, 3))
    spikes[..., 1] = 9.0  # all answer to 2
    found = turning(record(spikes, [0.0, 1.0], "digit"), record(weight, [0.0, 1.0]), mean, 2)
    assert found.turned.values.tolist() == [[False, True, False]] * 2


def adapting(turned_at_end=2, likeness_before=(0.0, 0.375, 0.9), still=0, before=0):
    """Three neurons; ``turned_at_end`` of them at the end of phase 2, with likeness 0.5."""
    flags, likeness, share = np.zeros((7, 3), bool), np.zeros((7, 3)), np.zeros((7, 3))
    flags[2, :before] = flags[4, :turned_at_end] = flags[6, :still] = True
    flags[5] = True  # within phase 3: does not count
    likeness[2], likeness[4] = likeness_before, [0.1, 0.5, 0.6]
    share[4] = [0.7, np.nan, 0.9]
    return xr.Dataset(
        {"turned": record(flags), "new_likeness": record(likeness), "new_share": record(share)}
    )


@pytest.mark.parametrize(
    ("given", "two_turn", "gain"),
    [
        ({}, True, 0.125),
        ({"turned_at_end": 1}, False, 0.125),
        ({"turned_at_end": 3}, True, 0.125),
        ({"likeness_before": (0.0, 0.4375, 0.9)}, True, 0.0625),
        # Neurons without weights before have no head start.
        ({"likeness_before": (np.nan,) * 3}, True, 0.5),
    ],
)
def test_neurons_turn_with_their_weights(given, two_turn, gain):
    found = turned(adapting(**given), COURSE)
    assert found["two_turn"] is two_turn
    assert found["likeness_gain"] == pytest.approx(gain)
    assert found["turned"] == given.get("turned_at_end", 2)
    assert found["second_share"] == 0.7
    assert found["likeness"] == 0.5


@pytest.mark.parametrize("still", [0, 1, 2])
def test_the_network_returns_if_no_neuron_stays_turned(still):
    found = returned(adapting(still=still), COURSE)
    assert found == {"all_return": still == 0, "still_turned": still}


def test_who_had_turned_before_is_counted_too():
    assert turned(adapting(), COURSE)["turned_before"] == 0
    assert turned(adapting(before=2), COURSE)["turned_before"] == 2


def test_neurons_without_weights_at_the_end_look_like_nothing():
    made = adapting()
    made.new_likeness.values[4] = np.nan
    assert turned(made, COURSE)["likeness_gain"] == pytest.approx(-1.375)


def test_comeback_counts_what_was_eliminated_and_is_back():
    theta = np.full((7, 1, 5), -1.0)
    theta[0] = [[1, 1, 1, -1, 1]]
    theta[2] = [[1, -1, -1, -1, -1]]
    theta[4] = [[1, 1, -1, 1, 1]]
    new = xr.DataArray(new_inputs(INK, COURSE), dims="pre")
    found = comeback(record(theta), new, COURSE)
    assert found == {"back": 2, "back_at_new": 1, "back_at_new_share": Ratio(1, 2)}


def test_elimination_at_the_end_is_of_what_the_new_digit_had():
    theta = np.full((7, 1, 5), -1.0)
    theta[4] = [[1, 1, 1, 1, 1]]
    theta[6] = [[-1, 1, -1, -1, -1]]
    new = xr.DataArray(new_inputs(INK, COURSE), dims="pre")  # inputs 1, 2 and 3
    found = elimination_at_the_end(record(theta), new, COURSE)
    assert found == {"gone_at_new_share": Ratio(2, 3)}


def test_a_branch_is_measured_with_the_history_of_its_trunk():
    trunk = record(np.arange(7.0)[:, None] * np.ones((1, 2)))
    branch = record(-np.ones((3, 2)), SNAPSHOTS[2:5])
    results = {
        "learning/theta": xr.Dataset({"theta": trunk}),
        "learning/control/theta": xr.Dataset({"theta": branch}),
    }
    found = record_of(results, "learning/control", "theta")
    assert found.time.values.tolist() == [0.0, 100.0, 200.0, 300.0, 400.0]
    assert found.values[:, 0].tolist() == [0, 1, -1, -1, -1]
    assert record_of(results, "learning", "theta").identical(trunk.rename("theta"))


# -- the synapse of panel G --------------------


def traces():
    theta = np.full((61, 2, 2), -1.0)
    theta[25:, 1, 1] = 2.0  # grows in phase 2 and stays
    theta[45:, 1, 1] = -1.0
    theta[52, 1, 1] = 0.5  # one probe in phase 3
    theta[35:, 1, 0] = 9.0  # larger, but later
    return record(theta, GRID).assign_coords(pre=[300, 400])


def test_the_synapse_is_chosen_in_mid_phase_and_judged_after():
    share = np.zeros((7, 2))
    share[3] = [0.2, 0.9]
    share[4] = [0.95, np.nan]
    shown = choose_shown(xr.Dataset({"new_share": record(share)}), traces(), COURSE)
    assert (int(shown.synapse_post), int(shown.synapse_pre)) == (1, 400)
    assert shown.post.values.tolist() == [1, 0]  # the least and the most tuned at the end
    found = stability(traces().isel(post=1), 400, COURSE)
    assert found["synapse_active_new"] == 1.0
    assert found["synapse_regrowths_new"] == 0
    assert found["candidates_active_new"] == pytest.approx((1 + 6 / 11) / 2)
    assert found["candidates_regrowths_new"] == 0.5
    found = probing(traces().isel(post=1), 400, COURSE)
    assert found["synapse_regrowths"] == 0.5  # one probe in two halves
    assert found["synapse_active_around"] == pytest.approx(1 / 11 / 2)
    assert found["candidates_regrowths"] == 0.25


def test_a_synapse_that_is_lost_and_regrows_is_not_stable():
    lost = traces().isel(post=1)
    lost.values[36:38, 1] = -1.0
    lost.values[5, 1] = lost.values[15, 1] = 0.1  # probes in both halves of phase 1
    found = stability(lost, 400, COURSE)
    assert found["synapse_active_new"] == pytest.approx(9 / 11)
    assert found["synapse_regrowths_new"] == 1
    around = probing(lost, 400, COURSE)
    assert around["synapse_regrowths"] == 1.0  # the first half of phase 1 does not count
    assert around["synapse_active_around"] == pytest.approx(2 / 11 / 2)
    assert probing(lost, 300, COURSE)["synapse_regrowths"] == 0
