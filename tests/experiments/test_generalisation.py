import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure

from synsamp import SynsampError
from synsamp.claims import judge, judge_all
from synsamp.data import load_digits
from synsamp.paper.fig2_generalisation import EXPERIMENT
from synsamp.paper.fig2_generalisation.figures import draw
from synsamp.paper.fig2_generalisation.parameters import N_VARIANTS
from synsamp.paper.fig2_generalisation.protocol import NO_NOISE, UNIFORM_NO_IMAGES, variants
from synsamp.paper.shared.boltzmann_trial import (
    Learning,
    TrialParameters,
    Variant,
    draw_trial,
    evaluation_updates,
    learner,
    trace_updates,
)
from synsamp.priors import Flat, GaussianMixture
from synsamp.runs.execute import execute, parameters_of, resume
from toys.stopping import stop_after

LABELS = tuple(variant.label for variant in variants(Flat(), 1.0))
SMALL = ["learning.updates=1500", "evaluations=5", "test_images=20"]


def manifest(folder):
    return (folder.path / "results.manifest").read_text()


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("runs") / "small", settings=SMALL, seed=1)


def test_even_a_short_run_shows_the_prior_at_work(small_run):
    learning = small_run.results()["learning"]
    test = learning.test_log_likelihood
    assert test.dims == ("branch", "update")
    assert tuple(learning.branch.values) == LABELS
    assert len(LABELS) == N_VARIANTS
    assert np.all(test[:, 0] == test[0, 0])  # the same start, the same images
    assert test[1, -1] > test[0, -1] + 10
    assert np.all(test[:3, -1] > test[:3, 0] + 50)
    # Without images nothing is learned; without noise the machine is another one.
    assert test.sel(branch=UNIFORM_NO_IMAGES)[-1] < test[0, 0] - 50
    assert test.sel(branch=NO_NOISE)[-1] > test[0, -1]
    counts = learning.weight_count.sum("bin")
    assert np.all(counts == 784 * 9)  # so early no weight is beyond 4
    # Averaging p(x|θ) cannot be below the average of log p(x|θ), by Jensen's inequality.
    assert np.all(learning.averaged_test_log_likelihood > learning.single_test_log_likelihood)


def test_a_run_stopped_in_two_branches_and_resumed_is_bit_identical(
    small_run, tmp_path, monkeypatch
):
    p, out = parameters_of(EXPERIMENT, small_run), tmp_path / "stopped"
    points = np.union1d(evaluation_updates(p), trace_updates(p)).size
    begin = partial(execute, EXPERIMENT, out, settings=SMALL, seed=1)
    for go, evaluations in ((begin, 50), (partial(resume, EXPERIMENT, out), points)):
        with monkeypatch.context() as patch:
            stop_after(patch, evaluations)
            with pytest.raises(KeyboardInterrupt):
                go()
        assert list((out / "checkpoints").glob("*.checkpoint"))
    assert manifest(resume(EXPERIMENT, out)) == manifest(small_run)
    assert (out / "run.log").read_text().count("continuing from") == 2


def test_another_seed_is_another_trial(small_run, tmp_path):
    other = execute(EXPERIMENT, tmp_path / "other", settings=SMALL, seed=2)
    assert manifest(other) != manifest(small_run)
    first, second = (run.results()["example"].train_image.values for run in (small_run, other))
    assert not np.array_equal(first, second)


def test_the_drawing_shows_every_captioned_panel(small_run):
    parameters = EXPERIMENT.presets["quick"]
    for n in (1, 3):
        figures = draw(parameters, [small_run.results()] * n)
        assert set("".join(figures)) == set(EXPERIMENT.captions)
        for figure in figures.values():
            assert isinstance(figure, Figure)
            assert figure.get_figwidth() <= 7


def test_a_trial_keeps_its_images_apart_and_its_draws_fixed():
    p = TrialParameters()
    ones = load_digits().train.by_digit(1)
    a, b = (draw_trial(p, np.random.SeedSequence(3), ones) for _ in range(2))
    assert a.gray_train.shape == (5, 784)
    assert a.gray_test.shape == (100, 784)
    assert a.gray_many.shape == (500, 784)
    joint = np.concatenate([a.gray_train, a.gray_test, a.gray_many])
    assert len(np.unique(joint, axis=0)) == 605
    assert set(np.unique(a.test)) == {0.0, 1.0}
    assert np.array_equal(a.test, b.test)
    # The binarised pixels have the grey values as their mean.
    z = (a.test.sum() - a.gray_test.sum()) / np.sqrt((a.gray_test * (1 - a.gray_test)).sum())
    assert abs(z) < 4.5
    other = draw_trial(p, np.random.SeedSequence(4), ones)
    assert not np.array_equal(other.gray_train, a.gray_train)


