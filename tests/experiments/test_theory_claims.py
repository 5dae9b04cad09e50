"""Theorem 1: every claim lies in its band and its null outside; the models are correct."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from synsamp.claims import judge, judge_all
from synsamp.paper.theorem1 import models
from synsamp.paper.theorem1.experiment import EXPERIMENT
from synsamp.paper.theorem1.figures import draw
from synsamp.paper.theorem1.models import BY_CHANCE, GridDistribution, distance
from synsamp.paper.theorem1.parameters import TheoryParameters
from synsamp.runs import execute


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("theory") / "run")


def measured(folder):
    found = folder.results()["measures"].load()
    return {name: float(found[name]) for name in found}


def test_every_claim_is_in_its_band_and_its_null_outside(folder):
    values = {name: [value] * 2 for name, value in measured(folder).items()}
    found = {each.claim.id: each.verdict for each in judge_all(EXPERIMENT.claims, values)}
    assert found == {claim.id: "holds" for claim in EXPERIMENT.claims}


@pytest.mark.parametrize("claim", EXPERIMENT.claims, ids=lambda claim: claim.id)
def test_no_claim_holds_under_its_null(folder, claim):
    null = [measured(folder)[claim.null_key]] * 2
    assert judge(claim, null, null).verdict == "fails"
    assert claim.reason
    assert claim.null_description


def test_one_seed_decides_what_has_no_scatter(folder):
    decided = {record.id for record in folder.claims() if record.verdict == "holds"}
    assert decided == {"zero", "slow-sampling"}


def test_another_seed_has_other_starts_and_noise(folder, tmp_path):
    other = execute(EXPERIMENT, tmp_path / "other", settings=["copies=200"], seed=1)
    same = execute(EXPERIMENT, tmp_path / "same", settings=["copies=200"], seed=2)
    first, second = (run.results()["conditions"] for run in (other, same))
    assert np.all((first["count"] != second["count"]).any("bin"))
    assert np.array_equal(first.density, second.density)


def test_every_panel_is_drawn(folder):
    figures = draw(TheoryParameters(), [folder.results()] * 2)
    assert "".join(figures) == "".join(EXPERIMENT.captions)
    assert all(figure.get_figwidth() <= 7 for figure in figures.values())


def test_a_distribution_on_a_grid_is_exact():
    normal = GridDistribution(lambda x: -0.5 * ((x - 0.3) / 0.7) ** 2, -8.0, 8.0)
    exact, x = stats.norm(0.3, 0.7), np.linspace(-2.5, 3.0, 50)
    assert normal.cdf(x) == pytest.approx(exact.cdf(x), abs=1e-7)
    assert normal.density(x) == pytest.approx(exact.pdf(x), abs=1e-6)
    assert normal.quantile(exact.cdf(x)) == pytest.approx(x, abs=1e-3)


def test_the_distance_is_in_units_of_what_chance_allows():
    rng, n = np.random.default_rng(2015), 400
    right = [distance(rng.standard_normal(n), stats.norm.cdf) for _ in range(400)]
    # The median of Kolmogorov's distribution is 0.8276; the error of a median of 400 is about 0.01.
    assert np.median(right) * BY_CHANCE == pytest.approx(0.8276, abs=0.05)
    assert np.mean(np.array(right) > 1) < 0.02
    assert distance(rng.standard_normal(n) + 0.5, stats.norm.cdf) > 1


@pytest.mark.parametrize("model", [models.SKEWED, models.TWO_MODES])
def test_gradients_are_those_of_the_log_likelihood(model):
    theta, h = np.linspace(-1.5, 1.5, 7), 1e-6
    slope = (model.log_likelihood(theta + h) - model.log_likelihood(theta - h)) / (2 * h)
    given = model.likelihood.gradient(theta, *model.likelihood.data)
    assert given == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_gradients_of_single_inputs_add_up_to_that_of_all():
    theta = np.linspace(-1.5, 1.5, 7)
    whole = sum(models.side_gradient(theta, x) for x in models.INPUTS)
    assert models.SIDES.slope(theta) == pytest.approx(whole, rel=1e-5)


def test_responses_and_their_gradients_average_to_that_of_the_marginal():
    theta, h, x = np.linspace(-1.5, 1.5, 7), 1e-6, np.array([models.HIDDEN_SEEN])
    rng, many = np.random.default_rng(1), np.tile(np.linspace(-1.5, 1.5, 7), 40_000)
    z = models.respond(many, x, rng, True)
    found = models.hidden_gradient(many, x, z, True).reshape(-1, 7)
    slope = (models.HIDDEN.log_likelihood(theta + h) - models.HIDDEN.log_likelihood(theta - h)) / (
        2 * h
    )
    error = found.std(axis=0) / np.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - slope) < 4.5 * error)
    alike = models.hidden_gradient(many, x, models.respond(many, x, rng, False), False).reshape(
        -1, 7
    )
    assert np.any(np.abs(alike.mean(axis=0) - slope) > 4.5 * error)


def test_every_copy_sees_every_input_in_a_different_order():
    inputs = models.shuffled_inputs(50, np.random.default_rng(1))
    assert inputs.shape == (20, 50)
    assert np.array_equal(np.sort(inputs, axis=0), np.repeat(np.sort(models.INPUTS, 0), 50, 1))
    assert len(np.unique(inputs, axis=1).T) == 50


def test_the_relaxation_time_of_a_gaussian_is_known():
    # Prior N(0, σ²) and x ~ N(θ, s²): an Ornstein–Uhlenbeck process of rate b (1/σ² + 1/s²).
    gaussian = models.ScalarPosterior(
        None, models.Gaussian(0.0, 0.8), lambda t: -0.5 * t**2, -9.0, 9.0
    )
    for T, speed in ((1.0, 1.0), (4.0, 0.5)):
        found = gaussian.relaxation_time(speed, T)
        assert found == pytest.approx(1 / (speed * (1 / 0.64 + 1)), rel=0.01)
