"""Acting on an environment as a step: branches, lesions, a change of task, and kills."""

import numpy as np
import pytest

from synsamp.environments import Dopamine
from synsamp.errors import SynsampError
from synsamp.protocol import (
    Act,
    Branch,
    Change,
    Lesion,
    Protocol,
    Save,
    Show,
    every,
    rates,
    reward,
    saved_state,
    theta,
)
from synsamp.spiking import RemoveSynapses, SilenceInputs
from tests.environments.two_armed import SYNAPSES, TwoArmed, network
from tests.protocol.places import KilledError, Place

MASK = np.array([[True, False, False, False]] * 2)


def protocol():
    task, other = TwoArmed(), TwoArmed(swapped=True)
    quick = Dopamine(mean_s=5.0)
    return Protocol(
        network(),
        steps=[
            Act(task, 3, quick),
            Branch("unrewarded", [Act(task, 2, quick, rewarded=False)]),
            Branch("same", [Act(other, 2, quick), Act(task, 1)]),
            Branch("off", [Change(SYNAPSES, speed=0.0), Act(other, 1, quick), Save("end")]),
            Act(other, 2, quick),
            Act(task, 1),
            Lesion([RemoveSynapses(SYNAPSES, MASK), SilenceInputs("x", [3])]),
            Show(np.full(4, 20.0), 1),
            Act(task, 2),
        ],
        record={
            "theta": every(1, theta(SYNAPSES)),
            "reward": every(1, reward()),
            "rates": every(1, rates()),
            "lit": every(1, lambda v: -1 if v.environment is None else int(v.environment["lit"])),
        },
        sync_interval_s=0.5,
        drift_interval_s=0.05,
    )


@pytest.fixture(scope="module")
def whole():
    return protocol().run(seed=3)


def test_it_can_be_killed_in_the_middle_of_an_episode():
    place = Place(always=False)
    protocol().carry_out(3, place)
    arrays = place.arrays()
    place = Place()
    protocol().carry_out(3, place)
    reports = place.reports
    assert reports > 12
    for dies_at in range(1, reports):
        place = Place(dies_at)
        with pytest.raises(KilledError):
            protocol().carry_out(3, place)
        place = place.reborn()
        protocol().carry_out(3, place)
        found = place.arrays()
        assert found.keys() == arrays.keys()
        for name, values in arrays.items():
            np.testing.assert_array_equal(values, found[name], err_msg=name)


def test_a_branch_that_does_the_same_is_bit_identical(whole):
    trunk = whole["theta/theta"].values  # 0 to 6 s, once more after the lesion, and on
    np.testing.assert_array_equal(whole["same/theta/theta"].values, trunk[3:7])
    assert not np.array_equal(whole["unrewarded/theta/theta"].values[-1], trunk[5])


def test_reward_is_recorded_and_withheld(whole):
    earned = whole["reward/reward"].values
    assert np.isnan(earned[0])
    assert (earned[1:4] > 0).any()
    assert np.isnan(earned).nonzero()[0].tolist() == [0, 7]  # at the start, and after the lesion
    assert np.nanmax(earned) <= 1
    assert (whole["unrewarded/reward/reward"].values[1:] > 0).any()
    log = whole["steps/what"].values.tolist()
    assert "acting on TwoArmed(False) for 2 s, reward withheld" in log


def test_without_speed_nothing_is_learned(whole):
    frozen = whole["off/theta/theta"].values
    np.testing.assert_array_equal(frozen[0], frozen[-1])


def test_a_saved_state_can_be_taken_up(whole):
    start = saved_state(whole, "off/end")
    record = {"reward": every(1, reward())}
    again = Protocol(network(), [Act(TwoArmed(), 1)], record, start=start, sync_interval_s=0.5).run(
        seed=4
    )
    assert again["reward/time"].values.tolist() == [4.0, 5.0]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda: Act(3, 1), "environment must be"),
        (lambda: Act(TwoArmed(), 0.0), "duration_s must be"),
        (lambda: Act(TwoArmed(), 1, rewarded=1), "rewarded must be"),
    ],
)
def test_a_wrong_step_raises_an_error(step, words):
    with pytest.raises(SynsampError, match=words):
        step()


def test_a_population_that_the_network_lacks_raises_an_error_before_it_runs():
    environment = TwoArmed()
    environment.neurons = ("motor",)
    with pytest.raises(SynsampError, match=r"neurons of TwoArmed.*'motor'"):
        Protocol(network(), [Act(environment, 1)], {}, sync_interval_s=0.5)


def test_an_environment_that_fails_leaves_the_last_checkpoint():
    class Failing(TwoArmed):
        def respond(self, state, counts):
            if int(state["step"]) == 45:
                raise RuntimeError("gone")
            return super().respond(state, counts)

    place = Place()
    failing = Protocol(
        network(), [Act(Failing(), 4)], {}, sync_interval_s=0.5, drift_interval_s=0.05
    )
    with pytest.raises(SynsampError, match="must answer, got 'RuntimeError: gone'"):
        failing.carry_out(3, place)
    kept = place.checkpoint.kept[0]
    assert 0 < kept["done_s"] < 2.3
    mended = Protocol(
        network(), [Act(TwoArmed(), 4)], {}, sync_interval_s=0.5, drift_interval_s=0.05
    )
    mended.carry_out(3, place.reborn())
