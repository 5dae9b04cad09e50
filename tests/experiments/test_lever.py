"""The lever by hand, what is measured of it, and a tiny run through the plumbing."""

import math

import numpy as np
import pytest
import xarray as xr

from synsamp.beyond.lever.experiment import EXPERIMENT, QUICK
from synsamp.beyond.lever.measures import counted_between, lost, per_minute, preserved, turnover
from synsamp.beyond.lever.parameters import LeverParameters, LeverTask
from synsamp.beyond.lever.protocol import (
    build_network,
    lesion,
    motor_neurons,
    start_of,
)
from synsamp.beyond.lever.task import FIRST, LATE_S, REWARDED, SECOND, WAITING, Lever
from synsamp.claims import Ratio
from synsamp.runs.execute import execute
from synsamp.spiking import Simulation

TASK = LeverTask(period_s=0.05, keep=0.5, window_s=0.1, limit_s=1.0, reward_s=0.1)
CUE, BACKGROUND = np.full(3, 60.0), np.full(3, 2.0)


def lever(**options):
    return Lever(TASK, 2, CUE, BACKGROUND, **options)


def spikes(up=0, down=0):
    """One hidden neuron, two for up, two for down."""
    return {"e": np.array([7, up, 0, 0, down])}


def until(environment, stage, state, counts, most=200):
    for _ in range(most):
        response = environment.respond(state, counts)
        state = response.state
        if state["stage"] == stage:
            return response
    raise AssertionError(f"stage {stage} was never reached")


def test_the_lever_by_hand():
    state = lever().start(1).state
    up_hz = down_hz = position = 0.0
    seen = math.exp(-0.5)
    for up, down in ((3, 0), (1, 4), (0, 2)):
        up_hz = seen * up_hz + (1 - seen) * up / 0.05
        down_hz = seen * down_hz + (1 - seen) * down / 0.05
        position = 0.5 * position + 0.5 * (up_hz - down_hz)
        state = lever().respond(state, spikes(up, down)).state
        assert state["lever"] == pytest.approx(position, rel=1e-12)


def test_a_movement_down_then_up_is_rewarded():
    environment = lever()
    begun = until(environment, FIRST, environment.start(1).state, spikes(up=9))
    np.testing.assert_array_equal(begun.rates_hz, CUE)
    assert begun.state["tried"] == 1
    still = environment.respond(begun.state, spikes(up=9))
    assert still.state["stage"] == FIRST  # it is up, and was never down
    low = until(environment, SECOND, begun.state, spikes(down=9))
    assert low.state["lever"] < -15.0
    np.testing.assert_array_equal(low.rates_hz, CUE)
    assert low.reward == 0.0
    high = until(environment, REWARDED, low.state, spikes(up=9))
    assert high.state["lever"] > 15.0
    assert (high.reward, high.state["finished"]) == (1.0, 1)
    np.testing.assert_array_equal(high.rates_hz, BACKGROUND)
    after = environment.respond(high.state, spikes())
    assert (after.reward, after.state["stage"]) == (1.0, REWARDED)  # 0.1 s are two periods
    over = environment.respond(after.state, spikes())
    assert (over.reward, over.state["stage"], over.state["trial"]) == (0.0, WAITING, 1)
    wait_s = over.state["left"] * 0.05
    assert 0.45 <= wait_s <= 1.05


def test_the_other_order_is_the_mirror_image():
    for exchanged in (False, True):
        environment = lever(upside_down=exchanged)
        begun = until(environment, FIRST, environment.start(1).state, spikes())
        first, then = spikes(down=9), spikes(up=9)
        if exchanged:
            first, then = then, first
        low = until(environment, SECOND, begun.state, first)
        assert until(environment, REWARDED, low.state, then).reward == 1.0
        with pytest.raises(AssertionError, match="never reached"):
            until(environment, SECOND, begun.state, then, most=15)


def test_a_trial_that_takes_too_long_fails():
    environment = lever()
    begun = until(environment, FIRST, environment.start(1).state, spikes())
    state, periods = begun.state, 0
    while state["stage"] == FIRST:
        response = environment.respond(state, spikes())
        state, periods = response.state, periods + 1
    assert periods == 20  # 1 s
    assert state["stage"] == WAITING
    assert (state["finished"], state["cued"]) == (0, 20)
    np.testing.assert_array_equal(response.rates_hz, BACKGROUND)


def played(environment, periods):
    """A lever that is thrown about; what was given, and when movements were finished."""
    rng = np.random.default_rng(2)
    state, given, finished = environment.start(5).state, [], []
    side = 0
    for _ in range(periods):
        side = int(rng.integers(2)) if rng.random() < 0.1 else side
        before = dict(state)
        response = environment.respond(state, spikes(9 * side, 9 * (1 - side)))
        assert state == before
        given.append(response.reward)
        finished.append(response.state["finished"] - state["finished"])
        state = response.state
    return np.array(given), np.array(finished)


def test_reward_at_random_is_as_much_and_comes_later():
    given, finished = played(lever(at_random=True), 40_000)
    starts = np.flatnonzero(np.diff(given, prepend=0.0) > 0)
    # Two that follow at once look like one that is longer; about LATE_S × rate are still owed.
    assert abs(given.sum() / 2 - finished.sum()) < 0.15 * finished.sum() + 4 * LATE_S
    ends = np.flatnonzero(finished)
    since = starts[:, None] - ends
    gap_s = 0.05 * np.where(since >= 0, since, 10**6).min(axis=1)
    assert np.mean(gap_s < 0.01) < 0.25
    given, finished = played(lever(), 4000)
    starts = np.flatnonzero(np.diff(given, prepend=0.0) > 0)
    np.testing.assert_array_equal(starts, np.flatnonzero(finished))  # as it should be: at once


