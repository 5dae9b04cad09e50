"""The measures of figure 4 on generated records: each can take other values."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from synsamp.claims import Ratio
from synsamp.paper.fig4_adaptation import measures
from synsamp.paper.fig4_adaptation.measures import active_shares, record_of, retuning, select
from synsamp.paper.fig4_adaptation.parameters import DigitPhase, Timeline
from synsamp.paper.fig4_adaptation.protocol import (
    background,
    candidate_inputs,
    informative,
    new_inputs,
)

TIMELINE = Timeline((200.0, 400.0, 600.0), ((1,), (1, 2), (1,)))
SNAPSHOTS = np.arange(0.0, 601.0, 100.0)
GRID = np.arange(0.0, 601.0, 10.0)
INK = np.array([[0.9, 0.0, 0.0, 0.03, 0.0], [0.9, 0.8, 0.3, 0.9, 0.0]])


def record(values, times=SNAPSHOTS, last="pre"):
    values = np.asarray(values)
    return xr.DataArray(values, {"time": times}, ("time", "post", last)[: values.ndim])


def measured(name, images=None, timeline=None, **records):
    """A measure of a branch with these records, or derived datasets."""
    results = {f"any/{key}": as_dataset(key, value) for key, value in records.items()}
    results["images"] = xr.Dataset() if images is None else images
    return getattr(measures, name)(SimpleNamespace(timeline=timeline or TIMELINE), results, "any")


def as_dataset(key, value):
    return value if isinstance(value, xr.Dataset) else xr.Dataset({key: value})


# -- phases --------------------


def test_a_timeline_has_the_times_of_phases_and_the_new_one():
    phases = [DigitPhase(digits=(1,)), DigitPhase(digits=(2, 1), duration_s=600.0)]
    timeline = Timeline.of([*phases, phases[0]], 400.0)
    assert timeline.ends_s == (400.0, 1000.0, 1400.0)
    assert timeline.digits == ((1,), (1, 2), (1,))
    assert timeline.all_digits == (1, 2)
    assert (timeline.new_phase, timeline.new_digit, timeline.return_phase) == (1, 2, 2)
    assert (timeline.start_s(1), timeline.length_s(1), timeline.middle_s(1)) == (
        400.0,
        600.0,
        700.0,
    )
    assert [timeline.phase_at(t) for t in (0.0, 400.0, 401.0, 1400.0)] == [0, 0, 1, 2]


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
    timeline = Timeline(tuple(100.0 * (i + 1) for i in range(len(digits))), digits)
    found = (timeline.new_phase, timeline.new_digit, timeline.return_phase)
    assert found == (new_phase, new_digit, return_phase)


# -- inputs --------------------


def test_inputs_are_sorted_by_the_images_alone():
    assert background(INK[:1]).tolist() == [False, True, True, False, True]
    assert background(INK).tolist() == [False, False, False, False, True]
    assert informative(INK).tolist() == [True, True, False, True, False]
    assert new_inputs(INK, TIMELINE).tolist() == [False, True, True, True, False]
    # The fourth is bright for the new digit but not background for the old one.
    assert candidate_inputs(INK, INK, TIMELINE).tolist() == [1, 2, 4]
    # What counts is how much brighter an input is for the new digit than it was for the old ones.
    mean = np.array([[0.0, 0.4, 0.0, 0.1, 0.0], [0.2, 0.7, 0.6, 0.3, 0.0]])
    assert candidate_inputs(mean, 0 * INK, TIMELINE)[:3].tolist() == [2, 1, 0]


def test_what_the_old_digits_use_at_times_is_not_new():
    ink = np.array([[0.04, 0.06, 0.0], [0.3, 0.3, 0.19]])
    assert new_inputs(ink, TIMELINE).tolist() == [True, False, False]


def test_without_a_new_digit_the_brightest_inputs_are_traced():
    timeline = Timeline((100.0,), ((1, 2),))
    assert not new_inputs(INK, timeline).any()
    assert candidate_inputs(INK, INK, timeline).tolist() == [0, 3, 1, 2, 4]


# -- elimination and sparseness --------------------


def test_shares_are_of_the_inputs_of_the_phase_that_was_shown():
    images = xr.Dataset(
        {
            "background": (("phase", "pre"), [[1, 1, 0], [0, 1, 0], [1, 1, 0]]),
            "informative": (("phase", "pre"), [[0, 0, 1], [1, 0, 1], [0, 0, 1]]),
        }
    ).astype(bool)
    theta = np.full((7, 2, 3), -1.0)
    theta[0] = 1.0
    theta[2, 0, 0] = theta[2, :, 2] = 1.0  # the end of the first phase counts to the first
    theta[3, 0, 0] = theta[3, 0, 2] = 1.0
    found = active_shares(record(theta), images, TIMELINE)
    assert found.background_active.values.tolist() == [1, 0, 0.25, 0, 0, 0, 0]
    assert found.informative_active.values.tolist() == [1, 0, 1.0, 0.5, 0, 0, 0]


def test_elimination_compares_the_end_of_phase_1_with_the_start():
    background = [0.8, 0.5, 0.2, 0.9, 0.9, 0.9, 0.9]
    informative = [0.5, 0.6, 0.75, 0.1, 0.1, 0.1, 0.1]
    snapshots = xr.Dataset(
        {"background_active": record(background), "informative_active": record(informative)}
    )
    assert measured("background_left", snapshots=snapshots) == Ratio(0.2, 0.8)
    assert measured("informative_active", snapshots=snapshots) == 0.75


def test_sparseness_is_that_of_the_whole_run_and_of_what_follows_the_first_phase():
    active = np.full((61, 2), 1)
    active[0] = 9  # the start counts
    active[30] = [4, 2]
    active[19] = 8  # before the end of the first phase
    inputs = xr.Dataset({"new": ("pre", np.zeros(10, bool))})

    def of(name, active):
        return measured(name, inputs, active=record(active, GRID))

    assert of("largest_active_share", active) == 18 / 20
    assert of("largest_active_share_later", active) == 6 / 20
    assert of("low_after_s", active) == 300.0  # a quarter or less afterwards
    assert (of("largest_active_share", 0 * active), of("low_after_s", 0 * active)) == (0, 0)


def test_new_synapses_are_those_absent_from_the_previous_snapshot():
    background = xr.DataArray([[1, 1, 0], [1, 1, 0], [1, 1, 1]], dims=("phase", "pre"))
    images = xr.Dataset({"background": background.astype(bool)})
    theta = np.full((7, 1, 3), -1.0)
    theta[2] = [[1, -1, 1]]  # the end of the first phase: what follows is compared with it
    theta[3] = [[1, 1, 1]]
    theta[4] = [[-1, 1, 1]]
    theta[5] = [[1, -1, -1]]
    theta[6] = [[1, -1, 1]]
    found = measured("new_synapse_share", images, theta=record(theta))
    assert found == Ratio(2, 5)  # the third input is not always background


# -- the new digit --------------------


def test_a_neuron_is_retuned_only_with_spikes_and_weights():
    mean = xr.DataArray(
        [[1.0, 0, 0, 0, 0], [0, 1.0, 1.0, 0, 0]], {"digit": [1, 2]}, ("digit", "pre")
    )
    weight = np.zeros((1, 4, 5))
    weight[0, 0, 1:3] = 1.0  # weights of 2, responds to 2
    weight[0, 1, 0] = 1.0  # weights of 1, responds to 2
    weight[0, 2, 1:3] = 1.0  # weights of 2, responds to both
    spikes = np.array([[[1, 99], [1, 99], [50, 50], [0, 0]]])  # the fourth is silent, no weights
    found = retuning(record(spikes, [0.0], "digit"), record(weight, [0.0]), mean, 2)
    assert found.retuned.values.tolist() == [[True, False, False, False]]
    np.testing.assert_array_equal(found.new_share[0], [0.99, 0.99, 0.5, np.nan])
    np.testing.assert_allclose(found.similarity[0], [1.0, -0.408248, 1.0, np.nan], atol=1e-6)


def test_weights_must_resemble_the_new_digit_more_than_any_other():
    mean = xr.DataArray(np.eye(3), {"digit": [1, 2, 3]}, ("digit", "pre"))
    weight = np.stack([np.eye(3)] * 2)  # neuron k has the weights of digit k
    spikes = np.zeros((2, 3, 3))
    spikes[..., 1] = 9.0  # all answer to 2
    found = retuning(record(spikes, [0.0, 1.0], "digit"), record(weight, [0.0, 1.0]), mean, 2)
    assert found.retuned.values.tolist() == [[False, True, False]] * 2


def snapshots(retuned_at_end=2, before=(0.0, 0.375, 0.9), still=0):
    """Three neurons; ``retuned_at_end`` of them at the end of phase 2, with similarity 0.5."""
    flags, similarity = np.zeros((7, 3), bool), np.zeros((7, 3))
    flags[4, :retuned_at_end] = flags[6, :still] = True
    flags[5] = True  # within phase 3: does not count
    similarity[2], similarity[4] = before, [0.1, 0.5, 0.6]
    return xr.Dataset({"retuned": record(flags), "similarity": record(similarity)})


@pytest.mark.parametrize(
    ("given", "two_retuned", "gain"),
    [
        ({}, True, 0.125),
        ({"retuned_at_end": 1}, False, 0.125),
        ({"retuned_at_end": 3}, True, 0.125),
        ({"before": (0.0, 0.4375, 0.9)}, True, 0.0625),
        # Neurons without weights before have no head start.
        ({"before": (np.nan,) * 3}, True, 0.5),
    ],
)
def test_neurons_are_retuned_with_their_weights(given, two_retuned, gain):
    assert measured("two_retuned", snapshots=snapshots(**given)) is two_retuned
    assert measured("similarity_gain", snapshots=snapshots(**given)) == pytest.approx(gain)


@pytest.mark.parametrize("still", [0, 1, 2])
def test_the_network_returns_if_no_neuron_stays_retuned(still):
    assert measured("all_return", snapshots=snapshots(still=still)) is (still == 0)


def test_neurons_without_weights_at_the_end_resemble_nothing():
    made = snapshots()
    made.similarity.values[4] = np.nan
    assert measured("similarity_gain", snapshots=made) == pytest.approx(-1.375)


def test_regrowth_counts_eliminated_connections_at_new_inputs_that_are_active_again():
    theta = np.full((7, 1, 5), -1.0)
    theta[0] = [[1, 1, 1, -1, 1]]
    theta[2] = [[1, -1, -1, -1, -1]]
    theta[4] = [[1, 1, -1, 1, 1]]
    images = xr.Dataset({"new": ("pre", new_inputs(INK, TIMELINE))})
    assert measured("regrowth", images, theta=record(theta)) == Ratio(1, 2)


def test_elimination_after_the_new_digit_is_of_what_was_active_with_it():
    theta = np.full((7, 1, 5), -1.0)
    theta[4] = [[1, 1, 1, 1, 1]]
    theta[6] = [[-1, 1, -1, -1, -1]]
    images = xr.Dataset({"new": ("pre", new_inputs(INK, TIMELINE))})  # inputs 1, 2 and 3
    assert measured("eliminated_after", images, theta=record(theta)) == Ratio(2, 3)


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


def of_synapse(name, candidates, pre=400):
    selected = xr.Dataset({"synapse_post": 1, "synapse_pre": pre})
    return measured(name, candidates=candidates, selected=selected)


def test_the_synapse_is_selected_in_mid_phase_and_evaluated_after():
    share = np.zeros((7, 2))
    share[3] = [0.2, 0.9]
    share[4] = [0.95, np.nan]
    shown = select(xr.Dataset({"new_share": record(share)}), traces(), TIMELINE)
    assert (int(shown.synapse_post), int(shown.synapse_pre)) == (1, 400)
    assert shown.post.values.tolist() == [1, 0]  # the least and the most tuned at the end
    assert of_synapse("synapse_active", traces()) == 1.0
    assert of_synapse("synapse_regrowths", traces()) == 0
    assert of_synapse("synapse_regrowths_around", traces()) == 0.5  # one crossing in two halves
    assert of_synapse("synapse_active_around", traces()) == pytest.approx(1 / 11 / 2)
    assert of_synapse("candidate_regrowths_around", traces()) == 0.25


def test_a_synapse_that_is_lost_and_regrows_is_not_stable():
    lost = traces()
    lost.values[36:38, 1, 1] = -1.0
    lost.values[5, 1, 1] = lost.values[15, 1, 1] = 0.1  # crossings in both halves of phase 1
    assert of_synapse("synapse_active", lost) == pytest.approx(9 / 11)
    assert of_synapse("synapse_regrowths", lost) == 1
    # the first half of phase 1 does not count
    assert of_synapse("synapse_regrowths_around", lost) == 1.0
    assert of_synapse("synapse_active_around", lost) == pytest.approx(2 / 11 / 2)
    assert of_synapse("synapse_regrowths_around", lost, pre=300) == 0
