import numpy as np
import pytest
import xarray as xr

from synsamp import SynsampError
from synsamp.claims import judge, judge_all
from synsamp.paper.fig2_prior_comparison.experiment import EXPERIMENT
from synsamp.paper.fig2_prior_comparison.figures import draw
from synsamp.paper.fig2_prior_comparison.measures import typical_table
from synsamp.paper.fig2_prior_comparison.models import BIMODAL, compared_priors, prior_named
from synsamp.paper.fig2_prior_comparison.parameters import ComparisonParameters
from synsamp.runs.execute import execute

SMALL = ["learning.updates=300", "evaluations=4", "test_images=10"]


def test_a_small_comparison_runs_and_draws(tmp_path):
    settings = [*SMALL, 'priors=["uniform", "bimodal"]', "temperatures=0,1"]
    folder = execute(EXPERIMENT, tmp_path / "run", settings=settings)
    results = folder.results()
    table = typical_table(results["learning"])
    assert table.dims == ("prior", "temperature")
    assert list(table.prior.values) == ["uniform", "bimodal"]
    assert np.all(
        table.sel(prior="bimodal", temperature=1) > table.sel(prior="uniform", temperature=1)
    )
    # Without noise the machine learns differently.
    assert not np.any(table.sel(temperature=0) == table.sel(temperature=1))
    parameters = ComparisonParameters(priors=("uniform", "bimodal"), temperatures=(0.0, 1.0))
    assert set("".join(draw(parameters, [results, results]))) == set(EXPERIMENT.captions)
    assert [claim.id for claim in folder.claims()] == ["any-prior-helps", "helps-without-noise"]
    # A prior without effect, on the same noise, is as good as none.
    found = folder.results()["measures"]
    assert abs(float(found.lead_of_wide_prior)) < 1 < float(found.lead_of_worst_prior)


def test_controls_are_those_of_what_is_compared():
    def controls(priors, temperatures):
        return {
            (one.prior, one.temperature, one.control)
            for one in compared_priors(priors, temperatures, 0.52)
            if one.control
        }

    assert controls(("uniform", "bimodal"), (0.0, 1.0)) == {
        ("bimodal", 1.0, "other noise"),
        ("wide_gaussian", 0.0, "no effect"),
        ("wide_gaussian", 1.0, "no effect"),
    }
    assert controls(("laplace", "bimodal"), (4.0,)) == set()
    for one in compared_priors(("uniform", "bimodal"), (0.0, 1.0), 0.52):
        assert one.variant.other_noise == (one.control == "other noise")
        assert one.variant.temperature == one.temperature
        assert one.variant.images == "few"
    assert ComparisonParameters().n_variants == 24 + 5


@pytest.mark.parametrize("name", ["gaussian", "laplace", "student_t"])
def test_unimodal_priors_have_the_requested_spread(name):
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
    assert std == pytest.approx(ComparisonParameters().rule.prior.std, abs=0.005)


def invented(typical):
    """Results in which a typical sample has ``typical[prior, temperature, control]``."""
    keys = list(typical)
    dataset = xr.Dataset(
        {"single_test_log_likelihood": ("branch", [float(typical[key]) for key in keys])},
        coords={
            "branch": [" ".join(map(str, key)) for key in keys],
            "prior": ("branch", [prior for prior, _, _ in keys]),
            "temperature": ("branch", [T for _, T, _ in keys]),
            "control": ("branch", [control for _, _, control in keys]),
        },
    )
    return {"learning": dataset}


TYPICAL = {
    ("uniform", 0.0, ""): -190,
    ("bimodal", 0.0, ""): -112,
    ("uniform", 1.0, ""): -500,
    ("gaussian", 1.0, ""): -200,
    ("laplace", 1.0, ""): -190,
    ("narrow_gaussian", 1.0, ""): -112,
    ("bimodal", 1.0, ""): -110,
    ("uniform", 4.0, ""): -900,
    ("gaussian", 4.0, ""): -400,
    ("laplace", 4.0, ""): -410,
    ("narrow_gaussian", 4.0, ""): -140,
    ("bimodal", 4.0, ""): -150,
    ("gaussian", 1.0, "other noise"): -201,
    ("narrow_gaussian", 1.0, "other noise"): -112.5,
    ("bimodal", 1.0, "other noise"): -109.5,
    ("wide_gaussian", 0.0, "no effect"): -189,
    ("wide_gaussian", 1.0, "no effect"): -502,
}


def parameters_of(typical):
    main = [key for key in typical if not key[2]]
    priors, temperatures = (tuple(dict.fromkeys(key[k] for key in main)) for k in (0, 1))
    return ComparisonParameters(priors=priors, temperatures=temperatures)


def measured(typical):
    return EXPERIMENT.measure(parameters_of(typical), invented(typical))


def verdicts(typical):
    values = {name: [value] * 3 for name, value in measured(typical).items()}
    claims = EXPERIMENT.applicable_claims(parameters_of(typical))
    return {each.claim.id: each.verdict for each in judge_all(claims, values)}


def test_measures_compare_what_they_say():
    assert measured(TYPICAL) == {
        "lead_of_worst_prior": 300.0,
        "lead_of_wide_prior": -2.0,
        "lead_without_noise": 78.0,
        "lead_of_wide_prior_without_noise": 1.0,
        "lead_over_one_mode": 80.0,
        "replicate_lead_over_one_mode": -11.0,
        "lead_over_mode_at_0": 2.0,
        "replicate_lead_over_mode_at_0": -0.5,
        "loss_when_hot": 40.0,
        "replicate_loss": -0.5,
    }
    assert set(verdicts(TYPICAL).values()) == {"holds"}


@pytest.mark.parametrize("claim", EXPERIMENT.claims, ids=lambda claim: claim.id)
def test_no_claim_holds_under_its_null(claim):
    null = [measured(TYPICAL)[claim.null_key]] * 3
    assert judge(claim, null, null).verdict == "fails"
    assert claim.reason
    assert claim.null_description


def test_claims_can_fail():
    swapped = TYPICAL | {
        ("gaussian", 1.0, ""): -106,
        ("narrow_gaussian", 1.0, ""): -101,
        ("uniform", 1.0, ""): -105,
        ("uniform", 0.0, ""): -105,
        ("bimodal", 4.0, ""): -90,
    }
    assert set(verdicts(swapped).values()) == {"fails"}


def test_only_claims_about_listed_priors_are_measured():
    def without(*names):
        return {key: value for key, value in TYPICAL.items() if key[0] not in names}

    assert set(measured(without("uniform", "narrow_gaussian", "wide_gaussian"))) == {
        "lead_over_one_mode",
        "replicate_lead_over_one_mode",
        "loss_when_hot",
        "replicate_loss",
    }
    assert set(verdicts(without("bimodal"))) == {"any-prior-helps"}
    assert measured({key: value for key, value in TYPICAL.items() if key[1] == 4.0}) == {}


def test_a_list_with_duplicates_raises_an_error(tmp_path):
    with pytest.raises(SynsampError, match="once"):
        execute(EXPERIMENT, tmp_path / "never", settings=["temperatures=1,1"])
    with pytest.raises(SynsampError, match="priors"):
        execute(EXPERIMENT, tmp_path / "never", settings=["priors=cauchy"])