def test_variants_of_a_trial_share_start_and_noise():
    p = TrialParameters()
    trial = draw_trial(p, np.random.SeedSequence(3), load_digits().train.by_digit(1))
    first = [learner(p, Variant("a", Flat()), trial) for _ in range(2)]
    second = learner(p, Variant("b", GaussianMixture()), trial)
    for chains in (*first, second):
        chains.burn_in(1)
    assert np.array_equal(first[0].theta, first[1].theta)
    # The first step differs by the prior's pull on the weights alone.
    pull = 1e-4 * GaussianMixture().gradient(trial.start[:7056])
    assert np.allclose(second.theta[0, :7056] - first[0].theta[0, :7056], pull, atol=1e-12)
    assert np.array_equal(second.theta[0, 7056:], first[0].theta[0, 7056:])


def test_controls_differ_in_one_thing():
    p = TrialParameters()
    trial = draw_trial(p, np.random.SeedSequence(3), load_digits().train.by_digit(1))

    def after_one_step(**changes):
        chains = learner(p, Variant("a", Flat(), **changes), trial)
        chains.burn_in(1)
        return chains.theta[0]

    learned, alone, other = (
        after_one_step(),
        after_one_step(images="none"),
        after_one_step(images="none", other_noise=True),
    )
    # Learning adds η N (z x − ẑ x̂), a hundredth or nothing, to the same noise.
    step = (learned - alone) / (p.learning.learning_rate * p.rule.data_size)
    assert set(np.unique(step.round(6))) == {-1.0, 0.0, 1.0}
    noise = np.sqrt(2 * p.learning.learning_rate)
    assert np.std(alone - trial.start) == pytest.approx(noise, rel=0.05)
    assert np.corrcoef(alone - trial.start, other - trial.start)[0, 1] == pytest.approx(0, abs=0.06)
    assert not np.array_equal(after_one_step(images="many"), learned)


def test_evaluations_are_regular_with_more_of_them_early():
    p = TrialParameters()
    updates = evaluation_updates(p)
    assert {0, 1000, 10_000, 50_000} <= set(updates.tolist())
    assert np.all(np.diff(updates[updates >= 1000]) == 1000)
    assert np.sum((updates > 0) & (updates < 1000)) == 11
    short = evaluation_updates(TrialParameters(evaluations=50, learning=Learning(updates=100)))
    assert np.all(np.diff(short) > 0)


def invented(uniform, bimodal, at_zero=0.75, where_ink=3.0, no_noise=None):
    """Results with known curves and a known share of weights in each mode.

    The upper half of the image has ink; weights there are ``where_ink`` times as often at 1.
    Controls do what the paper would have them do.
    """
    test = np.array(
        [uniform, bimodal, bimodal, SINKING, SINKING, no_noise or uniform, RISE_AND_STAY], float
    )
    branches = {"branch": list(LABELS)}
    learning = xr.Dataset(
        {
            "test_log_likelihood": (("branch", "update"), test),
            "averaged_test_log_likelihood": ("branch", test[:, -1] + 5.0),
            "single_test_log_likelihood": ("branch", test[:, -1] + 0.5),
        },
        coords=branches | {"update": np.linspace(0, 50_000, test.shape[1])},
    )
    weights = np.zeros((len(LABELS), 100, 2, 50))  # variant, hidden, row, column
    at_one = 2.0 * (1.0 - at_zero) * np.array([where_ink, 1.0]) / (1.0 + where_ink)
    for row in range(2):
        weights[1, : round(100 * at_one[row]), row] = 1.0
    weights[0] = 3.0  # under the uniform prior weights are anywhere
    weights[4, :40] = 1.0  # and without images at 1 wherever
    example = xr.Dataset(
        {
            "end_weight": (("branch", "hidden", "row", "column"), weights),
            "train_image": (("train", "row", "column"), np.repeat([[[0.9], [0.0]]], 50, axis=2)),
        },
        branches,
    )
    return {"learning": learning, "example": example}


