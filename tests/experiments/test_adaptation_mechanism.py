"""What figure 4 asks of its arms, and the calculation of one synapse that stands beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from synsamp.claims import Ratio
from synsamp.paper.fig4_adaptation import EXPERIMENT
from synsamp.paper.fig4_adaptation.images import describe_images
from synsamp.paper.fig4_adaptation.mechanism import ARMS, mechanism, mechanism_measures
from synsamp.paper.fig4_adaptation.one_synapse import (
    READINGS,
    THETA,
    OneSynapse,
    active_share,
    back_share,
    predict,
)
from synsamp.paper.shared.digit_circuit import training_digits
from synsamp.runs.overrides import override

DARK, USEFUL = 0.018, 0.31
"""Mean EPSPs of an input of 1 Hz, and of one that is bright for the new digit."""
PRINTED = OneSynapse()
NO_LIKELIHOOD = OneSynapse(learn_when_retracted=False)


# -- one synapse --------------------


def test_without_likelihood_one_synapse_is_an_ornstein_uhlenbeck_process():
    free, seconds = OneSynapse(N=0.0), 4000.0
    keep = np.exp(-free.b * seconds)
    spread = np.sqrt(1 - keep**2)
    start = np.zeros(THETA.size)
    start[np.argmin(np.abs(THETA - 2.0))] = 1.0
    mean = 0.5 + keep * (THETA[np.argmax(start)] - 0.5)
    found = active_share(free.law(start, DARK, seconds, 1.0))
    assert found == pytest.approx(stats.norm.sf(0.0, mean, spread), abs=2e-3)
    # The prior itself stays what it is, but for what the floor takes.
    assert active_share(free.law(free.start, DARK, seconds, 1.0)) == pytest.approx(
        stats.norm.sf(0.0, 0.5, 1.0), abs=1e-3
    )
    # Without prior it is a random walk; control: at half the time it is another one.
    walk = replace(free, prior=False).law(start, DARK, seconds, 1.0)
    wide = np.sqrt(2 * free.b * seconds)
    there = stats.norm.sf(0.0, THETA[np.argmax(start)], wide)
    assert active_share(walk) == pytest.approx(there, abs=2e-3)
    half = replace(free, prior=False).law(start, DARK, seconds / 2, 1.0)
    assert active_share(half) != pytest.approx(there, abs=2e-3)


def test_without_noise_one_synapse_goes_where_the_prior_pulls():
    free = OneSynapse(N=0.0)
    start = np.where(THETA < 0, 1.0, 0.0)
    # θ reaches 0 after t if θ(0) > 0.5 (1 − e^(bt)).
    lowest = 0.5 * (1 - np.exp(free.b * 4000.0))
    found = active_share(free.law(start, DARK, 4000.0, 0.0))
    assert found == pytest.approx(start[lowest < THETA].sum() / start.sum(), abs=3e-3)


def test_the_likelihood_of_one_synapse_has_its_gradient_as_slope_on_both_sides_of_the_clip():
    clipped = OneSynapse(clip_limit=0.4)  # from w = 1.08 on
    slope = np.gradient(clipped.likelihood(THETA, USEFUL), THETA)
    gradient = clipped.likelihood_gradient(THETA, USEFUL)
    at = (THETA > 1.0) & (THETA < 5.0)
    np.testing.assert_allclose(slope[at], gradient[at], rtol=2e-3, atol=0.5)
    beyond = replace(clipped, clip_limit=0.8).likelihood_gradient(THETA, USEFUL)  # control
    assert not np.allclose(slope[at], beyond[at], rtol=2e-3, atol=0.5)


def by_paths(synapse, x_old, x_new, seconds, T, n=1500):
    """Single synapses, step by step: the twin of `back_share`."""
    rng = np.random.default_rng(1)
    theta = rng.normal(synapse.mean, synapse.std, n)
    theta = theta[theta > 0]
    for x, temperature in ((x_old, T[0]), (x_new, T[1])):
        for _ in range(round(seconds / 2.0)):
            w = np.exp(theta - synapse.theta_0)
            pull = synapse.N * synapse.rate_hz * w * (x - synapse.alpha * np.exp(w))
            felt = np.where((theta > 0) | synapse.learn_when_retracted, pull, 0.0)
            noise = np.sqrt(4.0 * synapse.b * temperature) * rng.standard_normal(theta.size)
            theta = theta + 2.0 * synapse.b * (synapse.mean - theta + felt) + noise
        if x == x_old:
            theta = theta[theta <= 0]
    share = (theta > 0).mean()
    return share, np.sqrt(share * (1 - share) / theta.size)


@pytest.mark.parametrize("synapse", [PRINTED, NO_LIKELIHOOD], ids=READINGS)
def test_the_law_of_one_synapse_is_that_of_simulated_ones(synapse):
    found = back_share(synapse, DARK, USEFUL)
    share, error = by_paths(synapse, DARK, USEFUL, 4000.0, (1.0, 1.0))
    assert abs(found - share) < 4 * error
    other = replace(synapse, learn_when_retracted=not synapse.learn_when_retracted)  # control
    assert abs(back_share(other, DARK, USEFUL) - share) > 4 * error


def test_useful_synapses_come_back_by_the_likelihood_as_printed_and_by_noise_in_the_other_reading():
    shares = {
        (one, T): back_share(one, DARK, USEFUL, T=(1.0, T))
        for one in (PRINTED, NO_LIKELIHOOD)
        for T in (1.0, 0.0)
    }
    assert shares[PRINTED, 0.0] > shares[PRINTED, 1.0] > 0.9
    assert shares[NO_LIKELIHOOD, 0.0] < 0.4 < 0.6 < shares[NO_LIKELIHOOD, 1.0] < 0.75
    # A prior that wants them retracted brings none back by itself.
    retracting = replace(NO_LIKELIHOOD, mean=-0.5)
    assert back_share(retracting, DARK, USEFUL, T=(1.0, 0.0)) == 0


@pytest.mark.parametrize("synapse", [PRINTED, NO_LIKELIHOOD], ids=READINGS)
def test_the_prior_raises_the_share_of_active_background_synapses(synapse):
    with_prior, without = (
        active_share(replace(synapse, prior=prior).law(synapse.start, DARK, 8000.0, 1.0))
        for prior in (True, False)
    )
    assert with_prior > 1.5 * without


def test_what_is_predicted_follows_the_parameters():
    p = EXPERIMENT.presets["paper"]
    images = describe_images(training_digits(p.data), p.course)
    found = predict(p, images)
    x_old, x_new = found.attrs["x_old"], found.attrs["x_new"]
    assert found.attrs["x_dark"] == pytest.approx(DARK)
    assert DARK < x_old < 0.03 < 0.2 < x_new
    assert float(found.useful_back[0, 0]) == back_share(PRINTED, x_old, x_new)
    assert float(found.useful_back[1, 1]) == back_share(NO_LIKELIHOOD, x_old, x_new, T=(1.0, 0.0))
    dim = predict(override(p, ["input.peak_rate_hz=25"]), images)
    assert dim.attrs["x_new"] - DARK == pytest.approx((x_new - DARK) / 2)


# -- arms --------------------


def made_up(parameters):
    """Records of both trunks and their arms in which each arm is told apart by its numbers."""
    course = parameters.course
    snapshots = np.arange(0.0, course.ends_s[1] + 1, 1000.0)
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

    def put(arm, times, theta, active):
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
            results[f"{arm}/{name}"] = xr.Dataset({name: array})
        counts = xr.DataArray(np.full((n, 3), active), {"time": times}, ("time", "post"))
        results[f"{arm}/active"] = xr.Dataset({"active": counts})

    def course_of(back):
        """All start active; those at new inputs go, and ``back`` of three neurons regain them."""
        theta = np.full((9, 3, 4), -1.0)
        theta[0] = 1.0
        theta[8, :back, 3] = 1.0
        theta[6, 0, 1] = 1.0  # a dot
        return theta

    for trunk, back in (("learning", 3), ("other_reading", 1)):
        put(trunk, snapshots, course_of(back), back)
        put(f"{trunk}/noise_off", after, course_of(back - 1)[4:], 0)
        put(f"{trunk}/again", after, course_of(back)[4:], back)
        put(f"{trunk}/no_prior", snapshots, course_of(0), 4)
    return results


def test_arms_are_compared_at_the_end_of_the_new_digits_phase():
    p = EXPERIMENT.presets["paper"]
    found = mechanism(p, made_up(p))
    assert found.reading.values.tolist() == list(READINGS)
    assert found.arm.values.tolist() == list(ARMS) == ["as_is", "noise_off", "no_prior", "again"]
    # Six connections at new inputs were eliminated.
    np.testing.assert_allclose(found.back_share, np.array([[3, 2, 0, 3], [1, 0, 0, 1]]) / 6)
    # Neurons 0 and 2 answer most to the new digit; the candidate input is the last.
    np.testing.assert_allclose(found.useful_back, [[1.0, 0.5, 0, 1.0], [0.5, 0, 0, 0.5]])
    np.testing.assert_array_equal(found.new_dots, np.ones((2, 4)))
    np.testing.assert_allclose(found.active_share.sel(arm="as_is"), [3 / 12, 1 / 12])
    assert (found.background_active == 0).all()
    np.testing.assert_array_equal(found.turned.sel(arm="as_is"), [1, 1])
    assert found.active.sizes["time"] == 9
    np.testing.assert_allclose(found.active.isel(time=-1, reading=0), np.array([9, 0, 12, 9]) / 12)
    np.testing.assert_allclose(found.active.isel(time=0, reading=0), np.array([9, 9, 12, 9]) / 12)


def test_the_readings_keep_their_names_if_the_run_takes_the_other_one():
    p = override(EXPERIMENT.presets["paper"], ["rule.learn_when_retracted=false"])
    found = mechanism(p, made_up(p))
    np.testing.assert_allclose(found.back_share.sel(arm="as_is"), [1 / 6, 3 / 6])


def test_measures_relate_arms_to_the_circuit_as_it_is():
    p = EXPERIMENT.presets["paper"]
    found = mechanism_measures(mechanism(p, made_up(p)))
    assert found["regrown"] == Ratio(0.5, 1.0)
    assert found["regrown_noise_off"] == Ratio(0.0, 1.0)
    assert found["rewired_noise_off_printed"] == Ratio(0.5, 1.0)
    assert found["rewired_again_printed"] == Ratio(1.0, 1.0)
    assert found["rewired_noise_off_no_likelihood"] == Ratio(0.0, 0.5)
    assert found["retuned_noise_off_printed"] == Ratio(1.0, 1.0)
    assert found["dots_noise_off_printed"] == Ratio(1.0, 1.0)
    assert found["connected_no_prior_printed"] == Ratio(0.0, 3 / 12)
    assert found["connected_again_no_likelihood"] == Ratio(1 / 12, 1 / 12)
    assert found["useful_back_printed_noise_off"] == 0.5
