"""Figure 4: its parameters, its run of one seed, taken up after a stop, and its figures."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from rich.console import Console

from synsamp.claims import Ratio
from synsamp.claims.judge import interval_of
from synsamp.claims.measures import values_of
from synsamp.errors import SynsampError
from synsamp.paper.fig4_adaptation import EXPERIMENT
from synsamp.paper.fig4_adaptation.claims import CLAIMS, PHASE_CLAIMS, STDP_CLAIMS
from synsamp.paper.fig4_adaptation.figures import draw
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters, DigitPhase
from synsamp.paper.fig4_adaptation.stdp import measure_stdp
from synsamp.paper.shared.digit_circuit import SpikingRule
from synsamp.protocol import executor
from synsamp.runs.execute import carry_out, describe_run, execute, parameters_of, resume
from synsamp.runs.overrides import override
from synsamp.runs.parallel.tasks import StoppedError
from synsamp.runs.storage.folder import RunFolder

UNDRAWN = replace(EXPERIMENT, draw=lambda parameters, runs: {})  # its figures take longest
TINY = ["phase_s=200", "snapshot_every_s=100", "probe_s=5", "circuit.neurons=4"]


def manifest(folder):
    return (folder.path / "results.manifest").read_text()


def inside(folder):
    """Whether the value of each claim lies in its band, by the claim's name."""
    found = {record.id: record.value for record in folder.claims()}
    return {
        claim.id: found[claim.id] is not None and claim.admits(found[claim.id], found[claim.id])
        for claim in CLAIMS
        if claim.id in found
    }


# -- phases and parameters --------------------


@pytest.mark.parametrize(
    ("text", "digits", "lengths"),
    [
        ("1;1,2;1", [(1,), (1, 2), (1,)], [None, None, None]),
        ("1; 2,1@6000 ;1", [(1,), (2, 1), (1,)], [None, 6000.0, None]),
        ("1", [(1,)], [None]),
        ("1,2", [(1, 2)], [None]),
    ],
)
def test_phases_are_read_as_one_writes_them(text, digits, lengths):
    found = override(EXPERIMENT.presets["paper"], [f"phases={text}", "snapshot_every_s=1000"])
    assert [phase.digits for phase in found.phases] == digits
    assert [phase.duration_s for phase in found.phases] == lengths


def test_phases_come_from_a_file_and_stay_without_it(tmp_path):
    path = tmp_path / "phases.txt"
    path.write_text("1        # to begin with\n1,2 @ 2000\n\n1\n")
    found = override(EXPERIMENT.presets["paper"], [f"phases={path}"])
    assert found.phases == (
        DigitPhase(digits=(1,)),
        DigitPhase(digits=(1, 2), duration_s=2000.0),
        DigitPhase(digits=(1,)),
    )
    path.unlink()
    assert AdaptationParameters.model_validate(found.model_dump(mode="json")) == found


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("phases=1;;x", "must be like"),
        ("phases=nowhere.txt", "readable text file"),
        ("phases=;", "at least one phase"),
        ("phases=1;3", "data=mnist"),
        ("phases=1;12", "less than or equal to 9"),
        ("phases=1@1500", "multiple of snapshot_every_s"),
        ("phase_s=1500", "multiple of snapshot_every_s"),
        ("snapshot_every_s=155", "multiple of 10 s"),
        ("phases=1;1,2@1000000000", "must together need at most"),
        ("rule.speed=0", "greater than or equal to"),
        ("rule.clip=all", "term"),
        ("seeds=8", "seeds"),
    ],
)
def test_bad_parameters_raise_a_clear_error(setting, words):
    with pytest.raises(SynsampError, match=words) as caught:
        override(EXPERIMENT.presets["paper"], [setting])
    assert len(str(caught.value).splitlines()) == 1


# -- STDP curves in the simulator --------------------


@pytest.fixture(scope="module")
def stdp():
    return measure_stdp(SpikingRule(), np.random.SeedSequence(1))


def test_single_pairs_in_the_simulator_follow_the_curve(stdp):
    lag = stdp.lag.values
    late = np.where(lag > 0, lag, 0.0)
    window = np.exp(-late / 0.02) - np.exp(-late / 0.002)
    for k, w in enumerate(stdp.weight.values):
        theory = window - np.exp(w - 2.0)  # α = e^−2
        np.testing.assert_allclose(stdp.single[k], theory, atol=1e-5)
        np.testing.assert_allclose(stdp.single_theory[k], theory, rtol=1e-12)