SINKING = [-300, -400, -600, -900, -1300, -1800]
RISE_AND_FALL = [-300, -160, -200, -300, -400, -500]
RISE_AND_STAY = [-300, -160, -120, -112, -110, -111]


def measured(results):
    return EXPERIMENT.measure(EXPERIMENT.presets["paper"], results)


def verdicts(*results, n):
    """Verdicts if each of these results comes from ``n`` seeds."""
    found = [each for one in results for each in [measured(one)] * n]
    values = {name: [one[name] for one in found] for name in found[0]}
    return {each.claim.id: each.verdict for each in judge_all(EXPERIMENT.claims, values)}


def test_measures_are_what_they_say():
    found = measured(invented(RISE_AND_FALL, RISE_AND_STAY))
    part, whole = found.pop("weights_at_1_with_ink@bimodal")
    assert part / whole == pytest.approx(3.0, rel=0.1)
    assert found.pop("weights_at_1_with_ink@bimodal_no_images") == (0.4, 0.4)
    assert found == pytest.approx(
        {
            "peak@uniform": 0.2,
            "peak@uniform_no_images": 0.0,
            "fall@uniform": 340.0,
            "falls@uniform": True,
            "fall@bimodal": 1.0,
            "falls@bimodal": False,
            "fall@uniform_no_images": 1500.0,
            "fall@no_noise": 340.0,
            "fall@no_noise_many_images": 1.0,
            "below_best@bimodal": 1.0,
            "below_best@bimodal_no_images": 1690.0,
            "leads@bimodal": True,
            "lead@bimodal": 389.0,
            "leads@bimodal_other_noise": False,
            "lead@bimodal_other_noise": 0.0,
            "weights_at_0@bimodal": 0.75,
            "weights_at_0@uniform": 0.0,
            "weights_at_0@bimodal_no_images": 0.6,
            "weights_at_1@bimodal": 0.25,
            "averaging_gain": 5.0,
            "typical_gain": 0.5,
        },
        rel=0.02,
    )


def test_claims_hold_where_the_paper_is_right_and_fail_where_it_would_be_wrong():
    right, wrong = (
        invented(RISE_AND_FALL, RISE_AND_STAY),
        invented(RISE_AND_STAY, RISE_AND_FALL, at_zero=0.3, where_ink=1.0),
    )
    assert set(verdicts(right, n=80).values()) == {"holds"}
    found = verdicts(wrong, n=80)
    # The average was invented to be better.
    assert {name for name, verdict in found.items() if verdict != "fails"} == {"averaging"}
    assert verdicts(right, wrong, n=40)["ahead-share"] == "fails"


@pytest.mark.parametrize("claim", EXPERIMENT.claims, ids=lambda claim: claim.id)
def test_no_claim_holds_under_its_null(claim):
    null = [measured(invented(RISE_AND_FALL, RISE_AND_STAY))[claim.null_key]] * 80
    assert judge(claim, null, null).verdict == "fails"
    assert claim.reason
    assert claim.null_description


def test_what_does_not_learn_fails_too():
    """A peak at the start, weights that do not depend on images, samples that do not differ."""
    still = invented([-300.0] * 6, [-300.0] * 6, where_ink=1.0)
    still["learning"]["averaged_test_log_likelihood"][:] = -300.0
    found = verdicts(still, n=80)
    # Weights are where they were invented to be, and 300 nats are the best there is here.
    assert {name for name, verdict in found.items() if verdict != "fails"} == {
        "constant-high",
        "mode-at-0",
    }


def test_a_few_trials_cannot_decide_shares():
    found = verdicts(invented(RISE_AND_FALL, RISE_AND_STAY), n=8)
    undecided = {name for name, verdict in found.items() if verdict != "holds"}
    assert undecided == {"overfitting-share", "ahead-share"}


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("rule.prior.stds=0.1", ["same length"]),
        ("machine.hidden_units=21", ["hidden_units", "20"]),
        ("learning.updates=0", ["updates", "100"]),
    ],
)
def test_impossible_parameters_raise_an_error(setting, words, tmp_path):
    with pytest.raises(SynsampError) as error:
        execute(EXPERIMENT, tmp_path / "never", settings=[setting])
    assert not (tmp_path / "never").exists()
    for word in words:
        assert word in str(error.value)


def test_the_code_of_the_documentation_runs(capsys):
    text = (Path(__file__).parents[2] / "docs" / "reference" / "fig2-methods.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(code, {})
    assert -200 < float(capsys.readouterr().out) < -100
