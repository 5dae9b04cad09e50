"""Fits of simulated tables: the threshold causes no bias, and intervals cover the truth."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import optimize, stats

from spines.tables import long_text, truth, write
from synsamp.analysis.ornstein_uhlenbeck import estimate_ornstein_uhlenbeck
from synsamp.errors import SynsampError
from synsamp.priors import Gaussian
from synsamp.rule import StepSizeWarning
from synsamp.spiking import SynapseModel
from synsamp.spines import (
    OneTimeScale,
    RandomWalk,
    TwoTimeScales,
    fit,
    read,
    to_rule_parameters,
)
from synsamp.spines.compare import compare
from synsamp.spines.fit import fit_process
from synsamp.spines.posterior import ParameterPrior, posterior_of
from synsamp.spines.problem import Problem
from synsamp.spines.rule_parameters import simulate_rule
from synsamp.spines.simulate import simulate, simulate_like

TRUTH = {"mean": -0.5, "spread": 1.0, "relaxation": 20.0, "bT": 0.05}


def test_the_threshold_does_not_bias_the_process(tmp_path):
    """A table of known truth, in which spines are seen only above the threshold."""
    table = truth(n_spines=800)
    fitted = fit(write(tmp_path, long_text(table, "NaN")))
    for name, true in TRUTH.items():
        error = fitted.error(name)
        assert abs(fitted.value(name) - true) < 4 * error, name
        assert error < 0.2 * abs(true), name
        low, high = fitted.interval(name)
        assert low < fitted.value(name) < high
    # An estimate from successive sizes, which ignores the threshold, is far from the truth.
    x = np.log(table.size)
    both = np.isfinite(x[:, 1:]) & np.isfinite(x[:, :-1])
    steps = estimate_ornstein_uhlenbeck(x[:, :-1][both], x[:, 1:][both], 3.0)
    assert abs(steps.mean - TRUTH["mean"]) > 8 * steps.mean_error
    assert abs(steps.spread - TRUTH["spread"]) > 8 * steps.spread_error


def test_measurement_noise_and_unequal_intervals():
    times = np.array([0, 1, 2, 6, 7, 14, 15, 21, 30, 31.0])
    table = truth(n_spines=700, times=times, noise=0.25, relaxation=12.0)
    fitted = fit(table)
    for name, true in {"mean": -0.5, "spread": 1.0, "relaxation": 12.0, "noise": 0.25}.items():
        assert abs(fitted.value(name) - true) < 4 * fitted.error(name), name
    assert fitted.interval("noise")[0] > 0.15


@pytest.mark.parametrize(
    ("threshold_on", "other_size"), [("measured", "true"), ("true", "measured")]
)
def test_the_threshold_is_detected_to_be_on_the_true_or_the_measured_size(threshold_on, other_size):
    table = truth(n_spines=800, noise=0.25, threshold_on=threshold_on)
    fitted = fit(table)
    assert fitted.threshold_on == threshold_on
    for name, true in {**TRUTH, "noise": 0.25}.items():
        assert abs(fitted.value(name) - true) < 4 * fitted.error(name), name
    assert fitted.value("threshold") == pytest.approx(1.0, abs=0.05)
    other = fit_process(table.observations(), threshold_on=other_size)
    assert other.log_likelihood < fitted.log_likelihood - 1
    if threshold_on == "true":  # negative control: the smallest size is far from the threshold
        gaps = [abs(other.value(n) - t) / other.error(n) for n, t in TRUTH.items()]
        assert max(gaps) > 4


def test_gaps_cause_no_bias():
    table = truth(n_spines=300, noise=0.1)
    rng = np.random.default_rng(1)
    hidden = rng.random(table.state.shape) < 0.25
    table.state[hidden] = -1
    table.size[hidden] = np.nan
    fitted = fit(table)
    for name, true in TRUTH.items():
        assert abs(fitted.value(name) - true) < 4 * fitted.error(name), name


def test_sizes_in_another_unit_shift_the_mean_only():
    table = truth(n_spines=120)
    before = fit(table)
    table.size[:] *= 0.03
    after = fit(table)
    assert after.value("mean") == pytest.approx(before.value("mean") + np.log(0.03), abs=0.01)
    for name in ("spread", "relaxation", "bT"):
        assert after.value(name) == pytest.approx(before.value(name), rel=0.01)
    one, other = (to_rule_parameters(f, "day") for f in (before, after))
    assert one.prior.mean == pytest.approx(other.prior.mean, abs=0.01)


def test_95_percent_intervals_cover_the_truth():
    """16 small tables: with 95 % coverage, fewer than 12 hits have probability 0.001."""
    names = ("mean", "spread", "relaxation", "noise", "bT")
    hits = dict.fromkeys(names, 0)
    for k in range(16):
        rng = np.random.default_rng([7, k])
        true = {
            "mean": rng.uniform(-1, 0.5),
            "spread": 1.0,
            "relaxation": np.exp(rng.uniform(np.log(8), np.log(40))),
            "noise": rng.uniform(0.1, 0.4),
        }
        table = truth(n_spines=50, times=np.arange(7) * 4.0, seed=k, **true)
        fitted = fit(table)
        true["bT"] = 1.0 / true["relaxation"]
        for name in names:
            low, high = fitted.interval(name)
            hits[name] += low <= true[name] <= high
    assert min(hits.values()) >= 12, hits


def test_differences_between_animals_enlarge_the_intervals():
    rng = np.random.default_rng(3)
    tables = [truth(n_spines=30, mean=-0.5 + 0.6 * rng.standard_normal(), seed=k) for k in range(8)]
    first = tables[0]
    whole = type(first)(
        **{
            **first.__dict__,
            "spine": np.concatenate([t.spine for t in tables]),
            "animal": np.repeat([f"m{k}" for k in range(8)], 30),
            "dendrite": np.full(240, ""),
            "condition": np.full(240, ""),
            "state": np.concatenate([t.state for t in tables]),
            "size": np.concatenate([t.size for t in tables]),
        }
    )
    together = fit(whole)
    apart = fit_process(whole.observations())  # spines independent
    assert together.error("mean") > 1.5 * apart.error("mean")
    assert together.error("bT") < 3 * apart.error("bT")  # in which the animals do not differ


def test_two_time_scales_are_distinguished_from_one():
    rng = np.random.default_rng(4)
    process = TwoTimeScales(-0.2, 1.0, 60.0, 0.7, 2.0, 0.02)
    table = truth(n_spines=300)
    state, size = simulate(process, 0.0, np.arange(16) * 1.0, 300, rng)
    table = type(table)(
        **{**table.__dict__, "times": np.arange(16) * 1.0, "state": state, "size": size}
    )
    seen = table.observations()
    fits = [fit_process(seen, kind) for kind in (OneTimeScale, TwoTimeScales, RandomWalk)]
    found = compare(table, fits, simulations=20)
    assert found.criteria["process"].tolist()[0] == "two time scales"
    assert found.criteria["above_best"].iloc[1] > 10
    two = fits[1].process
    slow, fast = sorted((two.slow_relaxation, two.fast_relaxation), reverse=True)
    assert 20 < slow < 250
    assert 0.5 < fast < 6


def test_one_time_scale_is_not_mistaken_for_two_or_a_walk():
    table = truth(n_spines=250, noise=0.2)
    seen = table.observations()
    fits = [fit_process(seen, kind) for kind in (OneTimeScale, TwoTimeScales, RandomWalk)]
    found = compare(table, fits, simulations=40)
    rank = found.criteria.set_index("process")["above_best"]
    assert rank["one time scale"] <= 2
    assert rank["random walk"] > 10
    own = found.checks[found.checks["process"] == "one time scale"]
    assert own["explained"].mean() > 0.8
    walk = found.checks[found.checks["process"] == "random walk"]
    assert not walk["explained"].all()  # the negative control


def test_the_posterior_is_that_of_the_exact_likelihood_and_its_step_is_small():
    table = truth(n_spines=50, times=np.arange(6) * 4.0, noise=0.25)
    seen = table.observations()
    fitted = fit_process(seen)
    with warnings.catch_warnings():
        warnings.simplefilter("error", StepSizeWarning)
        found = posterior_of(seen, fitted, steps=600, seed=1, progress=False)
    assert found.spread_inflation < 0.05
    weight = found.draws["weight"].values
    assert weight.mean() == pytest.approx(1.0)
    assert (weight**2).mean() < 1.1  # the corrected Gaussian filter is nearly exact
    rows = found.frame.set_index("parameter")
    for name in ("mean", "spread", "bT"):
        assert abs(rows.loc[name, "median"] - fitted.value(name)) < 1.5 * fitted.error(name)
        assert 0.4 < rows.loc[name, "std"] / fitted.error(name) < 2.5


def test_a_narrow_prior_dominates_the_posterior():
    table = truth(n_spines=50, times=np.arange(6) * 4.0, noise=0.25)
    seen = table.observations()
    narrow = ParameterPrior(np.array([-2.0, 0.0, 3.0, -1.4, 0.0]), np.full(5, 0.01))
    found = posterior_of(
        seen, fit_process(seen, profiled=False), prior=narrow, steps=600, progress=False
    )
    drawn = found.draws["mean"].values
    assert drawn.mean() == pytest.approx(-2.0, abs=0.02)
    assert drawn.std() == pytest.approx(0.01, rel=0.5)


def test_intervals_end_at_the_likelihood_ratio_of_students_t():
    """At the end of an interval the profile log-likelihood lies t²/2 below the maximum.

    With 30 spines and 4 parameters t² is 4.23; for a normal distribution it would be 3.84.
    """
    seen = truth(n_spines=30, times=np.arange(10) * 4.0, noise=0.25).observations()
    fitted = fit_process(seen, threshold_on="measured")
    problem = Problem(OneTimeScale, seen)
    best = fitted.process.vector()
    for end in fitted.interval("spread"):

        def cost(rest, end=end):
            q = np.array([rest[0], np.log(end), rest[1], rest[2] ** 2])
            return -float(problem.exact_near(q)(q).sum())

        start = [best[0], best[2], np.sqrt(best[3])]
        found = optimize.minimize(cost, start, method="Nelder-Mead", options={"maxiter": 400})
        fall = 2 * (fitted.log_likelihood + found.fun)
        assert fall == pytest.approx(stats.t.ppf(0.975, 26) ** 2, rel=0.05)
    # Negative control: the curvature gives a different upper end.
    flat = fit_process(seen, threshold_on="measured", profiled=False).interval("spread")[1]
    assert abs(flat - fitted.interval("spread")[1]) > 0.01


def test_a_fitted_prior_is_used_in_a_network():
    fitted = fit(truth(n_spines=200))
    found = to_rule_parameters(fitted, "day")
    model = SynapseModel(prior=found.prior, speed=found.speed_per_second)
    assert model.prior == Gaussian(fitted.value("mean") - fitted.threshold, fitted.value("spread"))
    assert model.speed * 86400 == pytest.approx(found.speed)
    assert found.speed == pytest.approx(found.prior.std**2 / found.relaxation)
    with pytest.raises(SynsampError, match="unit of time must be one of"):
        _ = to_rule_parameters(fitted, "session").speed_per_second


def test_the_rule_simulates_tables_like_the_fitted_process():
    table = truth(n_spines=300, noise=0.1, times=np.arange(6) * 4.0)
    fitted = fit(table)
    by_rule = simulate_rule(table, fitted, 5)
    by_process = simulate_like(table, fitted, np.random.default_rng(5))
    assert len(by_rule.spine) == 300
    for one, other in ((by_rule, by_process), (by_rule, table)):
        proportions = [(t.state == 1).mean() for t in (one, other)]
        assert abs(proportions[0] - proportions[1]) < 5 * np.sqrt(2 * 0.25 / 300)
        sizes = [np.log(t.size[np.isfinite(t.size)]).mean() for t in (one, other)]
        assert abs(sizes[0] - sizes[1]) < 5 * np.sqrt(2 / 300)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("spine,time,present\na,0,1\na,1,0\n", "must hold sizes"),
        ("spine,time,size\na,0,1\na,1,2\n", "sizes must be at least"),
        ("spine,time,size\n" + "".join(f"{k},{k % 2},1.5\n" for k in range(20)), "twice in a row"),
        (
            "spine,time,size\n" + "".join(f"{k},{t},1.5\n" for k in range(20) for t in (0, 1)),
            "sizes must vary",
        ),
    ],
)
def test_too_little_data_raises_an_error(tmp_path, text, words):
    with pytest.raises(SynsampError, match=words):
        fit(write(tmp_path, text))


def test_a_given_threshold_is_used():
    table = truth(n_spines=60)
    with pytest.raises(SynsampError, match=r"threshold must be at most the median.*got 20.0; most"):
        fit(table, threshold=20.0)
    assert fit(table, threshold=0.9).threshold == pytest.approx(np.log(0.9))
    above = fit(table, threshold=1.05)  # some sizes lie below, so they must be noisy
    assert above.threshold_on == "true"
    assert above.value("noise") > 0
    assert read(table) is table