# -- the network --------------------


def test_the_network_is_wired_as_described():
    p = LeverParameters()
    network = build_network(p, 3)
    assert [c.size for c in network.neurons] == [60, 20]
    sees = network.mask_of(network.projection("x->e"))
    assert sees[:30].all()
    assert not sees[30:].any()
    assert (network.mask_of(network.projection("e->e")) == ~np.eye(60, dtype=bool)).all()
    sim = Simulation(network, np.full(50, 2.0), theta=start_of(p, 3))
    for name, share, size in (("e->i", 0.575, 0.5), ("i->e", 0.6, 1.0), ("i->i", 0.55, 1.0)):
        mask = network.mask_of(network.projection(name))
        assert abs(mask.mean() - share) < 4 * math.sqrt(0.25 / mask.size) + 0.03  # no self
        weight = sim.weight(name)[mask]
        assert abs(weight.mean() - size) < 4 * 0.2 * size / math.sqrt(weight.size)
        assert weight.std() == pytest.approx(0.2 * size, rel=0.2)
    assert (sim.theta("e->e") > 0)[~np.eye(60, dtype=bool)].mean() == pytest.approx(0.16, abs=0.03)


def test_the_lesion_takes_as_many_on_both_sides():
    p = LeverParameters()
    gone = np.array(lesion(p, np.random.SeedSequence(1)).neurons)
    for place in motor_neurons(p):
        assert ((gone >= place.start) & (gone < place.stop)).sum() == 4
    assert gone.size == 8


# -- measures --------------------


def test_what_passed_is_counted_within_each_environment():
    counted = {"finished": [0, 4, 9, 2, 3], "cued": [0, 20, 40, 10, 30], "seed": [1, 1, 1, 2, 2]}
    counted["seed"][0] = 0  # before the first environment
    data = {k: ("time", np.array(v, float)) for k, v in counted.items()}
    course = xr.Dataset(data, {"time": np.arange(5) * 20.0})
    np.testing.assert_array_equal(counted_between(course, "finished"), [4, 5, 2, 1])
    found = per_minute(QUICK, {"a/course": course}, "a", 20.0, 60.0)
    assert found == pytest.approx(60 * 7 / (30 * QUICK.task.period_s))


def test_retention_distinguishes_drift_that_matters_from_drift_that_does_not():
    p, m = LeverParameters(), 10
    rng = np.random.default_rng(1)
    before = rng.gamma(2.0, 0.2, (2 * m, 100))
    before[3, 5] = np.nan  # no neuron connects to itself

    def drifted(harmless):
        after = rng.gamma(2.0, 0.2, before.shape)
        if harmless:  # weights change hands within a population: sums stay
            for place in (slice(0, m), slice(m, None)):
                after[place] = rng.permuted(np.nan_to_num(before[place]), axis=0)
        return after

    single, moves, mixed = preserved(p, before, drifted(True))
    assert moves > 0.999
    assert max(abs(single), abs(mixed)) < 0.2
    single, moves, mixed = preserved(p, before, drifted(False))
    assert max(abs(single), abs(mixed)) < 0.2
    assert abs(moves) < 4 / math.sqrt(100)
    assert preserved(p, before, before) == pytest.approx((1.0, 1.0, 1.0))


def test_share_of_connections_that_are_gone():
    before = np.array([True, True, True, True, False])
    assert lost(before, np.array([True, False, True, True, True])) == 0.25
    assert lost(before, before) == 0.0
    assert turnover(before, np.array([True, False, True, True, True])) == 2 / 8
    assert turnover(before, before) == 0.0


def test_a_tiny_run(tmp_path):
    settings = [
        *(f"schedule.{name}_s=50" for name in ("learning", "same", "changed", "lesion")),
        *(f"schedule.{name}_s=50" for name in ("random", "noiseless")),
        "schedule.record_every_s=10",
        "task.period_s=0.1",
        "task.keep=0.7",
        "cues.inputs=5",
        "wiring.hidden=4",
        "wiring.motor=5",
        "wiring.seeing=14",
        "task.threshold_hz=2",
    ]
    folder = execute(EXPERIMENT, tmp_path / "run", settings=settings)
    found = folder.results()
    measured = EXPERIMENT.measure(QUICK_TINY, found)
    named = {n for c in EXPERIMENT.claims for n in (c.key, c.null_key)}
    assert named <= set(measured)
    assert isinstance(measured["rise@network"], Ratio)
    assert measured["lost_connections@network.frozen_changed"] == 0.0
    assert measured["lost_connections@network.same"] > 0.0
    log = str(found["network/steps"].to_dict())
    assert "neurons" in log
    assert found["network/course"].finished.values.max() > 0


QUICK_TINY = LeverParameters(
    **{
        **QUICK.model_dump(),
        "task": {**QUICK.task.model_dump(), "period_s": 0.1},
        "wiring": {**QUICK.wiring.model_dump(), "hidden": 4, "motor": 5, "seeing": 14},
        "schedule": {
            **dict.fromkeys(QUICK.schedule.model_dump(), 50.0),
            "record_every_s": 10.0,
        },
    }
)
