import numpy as np
import pytest

from synsamp import SynsampError
from synsamp.analysis.rbm_annealing import annealed_log_partition
from synsamp.analysis.rbm_likelihood import log_partition


def machine(n_visible, n_hidden, std, seed=1):
    rng = np.random.default_rng(seed)
    shapes = ((n_hidden, n_visible), (n_hidden,), (n_visible,))
    return tuple(rng.normal(0.0, std, shape) for shape in shapes)


@pytest.mark.parametrize(("n_visible", "n_hidden"), [(60, 12), (10, 30)])
def test_annealing_agrees_with_the_exact_sum(n_visible, n_hidden):
    parts = machine(n_visible, n_hidden, 0.4)
    exact = log_partition(*parts)
    estimates = [
        annealed_log_partition(np.random.default_rng(s), *parts, steps=300, walkers=50)
        for s in range(10)
    ]
    scores = np.array([(e.log_z - exact) / e.standard_error for e in estimates])
    # Errors are estimated from 50 walkers each, so scores are a little wider than normal.
    assert np.abs(scores).max() < 5
    assert abs(scores.mean()) < 5 / np.sqrt(len(scores))
    assert all(e.standard_error < 0.3 for e in estimates)
    # The test can fail: a slightly stronger machine has another Z.
    stronger = log_partition(1.1 * parts[0], *parts[1:])
    assert min(abs(e.log_z - stronger) / e.standard_error for e in estimates) > 5


def test_a_machine_without_couplings_needs_no_annealing():
    weights, hidden_bias, visible_bias = machine(20, 8, 1.0)
    parts = (0 * weights, 0 * hidden_bias, visible_bias)
    estimate = annealed_log_partition(np.random.default_rng(0), *parts, steps=1, walkers=5)
    assert estimate.log_z == pytest.approx(log_partition(*parts), abs=1e-10)
    assert estimate.standard_error < 1e-12
    assert estimate.effective_walkers == pytest.approx(5.0)


def test_invalid_settings_raise_an_error():
    with pytest.raises(SynsampError, match=r"walkers.*>= 2.*1"):
        annealed_log_partition(np.random.default_rng(0), *machine(3, 2, 1.0), walkers=1)
