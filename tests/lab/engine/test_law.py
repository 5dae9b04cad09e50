"""The browser's sampler follows the exact distribution, and a broken one does not.

The broken one has noise that is too strong by a factor of 1.2: temperature 1.2², compared with
the distribution of temperature 1.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from browser import needs_browser
from synsamp.lab.scenes import SCENES
from synsamp.lab.scenes.survival import GRID, predict

pytestmark = [*needs_browser, pytest.mark.statistical]

BROKEN = 1.2**2
BATCHES = 25
MOST_SE = 4.5
"""Deviation in standard errors; with two dozen comparisons chance reaches it once in 6,000 runs."""


# -- landscape --------------------


def visits(browser_session, temperature):
    """Visits per batch, [batch, bin, bin], after one batch that is not counted."""
    found = browser_session(
        scene="landscape", seed=20, settings={"temperature": temperature},
        ticks=BATCHES * 6000, look_every=6000, keep=["histogram"],
    )  # fmt: skip
    counts = np.array([one["histogram"] for one in found["kept"]], float)
    return np.diff(counts, axis=0)


def landscape_deviations(counts):
    """By how many standard errors shares of nine fields and second moments deviate."""
    scene = SCENES["landscape"]()
    exact = scene.model(0, scene.settings()).density()
    x = np.linspace(-4.0, 4.0, 41)
    x = 0.5 * (x[1:] + x[:-1])
    cuts = np.digitize(x, [-0.5, 1.3])
    tested = [np.outer(cuts == i, cuts == j).astype(float) for i in range(3) for j in range(3)]
    tested += [np.add.outer(x**2, 0 * x), np.add.outer(0 * x, x**2)]
    shares = counts / counts.sum(axis=(1, 2), keepdims=True)
    found = []
    for weight in tested:
        of_batch = (shares * weight).sum(axis=(1, 2))
        error = of_batch.std(ddof=1) / np.sqrt(len(of_batch))
        found.append((of_batch.mean() - (exact * weight).sum()) / error)
    return np.array(found)


def test_landscape_is_visited_as_the_posterior_says(browser_session):
    assert np.abs(landscape_deviations(visits(browser_session, 1.0))).max() < MOST_SE


def test_a_broken_sampler_is_found_in_the_landscape(browser_session):
    assert np.abs(landscape_deviations(visits(browser_session, BROKEN))).max() > MOST_SE


# -- spines --------------------

SPEED, EVERY = 1e-3, 30
"""θ forgets within σ²/b = 1,000 s; 30 ticks are 4,320 s."""


@pytest.fixture(scope="module", params=[1.0, BROKEN], ids=["right", "broken"])
def spines(request, browser_session):
    """θ at independent times, the measured survival, and whether it must be right."""
    found = browser_session(
        scene="spines", seed=4, settings={"speed": SPEED, "temperature": request.param},
        ticks=4 * EVERY, look_every=EVERY, want=["theta"], keep=["theta.dendrite"],
    )  # fmt: skip
    theta = np.array([one["theta.dendrite"] for one in found["kept"]], float).ravel()
    return theta, np.asarray(found["arrays"]["survival"]), request.param == 1.0


def test_theta_of_spines_follows_the_prior(spines):
    theta, _, right = spines
    p = stats.kstest(theta, stats.norm(0.5, 1.0).cdf).pvalue
    spread = abs(theta.var() - 1.0) / np.sqrt(2.0 / theta.size)
    assert (p > 1e-4 and spread < MOST_SE) == right


def test_survival_is_as_predicted(spines):
    _, survival, right = spines
    expected = np.empty(60)
    scene = SCENES["spines"]()
    predict(0.5, 1.0, SPEED, 1.0, scene.tick_s, np.empty(2 * GRID + GRID**2), expected)
    if right:
        np.testing.assert_allclose(survival[:15], expected[:15], atol=0.03)
