"""dt="auto": chains converge with default settings; advice is right at the first try.

The four posteriors of the benchmarks are long tests (`make torture`), since each compiles separate
kernels; here one of them, and a Gaussian prior, whose kernels are cached on disk.
"""

import re
import warnings
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import synsamp as ss
from benchmarks.sampling.targets import TARGETS
from torture.scale import LONG

WIDTHS = np.logspace(0, 1, 6)
WIDE = SimpleNamespace(
    name="wide", size=6, log_likelihood=None, rule=ss.Rule(prior=ss.Gaussian(0.0, WIDTHS))
)
CASES = {"hierarchical": TARGETS["hierarchical"], **(TARGETS if LONG else {}), "wide": WIDE}
EXACT = {  # standard deviations in closed form
    "wide": WIDTHS,
    "two modes": np.sqrt(0.85**2 + 1.5**2) * np.ones(2),
    "Gaussian": np.sqrt(np.diag(np.linalg.inv(TARGETS["Gaussian"].data[0]))),
}


def _sample(target, method, **changes):
    settings = dict(start=np.zeros(target.size), method=method, threads=1, progress=False)
    return ss.sample(target.rule, **(settings | changes))


@pytest.mark.parametrize("name", CASES)
def test_inertia_and_rejection_converge_to_the_same_distribution(name):
    target = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [
            _sample(target, method, ess=1500, seed=3)
            for method in (ss.Underdamped(), ss.MALA(target.log_likelihood))
        ]
    for result in found:
        assert float(result.r_hat.max()) < 1.01
        assert float(result.ess_bulk.min()) >= 1500
    stds = [r.theta.std(("chain", "draw")).values for r in found]
    # The spread's error is about 1/sqrt(2 ESS) of it; squares may mix four times more slowly.
    error = 4.5 * np.sqrt(4 / (2 * 1500))
    assert np.all(np.abs(stds[0] / stds[1] - 1) < np.sqrt(2) * error)
    if name in EXACT:
        assert np.all(np.abs(stds[0] / EXACT[name] - 1) < error)


def _advice(told):
    return float(re.search(r"use dt = (\S+) or smaller", str(told[0].message))[1])


@pytest.mark.parametrize(
    "name", ["logistic", "hierarchical", "two modes"] if LONG else ["hierarchical"]
)
@pytest.mark.parametrize("too_large", [10.0, 40.0])
def test_advice_is_right_at_the_first_try(name, too_large):
    target = CASES[name]
    good = _sample(target, ss.Overdamped(), steps=200).attrs["dt"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        _sample(target, ss.Overdamped(), steps=2000, dt=too_large * good)
        assert "sharpest direction" in str(told[0].message)
        advised = _advice(told)
        told.clear()
        _sample(target, ss.Overdamped(), steps=2000, dt=advised, burn_in=2000)
    assert [str(w.message) for w in told] == []
    assert good / 5 < advised < 2 * good


@cache
def _right(name):
    """Draws without bias, and the automatic step with inertia."""
    target = CASES[name]
    tuned = _sample(target, ss.Underdamped(), steps=100)
    return _sample(target, ss.MALA(target.log_likelihood), ess=3000), tuned.attrs["dt"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("factor", [0.5, 1.0, 1.5, 2.0])
def test_inertia_is_not_biased_by_ten_per_cent_without_a_warning(name, factor):
    target, (right, dt) = CASES[name], _right(name)
    tau = float(right.theta.var(("chain", "draw")).max())
    dt = factor * dt
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        start = right.theta.values[:, -1]
        try:
            biased = _sample(target, ss.Underdamped(tau), start=start, steps=20_000, dt=dt)
        except ss.SynsampError:  # infinite: an error is louder than a warning
            return
    ratio = biased.theta.std(("chain", "draw")) / right.theta.std(("chain", "draw"))
    off = float(np.abs(ratio - 1).max())
    assert off < 0.1 or any(w.category is ss.StepSizeWarning for w in told)


def test_starts_are_spread_and_a_saved_seed_repeats_the_run():
    target = WIDE
    a, b = (_sample(target, ss.Underdamped(), steps=50, seed=4) for _ in range(2))
    assert np.array_equal(a.theta, b.theta)
    assert np.all(a.theta[:, 0].std("chain") > 0)


def test_a_rule_without_noise_or_with_hidden_states():
    result = ss.sample(
        ss.Rule(prior=ss.Gaussian(0.5, 2.0), temperature=0.0),
        [3.0],
        steps=2000,
        method=ss.Underdamped(),
        progress=False,
    )
    assert np.allclose(result.theta[:, -1], 0.5, atol=1e-3)
    hidden = ss.HiddenStates(
        lambda t, x, z: x - t, np.zeros((2, 1)), respond=lambda t, x, rng: rng.random()
    )
    with pytest.raises(ss.SynsampError, match="dt must be a number if hidden states are random"):
        ss.sample(ss.Rule(hidden), [0.0], steps=10, progress=False)


def test_an_unreachable_effective_sample_size_warns(monkeypatch):
    monkeypatch.setattr("synsamp.rule.sampler._MOST_DRAWN", 2000)
    with pytest.warns(ss.ConvergenceWarning, match="ess must reach 1e"):
        ss.sample(ss.Rule(prior=ss.Gaussian()), [0.0], ess=1e6, progress=False)


def test_a_start_between_modes_does_not_make_the_step_explode():
    # At θ = 0 the density is nearly flat, so the first step of the pilot is far too long.
    prior = ss.GaussianMixture(means=(-1.0, 1.0), stds=(0.3, 0.5), weights=(0.3, 0.7))
    result = ss.sample(ss.Rule(prior=prior), [0.0], method=ss.Underdamped(), progress=False, seed=1)
    assert float(result.r_hat.max()) < 1.01
    mean, std = 0.4, np.sqrt(0.3 * 0.3**2 + 0.7 * 0.5**2 + 0.3 * 1.4**2 + 0.7 * 0.6**2)
    error = 4.5 * std / np.sqrt(float(result.ess_bulk.min()))
    assert abs(result.theta.mean().item() - mean) < error