def test_regular_pairs_see_the_pairs_before_them(stdp):
    expected = []
    for lag in stdp.paired_lag.values:
        pre = np.arange(5) / 20.0
        changes = []
        for post in pre + lag:
            ago = post - pre[pre < post]
            changes.append((np.exp(-ago / 0.02) - np.exp(-ago / 0.002)).sum() - np.exp(1 - 2.0))
        expected.append(np.mean(changes))
    np.testing.assert_allclose(stdp.regular, expected, atol=1e-5)
    np.testing.assert_allclose(stdp.regular_theory, expected, rtol=1e-9)


def test_poisson_pairs_follow_theory(stdp):
    z = ((stdp.poisson - stdp.poisson_theory) / stdp.poisson_error).values
    assert np.abs(z).max() < 5.0
    wrong = ((stdp.poisson - stdp.poisson_theory - 0.1) / stdp.poisson_error).values
    assert np.abs(wrong).max() > 5.0  # control: the test would see a tenth of the EPSP
    # Theory is averaged over a bin: its integral over lags is that of ε.
    offset = 20 * 0.018 - np.exp(1 - 2.0)
    area = float((stdp.poisson_theory - offset).sum()) * 0.0025
    assert area == pytest.approx(0.018, rel=0.01)


def test_the_curve_follows_the_rule_and_keeps_its_clip():
    steep = measure_stdp(SpikingRule(alpha=2.0, theta_0=1.0), np.random.SeedSequence(1))
    # Before the presynaptic spike a pair does −α e^w, but not more than −5.
    np.testing.assert_allclose(steep.single[:, 0], [-2 * np.exp(0.5), -5, -5], rtol=1e-5)
    np.testing.assert_allclose(steep.single, steep.single_theory, atol=1e-4)
    earlier = SpikingRule(alpha=2.0, theta_0=1.0, clip_limit=2.5)
    clipped = measure_stdp(earlier, np.random.SeedSequence(1))
    np.testing.assert_allclose(clipped.single[:, 0], [-2.5, -2.5, -2.5], rtol=1e-5)
    np.testing.assert_allclose(clipped.single, clipped.single_theory, atol=1e-4)


def test_the_curves_say_what_is_claimed_and_their_nulls_do_not(stdp):
    of_stdp = replace(EXPERIMENT, claims=STDP_CLAIMS, also_measured=())
    found = of_stdp.measure(AdaptationParameters(), {"stdp": stdp})
    for claim in STDP_CLAIMS:
        inside, outside = found[claim.key], found[claim.null_key]
        assert claim.admits(inside, inside)
        assert claim.excludes(outside, outside)


# -- runs --------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return execute(UNDRAWN, tmp_path_factory.mktemp("tiny") / "run", settings=TINY)


def test_a_run_records_what_the_figure_needs(tiny):
    results = tiny.results()
    theta = results["learning/theta"].theta
    assert theta.shape == (7, 4, 784)
    assert results["learning/active"].active.shape == (61, 4)
    # What was counted on the grid is what the snapshots hold.
    active = (theta.values > 0).sum(axis=-1)
    assert (results["learning/active"].active.values[::10] == active).all()
    assert ((results["learning/weight"].weight.values > 0).sum(axis=-1) == active).all()
    candidates = results["learning/candidates"].candidates
    traced = theta.values[:, :, results["images"].candidate_input.values]
    np.testing.assert_array_equal(candidates.values[::10], traced)
    spikes = results["learning/tuning"].tuning
    assert spikes.digit.values.tolist() == [1, 2]
    assert (spikes.values.sum(axis=(1, 2)) > 200).all()
    silent = results["no_activity/theta"].theta
    assert silent.shape == theta.shape
    counted = results["no_activity/active"].active.values[::10]
    assert ((silent.values > 0).sum(axis=-1) == counted).all()
    assert set(EXPERIMENT.captions) == set("ABCDEFGHIJ")


def test_the_phases_are_shown_in_order_and_the_control_before_the_new_digit(tiny):
    log = tiny.results()["learning/steps"]
    shown = "shown for 200 s"
    assert log.what.values.tolist() == [shown, "branch control", shown, shown, shown]
    assert log.branch.values.tolist() == ["", "", "control", "", ""]
    assert log.time.values.tolist() == [0, 200, 200, 200, 400]


def test_the_control_continues_from_the_same_circuit_without_the_new_digit(tiny):
    results = tiny.results()
    before, with_new = results["learning/theta"].theta.sel(time=[200.0, 400.0]).values
    at_start, control = results["learning/control/theta"].theta.values[[0, -1]]
    np.testing.assert_array_equal(at_start, before)
    bright = results["images"].new.values
    assert np.corrcoef(control.ravel(), before.ravel())[0, 1] > 0.8
    # What the new digit does, it does where the new digit is bright.
    gained = (with_new - control).mean(axis=0)
    assert gained[bright].mean() > gained[~bright].mean() + 0.1


