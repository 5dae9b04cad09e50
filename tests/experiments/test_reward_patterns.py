"""The pattern task by hand, what is measured of it, and a tiny run through the plumbing."""

import math

import numpy as np
import pytest
import xarray as xr

from synsamp.beyond.reward_patterns.experiment import EXPERIMENT
from synsamp.beyond.reward_patterns.measures import level, selectivity
from synsamp.beyond.reward_patterns.parameters import PatternParameters, PatternTask
from synsamp.beyond.reward_patterns.task import (
    FIRST,
    LATE_S,
    PAUSE,
    SECOND,
    RewardedPatterns,
    phase,
)
from synsamp.beyond.shared.reward_network import Cues, RewardRule, draw_cues, start_theta
from synsamp.runs.execute import execute

TASK = PatternTask(period_s=0.1, window_s=0.2)
SHOWN = np.array([[60.0, 2.0, 2.0], [2.0, 60.0, 2.0]])


def patterns(**options):
    return RewardedPatterns(TASK, SHOWN, np.full(3, 2.0), **options)


def answer(first, second):
    return {"z": np.array([first, 0, second, 0])}


def until_pattern(environment, seed=3):
    """The state in which a pattern was just begun."""
    response = environment.start(seed)
    while response.state["shown"] == PAUSE:
        response = environment.respond(response.state, answer(5, 0))
    return response


@pytest.mark.parametrize(
    ("lead_hz", "worth"),
    [(-30.0, 0.0), (0.0, 0.0), (25.0, 0.5), (30.0, 1 / (1 + math.exp(-1))), (1e4, 1.0)],
)
def test_the_worth_of_a_lead(lead_hz, worth):
    assert patterns().worth(lead_hz) == pytest.approx(worth, abs=1e-12)


def test_two_periods_by_hand():
    begun = until_pattern(patterns())
    right = begun.state["shown"] - FIRST
    assert begun.reward == 0.0  # nothing is earned in a pause
    np.testing.assert_array_equal(begun.rates_hz, SHOWN[int(right)])
    spikes = (4, 1) if right == 0 else (1, 4)
    keep = math.exp(-0.5)
    gain = (1 - keep) / 0.1
    once = patterns().respond(begun.state, answer(*spikes))
    lead = 3 * gain  # the window was emptied when the pattern began
    assert once.reward == pytest.approx(1 / (1 + math.exp(-0.2 * (lead - 25))), rel=1e-12)
    twice = patterns().respond(once.state, answer(*spikes))
    lead = keep * lead + 3 * gain
    assert twice.reward == pytest.approx(1 / (1 + math.exp(-0.2 * (lead - 25))), rel=1e-12)
    assert twice.state["earned"] == pytest.approx(once.reward + twice.reward)
    assert (twice.state["judged"], twice.state["led"]) == (2, 2)
    wrong = patterns().respond(begun.state, answer(*spikes[::-1]))
    assert (wrong.reward, wrong.state["led"], wrong.state["judged"]) == (0.0, 0, 1)


def test_answers_leave_the_state_that_was_given_alone():
    for environment in (patterns(), patterns(at_random=True)):
        begun = until_pattern(environment)
        before = {k: np.copy(v) for k, v in begun.state.items()}
        right = answer(9, 1) if begun.state["shown"] == FIRST else answer(1, 9)
        one, other = (environment.respond(begun.state, right) for _ in range(2))
        assert one.state["earned"] > 0
        for key, value in before.items():
            np.testing.assert_array_equal(begun.state[key], value)
            np.testing.assert_array_equal(one.state[key], other.state[key])


def test_phases():
    found = [phase(PatternTask(), 5, number) for number in range(2000)]
    assert all(each.shown == PAUSE for each in found[::2])
    share = np.mean([each.shown == SECOND for each in found[1::2]])
    assert {each.shown for each in found[1::2]} == {FIRST, SECOND}
    assert abs(share - 0.5) < 4 * 0.5 / math.sqrt(1000)
    lasts_s = 0.015 * np.array([each.periods for each in found])
    assert 0.49 < lasts_s.min() < 0.52
    assert 0.98 < lasts_s.max() < 1.01
    assert abs(lasts_s.mean() - 0.75) < 4 * 0.5 / math.sqrt(12 * 2000)


