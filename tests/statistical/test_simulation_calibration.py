"""Simulation-based calibration of ``sample`` and ``sj.run`` (Talts et al. 2018).

Parameters are drawn from the prior, data from the parameters, and the posterior is sampled. Among
draws that are far enough apart, the rank of the true parameter is then uniform. All replications
are chains of one run, each with separate data. A wrong model (noise 1.5 times too small) is
rejected.

The Euler steps of `Overdamped` widen the posterior by a few per cent, which 20,000 replications
show; so the long test divides them by five.
"""

import jax.numpy as jnp
import numpy as np
import pytest
from numba import njit
from scipy import stats

import synsamp as ss
import synsamp.jax as sj
from torture.scale import many

pytestmark = pytest.mark.statistical

REPLICATIONS, DRAWS = many(400, 20_000), 15
EULER_FINER = many(1, 5)
TIMES = np.array([0.2, 0.5, 1.0, 2.0])


def _simulated(seed=0):
    """Rate of a decay y = exp(−exp(θ) t) with noise 0.2; θ has the prior N(0, 1)."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=REPLICATIONS)
    clean = np.exp(-np.exp(theta)[:, None] * TIMES)
    return theta, clean + 0.2 * rng.normal(size=clean.shape)


@njit
def _gradient(theta, y, sigma):
    out = np.empty(theta.size)
    for k in range(theta.size):
        rate = np.exp(theta[k])
        found = 0.0
        for i in range(y.shape[1]):
            model = np.exp(-rate * TIMES[i])
            found -= (y[k, i] - model) * rate * TIMES[i] * model
        out[k] = found / sigma[0] ** 2
    return out


def _finer(method):
    return EULER_FINER if isinstance(method, ss.Overdamped) else 1


def _in_numba(method, y, sigma):
    finer = _finer(method)
    rule = ss.Rule(ss.Batch(_gradient, (y, np.array([sigma]))), ss.Gaussian(0, 1))
    settings = dict(chains=1, diagnostics=False, progress=False, method=method)
    settings |= dict(steps=9600 * finer, thin=600 * finer, dt=0.02 / finer)
    found = ss.sample(rule, np.zeros(REPLICATIONS), **settings)
    return found.theta.values[0, 1:]


def _in_jax(method, y, sigma):
    def log_likelihood(theta):
        model = jnp.exp(-jnp.exp(theta)[:, None] * TIMES)
        return -0.5 * jnp.sum((y - model) ** 2) / sigma**2

    finer, prior = _finer(method), ss.Gaussian(0, 1)
    algorithm = sj.sampler(log_likelihood, prior=prior, speed=0.02 / finer, method=method)
    settings = dict(steps=9600 * finer, thin=600 * finer, diagnostics=False, progress=False)
    return sj.run(algorithm, jnp.zeros(REPLICATIONS), **settings)["theta"][0, 1:]


WAYS = {
    "sample, Overdamped": (_in_numba, ss.Overdamped()),
    "sample, Underdamped": (_in_numba, ss.Underdamped(0.3)),
    "sj.run, Overdamped": (_in_jax, ss.Overdamped()),
    "sj.run, Underdamped": (_in_jax, ss.Underdamped(10.0)),
}


def _p_value(way, sigma=0.2):
    theta, y = _simulated()
    run, method = WAYS[way]
    draws = run(method, y, sigma)
    assert draws.shape == (DRAWS, REPLICATIONS)
    ranks = np.sum(draws < theta, axis=0)  # 0 … 15
    return stats.chisquare(np.bincount(ranks, minlength=DRAWS + 1)).pvalue


@pytest.mark.parametrize("way", WAYS)
def test_ranks_are_uniform(way, tally):
    assert _p_value(way) > 0.01 / len(WAYS)
    tally("posteriors whose ranks were compared", REPLICATIONS)


@pytest.mark.parametrize("way", ["sample, Underdamped", "sj.run, Underdamped"])
def test_a_wrong_noise_is_rejected(way):
    assert _p_value(way, sigma=0.2 / 1.5) < 1e-4
