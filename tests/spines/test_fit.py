"""Fits of tables of known truth: the threshold does no harm, errors are what they say."""

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
    in_model_words,
    read,
)
from synsamp.spines.compare import compare
from synsamp.spines.fit import fit_process
from synsamp.spines.posterior import Prior, posterior_of
from synsamp.spines.problem import Problem
from synsamp.spines.simulate import simulate, simulate_like
from synsamp.spines.words import simulate_rule

TRUTH = {"mean": -0.5, "spread": 1.0, "relaxation": 20.0, "bT": 0.05}


def test_the_threshold_does_not_bias_the_process(tmp_path):
    """A table of known truth, spines seen only while above the threshold."""
    table = truth(n_spines=800)
    fitted = fit(write(tmp_path, long_text(table, "NaN")))
    for name, true in TRUTH.items():
        error = fitted.error(name)
        assert abs(fitted.value(name) - true) < 4 * error, name
        assert error < 0.2 * abs(true), name
        low, high = fitted.interval(name)
        assert low < fitted.value(name) < high
    # The steps between sizes alone, which is what the threshold cuts, are far from the truth.
    x = np.log(table.size)
    both = np.isfinite(x[:, 1:]) & np.isfinite(x[:, :-1])
    steps = estimate_ornstein_uhlenbeck(x[:, :-1][both], x[:, 1:][both], 3.0)
    assert abs(steps.mean - TRUTH["mean"]) > 8 * steps.mean_error
    assert abs(steps.spread - TRUTH["spread"]) > 8 * steps.spread_error


def test_noise_of_measurement_and_unequal_intervals():
    times = np.array([0, 1, 2, 6, 7, 14, 15, 21, 30, 31.0])
    table = truth(n_spines=700, times=times, noise=0.25, relaxation=12.0)
    fitted = fit(table)
    for name, true in {"mean": -0.5, "spread": 1.0, "relaxation": 12.0, "noise": 0.25}.items():
        assert abs(fitted.value(name) - true) < 4 * fitted.error(name), name
    assert fitted.interval("noise")[0] > 0.15


@pytest.mark.parametrize("by_true_size", [False, True])
def test_whether_the_true_or_the_measured_size_decides_is_found_out(by_true_size):
    table = truth(n_spines=800, noise=0.25, by_true_size=by_true_size)
    fitted = fit(table)
    assert fitted.by_true_size == by_true_size
    for name, true in {**TRUTH, "noise": 0.25}.items():
        assert abs(fitted.value(name) - true) < 4 * fitted.error(name), name
    assert fitted.value("threshold") == pytest.approx(1.0, abs=0.05)
    other = fit_process(table.observations(), by_true_size=not by_true_size)
    assert other.log_likelihood < fitted.log_likelihood - 1
    if by_true_size:  # the negative control: the smallest size is far from the threshold here
        gaps = [abs(other.value(n) - t) / other.error(n) for n, t in TRUTH.items()]
        assert max(gaps) > 4


def test_gaps_do_no_harm():
    table = truth(n_spines=600, noise=0.1)
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
    one, other = (in_model_words(f, "day") for f in (before, after))
    assert one.prior_mean == pytest.approx(other.prior_mean, abs=0.01)


def test_intervals_hold_the_truth_as_often_as_they_say():
    """24 small tables; at 95 % fewer than 19 hits come once in a thousand."""
    names = ("mean", "spread", "relaxation", "noise", "bT")
    hits = dict.fromkeys(names, 0)
    for k in range(24):
        rng = np.random.default_rng([7, k])
        true = {
            "mean": rng.uniform(-1, 0.5),
            "spread": 1.0,
            "relaxation": np.exp(rng.uniform(np.log(8), np.log(40))),
            "noise": rng.uniform(0.1, 0.4),
        }
        table = truth(n_spines=50, times=np.arange(7) * 4.0, seed_=k, **true)
        fitted = fit(table)
        true["bT"] = 1.0 / true["relaxation"]
        for name in names:
            low, high = fitted.interval(name)
            hits[name] += low <= true[name] <= high
    assert min(hits.values()) >= 19, hits


def test_animals_that_differ_widen_the_intervals():
    rng = np.random.default_rng(3)
    tables = [
        truth(n_spines=60, mean=-0.5 + 0.6 * rng.standard_normal(), seed_=k) for k in range(8)
    ]
    first = tables[0]
    whole = type(first)(
        **{
            **first.__dict__,
            "spine": np.concatenate([t.spine for t in tables]),
            "animal": np.repeat([f"m{k}" for k in range(8)], 60),
            "dendrite": np.full(480, ""),
            "condition": np.full(480, ""),
            "state": np.concatenate([t.state for t in tables]),
            "size": np.concatenate([t.size for t in tables]),
        }
    )
    together = fit(whole)
    apart = fit_process(whole.observations())  # spines taken as independent
    assert together.error("mean") > 1.5 * apart.error("mean")
    assert together.error("bT") < 3 * apart.error("bT")  # in which the animals do not differ


