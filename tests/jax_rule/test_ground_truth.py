"""Against NUTS: means and variances within Monte-Carlo error; a large step or another T is not.

nuts_reference.npz was made by benchmarks/peers/blackjax/nuts_reference.py (blackjax 1.7.1, 16
chains of 5,000 draws, float64). Speeds are such that the bias of Euler–Maruyama, about half of
speed × curvature (docs/reference/deep-reference.md), is about one Monte-Carlo error of a variance.
"""

from __future__ import annotations

from pathlib import Path

import ground_truth
import numpy as np
import pytest

import synsamp as ss
import synsamp.jax as sj

pytestmark = pytest.mark.statistical

NUTS = np.load(Path(__file__).with_name("nuts_reference.npz"))
SPEED = {"logistic": 0.002, "network": 1e-4}
TIME = {"logistic": 100.0, "network": 10.0}


def _scores(name, speed, temperature=1.0):
    """Distances of (means, variances) from NUTS, in Monte-Carlo errors of both."""
    model = ground_truth.MODELS[name]()
    algorithm = sj.sampler(
        model.log_likelihood,
        prior=ss.Gaussian(0.0, model.prior_std),
        speed=speed,
        temperature=temperature,
    )
    steps = int(TIME[name] / speed)
    draws = sj.run(
        algorithm,
        model.start,
        steps=steps,
        burn_in=steps // 4,
        thin=steps // 100,
        chains=100,
        key=11,
        diagnostics=False,
        progress=False,
    )
    mean = NUTS[f"{name}_mean"]
    found = draws.diagnose(
        mean=model.of_interest, variance=lambda w: (model.of_interest(w) - mean) ** 2
    )
    scores = {}
    for what in ("mean", "variance"):
        gap = found[what].sel(of="mean").values - NUTS[f"{name}_{what}"]
        error = np.hypot(found[what].sel(of="mcse_mean").values, NUTS[f"{name}_{what}_error"])
        scores[what] = np.abs(gap / error)
    return scores


@pytest.mark.parametrize("name", ground_truth.MODELS)
def test_means_and_variances_are_those_of_nuts(name):
    scores = _scores(name, SPEED[name])
    assert scores["mean"].max() < 4
    assert scores["variance"].max() < 4


@pytest.mark.parametrize("name", ground_truth.MODELS)
def test_a_large_step_is_rejected(name):
    assert _scores(name, 20 * SPEED[name])["variance"].max() > 8


@pytest.mark.parametrize("name", ground_truth.MODELS)
def test_another_temperature_is_rejected(name):
    assert _scores(name, 5 * SPEED[name], temperature=1.5)["variance"].max() > 8


@pytest.mark.parametrize("name", ground_truth.MODELS)
def test_nuts_itself_has_converged(name):
    assert NUTS[f"{name}_r_hat"].max() < 1.001
