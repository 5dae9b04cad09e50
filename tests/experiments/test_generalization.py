import re
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure

from synsamp import SynsampError
from synsamp.data import load_digits
from synsamp.experiments.generalization import EXPERIMENT, experiment
from synsamp.experiments.generalization.figures import draw
from synsamp.experiments.shared.boltzmann_trials import (
    HISTOGRAM_EDGES,
    Learning,
    LearningJob,
    TrialParameters,
    Variant,
    draw_trial,
    evaluation_updates,
    learner,
    trace_updates,
)
from synsamp.priors import Flat, GaussianMixture
from synsamp.runs.execute import execute, parameters_of, resume
from synsamp.runs.parallel.workers import Workers
from toys.stopping import stop_after

SMALL = ["trials=3", "learning.updates=1500", "evaluations=5", "test_images=20"]


def seal(folder):
    return (folder.path / "results.sha256").read_text()


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("runs") / "small", settings=SMALL, seed=1)


def test_even_a_short_run_shows_the_prior_at_work(small_run):
    trials = small_run.results()["trials"]
    test = trials.test_log_likelihood
    assert test.dims == ("variant", "trial", "update")
    assert list(trials.variant.values) == ["uniform", "bimodal"]
    assert np.array_equal(test[0, :, 0], test[1, :, 0])  # the same start, the same images
    assert np.all(test[1, :, -1] > test[0, :, -1] + 10)
    assert np.all(test[:, :, -1] > test[:, :, 0] + 50)
    counts = trials.weight_count.sum("bin")
    assert np.all(counts == 784 * 9)  # so early no weight is beyond 4
    # Averaging p(x|θ) cannot be below the average of log p(x|θ), by Jensen's inequality.
    assert np.all(trials.averaged_test_log_likelihood > trials.single_test_log_likelihood)


def test_the_same_bits_on_workers_and_after_a_stop(small_run, tmp_path, monkeypatch):
    p = parameters_of(EXPERIMENT, small_run)
    looks = np.union1d(evaluation_updates(p), trace_updates(p)).size
    looks = 3 * looks + 5  # into the fourth job
    stop_after(monkeypatch, LearningJob, looks)
    with pytest.raises(KeyboardInterrupt):
        execute(EXPERIMENT, tmp_path / "stopped", settings=SMALL, seed=1)
    monkeypatch.undo()
    finished = sorted((tmp_path / "stopped" / "checkpoints").glob("*/last.state"))
    assert len(finished) == 3
    with Workers(count=2) as workers:
        folder = resume(EXPERIMENT, tmp_path / "stopped", workers=workers)
    assert seal(folder) == seal(small_run)
    other = execute(EXPERIMENT, tmp_path / "other", settings=["trials=1", *SMALL[1:]], seed=2)
    assert seal(other) != seal(small_run)


def test_the_drawing_shows_every_captioned_panel(small_run):
    parameters = EXPERIMENT.presets["quick"]
    figures = draw(parameters, small_run.results())
    assert set("".join(figures)) == set(EXPERIMENT.captions)
    for figure in figures.values():
        assert isinstance(figure, Figure)
        assert figure.get_figwidth() <= 7


def test_a_trial_keeps_its_images_apart_and_its_draws_fixed():
    p = TrialParameters(trials=1)
    ones = load_digits().train.by_digit(1)
    a, b = (draw_trial(p, np.random.SeedSequence(3), ones) for _ in range(2))
    assert a.gray_train.shape == (5, 784)
    assert a.gray_test.shape == (100, 784)
    joint = np.concatenate([a.gray_train, a.gray_test])
    assert len(np.unique(joint, axis=0)) == 105
    assert set(np.unique(a.test)) == {0.0, 1.0}
    assert np.array_equal(a.test, b.test)
    # The binarised pixels have the gray values as their mean.
    z = (a.test.sum() - a.gray_test.sum()) / np.sqrt((a.gray_test * (1 - a.gray_test)).sum())
    assert abs(z) < 4.5
    other = draw_trial(p, np.random.SeedSequence(4), ones)
    assert not np.array_equal(other.gray_train, a.gray_train)