def test_two_time_scales_are_told_from_one():
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


def test_one_time_scale_is_not_called_two_nor_a_walk():
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
    assert found.widening < 0.05
    weight = found.draws["weight"].values
    assert weight.mean() == pytest.approx(1.0)
    assert (weight**2).mean() < 1.1  # the quick filter with its parabola is nearly exact
    rows = found.frame.set_index("parameter")
    for name in ("mean", "spread", "bT"):
        assert abs(rows.loc[name, "median"] - fitted.value(name)) < 1.5 * fitted.error(name)
        assert 0.4 < rows.loc[name, "std"] / fitted.error(name) < 2.5


def test_a_narrow_prior_holds_the_posterior():
    table = truth(n_spines=50, times=np.arange(6) * 4.0, noise=0.25)
    seen = table.observations()
    narrow = Prior(np.array([-2.0, 0.0, 3.0, -1.4, 0.0]), np.full(5, 0.01))
    found = posterior_of(
        seen, fit_process(seen, profiled=False), prior=narrow, steps=600, progress=False
    )
    drawn = found.draws["mean"].values
    assert drawn.mean() == pytest.approx(-2.0, abs=0.02)
    assert drawn.std() == pytest.approx(0.01, rel=0.5)


def test_intervals_end_where_the_exact_likelihood_has_fallen_by_what_they_say():
    """Fixed at an end of its interval, the best of all else lies t²/2 below the maximum.

    Of 30 spines and 4 parameters t² is 4.23, of the normal law it would be 3.84.
    """
    seen = truth(n_spines=30, times=np.arange(10) * 4.0, noise=0.25).observations()
    fitted = fit_process(seen, by_true_size=False)
    problem = Problem(OneTimeScale, seen)
    best = fitted.process.vector()
    for end in fitted.interval("spread"):

        def cost(rest, end=end):
            q = np.array([rest[0], np.log(end), rest[1], rest[2] ** 2])
            return -float(problem.near(q)(q).sum())

        start = [best[0], best[2], np.sqrt(best[3])]
        found = optimize.minimize(cost, start, method="Nelder-Mead", options={"maxiter": 400})
        fall = 2 * (fitted.log_likelihood + found.fun)
        assert fall == pytest.approx(stats.t.ppf(0.975, 26) ** 2, rel=0.05)
    # The negative control: by the parabola the upper end is another one.
    flat = fit_process(seen, by_true_size=False, profiled=False).interval("spread")[1]
    assert abs(flat - fitted.interval("spread")[1]) > 0.01


def test_a_fitted_prior_goes_into_a_network_in_one_line():
    words = in_model_words(fit(truth(n_spines=200)), "day")
    model = SynapseModel(prior=words.prior, speed=words.b_per_second)
    assert model.prior == Gaussian(words.prior_mean, words.prior_std)
    assert model.speed * 86400 == pytest.approx(words.b)
    assert words.b == pytest.approx(words.prior_std**2 / words.relaxation)
    with pytest.raises(SynsampError, match="unit of time must be one of"):
        _ = in_model_words(fit(truth(n_spines=200)), "session").b_per_second


def test_the_rule_without_a_circuit_makes_tables_like_the_process():
    table = truth(n_spines=300, noise=0.1, times=np.arange(6) * 4.0)
    fitted = fit(table)
    by_rule = simulate_rule(table, fitted, 5)
    by_process = simulate_like(table, fitted, np.random.default_rng(5))
    assert len(by_rule.spine) == 300
    for one, other in ((by_rule, by_process), (by_rule, table)):
        shares = [(t.state == 1).mean() for t in (one, other)]
        assert abs(shares[0] - shares[1]) < 5 * np.sqrt(2 * 0.25 / 300)
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
def test_what_cannot_be_fitted_is_said(tmp_path, text, words):
    with pytest.raises(SynsampError, match=words):
        fit(write(tmp_path, text))


def test_a_threshold_as_given():
    table = truth(n_spines=60)
    with pytest.raises(SynsampError, match=r"threshold must be at most the median.*got 20.0; most"):
        fit(table, threshold=20.0)
    assert fit(table, threshold=0.9).threshold == pytest.approx(np.log(0.9))
    above = fit(table, threshold=1.05)  # some sizes lie below, so they must be noisy
    assert above.by_true_size
    assert above.value("noise") > 0
    assert read(table) is table