def test_prior_and_noise_alone_are_an_ornstein_uhlenbeck_process(tiny):
    theta = tiny.results()["no_activity/theta"].theta.values.astype(float)
    start, end = theta[0].ravel(), theta[-1].ravel()
    keep = np.exp(-1e-4 * 600)
    nu = (end - 0.5 - keep * (start - 0.5)) / np.sqrt(1 - keep**2)
    assert abs(nu.mean()) < 4 / np.sqrt(nu.size)
    assert abs(nu.std() - 1) < 4 / np.sqrt(2 * nu.size)
    slower = (end - 0.5 - (start - 0.5) * keep**0.5) / np.sqrt(1 - keep)  # control: half as long
    assert abs(slower.std() - 1) > 4 / np.sqrt(2 * nu.size)


def test_a_run_stopped_in_each_branch_and_resumed_is_bit_identical(tiny, tmp_path, monkeypatch):
    """Stopped in the control, in the last phase and without activity, one after the other."""
    monkeypatch.setattr(executor, "SOONEST_S", 0.0)  # reports every 10 s of simulated time
    out, asked = tmp_path / "run", describe_run(UNDRAWN, settings=TINY)
    reported = []

    def stop(share, done):
        reported.append(done)
        if done >= share:
            raise StoppedError

    for share in (0.25, 0.5, 0.9):
        begin = RunFolder.reopen(out) if out.exists() else RunFolder.create(out, asked, False)
        with begin as folder, pytest.raises(StoppedError):
            carry_out(UNDRAWN, folder, Console(quiet=True), report=partial(stop, share))
        assert share <= reported[-1] < share + 0.05
        assert list((out / "checkpoints").iterdir())
    assert manifest(resume(UNDRAWN, out)) == manifest(tiny)


def test_phases_without_a_new_digit_are_run_and_drawn(tmp_path):
    settings = [*TINY, "phases=1;1", "controls=true"]
    folder = execute(UNDRAWN, tmp_path / "run", settings=settings)
    found = {name for name in inside(folder) if not name.startswith("stdp")}
    of_one_phase = {"background-eliminated", "relevant-survive", "few-active"}
    assert found == of_one_phase | {"stays-sparse", "turnover-goes-on"}
    assert "learning/control/theta" not in folder.results()
    draw(parameters_of(EXPERIMENT, folder), [folder.results()])


def test_without_the_likelihood_no_claim_can_hold(tmp_path):
    settings = ["phase_s=600", "snapshot_every_s=300", "probe_s=20", "rule.data_size=0"]
    folder = execute(UNDRAWN, tmp_path / "run", settings=settings)
    found = values_of(folder.results()["measures"])
    for claim in PHASE_CLAIMS:
        keys = claim.key, claim.null_key
        if set(keys) <= set(found):
            value, null = (interval_of(found[key]).value for key in keys)
            holds = claim.admits(value, value) and claim.excludes(null, null)
            assert not holds, claim.id


# -- controls --------------------


@pytest.fixture(scope="module")
def controlled(tmp_path_factory):
    settings = [*TINY, "controls=true"]
    return execute(UNDRAWN, tmp_path_factory.mktemp("controlled") / "run", settings=settings)


def test_adding_controls_does_not_change_the_circuit(tiny, controlled):
    plain, with_controls = tiny.results(), controlled.results()
    for name in (
        "learning/theta",
        "learning/tuning",
        "learning/control/theta",
        "no_activity/theta",
    ):
        assert with_controls[name].identical(plain[name])


@pytest.mark.parametrize("trunk", ["learning", "alternative_rule"])
def test_controls_branch_at_the_right_time_and_differ_in_one_thing(controlled, trunk):
    results = controlled.results()
    unchanged = results[f"{trunk}/theta"].theta.sel(time=slice(0, 400))
    for branch, start_s in (("noise_off", 200.0), ("replicate", 200.0), ("no_prior", 0.0)):
        theta = results[f"{trunk}/{branch}/theta"].theta
        assert (float(theta.time[0]), float(theta.time[-1])) == (start_s, 400.0)
        np.testing.assert_array_equal(theta[0], unchanged.sel(time=start_s))
        assert (theta[-1] != unchanged[-1]).mean() > 0.9
    # Retracted synapses at inputs that stay dark: without noise they follow the prior alone if
    # the likelihood does not act on them, and fall below that if it does.
    quiet = results[f"{trunk}/noise_off/theta"].theta
    dark = results["images"].background.values.all(axis=0)
    before, after = quiet.values[0][:, dark].astype(float), quiet.values[-1][:, dark].astype(float)
    deep = (before < -0.5) & (before > -4)
    by_prior = 0.5 + np.exp(-1e-4 * 200) * (before[deep] - 0.5)
    if trunk == "alternative_rule":
        np.testing.assert_allclose(after[deep], by_prior, atol=1e-4)
    else:
        assert (after[deep] < by_prior - 1e-3).all()


