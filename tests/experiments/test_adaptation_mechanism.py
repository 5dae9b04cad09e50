"""Controls of figure 4, and the theory of a single synapse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from synsamp.claims import Ratio
from synsamp.models.one_synapse import THETA, OneSynapse, active_share, regrowth
from synsamp.paper.fig4_adaptation import EXPERIMENT
from synsamp.paper.fig4_adaptation.claims import MECHANISM_CLAIMS
from synsamp.paper.fig4_adaptation.measures import CONTROLS, summaries
from synsamp.paper.fig4_adaptation.protocol import READINGS, classify_inputs, predict
from synsamp.paper.shared.digit_circuit import training_digits
from synsamp.paper.shared.printed_prior import PrintedGaussian
from synsamp.priors import Flat
from synsamp.runs.overrides import override

DARK, USEFUL = 0.018, 0.31
"""Mean EPSPs of an input of 1 Hz, and of one that is bright for the new digit."""
PRINTED = OneSynapse()
NO_LIKELIHOOD = OneSynapse(learn_when_retracted=False)


# -- one synapse --------------------


def test_without_likelihood_one_synapse_is_an_ornstein_uhlenbeck_process():
    unlearning, seconds = OneSynapse(N=0.0), 4000.0
    keep = np.exp(-unlearning.b * seconds)
    spread = np.sqrt(1 - keep**2)
    start = np.zeros(THETA.size)
    start[np.argmin(np.abs(THETA - 2.0))] = 1.0
    mean = 0.5 + keep * (THETA[np.argmax(start)] - 0.5)
    found = active_share(unlearning.distribution(start, DARK, seconds, 1.0))
    assert found == pytest.approx(stats.norm.sf(0.0, mean, spread), abs=2e-3)
    # The prior itself stays what it is, except for what θ_min cuts off.
    assert active_share(
        unlearning.distribution(unlearning.start, DARK, seconds, 1.0)
    ) == pytest.approx(stats.norm.sf(0.0, 0.5, 1.0), abs=1e-3)
    # Without prior it is a random walk; control: at half the time it is another one.
    walk = replace(unlearning, prior=Flat()).distribution(start, DARK, seconds, 1.0)
    wide = np.sqrt(2 * unlearning.b * seconds)
    there = stats.norm.sf(0.0, THETA[np.argmax(start)], wide)
    assert active_share(walk) == pytest.approx(there, abs=2e-3)
    half = replace(unlearning, prior=Flat()).distribution(start, DARK, seconds / 2, 1.0)
    assert active_share(half) != pytest.approx(there, abs=2e-3)


def test_without_noise_one_synapse_goes_where_the_prior_pulls():
    unlearning = OneSynapse(N=0.0)
    start = np.where(THETA < 0, 1.0, 0.0)
    # θ reaches 0 after t if θ(0) > 0.5 (1 − e^(bt)).
    lowest = 0.5 * (1 - np.exp(unlearning.b * 4000.0))
    found = active_share(unlearning.distribution(start, DARK, 4000.0, 0.0))
    assert found == pytest.approx(start[lowest < THETA].sum() / start.sum(), abs=3e-3)


@pytest.mark.parametrize("T", [1.0, 0.0])
def test_with_the_printed_sign_one_synapse_moves_away_from_the_mean(T):
    prior, seconds = PrintedGaussian(0.5, 1.0), 4000.0
    unlearning = OneSynapse(N=0.0, prior=prior)
    mean, keep, spread = prior.transition_of((0.5, 1.0), unlearning.b, T, seconds)
    start = np.where(np.abs(THETA) < 1, 1.0, 0.0)
    # At T = 0 θ stays active if θ(0) > 0.5 (1 − e^(−bt)).
    end = stats.norm(mean + keep * (THETA - mean), max(spread, 1e-9))
    expected = np.sum(start * end.sf(0.0)) / start.sum()
    found = active_share(unlearning.distribution(start, DARK, seconds, T))
    assert found == pytest.approx(expected, abs=6e-3)
    corrected = replace(unlearning, prior=None)  # control
    assert active_share(corrected.distribution(start, DARK, seconds, T)) > expected + 0.1


def test_the_likelihood_of_one_synapse_has_its_gradient_as_slope_on_both_sides_of_the_clip():
    clipped = OneSynapse(clip_limit=0.4)  # from w = 1.08 on
    slope = np.gradient(clipped.likelihood(THETA, USEFUL), THETA)
    gradient = clipped.likelihood_gradient(THETA, USEFUL)
    at = (THETA > 1.0) & (THETA < 5.0)
    np.testing.assert_allclose(slope[at], gradient[at], rtol=2e-3, atol=0.5)
    beyond = replace(clipped, clip_limit=0.8).likelihood_gradient(THETA, USEFUL)  # control
    assert not np.allclose(slope[at], beyond[at], rtol=2e-3, atol=0.5)


def by_paths(synapse, x_old, x_new, seconds, T, n=1500):
    """Single synapses, step by step: the twin of `regrowth`."""
    rng = np.random.default_rng(1)
    theta = rng.normal(synapse.mean, synapse.std, n)
    theta = theta[theta > 0]
    for x, temperature in ((x_old, T[0]), (x_new, T[1])):
        for _ in range(round(seconds / 2.0)):
            w = np.exp(theta - synapse.theta_0)
            pull = synapse.N * synapse.rate_hz * w * (x - synapse.alpha * np.exp(w))
            acts = np.where((theta > 0) | synapse.learn_when_retracted, pull, 0.0)
            noise = np.sqrt(4.0 * synapse.b * temperature) * rng.standard_normal(theta.size)
            theta = theta + 2.0 * synapse.b * (synapse.mean - theta + acts) + noise
        if x == x_old:
            theta = theta[theta <= 0]
    share = (theta > 0).mean()
    return share, np.sqrt(share * (1 - share) / theta.size)


@pytest.mark.parametrize("synapse", [PRINTED, NO_LIKELIHOOD], ids=READINGS)
def test_the_distribution_of_one_synapse_matches_simulated_ones(synapse):
    found = regrowth(synapse, DARK, USEFUL)
    share, error = by_paths(synapse, DARK, USEFUL, 4000.0, (1.0, 1.0))
    assert abs(found - share) < 4 * error
    other = replace(synapse, learn_when_retracted=not synapse.learn_when_retracted)  # control
    assert abs(regrowth(other, DARK, USEFUL) - share) > 4 * error


def test_useful_synapses_regrow_by_the_likelihood_as_printed_and_by_noise_otherwise():
    shares = {
        (one, T): regrowth(one, DARK, USEFUL, T=(1.0, T))
        for one in (PRINTED, NO_LIKELIHOOD)
        for T in (1.0, 0.0)
    }
    assert shares[PRINTED, 0.0] > shares[PRINTED, 1.0] > 0.9
    assert shares[NO_LIKELIHOOD, 0.0] < 0.4 < 0.6 < shares[NO_LIKELIHOOD, 1.0] < 0.75
    # A prior with a negative mean regrows none by itself.
    retracting = replace(NO_LIKELIHOOD, mean=-0.5)
    assert regrowth(retracting, DARK, USEFUL, T=(1.0, 0.0)) == 0


@pytest.mark.parametrize("synapse", [PRINTED, NO_LIKELIHOOD], ids=READINGS)
def test_the_prior_raises_the_share_of_active_background_synapses(synapse):
    with_prior, without = (
        active_share(replace(synapse, prior=prior).distribution(synapse.start, DARK, 8000.0, 1.0))
        for prior in (None, Flat())
    )
    assert with_prior > 1.5 * without


def test_what_is_predicted_follows_the_parameters():
    p = EXPERIMENT.presets["paper"]
    images = classify_inputs(training_digits(p.data), p.timeline)
    found = predict(p, images)
    x_old, x_new = found.attrs["x_old"], found.attrs["x_new"]
    assert found.attrs["x_dark"] == pytest.approx(DARK)
    assert DARK < x_old < 0.03 < 0.2 < x_new
    assert float(found.useful_regrowth[0, 0]) == regrowth(PRINTED, x_old, x_new)
    assert float(found.useful_regrowth[1, 1]) == regrowth(NO_LIKELIHOOD, x_old, x_new, T=(1.0, 0.0))
    dim = predict(override(p, ["input.peak_rate_hz=25"]), images)
    assert dim.attrs["x_new"] - DARK == pytest.approx((x_new - DARK) / 2)
    outward = predict(override(p, ["rule.prior_sign=printed"]), images)
    one = replace(NO_LIKELIHOOD, prior=PrintedGaussian(0.5, 1.0))
    assert float(outward.useful_regrowth[1, 0]) == regrowth(one, x_old, x_new)
    # The corrected prior keeps background synapses active, the printed sign removes them.
    np.testing.assert_array_equal(outward.background_active[:, 1], found.background_active[:, 1])
    assert (found.background_active[:, 0] > found.background_active[:, 1]).all()
    assert (outward.background_active[:, 0] < outward.background_active[:, 1]).all()


# -- controls --------------------


def records_of(parameters):
    """Records of both readings and their controls, with different values in each."""
    timeline = parameters.timeline
    snapshots = np.arange(0.0, timeline.ends_s[1] + 1, 1000.0)
    results = {
        "images": xr.Dataset(
            {
                "mean_image": (("digit", "pre"), [[1.0, 0, 0, 0], [0, 0, 1.0, 1.0]]),
                "background": (("phase", "pre"), [[0, 1, 1, 1], [0, 1, 0, 0], [0, 1, 1, 1]]),
                "new": ("pre", [False, False, True, True]),
                "candidate_input": ("candidate", [3]),
            },
            coords={"digit": [1, 2]},
        )
    }
    results["images"]["background"] = results["images"].background.astype(bool)
    after = snapshots[4:]

    def put(branch, times, theta, active):
        weight = np.maximum(theta, 0.0)
        n = len(times)
        spikes = np.broadcast_to([[1, 9], [9, 1], [2, 8]], (n, 3, 2))
        for name, values, last in (
            ("theta", theta, "pre"),
            ("weight", weight, "pre"),
            ("tuning", spikes, "digit"),
        ):
            axes = {"time": times} | ({"digit": [1, 2]} if last == "digit" else {})
            array = xr.DataArray(values, axes, ("time", "post", last))
            results[f"{branch}/{name}"] = xr.Dataset({name: array})
        counts = xr.DataArray(np.full((n, 3), active), {"time": times}, ("time", "post"))
        results[f"{branch}/active"] = xr.Dataset({"active": counts})

    def path_of(back):
        """All start active; those at new inputs are eliminated, ``back`` neurons regain them."""
        theta = np.full((9, 3, 4), -1.0)
        theta[0] = 1.0
        theta[8, :back, 3] = 1.0
        theta[6, 0, 1] = 1.0  # a new synapse
        return theta

    for trunk, back in (("learning", 3), ("alternative_rule", 1)):
        put(trunk, snapshots, path_of(back), back)
        put(f"{trunk}/noise_off", after, path_of(back - 1)[4:], 0)
        put(f"{trunk}/replicate", after, path_of(back)[4:], back)
        put(f"{trunk}/no_prior", snapshots, path_of(0), 4)
    return results


def table(found, name):
    """Values of a summary, [reading, condition]: unchanged, and the controls."""
    conditions = ["", *(f"/{control}" for control in CONTROLS)]
    return [[float(found[f"{r}{c}/summary"][name]) for c in conditions] for r in READINGS]


def test_controls_are_compared_at_the_end_of_the_new_digits_phase():
    p = EXPERIMENT.presets["paper"]
    found = summaries(p, records_of(p))
    assert CONTROLS == ("noise_off", "no_prior", "replicate")
    # Six connections at new inputs were eliminated.
    np.testing.assert_allclose(
        table(found, "regrowth_at_end"), np.array([[3, 2, 0, 3], [1, 0, 0, 1]]) / 6
    )
    # Neurons 0 and 2 respond most to the new digit; the candidate input is the last.
    np.testing.assert_allclose(table(found, "useful_regrowth"), [[1, 0.5, 0, 1], [0.5, 0, 0, 0.5]])
    np.testing.assert_array_equal(table(found, "new_synapses"), np.ones((2, 4)))
    np.testing.assert_allclose(np.array(table(found, "active_share"))[:, 0], [3 / 12, 1 / 12])
    np.testing.assert_array_equal(table(found, "background_active"), np.zeros((2, 4)))
    np.testing.assert_array_equal(np.array(table(found, "retuned"))[:, 0], [1, 1])
    active = [found[f"printed{c}/summary"].active for c in ("", "/noise_off", "/no_prior")]
    assert active[0].sizes["time"] == 9
    np.testing.assert_allclose([each[-1] for each in active], np.array([9, 0, 12]) / 12)
    np.testing.assert_allclose([each[0] for each in active], np.array([9, 9, 12]) / 12)


def test_the_readings_keep_their_names_if_the_run_takes_the_other_one():
    p = override(EXPERIMENT.presets["paper"], ["rule.learn_when_retracted=false"])
    found = np.array(table(summaries(p, records_of(p)), "regrowth_at_end"))
    np.testing.assert_allclose(found[:, 0], [1 / 6, 3 / 6])


def test_measures_relate_controls_to_the_unchanged_circuit():
    p = EXPERIMENT.presets["paper"]
    also = ["relative_retuning@printed/noise_off", "useful_regrowth@printed/noise_off"]
    of_summaries = [c for c in MECHANISM_CLAIMS if c.branch.partition("/")[0] in READINGS]
    made = replace(EXPERIMENT, claims=of_summaries, also_measured=also)
    found = made.measure(p, summaries(p, records_of(p)))
    assert found["regrowth_relative_to_printed@no_likelihood"] == Ratio(0.5, 1.0)
    assert found["regrowth_relative_to_printed@no_likelihood.noise_off"] == Ratio(0.0, 1.0)
    assert found["relative_regrowth@printed.noise_off"] == Ratio(0.5, 1.0)
    assert found["relative_regrowth@printed.replicate"] == Ratio(1.0, 1.0)
    assert found["relative_regrowth@no_likelihood.noise_off"] == Ratio(0.0, 0.5)
    assert found["relative_retuning@printed.noise_off"] == Ratio(1.0, 1.0)
    assert found["relative_new_synapses@printed.noise_off"] == Ratio(1.0, 1.0)
    assert found["relative_active_share@printed.no_prior"] == Ratio(0.0, 3 / 12)
    assert found["relative_active_share@no_likelihood.replicate"] == Ratio(1 / 12, 1 / 12)
    assert found["useful_regrowth@printed.noise_off"] == 0.5
