"""Not only the end: an ensemble of paths follows the Fokker–Planck solution at several times."""

import numpy as np
import pytest

import synsamp as ss
from oracles.distributions import chi_square_p_value
from synsamp.rule.theory import fokker_planck

pytestmark = pytest.mark.statistical

PATHS = 40_000
TIMES = (0.05, 0.2, 0.6, 2.0)
START = 1.5
DT = 5e-4


def _ensemble():
    rule = ss.Rule(prior=ss.GaussianMixture((-1.0, 1.2), (0.6, 0.5)), speed=1.0)
    moving = ss.Chains(rule, np.full((1, PATHS), START), DT, np.random.SeedSequence(2015))
    states, done = [], 0
    for time in TIMES:
        steps = round(time / DT)
        moving.burn_in(steps - done)
        done = steps
        states.append(moving.theta[0].copy())
    return rule, states


@pytest.fixture(scope="module")
def ensemble():
    return _ensemble()


def _p_value(theory, samples, time):
    grid = theory.axes[0]
    density = theory.evolve(theory.delta(START), time) * theory.cell
    cumulative = np.cumsum(density)
    # Bins of about equal probability, with edges on cell borders.
    cuts = np.searchsorted(cumulative, np.linspace(0.02, 0.98, 25))
    cuts = np.unique(cuts)
    edges = grid[cuts] + 0.5 * theory.cell
    probabilities = np.diff(np.concatenate([[0.0], cumulative[cuts], [1.0]]))
    return chi_square_p_value(samples, np.concatenate([[-np.inf], edges, [np.inf]]), probabilities)


@pytest.fixture(scope="module")
def theory(ensemble):
    return fokker_planck(ensemble[0], np.linspace(-4.0, 4.0, 3201))


@pytest.mark.parametrize("k", range(len(TIMES)))
def test_paths_follow_the_distribution_at_each_time(ensemble, theory, k):
    assert _p_value(theory, ensemble[1][k], TIMES[k]) > 0.01 / len(TIMES)


@pytest.mark.parametrize("k", range(len(TIMES) - 1))
def test_the_distribution_of_another_time_is_rejected(ensemble, theory, k):
    assert _p_value(theory, ensemble[1][k], 1.3 * TIMES[k]) < 1e-6
