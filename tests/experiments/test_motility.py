"""Figure 3: laws without activity, survival and scaling on made-up processes, runs, claims."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from synsamp.analysis.survival import new_lifetimes
from synsamp.errors import SynsampError
from synsamp.experiments.motility.experiment import EXPERIMENT
from synsamp.experiments.motility.figures import draw
from synsamp.experiments.motility.free import run_free
from synsamp.experiments.motility.job import WatchJob, unpack
from synsamp.experiments.motility.measures import (
    change_slope,
    dip,
    occupancy_counts,
    scaled_lives,
    scaling,
    survival,
)
from synsamp.experiments.shared.digit_circuit import CircuitSection, RuleSection
from synsamp.runs import execute, resume
from synsamp.runs.execute import parameters_of
from synsamp.runs.overrides import override
from toys.stopping import stop_after

TINY = [
    "seeds=2",
    "circuit.neurons=4",
    "settle_s=300",
    "slow.b=1e-5",
    "fast.tracked_s=1000",
    "fast.grid_s=20",
    "fast.look_every_s=40",
    "fast.new_within_s=200",
    "slow.tracked_s=2000",
    "slow.grid_s=200",
    "slow.look_every_s=200",
    "slow.new_within_s=400",
]


def seal(folder):
    return (folder.path / "results.sha256").read_text()


def ornstein_uhlenbeck(rng, b, step_s, points, n=3000):
    """States of synapses under prior and noise alone."""
    keep = np.exp(-b * step_s)
    theta = rng.normal(0.5, 1.0, n)
    rows = []
    for _ in range(points):
        rows.append(theta > 0)
        theta = 0.5 + keep * (theta - 0.5) + np.sqrt(1 - keep**2) * rng.standard_normal(n)
    return np.array(rows)


# -- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("slow.b=1e-4", "slow.b must be below fast.b"),
        ("slow.b=1e-5", "must be the same for fast and slow"),
        ("fast.look_every_s=1000", "look_every_s must be a multiple of grid_s"),
        ("fast.new_within_s=1000", "new_within_s must be a multiple of look_every_s"),
        ("slow.tracked_s=57600", "at least twice new_within_s"),
        ("digits=3", "data=mnist"),
        ("rule.b=1e-3", "rule.b must equal fast.b"),
    ],
)
def test_bad_parameters_are_refused_in_words(setting, words):
    with pytest.raises(SynsampError, match=words):
        override(EXPERIMENT.presets["paper"], [setting])


# -- without activity -----------------------------------------------------------------------------


def test_without_activity_the_engine_follows_the_prior():
    rule, circuit = RuleSection(), CircuitSection(neurons=4)
    free = run_free(rule, circuit, 300, np.random.SeedSequence(1))
    assert free.law_p > 1e-3
    assert free.log_normal_p > 1e-3
    found = free.estimate
    assert abs(found.mean - 0.5) < 4 * found.mean_error
    assert abs(found.spread - 1.0) < 4 * found.spread_error
    assert abs(found.noise - 1e-4) < 4 * found.noise_error
    # Controls: the tests would see noise without its √2, another speed, and w is not normal.
    assert stats.kstest(free.theta[-1], stats.norm(0.5, np.sqrt(0.5)).cdf).pvalue < 1e-3
    assert abs(found.noise - 1.1e-4) > 4 * found.noise_error
    assert stats.normaltest(np.exp(free.theta[-1])).pvalue < 1e-6


# -- measures -------------------------------------------------------------------------------------


def test_time_scales_as_one_over_b_and_not_otherwise():
    rng = np.random.default_rng(1)
    fast = [ornstein_uhlenbeck(rng, 1e-4, 144.0, 301) for _ in range(2)]
    slow = [ornstein_uhlenbeck(rng, 1e-6, 14400.0, 61) for _ in range(2)]
    found = scaling(fast, slow, 144.0, 14400.0, 3)
    assert float(found.pooled_ratio) == pytest.approx(100.0, rel=0.15)
    same = [ornstein_uhlenbeck(rng, 1e-4, 14400.0, 61) for _ in range(2)]
    wrong = scaling(fast, same, 144.0, 14400.0, 3)
    assert float(wrong.pooled_ratio) < 80.0


def test_survival_of_one_rate_of_loss_is_not_called_a_power_law():
    rng = np.random.default_rng(2)
    states = []
    for _ in range(2):  # born and lost at constant rates
        rows, active = [], rng.random(3000) < 0.2
        for _ in range(200):
            rows.append(active)
            active = np.where(active, rng.random(3000) > 0.1, rng.random(3000) < 0.025)
        states.append(np.array(rows))
    found = survival(states, 10.0, 1, 1)
    assert found.pooled_aic_gain < 6
    assert float(found.pooled_exponential_tau) == pytest.approx(10.0 / -np.log(0.9), rel=0.05)
    # Near the threshold noise makes many short lives and few long ones.
    free = survival([ornstein_uhlenbeck(rng, 1e-4, 144.0, 301)], 144.0, 1, 3)
    assert float(free.pooled_aic_gain) > 50


def test_proportional_changes_have_slope_one():
    rng = np.random.default_rng(3)
    theta = rng.normal(1.5, 1.0, 40000)
    multiplied = theta + 0.1 * rng.standard_normal(theta.size)
    assert change_slope(theta, multiplied, 3.0) == pytest.approx(1.0, abs=0.03)
    added = 3.0 + np.log(np.abs(np.exp(theta - 3.0) + 0.01 * rng.standard_normal(theta.size)))
    assert change_slope(theta, added, 3.0) < 0.3


def test_a_dip_needs_two_populations():
    rng = np.random.default_rng(4)
    often, seldom = rng.random((200, 500)) < 0.98, rng.random((200, 1500)) < 0.03
    assert dip(occupancy_counts(np.concatenate([often, seldom], axis=1))) < 0.1
    assert dip(occupancy_counts(rng.random((200, 2000)) < rng.random(2000))) > 0.5
    assert dip(occupancy_counts(ornstein_uhlenbeck(rng, 1e-4, 2000.0, 200))) > 1


def test_pieces_of_the_fast_record_share_one_look_and_nothing_is_left_out():
    rng = np.random.default_rng(5)
    fast, slow = rng.random((21, 400)) < 0.5, rng.random((8, 400)) < 0.5
    found, own = scaled_lives(fast, slow, 2.0, 20.0, 1)
    pieces = [new_lifetimes(fast[i : i + 8], 2.0, 1) for i in (0, 7)]
    assert len(found) == sum(map(len, pieces))
    assert np.array_equal(found.last_seen, np.concatenate([p.last_seen for p in pieces]))
    assert np.array_equal(own.first_missed, new_lifetimes(slow, 20.0, 1).first_missed)


def test_laws_are_fitted_to_twenty_losses_and_not_to_fewer():
    for losses in (19, 20, 25):
        states = np.zeros((12, losses), bool)
        for k in range(losses):
            states[2 : 3 + k % 8, k] = True
        fitted = float(survival([states], 1.0, 1, 1).pooled_exponential_tau)
        assert np.isfinite(fitted) == (losses >= 20)


# -- runs -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("tiny") / "run", settings=TINY)


def test_a_run_records_what_the_figure_needs(tiny):
    results = tiny.results()
    states = unpack(results["active_fast"].packed.values[0], 4 * 784)
    assert states.shape == (51, 3136)
    # The states that are stored give the survival that is claimed.
    again = survival([states], 20.0, 2, 5)
    assert int(again.new[0]) == int(results["survival_fast"].new[0]) > 0
    shown = results["traces"]
    active = shown.theta.values > 0
    assert (active == states[:, shown.synapse.values]).all()
    assert {"free-law", "time-scale", "two-populations"} <= {c.id for c in tiny.claims()}


def test_its_figures_are_drawn(tiny):
    figures = draw(parameters_of(EXPERIMENT, tiny), tiny.results())
    assert sorted("".join(figures)) == sorted(EXPERIMENT.captions)


@pytest.mark.parametrize("steps", [8, 50])
def test_a_stopped_run_ends_in_the_same_bits(tiny, tmp_path, monkeypatch, steps):
    """Stopped while watched slowly, and while watched fast."""
    stop_after(monkeypatch, WatchJob, steps)
    with pytest.raises(KeyboardInterrupt):
        execute(EXPERIMENT, tmp_path / "run", settings=TINY)
    assert list((tmp_path / "run" / "checkpoints").iterdir())
    monkeypatch.undo()
    assert seal(resume(EXPERIMENT, tmp_path / "run")) == seal(tiny)
