import numpy as np
import pytest
import xarray as xr

from synsamp import SynsampError
from synsamp.claims import judge_all
from synsamp.experiments.prior_comparison.experiment import (
    BIMODAL,
    EXPERIMENT,
    ComparisonParameters,
    prior_named,
)
from synsamp.experiments.prior_comparison.figures import draw
from synsamp.experiments.prior_comparison.measures import end_table
from synsamp.runs.execute import execute

SMALL = ["learning.updates=1000", "evaluations=4", "test_images=10"]


def test_a_small_comparison_runs_and_draws(tmp_path):
    settings = [*SMALL, 'priors=["uniform", "bimodal"]', "temperatures=0,1"]
    folder = execute(EXPERIMENT, tmp_path / "run", settings=settings)
    results = folder.results()
    table = end_table(results["learning"])
    assert table.dims == ("prior", "temperature")
    assert list(table.prior.values) == ["uniform", "bimodal"]
    assert np.all(
        table.sel(prior="bimodal", temperature=1) > table.sel(prior="uniform", temperature=1)
    )
    # Without noise the machine is another one.
    assert not np.any(table.sel(temperature=0) == table.sel(temperature=1))
    parameters = ComparisonParameters(priors=("uniform", "bimodal"), temperatures=(0.0, 1.0))
    assert set("".join(draw(parameters, [results, results]))) == set(EXPERIMENT.captions)
    assert [claim.id for claim in folder.claims()] == ["any-prior-helps"]


@pytest.mark.parametrize("name", ["gaussian", "laplace", "student_t"])
def test_one_humped_priors_have_the_spread_asked_for(name):
    draws = prior_named(name, 0.52).draw(np.random.default_rng(1), 400_000)
    # A t with 3 degrees of freedom has no fourth moment, so its variance converges slowly:
    # compare the middle half, whose width is known from the density.
    x = np.linspace(-60, 60, 2_000_001)
    density = np.exp(prior_named(name, 0.52).log_density(x))
    assert np.sqrt(np.trapezoid(density * x * x, x)) == pytest.approx(0.52, rel=0.01)
    cumulative = np.cumsum(density) * (x[1] - x[0])
    assert np.quantile(draws, 0.75) == pytest.approx(np.interp(0.75, cumulative, x), abs=0.005)


def test_the_bimodal_prior_has_the_spread_the_others_get():
    x = np.linspace(-3, 4, 100_001)
    density = np.exp(BIMODAL.log_density(x))
    mean = np.trapezoid(density * x, x)
    std = np.sqrt(np.trapezoid(density * (x - mean) ** 2, x))
    assert std == pytest.approx(ComparisonParameters().prior_std, abs=0.005)


def made_up(ends):
    """Results in which the test likelihood ends at ``ends[prior, temperature]``."""
    pairs = list(ends)
    dataset = xr.Dataset(
        {"test_log_likelihood": (("variant", "update"), [[-300.0, ends[p]] for p in pairs])},
        coords={
            "variant": [f"{name} T={T}" for name, T in pairs],
            "prior": ("variant", [name for name, _ in pairs]),
            "temperature": ("variant", [T for _, T in pairs]),
        },
    )
    return {"learning": dataset}


ENDS = {
    ("uniform", 1.0): -500,
    ("gaussian", 1.0): -200,
    ("laplace", 1.0): -190,
    ("narrow_gaussian", 1.0): -112,
    ("bimodal", 1.0): -110,
    ("uniform", 4.0): -900,
    ("gaussian", 4.0): -400,
    ("laplace", 4.0): -410,
    ("narrow_gaussian", 4.0): -140,
    ("bimodal", 4.0): -150,
}


def measured(ends):
    return EXPERIMENT.measures(None, made_up(ends))


def verdicts(ends):
    values = {name: [value] * 3 for name, value in measured(ends).items()}
    return {each.claim.id: each.verdict for each in judge_all(EXPERIMENT.claims, values)}


def test_measures_compare_what_they_say():
    assert measured(ENDS) == {
        "worst_lead": 300.0,
        "lead_over_one_hump": 80.0,
        "lead_over_mode_at_0": 2.0,
        "loss_when_hot": 40.0,
    }
    assert set(verdicts(ENDS).values()) == {"holds"}


def test_claims_can_fail():
    swapped = ENDS | {
        ("gaussian", 1.0): -106,
        ("narrow_gaussian", 1.0): -101,
        ("uniform", 1.0): -105,
        ("bimodal", 4.0): -90,
    }
    assert set(verdicts(swapped).values()) == {"fails"}


def test_what_the_lists_do_not_have_is_not_measured():
    def without(*names):
        return {pair: end for pair, end in ENDS.items() if pair[0] not in names}

    assert set(measured(without("uniform", "narrow_gaussian"))) == {
        "lead_over_one_hump",
        "loss_when_hot",
    }
    assert set(measured(without("bimodal"))) == {"worst_lead"}
    assert measured({pair: end for pair, end in ENDS.items() if pair[1] != 1.0}) == {}


def test_a_list_that_names_something_twice_is_refused(tmp_path):
    with pytest.raises(SynsampError, match="once"):
        execute(EXPERIMENT, tmp_path / "never", settings=["temperatures=1,1"])
    with pytest.raises(SynsampError, match="priors"):
        execute(EXPERIMENT, tmp_path / "never", settings=["priors=cauchy"])