def played(environment, periods, seed=1):
    """Who leads is drawn by chance; given and earned rewards, and from how long ago they came."""
    rng = np.random.default_rng(seed)
    state, given, earned, back = environment.start(seed).state, [], [], []
    for _ in range(periods):
        before = state["earned"]
        back.append(int(state["back"]) if environment.at_random else 0)
        response = environment.respond(state, answer(*rng.integers(0, 12, 2)))
        state = response.state
        given.append(response.reward)
        earned.append(state["earned"] - before)
    return np.array(given), np.array(earned), np.array(back)


def test_reward_at_random_is_as_much_and_comes_from_long_ago():
    periods, late = 20_000, round(LATE_S / TASK.period_s)
    given, earned, back = played(patterns(at_random=True), periods)
    assert back.min() >= late
    then = np.arange(periods) - back
    expected = np.where(then >= 0, earned[then], 0.0)
    np.testing.assert_allclose(given, expected, atol=1e-9)
    assert len(np.unique(back)) > 100
    settled = slice(1000, None)
    blocks = [(given - earned)[i : i + 1000].mean() for i in range(1000, periods, 1000)]
    error = np.std(blocks) / math.sqrt(len(blocks))
    assert abs(np.mean(blocks)) < 4 * error
    assert earned[settled].mean() > 10 * error
    assert abs(np.corrcoef(given[settled], earned[settled])[0, 1]) < 0.05
    given, earned, _ = played(patterns(), 2000)  # as it should be, each is given when it was earned
    np.testing.assert_allclose(given, earned, atol=1e-9)
    assert np.corrcoef(given, earned)[0, 1] > 0.99


P = PatternParameters(
    population=2,
    cues=Cues(inputs=40),
    learning_s=50.0,
    record_every_s=10.0,
    rule=RewardRule(theta_0=1.0),
)


def results(sign):
    """As if each input had grown onto the population of its pattern, or onto the other."""
    rates = draw_cues(P.cues, 2, np.random.SeedSequence(4))
    mine = np.sign(rates[0] - rates[1]) * sign
    theta = np.concatenate([np.tile(mine, (2, 1)), np.tile(-mine, (2, 1))])[None]
    course = {"judged": [0, 10, 20, 30, 40, 50], "earned": [0, 1, 2, 4, 6, 10.0]}
    course["led"] = [0, 5, 10, 15, 20, 28]
    data = {"patterns": xr.Dataset({"rate": (("pattern", "input"), rates)})}
    for branch in ("rewarded", "random"):
        data[f"{branch}/theta"] = xr.Dataset({"theta": (("time", "post", "pre"), theta)})
        data[f"{branch}/course"] = xr.Dataset({k: ("time", np.array(v)) for k, v in course.items()})
    return data


def test_measures_by_hand():
    found = EXPERIMENT.measure(P, results(1.0))
    assert level(P, results(1.0), "rewarded", "earned", False) == pytest.approx(0.1)
    assert found["reward_at_end@rewarded"] == pytest.approx(0.4)
    assert found["rise@rewarded"] == pytest.approx(0.3)
    assert found["leading_at_end@rewarded"] == pytest.approx(0.8)
    assert level(P, results(1.0), "random", "led", False) == pytest.approx(0.5)
    assert selectivity(P, results(1.0), "rewarded") > 0.5
    assert selectivity(P, results(-1.0), "rewarded") < -0.5


def test_the_start_is_sparse():
    rule = RewardRule()
    theta = start_theta(rule, (100, 100), np.random.SeedSequence(1))
    expected = 0.5 * math.erfc(1 / math.sqrt(2))  # of N(−0.5, 0.5²) above 0
    error = math.sqrt(expected * (1 - expected) / theta.size)
    assert abs((theta > 0).mean() - expected) < 4 * error
    assert theta.min() >= rule.theta_min


def test_a_tiny_run(tmp_path):
    settings = [
        "learning_s=50",
        "record_every_s=10",
        "cues.inputs=10",
        "population=2",
        "task.period_s=0.1",
    ]
    folder = execute(EXPERIMENT, tmp_path / "run", settings=settings)
    found = folder.results()
    assert found["rewarded/course"].judged.values[-1] > 200
    seeds = {float(found[f"{branch}/course"].seed.values[-1]) for branch in ("rewarded", "random")}
    assert len(seeds) == 1  # both see the same patterns in the same order
    np.testing.assert_array_equal(
        found["rewarded/theta"].theta.values[0], found["random/theta"].theta.values[0]
    )
    assert {c.id for c in folder.claims()} == {c.id for c in EXPERIMENT.claims}
