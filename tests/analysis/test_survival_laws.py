"""Laws of survival, recovered from lives that were drawn from them and seen on a grid."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.analysis.survival import Lifetimes
from synsamp.analysis.survival_laws import LAWS, first_passage, fit_law, fit_laws
from synsamp.errors import SynsampError


def on_a_grid(lives, step, end):
    """What an observer sees who looks every ``step`` until ``end``."""
    steps = np.floor(lives / step)
    ended = (steps + 1) * step <= end
    last = np.where(ended, steps * step, np.floor(end / step) * step)
    return Lifetimes(last, np.where(ended, (steps + 1) * step, np.inf))


def power_law_lives(rng, tau, gamma, n):
    return tau * (rng.random(n) ** (-1.0 / gamma) - 1.0)


@pytest.mark.parametrize("step", [0.1, 5.0])
def test_exponential_is_recovered_whatever_the_grid(step):
    lives = on_a_grid(np.random.default_rng(3).exponential(7.0, 5000), step, 30.0)
    # The error of τ is at least τ/√n, and little more on these grids.
    tau = fit_law(lives, "exponential").parameters["τ"]
    assert tau == pytest.approx(7.0, abs=4 * 1.1 * 7.0 / np.sqrt(5000))


@pytest.mark.parametrize(("tau", "gamma"), [(2.0, 0.5), (10.0, 1.4), (0.5, 3.0)])
def test_power_law_is_recovered(tau, gamma):
    rng, drawn = np.random.default_rng(4), []
    for _ in range(8):
        lives = on_a_grid(power_law_lives(rng, tau, gamma, 4000), 0.25, 200.0)
        found = fit_law(lives, "power law").parameters
        drawn.append([np.log(found["τ"] / tau), np.log(found["γ"] / gamma)])
    error = np.std(drawn, axis=0, ddof=1) / np.sqrt(len(drawn))
    assert (np.abs(np.mean(drawn, axis=0)) < 5 * error).all()
    assert (error < 0.1).all()


def test_ignoring_censoring_would_bias_the_fit():
    lives = on_a_grid(power_law_lives(np.random.default_rng(7), 3.0, 0.7, 5000), 1.0, 50.0)
    assert fit_law(lives, "power law").parameters["γ"] == pytest.approx(0.7, abs=0.15)
    dropped = Lifetimes(lives.last_seen[lives.ended], lives.first_missed[lives.ended])
    assert fit_law(dropped, "power law").parameters["γ"] > 1.0


def test_the_exponential_is_a_limit_of_the_power_law():
    lives = on_a_grid(np.random.default_rng(6).exponential(10.0, 1000), 1.0, 100.0)
    exponential, power = (fit_law(lives, law) for law in ("exponential", "power law"))
    # It can win by its one parameter less at most.
    assert -2.1 < exponential.aic - power.aic < 6


def test_other_units_of_time_scale_the_fit():
    lives = on_a_grid(power_law_lives(np.random.default_rng(8), 3.0, 1.0, 2000), 1.0, 60.0)
    for law in LAWS:
        days, seconds = fit_law(lives, law), fit_law(lives.scaled(86400.0), law)
        assert seconds.median == pytest.approx(86400.0 * days.median, rel=5e-3)
        assert days.survival(days.median) == pytest.approx(0.5)


def test_akaikes_criterion_counts_the_parameters_of_each_law():
    lives = on_a_grid(power_law_lives(np.random.default_rng(9), 3.0, 1.0, 500), 1.0, 60.0)
    counts = {"exponential": 1, "power law": 2, "Weibull": 2, "log-normal": 2}
    for fit in fit_laws(lives):
        assert fit.aic == pytest.approx(2 * counts.get(fit.law, 3) - 2 * fit.log_likelihood)
    given = first_passage(lives, np.arange(62.0), np.exp(-np.arange(62.0) / 9))
    assert given.aic == -2 * given.log_likelihood
    assert given.median == pytest.approx(9 * np.log(2))


def test_what_cannot_be_fitted_is_said():
    few = Lifetimes(np.array([1.0, 2.0]), np.array([2.0, np.inf]))
    with pytest.raises(SynsampError, match="must hold at least 3 that were seen to end"):
        fit_laws(few)
    with pytest.raises(SynsampError, match="law must be one of exponential, power law"):
        fit_law(few, "gamma")


MADE = {
    "exponential": lambda r, n: r.exponential(6.0, n),
    "power law": lambda r, n: 3.0 * (r.random(n) ** (-1 / 0.8) - 1),
    "Weibull": lambda r, n: 6.0 * r.weibull(0.4, n),
    "log-normal": lambda r, n: r.lognormal(1.5, 0.5, n),
    "double exponential": lambda r, n: r.exponential(np.where(r.random(n) < 0.6, 1.0, 60.0)),
}  # fmt: skip


@pytest.mark.parametrize("law", MADE)
def test_the_law_that_made_the_lives_is_among_the_best(law):
    rng = np.random.default_rng(1)
    lives = MADE[law](rng, 3000)
    seen, end = np.floor(lives), 40.0
    missed = np.where(seen + 1 <= end, seen + 1, np.inf)
    laws = fit_laws(Lifetimes(np.minimum(seen, end), missed))
    above = {one.law: one.aic - laws[0].aic for one in laws}
    assert above[law] < 5
    others = [name for name in above if name != law]
    assert max(above[name] for name in others) > 10  # and some law is ruled out
    true = np.median(lives)
    fitted = next(one for one in laws if one.law == law)
    assert fitted.median == pytest.approx(true, rel=0.15)
