"""Fig. 1: on a short run every measure lies in its band, and each claim can fail."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.claims import judge, judge_all
from synsamp.errors import SynsampError
from synsamp.models.landscape import Landscape
from synsamp.paper.fig1_landscape.experiment import EXPERIMENT
from synsamp.paper.fig1_landscape.figures import draw
from synsamp.paper.fig1_landscape.parameters import LandscapeParameters
from synsamp.runs import execute

SHORT = ["chains=8", "chain_time=150", "path_time=300", "ml_paths=8", "ml_time=40"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("fig1") / "run", settings=SHORT)


def verdicts(folder, n=EXPERIMENT.trials["paper"], **changed):
    """Verdicts if each of ``n`` seeds had these results."""
    results = {name: data.load() for name, data in folder.results().items()}
    found = EXPERIMENT.measure(LandscapeParameters(), results | changed)
    values = {name: [value] * n for name, value in found.items()}
    return {each.claim.id: each.verdict for each in judge_all(EXPERIMENT.claims, values)}


def test_every_measure_lies_in_its_band(folder):
    assert verdicts(folder) == dict.fromkeys(
        ("ml-ends", "posterior", "all-modes", "hot", "cold"), "holds"
    )


@pytest.mark.parametrize("claim", EXPERIMENT.claims, ids=lambda claim: claim.id)
def test_no_claim_holds_under_its_null(folder, claim):
    null = [folder.results()["measures"][claim.null_key].item()] * EXPERIMENT.trials["paper"]
    assert judge(claim, null, null).verdict == "fails"
    assert claim.reason
    assert claim.null_description


def test_the_share_expected_near_a_mode_has_its_closed_form(tmp_path):
    # One peak of width s at 0 under the prior N(0, σ²): p*^(1/T) is Gaussian too, and the share
    # within r of its middle is 1 − exp(−r²/2v).
    settings = ["peaks.centres=[[0, 0]]", "peaks.widths=0.5", "peaks.heights=1", "rule.hot=3"]
    tiny = ["chains=4", "chain_time=10", "path_time=1", "ml_time=1", "ml_paths=2"]
    results = execute(EXPERIMENT, tmp_path / "run", settings=[*settings, *tiny]).results()
    variance = 3.0 / (1 / 0.5**2 + 1 / 1.5**2)
    expected = 1 - np.exp(-(0.5**2) / (2 * variance))
    assert float(results["visited"].near_expected) == pytest.approx(expected, rel=2e-3)


def test_one_seed_decides_only_what_has_no_scatter(folder):
    found = {record.id: record.verdict for record in folder.claims()}
    assert found == verdicts(folder, n=1)
    assert found.pop("ml-ends") == "holds"
    assert set(found.values()) == {"undecided"}


def test_a_path_that_stops_on_a_slope_fails_the_claim(folder):
    ml = folder.results()["ml"].load().copy(deep=True)
    ml["end"][0, 0] += 0.2
    assert verdicts(folder, ml=ml)["ml-ends"] == "fails"


def test_states_from_another_distribution_fail_the_claims(folder):
    # What the sampler visits at T = 4 is not the posterior.
    visited = folder.results()["visited"].load()
    swapped = visited.isel(branch=[1, 0]).assign_coords(branch=visited.branch)
    found = verdicts(folder, visited=swapped)
    assert found["posterior"] == found["hot"] == "fails"


def test_a_path_that_stays_fails_the_claims(folder):
    paths = folder.results()["paths"].load()
    swapped = paths.isel(branch=[2, 1, 0]).assign_coords(branch=paths.branch)
    found = verdicts(folder, paths=swapped)
    assert found["all-modes"] == found["cold"] == "fails"


def test_every_panel_is_drawn(folder):
    figures = draw(LandscapeParameters(), [folder.results()])
    assert "".join(figures) == "".join(EXPERIMENT.captions)


def test_the_forces_add_up_to_the_step_of_the_rule(folder):
    forces = folder.results()["forces"].load()
    land = Landscape()
    start, dt, h = forces.start.values, float(forces.dt), 1e-6
    slope = [
        (land.log_likelihood(start + h * e) - land.log_likelihood(start - h * e)) / (2 * h)
        for e in np.eye(2)
    ]
    assert forces.likelihood.values == pytest.approx(dt * np.array(slope), rel=1e-4)
    std = LandscapeParameters().rule.prior.std
    assert forces.prior.values == pytest.approx(-dt * start / std**2)


def test_the_gradient_is_right_far_out_and_near():
    land = Landscape()
    likelihood = land.likelihood()
    h = 1e-5
    for theta in np.array([[0.1, 0.2], [-2.0, 1.2], [40.0, -30.0]]):
        measured = [
            (land.log_likelihood(theta + h * e) - land.log_likelihood(theta - h * e)) / (2 * h)
            for e in np.eye(2)
        ]
        given = likelihood.gradient(theta, *likelihood.data)
        assert given == pytest.approx(np.array(measured), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ("peaks.widths=0.5", "same length"),
        ("rule.temperature=-1", "rule.temperature"),
        ("rule.temprature=1", "rule.temperature"),
        ("chains=many", "chains"),
    ],
)
def test_bad_settings_raise_an_error(setting, word, tmp_path):
    with pytest.raises(SynsampError, match=word):
        execute(EXPERIMENT, tmp_path / "run", settings=[setting])


def test_a_landscape_of_different_lengths_raises_an_error():
    with pytest.raises(SynsampError, match="one length"):
        Landscape(widths=(0.5,))
