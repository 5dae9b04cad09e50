"""Survival models, recovered from lifetimes drawn from them and observed on a grid."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from synsamp.analysis.survival import Lifetimes
from synsamp.analysis.survival_models import (
    SURVIVAL_MODELS,
    first_passage,
    fit_survival_model,
    fit_survival_models,
)
from synsamp.errors import SynsampError


def on_a_grid(lifetimes, step, end):
    """Lifetimes as observed every ``step`` until ``end``."""
    steps = np.floor(lifetimes / step)
    ended = (steps + 1) * step <= end
    last = np.where(ended, steps * step, np.floor(end / step) * step)
    return Lifetimes(last, np.where(ended, (steps + 1) * step, np.inf))


def power_law_lifetimes(rng, tau, gamma, n):
    return tau * (rng.random(n) ** (-1.0 / gamma) - 1.0)


@pytest.mark.parametrize("step", [0.1, 5.0])
def test_exponential_is_recovered_whatever_the_grid(step):
    lifetimes = on_a_grid(np.random.default_rng(3).exponential(7.0, 5000), step, 30.0)
    # The error of τ is at least τ/√n, and little more on these grids.
    tau = fit_survival_model(lifetimes, "exponential").parameters["τ"]
    assert tau == pytest.approx(7.0, abs=4 * 1.1 * 7.0 / np.sqrt(5000))


@pytest.mark.parametrize(("tau", "gamma"), [(2.0, 0.5), (10.0, 1.4), (0.5, 3.0)])
def test_power_law_is_recovered(tau, gamma):
    rng, drawn = np.random.default_rng(4), []
    for _ in range(8):
        lifetimes = on_a_grid(power_law_lifetimes(rng, tau, gamma, 4000), 0.25, 200.0)
        found = fit_survival_model(lifetimes, "power law").parameters
        drawn.append([np.log(found["τ"] / tau), np.log(found["γ"] / gamma)])
    error = np.std(drawn, axis=0, ddof=1) / np.sqrt(len(drawn))
    assert (np.abs(np.mean(drawn, axis=0)) < 5 * error).all()
    assert (error < 0.1).all()


def test_ignoring_censoring_would_bias_the_fit():
    lifetimes = on_a_grid(power_law_lifetimes(np.random.default_rng(7), 3.0, 0.7, 5000), 1.0, 50.0)
    assert fit_survival_model(lifetimes, "power law").parameters["γ"] == pytest.approx(
        0.7, abs=0.15
    )
    dropped = Lifetimes(
        lifetimes.last_seen[lifetimes.ended], lifetimes.first_missed[lifetimes.ended]
    )
    assert fit_survival_model(dropped, "power law").parameters["γ"] > 1.0


def test_the_exponential_is_a_limit_of_the_power_law():
    lifetimes = on_a_grid(np.random.default_rng(6).exponential(10.0, 1000), 1.0, 100.0)
    exponential, power = (
        fit_survival_model(lifetimes, model) for model in ("exponential", "power law")
    )
    # Its advantage is at most that of one parameter less.
    assert -2.1 < exponential.aic - power.aic < 6


def test_other_units_of_time_scale_the_fit():
    lifetimes = on_a_grid(power_law_lifetimes(np.random.default_rng(8), 3.0, 1.0, 2000), 1.0, 60.0)
    for model in SURVIVAL_MODELS:
        days, seconds = (
            fit_survival_model(lifetimes, model),
            fit_survival_model(lifetimes.scaled(86400.0), model),
        )
        assert seconds.median == pytest.approx(86400.0 * days.median, rel=5e-3)
        assert days.survival(days.median) == pytest.approx(0.5)


def test_aic_counts_the_parameters_of_each_model():
    lifetimes = on_a_grid(power_law_lifetimes(np.random.default_rng(9), 3.0, 1.0, 500), 1.0, 60.0)
    counts = {"exponential": 1, "power law": 2, "Weibull": 2, "log-normal": 2}
    for fit in fit_survival_models(lifetimes):
        assert fit.aic == pytest.approx(2 * counts.get(fit.name, 3) - 2 * fit.log_likelihood)
    given = first_passage(lifetimes, np.arange(62.0), np.exp(-np.arange(62.0) / 9))
    assert given.aic == -2 * given.log_likelihood
    assert given.median == pytest.approx(9 * np.log(2))


def test_too_few_lifetimes_and_unknown_names_raise_errors():
    few = Lifetimes(np.array([1.0, 2.0]), np.array([2.0, np.inf]))
    with pytest.raises(SynsampError, match="must hold at least 3 that ended"):
        fit_survival_models(few)
    with pytest.raises(SynsampError, match="survival model must be one of exponential, power law"):
        fit_survival_model(few, "gamma")


DRAWN = {
    "exponential": lambda r, n: r.exponential(6.0, n),
    "power law": lambda r, n: 3.0 * (r.random(n) ** (-1 / 0.8) - 1),
    "Weibull": lambda r, n: 6.0 * r.weibull(0.4, n),
    "log-normal": lambda r, n: r.lognormal(1.5, 0.5, n),
    "double exponential": lambda r, n: r.exponential(np.where(r.random(n) < 0.6, 1.0, 60.0)),
}  # fmt: skip


@pytest.mark.parametrize("model", DRAWN)
def test_the_true_model_is_among_the_best(model):
    rng = np.random.default_rng(1)
    lifetimes = DRAWN[model](rng, 3000)
    seen, end = np.floor(lifetimes), 40.0
    missed = np.where(seen + 1 <= end, seen + 1, np.inf)
    models = fit_survival_models(Lifetimes(np.minimum(seen, end), missed))
    above = {one.name: one.aic - models[0].aic for one in models}
    assert above[model] < 5
    others = [name for name in above if name != model]
    assert max(above[name] for name in others) > 10  # and some model is ruled out
    true = np.median(lifetimes)
    fitted = next(one for one in models if one.name == model)
    assert fitted.median == pytest.approx(true, rel=0.15)


SCIPY = {
    "exponential": (stats.expon, lambda loc, scale: {"τ": scale}),
    "power law": (stats.lomax, lambda c, loc, scale: {"τ": scale, "γ": c}),
    "Weibull": (stats.weibull_min, lambda c, loc, scale: {"τ": scale, "k": c}),
    "log-normal": (stats.lognorm, lambda s, loc, scale: {"τ": scale, "w": s}),
}


@pytest.mark.parametrize("name", SCIPY)
def test_scipy_finds_the_same_maximum(name):
    lifetimes = on_a_grid(DRAWN[name](np.random.default_rng(2), 60), 1.0, 30.0)
    intervals = np.stack([lifetimes.last_seen, lifetimes.first_missed], axis=1)[lifetimes.ended]
    data = stats.CensoredData(interval=intervals, right=lifetimes.last_seen[~lifetimes.ended])
    distribution, by_symbol = SCIPY[name]
    found = fit_survival_model(lifetimes, name).parameters
    assert found == pytest.approx(by_symbol(*distribution.fit(data, floc=0)), rel=1e-2)


def test_a_predicted_survival_continues_with_its_last_slope():
    times, alive = np.array([0.0, 1.0, 3.0, 7.0]), np.exp([0.0, -0.5, -0.9, -1.3])
    lifetimes = Lifetimes(np.array([0.0, 1.0]), np.array([1.0, np.inf]))
    survival = first_passage(lifetimes, times, alive).survival
    found = np.log(survival(np.array([0.5, 2.0, 7.0, 9.0, 17.0])))
    np.testing.assert_allclose(found, [-0.25, -0.7, -1.3, -1.5, -2.3], rtol=1e-12)