def test_one_copy_continues_with_the_new_digit(controlled):
    results = controlled.results()
    persists, gone = results["learning/digit_persists/theta"].theta, results["learning/theta"].theta
    assert persists.time.values.tolist() == [400.0, 500.0, 600.0]
    np.testing.assert_array_equal(persists[0], gone.sel(time=400.0))
    kept = (persists[-1] - gone[-1]).mean("post").values
    bright = results["images"].new.values
    assert kept[bright].mean() > kept[~bright].mean() + 0.1


def test_without_prior_synapses_walk(controlled):
    results = controlled.results()
    for branch, pulled in (("/no_prior", False), ("", True)):  # control: with its prior
        theta = (
            results[f"alternative_rule{branch}/theta"].theta.sel(time=[0, 400]).values.astype(float)
        )
        deep = theta[0] < -0.8  # so far down that hardly any of them meets the likelihood
        step = (theta[1] - theta[0])[deep]
        by_prior = (0.5 - theta[0][deep]) * -np.expm1(-1e-4 * 400)
        assert bool(step.mean() > by_prior.mean() / 2) is pulled
        assert abs(step.std() / np.sqrt(2e-4 * 400) - 1) < 4 / np.sqrt(2 * step.size)


def test_nulls_are_measured_in_their_own_branches(controlled):
    results = controlled.results()
    found = {name: value[0] for name, value in values_of(results["measures"]).items()}
    new = results["images"].new.values
    for branch in ("learning", "no_activity"):
        share = results[f"{branch}/active"].active.sum("post") / (4 * 784)
        assert found[f"largest_active_share@{branch}"] == pytest.approx(float(share.max()))
    theta = results["learning/theta"].theta.sel(time=[0, 200, 400, 600]).values[:, :, new] > 0
    control = results["learning/control/theta"].theta.values[-1][:, new] > 0
    persists = results["learning/digit_persists/theta"].theta.values[-1][:, new] > 0
    eliminated = theta[0] & ~theta[1]
    for branch, end in (("", theta[2]), (".control", control)):
        back = Ratio((eliminated & end).sum(), eliminated.sum())
        assert found[f"regrowth@learning{branch}"] == back
    for branch, end in (("", theta[3]), (".digit_persists", persists)):
        gone = Ratio((theta[2] & ~end).sum(), theta[2].sum())
        assert found[f"eliminated_after@learning{branch}"] == gone
    similarity = results["learning/control/snapshots"].similarity.sel(time=[200, 400]).values
    gain = np.subtract(*np.sort(similarity)[::-1, -2])
    assert found["similarity_gain@learning.control"] == pytest.approx(gain)


def test_both_readings_and_the_calculation_are_compared(controlled):
    results = controlled.results()
    assert {"printed/summary", "no_likelihood/no_prior/summary"} <= set(results)
    assert {"useful_regrowth@printed", "relative_regrowth@printed.replicate"} <= set(
        results["measures"]
    )


def test_its_figures_are_drawn_of_one_run_and_of_many(tiny, controlled):
    plain = draw(parameters_of(EXPERIMENT, tiny), [tiny.results()])
    assert sorted("".join(plain)) == list("ABCDEFGH")
    figures = draw(parameters_of(EXPERIMENT, controlled), [controlled.results()] * 2)
    assert sorted("".join(figures)) == list("ABCDEFGHIJ")


@pytest.mark.statistical
def test_one_circuit_shows_the_effects(tmp_path):
    found = inside(execute(UNDRAWN, tmp_path / "run", seed=11))
    for claim in ("background-eliminated", "relevant-survive", "stays-sparse", "turnover-goes-on"):
        assert found[claim]
    assert found["eliminated-return"]
    assert found["weights-turn"]


@pytest.mark.skipif(
    "SYNSAMP_DATA" not in os.environ, reason="needs the full MNIST: set SYNSAMP_DATA"
)
def test_any_digits_of_the_full_set(tmp_path):
    settings = [*TINY, "phases=0;0,7;0", "data=mnist"]
    folder = execute(UNDRAWN, tmp_path / "run", settings=settings)
    assert folder.results()["learning/tuning"].digit.values.tolist() == [0, 7]
    assert "two_retuned@learning" in values_of(folder.results()["measures"])
