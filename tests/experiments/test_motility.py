"""Fig. 3: measures of generated processes, synapses without activity, protocol, whole runs."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from synsamp.analysis.survival import new_lifetimes
from synsamp.claims import judge_all
from synsamp.errors import SynsampError
from synsamp.experiments.base import GaussianSection
from synsamp.paper.fig3_motility.claims import CLAIMS
from synsamp.paper.fig3_motility.experiment import EXPERIMENT
from synsamp.paper.fig3_motility.figures import draw
from synsamp.paper.fig3_motility.measures import (
    AIC,
    exponential_variation,
    power_law_margin,
    weight_variation,
)
from synsamp.paper.fig3_motility.parameters import PAPER, QUICK, ImagingSection
from synsamp.paper.fig3_motility.protocol import forgetting
from synsamp.paper.fig3_motility.survival import (
    analyse,
    change_slope,
    efficacy_share,
    histogram_dip,
    occupancy_counts,
    predicted_survival,
    relative_drift,
    scaled_lifetimes,
    scaling,
    survival,
)
from synsamp.paper.shared.digit_circuit import SYNAPSES, SpikingRule
from synsamp.runs import execute, resume
from synsamp.runs.execute import parameters_of
from synsamp.runs.overrides import override
from synsamp.runs.storage.checkpoint import CheckpointFolder
from synsamp.spiking import Simulation

TINY = [
    "circuit.neurons=4",
    "settle_s=400",
    "slow_settle_s=200",
    "slow.speed=1e-5",
    "fast.tracked_s=1000",
    "fast.record_every_s=20",
    "fast.session_every_s=40",
    "fast.new_within_s=200",
    "slow.tracked_s=2000",
    "slow.record_every_s=200",
    "slow.session_every_s=200",
    "slow.new_within_s=400",
]


def ornstein_uhlenbeck(rng, b, step_s, points, n=3000):
    """θ of synapses under prior and noise alone."""
    keep = np.exp(-b * step_s)
    theta = rng.normal(0.5, 1.0, n)
    rows = []
    for _ in range(points):
        rows.append(theta)
        theta = 0.5 + keep * (theta - 0.5) + np.sqrt(1 - keep**2) * rng.standard_normal(n)
    return np.array(rows)


# -- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["slow.speed=1e-4"], "slow.speed must be below fast.speed"),
        (["slow.speed=1e-5"], "must be the same for fast and slow"),
        (["fast.session_every_s=1000"], "session_every_s must be a multiple of record_every_s"),
        (["fast.new_within_s=1000"], "new_within_s must be a multiple of session_every_s"),
        (["slow.tracked_s=57600"], "at least twice new_within_s"),
        (["slow.tracked_s=28800000"], "fast must have at least as many records as slow"),
        (["settle_s=20000"], "settle_s must be a multiple of slow.record_every_s"),
        (["slow_settle_s=20000"], "slow_settle_s must be a multiple of slow.record_every_s"),
        (
            ["slow.speed=4e-5", "slow.record_every_s=360", "slow.session_every_s=360"],
            "multiple of fast.record_every_s",
        ),
        (
            ["rule.speed=1e-7", "fast.speed=1e-7", "slow.speed=1e-9"],
            "must be at least 1e-4/fast.speed",
        ),
        (["rule.prior.std=10"], "slow.session_every_s must be at least 0.00025 prior.std²/b"),
        (["digits=3"], "data=mnist"),
        (["rule.speed=1e-3"], "rule.speed must equal fast.speed"),
        (["seeds=2"], "seeds"),
    ],
)
def test_bad_parameters_raise_an_error(settings, words):
    with pytest.raises(SynsampError, match=words):
        override(EXPERIMENT.presets["paper"], settings)


# -- measures -------------------------------------------------------------------------------------


def test_time_scales_as_one_over_b_and_not_otherwise():
    rng = np.random.default_rng(1)
    fast = ornstein_uhlenbeck(rng, 1e-4, 144.0, 301, 6000) > 0
    slow = ornstein_uhlenbeck(rng, 1e-6, 14400.0, 61, 6000) > 0
    medians = scaling(fast, slow, 144.0, 14400.0, 3)["median"].values
    assert medians[1] / medians[0] == pytest.approx(100.0, rel=0.15)
    same = ornstein_uhlenbeck(rng, 1e-4, 14400.0, 61, 6000) > 0
    wrong = scaling(fast, same, 144.0, 14400.0, 3)["median"].values
    assert wrong[1] / wrong[0] < 80.0


def margin(found):
    """AIC of the best other model minus that of the power law."""
    both = found.expand_dims(branch=["fast"])
    return power_law_margin(None, {"survival_fast": both}, "fast")


def watched_every(step_s, points, window=1, every=1):
    """Imaging at b = 1e-4 with this many records, and the survival predicted without activity."""
    look_s = step_s * every
    length_s = look_s * ((points - 1) // every)
    watch = ImagingSection(
        speed=1e-4,
        tracked_s=length_s,
        record_every_s=step_s,
        session_every_s=look_s,
        new_within_s=look_s * window,
    )
    return watch, predicted_survival(SpikingRule(), watch)


def test_a_model_is_the_best_only_on_lifetimes_that_follow_it():
    rng = np.random.default_rng(2)
    rows, active = [], rng.random(6000) < 0.2
    for _ in range(200):  # born and lost at constant rates
        rows.append(active)
        active = np.where(active, rng.random(6000) > 0.1, rng.random(6000) < 0.025)
    found = survival(np.array(rows), *watched_every(10.0, 200))
    aic = dict(zip(found.model.values, found.aic.values, strict=True))
    assert min(aic, key=aic.get) in {"exponential", "Weibull"}  # the latter is one at k = 1
    assert margin(found) < 2
    # Near the threshold noise makes many short lives and few long ones: no exponential at all.
    states = ornstein_uhlenbeck(rng, 1e-4, 144.0, 301) > 0
    found = survival(states, *watched_every(144.0, 301, 3))
    aic = dict(zip(found.model.values, found.aic.values, strict=True))
    assert aic["exponential"] > aic["power law"] + 50
    fast = {"survival_fast": found.expand_dims(branch=["fast"])}
    leads = {measure.__name__: measure(None, fast, "fast") for measure in AIC}
    others = ("exponential", "weibull", "log_normal", "double_exponential", "first_passage")
    assert leads.keys() == {f"{name}_aic" for name in others}
    assert leads["exponential_aic"] == aic["exponential"] - aic["power law"]
    assert min(leads.values()) == margin(found)
    assert min(aic, key=aic.get) == "first passage"
    assert margin(found) < 2
    assert float(found.losses) < 2.15
    # New at session 2, then lost following a power law.
    lost_at = 2 + np.ceil(2.0 * (rng.random(3000) ** (-1 / 0.8) - 1.0))
    look = np.arange(101)[:, None]
    found = survival((look >= 2) & (look < lost_at), *watched_every(144.0, 101))
    assert margin(found) > 2
    assert float(found.gamma) == pytest.approx(0.8, abs=0.1)
    assert float(found.losses) > 2.15


def test_the_curve_has_every_session_and_counts_losses_where_they_were_observed():
    states = np.zeros((8, 4), bool)
    for k, lost_at in enumerate((3, 3, 5, 8)):  # all new at session 2; one stays to the end
        states[2:lost_at, k] = True
    found = survival(states.repeat(2, axis=0), *watched_every(5.0, 16, every=2))
    assert found.time.values.tolist() == [0, 10, 20, 30, 40, 50, 60]
    assert found.survival.values[:6] == pytest.approx([1, 0.5, 0.5, 0.25, 0.25, 0.25])
    assert int(found.new) == 4
    assert int(found.censored) == 1
    assert np.isnan(found.gamma)  # three losses cannot be fitted


def test_proportional_changes_have_slope_one():
    rng = np.random.default_rng(3)
    theta = rng.normal(1.5, 1.0, 40000)
    multiplied = theta + 0.1 * rng.standard_normal(theta.size)
    assert change_slope(theta, multiplied, 3.0) == pytest.approx(1.0, abs=0.03)
    assert change_slope(theta, multiplied, 3.0, shuffled=True) == pytest.approx(0.0, abs=0.05)
    added = 3.0 + np.log(np.abs(np.exp(theta - 3.0) + 0.01 * rng.standard_normal(theta.size)))
    assert change_slope(theta, added, 3.0) < 0.3


def test_a_dip_needs_two_populations():
    rng = np.random.default_rng(4)
    often, seldom = rng.random((200, 500)) < 0.98, rng.random((200, 1500)) < 0.03
    assert histogram_dip(occupancy_counts(np.concatenate([often, seldom], axis=1))) < 0.1
    assert histogram_dip(occupancy_counts(rng.random((200, 2000)) < rng.random(2000))) > 0.5
    assert histogram_dip(occupancy_counts(ornstein_uhlenbeck(rng, 1e-4, 2000.0, 200) > 0)) == 1
    assert histogram_dip(occupancy_counts(seldom)) == 1  # one population
    assert histogram_dip(np.array([8, 9, 3, 9, 9, 9, 9, 9, 9, 6])) == 0.5
    assert histogram_dip(np.array([2, 9, 8, 9, 9, 9, 9, 9, 9, 3])) == 1  # one mode


def test_efficacy_differs_from_presence():
    theta = np.array([[3.0, 2.9], [3.0, -1.0], [3.0, 2.9]])  # w = 1 throughout, and now and then
    each = np.exp([0.0, -0.1]) - np.exp(-3.0)
    found = efficacy_share(theta, theta > 0, 3.0)
    assert found == pytest.approx(3 * each[0] / (3 * each[0] + 2 * each[1]))
    assert efficacy_share(theta[:, 1:], theta[:, 1:] > 0, 3.0) == 0


def slow_records(*theta):
    """The last record of all θ in the slow branch, and another one before it."""
    end_s = QUICK.settle_s + QUICK.slow_settle_s + QUICK.slow.tracked_s
    values = np.array([np.linspace(1.0, 5.0, len(theta)), theta])
    at = {"time": [end_s - QUICK.slow.record_every_s, end_s]}
    return {"circuit/slow/theta": xr.Dataset({"theta": (("time", "synapse"), values)}, at)}


def test_heavy_tails_are_measured_by_the_variation_of_active_weights_at_the_end():
    # w = 1, 1 and 4 have mean 2 and variance (1 + 1 + 4)/3; two other synapses are retracted.
    records = slow_records(3.0, 3.0, 3.0 + np.log(4.0), -1.0, 0.0)
    assert weight_variation(QUICK, records, "slow") == pytest.approx(np.sqrt(2.0) / 2.0)
    claim = next(each for each in CLAIMS if each.id == "heavy-tailed")
    # Of a log-normal distribution it is sqrt(e^s² − 1): 1.31 at s = 1, but 0.53 at s = 0.5.
    rng, n = np.random.default_rng(7), 20_000
    for s, heavy in ((1.0, True), (0.5, False)):
        drawn = slow_records(*rng.normal(6.0, s, n))
        found = weight_variation(QUICK, drawn, "slow")
        assert found == pytest.approx(np.sqrt(np.expm1(s * s)), rel=0.1)
        assert claim.admits(found, found) == heavy
        # The null is as many draws of an exponential distribution, with a standard error of n^-½.
        null = exponential_variation(QUICK, drawn, "slow")
        assert abs(null - 1.0) < 4 / np.sqrt(n)
        assert not claim.admits(null, null)
    nothing_left = slow_records(-1.0, -2.0)
    for measure in (weight_variation, exponential_variation):
        assert np.isnan(measure(QUICK, nothing_left, "slow"))


def test_both_presets_take_changes_of_w_over_the_same_window():
    windows = [p.change_steps * p.slow.record_every_s * p.slow.speed for p in (QUICK, PAPER)]
    assert windows == pytest.approx([0.0144, 0.0144])
    assert all(p.slow.points > p.change_steps for p in (QUICK, PAPER))


def test_drift_compares_the_last_quarter_with_the_first():
    assert relative_drift(np.ones(9)) == 0.0
    assert relative_drift(np.array([2.0, 2.0, 9, 9, 9, 9, 3.0, 3.0])) == pytest.approx(0.5)


def test_pieces_of_the_fast_record_share_one_session_and_cover_it():
    rng = np.random.default_rng(5)
    fast, slow = rng.random((21, 400)) < 0.5, rng.random((8, 400)) < 0.5
    found, own = scaled_lifetimes(fast, slow, 2.0, 20.0, 1)
    pieces = [new_lifetimes(fast[i : i + 8], 2.0, 1) for i in (0, 7)]
    assert len(found) == sum(map(len, pieces))
    assert np.array_equal(found.last_seen, np.concatenate([p.last_seen for p in pieces]))
    assert np.array_equal(own.first_missed, new_lifetimes(slow, 20.0, 1).first_missed)


def test_models_are_fitted_to_twenty_losses_and_not_to_fewer():
    for losses in (19, 20, 25):
        states = np.zeros((12, losses), bool)
        for k in range(losses):
            states[2 : 3 + k % 8, k] = True
        found = survival(states, *watched_every(100.0, 12))
        assert np.isfinite(found.aic.values).all() == (losses >= 20)


# -- runs -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("tiny") / "run", settings=TINY)


@pytest.fixture(scope="module")
def parameters(tiny):
    return parameters_of(EXPERIMENT, tiny)


def with_rule(parameters, **numbers):
    rule = parameters.rule.model_copy(update=numbers)
    return parameters.model_copy(update={"rule": rule})


def test_without_activity_the_engine_follows_the_prior(tiny, parameters):
    bands = {claim.measure: claim.band[1] for claim in CLAIMS}
    results = tiny.results()
    found = EXPERIMENT.measure(parameters, results)
    for name in ("distance_to_prior", "process_deviation", "log_weight_moments"):
        assert found[name] < bands[name]
    for claim in CLAIMS[:4]:
        assert claim.excludes(found[claim.null_key], found[claim.null_key])
    assert found["size_slope@no_activity_fast"] == pytest.approx(1.0, abs=0.05)
    # Controls: noise without its √2, another mean, another speed, and w instead of log w.
    cold = EXPERIMENT.measure(with_rule(parameters, temperature=0.5), results)
    assert cold["distance_to_prior"] > bands["distance_to_prior"]
    assert cold["process_deviation"] > bands["process_deviation"]
    shifted = EXPERIMENT.measure(with_rule(parameters, prior=GaussianSection(mean=0.6)), results)
    assert shifted["distance_to_prior"] > bands["distance_to_prior"]
    fast = parameters.fast.model_copy(update={"speed": 1.1e-4})
    wrong = EXPERIMENT.measure(parameters.model_copy(update={"fast": fast}), results)
    assert wrong["process_deviation"] > bands["process_deviation"]


def test_the_slow_branch_continues_from_the_state_of_the_trunk(tiny, parameters):
    results = tiny.results()
    trunk, slow = results["circuit/theta"], results["circuit/slow/theta"]
    assert slow.time.values.tolist() == [400.0 + 200.0 * k for k in range(12)]
    settled = trunk.sel(time=400.0).theta.values
    assert np.array_equal(slow.theta.values[0], settled)
    # Weights that are not stabilised diffuse by sqrt(2 b t) where b is small; the trunk moves more.
    wandering = (settled > -0.5) & (settled < 1.0)
    expected = pytest.approx(np.sqrt(2 * 1e-5 * 200.0), rel=0.15)
    both = slow.theta.values[1], trunk.sel(time=600).theta.values
    moved = [(each - settled)[wandering].std() for each in both]
    assert moved[0] == expected
    assert moved[1] != expected


def test_a_run_records_what_the_figure_needs(tiny, parameters):
    results = tiny.results()
    active = results["circuit/active"].active.values.reshape(71, 4 * 784)
    traced = results["circuit/traced"]
    assert traced.sizes == {"time": 71, "synapse": 200}
    assert ((traced.theta.values > 0) == active[:, traced.synapse.values]).all()
    # The stored records yield the survival curve, from the time when the circuit has settled.
    again = survival(
        active[20:], parameters.fast, predicted_survival(parameters.rule, parameters.fast)
    )
    stored = results["survival_fast"].sel(branch="fast").load()
    assert again.equals(stored.drop_vars(["predicted", "branch"]))
    assert int(again.new) > 0
    shown = results["traces"]
    assert shown.time.values[-1] == 1000.0
    assert (shown.theta.values > 0).mean(axis=0)[shown.persistent.values].min() > 0.95
    assert results["no_activity/active"].sizes["time"] == 100 + 50 + 7 + 1
    assert results["no_activity/slow/active"].sizes["time"] == 10 + 1
    # Over so short a time lifetimes hardly depend on b: these claims are not judged.
    too_short = {"time-scale", "exponent", "first-passage-F", "power-law-F"}
    assert {c.id for c in tiny.claims()} == {c.id for c in CLAIMS} - too_short


def made(parameters, rng, *, persistent):
    """Records of a run whose synapses follow prior and noise; some are stable if ``persistent``."""
    slow, fast = parameters.slow, parameters.fast
    n = parameters.circuit.neurons * 784
    lead, sync_interval_s = round(parameters.settle_s / fast.record_every_s), fast.record_every_s
    held = np.arange(n) < (n // 5 if persistent else 0)

    def records(b, step_s, points, start_s, coarse):
        theta = ornstein_uhlenbeck(rng, b, step_s, points, n)
        theta = np.where(held, 3.0 + 0.1 * theta, theta - (2.0 if persistent else 0.0))
        time = start_s + np.arange(points) * step_s
        matrix = theta.reshape(points, -1, 784).astype(np.float32)
        at = xr.Dataset({"theta": (("time", "post", "pre"), matrix)}, coords={"time": time})
        return {
            "active": (at.theta > 0).to_dataset(name="active"),
            "theta": at.isel(time=slice(None, None, coarse)),
            "traced": xr.Dataset(
                {"theta": (("time", "synapse"), theta[:, ::20])},
                coords={"time": time, "synapse": np.arange(n)[::20]},
            ),
        }

    found = {}
    coarse = round(fast.session_every_s / sync_interval_s)
    for name, each in records(1e-4, sync_interval_s, lead + fast.points + 1, 0.0, coarse).items():
        found[f"circuit/{name}"] = each
    start_s = parameters.settle_s + parameters.slow_settle_s
    for name, each in records(slow.speed, slow.record_every_s, slow.points + 1, start_s, 1).items():
        found[f"circuit/slow/{name}"] = each

    def silent(b, step_s, points):
        theta = ornstein_uhlenbeck(rng, b, step_s, points, n).reshape(points, -1, 784)
        time = forgetting(parameters) + np.arange(points) * step_s
        at = xr.Dataset({"theta": (("time", "post", "pre"), theta)}, coords={"time": time})
        return at, (at.theta > 0).to_dataset(name="active")

    alone, found["no_activity/active"] = silent(
        1e-4, sync_interval_s, fast.points + 1 + parameters.change_steps
    )
    found["no_activity/theta"] = alone.isel(time=slice(None, None, coarse))
    pair = alone.theta.values[[-1 - parameters.change_steps, -1]]
    found["no_activity/pair"] = xr.Dataset({"pair": (("mark", "post", "pre"), pair)})
    _, found["no_activity/slow/active"] = silent(slow.speed, slow.record_every_s, slow.points + 1)
    _, found["no_activity/unchanged/active"] = silent(
        fast.speed, slow.record_every_s, slow.points + 1
    )
    return found | analyse(parameters, found)


def test_claims_distinguish_two_populations_from_one(parameters):
    # Watched for 20 relaxation times, in which synapses without activity come and go.
    long = {"tracked_s": 200_000.0, "record_every_s": 2000.0, "session_every_s": 4000.0}
    fast = parameters.fast.model_copy(update=long | {"new_within_s": 8000.0})
    slow = {"tracked_s": 400_000.0, "record_every_s": 20_000.0, "session_every_s": 20_000.0}
    slow = parameters.slow.model_copy(update=slow | {"new_within_s": 40_000.0})
    p = parameters.model_copy(update={"fast": fast, "slow": slow, "settle_s": 20_000.0})
    rng = np.random.default_rng(6)
    for persistent, verdict, n in ((True, "holds", 4), (False, "fails", 5)):
        rows = [EXPERIMENT.measure(p, made(p, rng, persistent=persistent)) for _ in range(n)]
        values = {name: [row[name] for row in rows] for name in rows[0]}
        judged = {
            each.claim.id: each for each in judge_all(EXPERIMENT.applicable_claims(p), values)
        }
        assert judged["two-populations"].verdict == verdict
        assert (
            judged["no-activity-prior"].verdict == judged["no-activity-process"].verdict == "holds"
        )
        scale = judged["time-scale"]
        assert scale.verdict != "fails"
        assert scale.claim.excludes(scale.null.low, scale.null.high)
        assert judged["persistent-efficacy"].verdict == verdict
        # Where learning is prior and noise alone, the claims are not specific.
        wanted = "holds" if persistent else "not specific"
        assert judged["first-passage-E"].verdict == judged["first-passage-F"].verdict == wanted
        assert persistent or judged["power-law-E"].verdict != "holds"


def test_its_figures_are_drawn_for_one_circuit_and_for_several(tiny, parameters):
    for runs in ([tiny.results()], [tiny.results()] * 3):
        figures = draw(parameters, runs)
        assert sorted("".join(figures)) == sorted(EXPERIMENT.captions)


def in_slow_branch(simulation):
    return simulation.network.projection(SYNAPSES).synapses.speed == 1e-5


def in_trunk_again(simulation):
    return not in_slow_branch(simulation) and simulation.time_s > 600 and simulation.n_spikes > 0


def without_activity(simulation):
    return simulation.time_s > 2200 and simulation.n_spikes == 0


def test_a_run_stopped_in_each_branch_and_resumed_is_bit_identical(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(CheckpointFolder, "due", lambda folder: True)
    run, out = Simulation.run_until, tmp_path / "run"

    def stopping(where, self, *arguments):
        if where(self):
            raise KeyboardInterrupt
        return run(self, *arguments)

    for where in (in_slow_branch, in_trunk_again, without_activity):
        monkeypatch.setattr(
            Simulation, "run_until", lambda self, *more, at=where: stopping(at, self, *more)
        )
        with pytest.raises(KeyboardInterrupt):
            resume(EXPERIMENT, out) if out.exists() else execute(EXPERIMENT, out, settings=TINY)
        assert list((out / "checkpoints").iterdir())
    monkeypatch.undo()
    manifests = [(f.path / "results.manifest").read_text() for f in (resume(EXPERIMENT, out), tiny)]
    assert manifests[0] == manifests[1]