def test_variants_of_a_trial_share_start_and_noise():
    p = TrialParameters(trials=1)
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


def test_evaluations_are_regular_with_more_of_them_early():
    p = TrialParameters()
    updates = evaluation_updates(p)
    assert {0, 1000, 10_000, 50_000} <= set(updates.tolist())
    assert np.all(np.diff(updates[updates >= 1000]) == 1000)
    assert np.sum((updates > 0) & (updates < 1000)) == 11
    short = evaluation_updates(TrialParameters(evaluations=50, learning=Learning(updates=100)))
    assert np.all(np.diff(short) > 0)


def made_up(uniform, bimodal, at_zero=0.75):
    """Results with known curves (one row per trial) and a known share of weights in each mode."""
    test = np.array([uniform, bimodal], float)
    n_trials, n_updates = test.shape[1:]
    bins = 0.5 * (HISTOGRAM_EDGES[1:] + HISTOGRAM_EDGES[:-1])
    counts = np.zeros((2, n_trials, bins.size), int)
    counts[:, :, np.argmin(np.abs(bins - 0.05))] = round(at_zero * 7056)
    counts[:, :, np.argmin(np.abs(bins - 1.05))] = 7056 - round(at_zero * 7056)
    both = ("variant", "trial")
    dataset = xr.Dataset(
        {
            "test_log_likelihood": ((*both, "update"), test),
            "averaged_test_log_likelihood": (both, test[:, :, -1] + 3.0),
            "weight_count": ((*both, "bin"), counts),
        },
        coords={
            "variant": ["uniform", "bimodal"],
            "update": np.linspace(0, 50_000, n_updates),
            "bin": bins,
        },
    )
    return {"trials": dataset}


RISE_AND_FALL = [[-300, -160, -200, -300, -400, -500]] * 5
RISE_AND_STAY = [[-300, -160, -120, -112, -110, -111]] * 5


def verdicts(results):
    parameters = EXPERIMENT.presets["paper"]
    return {claim.id: claim for claim in experiment.claims(parameters, results)}


def test_claims_measure_what_they_say():
    found = verdicts(made_up(RISE_AND_FALL, RISE_AND_STAY))
    values = {name: claim.value for name, claim in found.items()}
    assert values == pytest.approx(
        {
            "early-peak": 0.2,
            "overfitting": 340.0,
            "overfitting-share": 1.0,
            "constant-high": 1.0,
            "ahead-share": 1.0,
            "ahead": 389.0,
            "mode-at-0": 0.75,
            "mode-at-1": 0.25,
            "averaging": 3.0,
        }
    )
    assert all(claim.holds for claim in found.values())


def test_claims_fail_where_the_paper_would_be_wrong():
    found = verdicts(made_up(RISE_AND_STAY, RISE_AND_FALL, at_zero=0.3))
    failing = {name for name, claim in found.items() if not claim.holds}
    assert failing == set(found) - {"averaging"}
    one_behind = [*RISE_AND_STAY[1:], [-300, -160, -120, -300, -400, -501]]
    assert not verdicts(made_up(RISE_AND_FALL, one_behind))["ahead-share"].holds


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("prior.stds=0.1", ["same length"]),
        ("machine.hidden_units=21", ["hidden_units", "20"]),
        ("learning.updates=0", ["updates", "100"]),
    ],
)
def test_impossible_parameters_are_refused(setting, words, tmp_path):
    with pytest.raises(SynsampError) as error:
        execute(EXPERIMENT, tmp_path / "never", settings=[setting])
    assert not (tmp_path / "never").exists()
    for word in words:
        assert word in str(error.value)


def test_the_code_of_the_documentation_runs(capsys):
    text = (Path(__file__).parents[2] / "docs" / "generalization.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(code, {})
    assert -200 < float(capsys.readouterr().out) < -100
