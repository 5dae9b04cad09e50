"""A protocol continues bit-identically after any kill, and evaluates no choice twice."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.protocol import (
    AddNeurons,
    Branch,
    Change,
    Lesion,
    Mark,
    Protocol,
    Save,
    Show,
    Silence,
    active_count,
    at_marks,
    every,
    presentations,
    probe,
    rates,
    spikes,
    theta,
    traces,
    turnover,
)
from synsamp.spiking import RemoveNeurons
from tests.protocol.circuit import LEFT, N_NEURONS, RIGHT, SYNAPSES, network
from tests.protocol.places import KilledError, Place

ASKED: list[float] = []


def weakest(view):
    ASKED.append(view.time_s)
    return RemoveNeurons("z", [int(np.argmin(view.weight(SYNAPSES).sum(axis=1)))])


def missing(view):
    ASKED.append(view.time_s)
    return np.flatnonzero(~view.alive)


def cooler(view):
    return {SYNAPSES: {"temperature": 1.0 / (1.0 + view.time_s / 100)}}


def protocol():
    record = {
        "theta": every(20, theta(SYNAPSES)),
        "active": every(10, active_count(SYNAPSES)),
        "turnover": every(10, turnover(SYNAPSES)),
        "rates": every(20, rates()),
        "spikes": spikes(),
        "shown": presentations(),
        "traces": traces({SYNAPSES: [(0, 1), (2, 3)]}),
        "tuning": every(20, probe(LEFT, 2, lambda p: p.counts(N_NEURONS).sum(axis=0))),
        "marks": at_marks(theta(SYNAPSES)),
    }
    deep = Branch("deep", [Silence(10), Mark("deep")])
    return Protocol(
        network(),
        [
            Show(LEFT, 40),
            Branch("control", [Show(RIGHT, 20), deep, Show(LEFT, 20), Save("end")]),
            Lesion(weakest),
            every(20, Change(cooler)),
            Show(RIGHT, 40),
            AddNeurons("z", missing),
            Branch("frozen", [Change(SYNAPSES, speed=0.0), Show(LEFT, 20)]),
            Mark("end"),
            Show(LEFT, 20),
        ],
        record,
    )


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


@pytest.fixture(scope="module")
def whole():
    place = Place(always=False)
    more = protocol().carry_out(3, place)
    return place.arrays(), more, place.reports


def test_it_can_be_killed_anywhere(whole):
    arrays, more, _ = whole
    reports = 0
    place = Place()
    protocol().carry_out(3, place)
    reports = place.reports
    assert reports > 15
    for dies_at in range(1, reports):
        place = Place(dies_at)
        with pytest.raises(KilledError):
            protocol().carry_out(3, place)
        place = place.reborn()
        found = protocol().carry_out(3, place)
        same(arrays, place.arrays())
        for name, dataset in more.items():
            assert dataset.identical(found[name]), name


def test_it_can_be_killed_again_and_again(whole):
    arrays, _, _ = whole
    place, deaths = Place(2), 0
    while True:
        try:
            protocol().carry_out(3, place)
            break
        except KilledError:
            deaths += 1
            place = place.reborn(2)
    assert deaths > 5
    same(arrays, place.arrays())


def test_a_choice_is_not_asked_for_again(whole):
    arrays, _, reports = whole
    ASKED.clear()
    place = Place(dies_at=reports - 1, always=False)  # only the choice itself leaves a checkpoint
    with pytest.raises(KilledError):
        protocol().carry_out(3, place)
    assert ASKED == [40.0, 80.0]
    place = place.reborn()
    protocol().carry_out(3, place)
    assert ASKED == [40.0, 80.0]
    same(arrays, place.arrays())


def test_a_resume_inside_a_branch_keeps_the_repeated_change_of_the_trunk():
    def temperature(view):
        return view.network.projection(SYNAPSES).synapses.temperature

    def branched():
        steps = [
            Show(LEFT, 20),
            every(20, Change(cooler)),
            Branch("control", [Show(LEFT, 60)]),
            Show(LEFT, 60),
        ]
        return Protocol(network(), steps, {"temperature": every(10, temperature)})

    whole = Place()
    branched().carry_out(3, whole)
    expected = whole.arrays()
    assert len(set(expected["control/temperature:temperature"])) == 3
    for dies_at in range(2, whole.reports):
        place = Place(dies_at)
        with pytest.raises(KilledError):
            branched().carry_out(3, place)
        place = place.reborn()
        branched().carry_out(3, place)
        same(expected, place.arrays())
