import numpy as np
import pytest

from oracles.distributions import chi_square_p_value
from oracles.tiny_rbm import TinyRBM
from synsamp import SynsampError
from synsamp.analysis import rbm_likelihood
from synsamp.analysis.rbm_likelihood import (
    exact_samples,
    log_likelihood,
    log_mean_likelihood,
    log_partition,
    sum_softplus,
)


def machine(n_visible, n_hidden, std=1.0, seed=1):
    rng = np.random.default_rng(seed)
    shapes = ((n_hidden, n_visible), (n_hidden,), (n_visible,))
    return tuple(rng.normal(0.0, std, shape) for shape in shapes)


def by_hand(parts):
    weights, hidden_bias, visible_bias = parts
    theta = np.concatenate([weights.ravel(), hidden_bias, visible_bias])
    return TinyRBM(theta, visible_bias.size, hidden_bias.size)


@pytest.mark.parametrize(("n_visible", "n_hidden"), [(5, 3), (3, 5), (1, 1)])
def test_exact_values_agree_with_enumeration(n_visible, n_hidden):
    parts = machine(n_visible, n_hidden)
    tiny = by_hand(parts)
    assert log_partition(*parts) == pytest.approx(tiny.log_z, abs=1e-12)
    assert np.allclose(log_likelihood(tiny.xs, *parts), np.log(tiny.of_x), atol=1e-12)


def test_the_states_of_a_larger_machine_are_each_summed_once(monkeypatch):
    # Blocks of two units each instead of ten: five units then need eight blocks.
    parts = machine(6, 5)
    whole = log_partition(*parts)
    monkeypatch.setattr(rbm_likelihood, "_BLOCK_UNITS", 2)
    assert log_partition(*parts) == pytest.approx(whole, abs=1e-12)
    assert whole == pytest.approx(by_hand(parts).log_z, abs=1e-12)


def test_probabilities_of_all_images_sum_to_one_beyond_one_block():
    parts = machine(12, 11)  # 2¹¹ hidden states: two blocks
    xs = (np.arange(2**12)[:, None] >> np.arange(12)) & 1
    assert np.exp(log_likelihood(xs, *parts)).sum() == pytest.approx(1.0, abs=1e-10)


def test_softplus_sums_survive_any_size():
    a = np.array([-800.0, -30.0, 0.0, 30.0, 800.0])
    assert sum_softplus(a) == pytest.approx(np.logaddexp(0.0, a).sum(), rel=1e-14)
    many = np.zeros((2, 5000))  # 2⁵⁰⁰⁰ is beyond any double
    assert sum_softplus(many) == pytest.approx(5000 * np.log(2.0), rel=1e-14)


def test_exact_samples_follow_the_distribution():
    parts = machine(4, 3)
    tiny = by_hand(parts)
    images, probability = exact_samples(20_000, np.random.default_rng(2), *parts)
    numbers, edges = images @ [8, 4, 2, 1], np.arange(17) - 0.5
    assert chi_square_p_value(numbers, edges, tiny.of_x) > 1e-3
    assert chi_square_p_value(numbers, edges, tiny.of_x[::-1]) < 1e-6
    error = probability.std(axis=0) / np.sqrt(len(images))
    assert np.all(np.abs(probability.mean(axis=0) - tiny.of_x @ tiny.xs) < 4.5 * error)


def test_the_posteriors_prediction_averages_probabilities_not_their_logarithms():
    p = np.array([[0.1, 0.2], [0.5, 0.2]])
    assert np.allclose(np.exp(log_mean_likelihood(np.log(p))), [0.3, 0.2])
    far = log_mean_likelihood(np.array([-5000.0, -5000.0 + np.log(3)]))
    assert far == pytest.approx(-5000 + np.log(2))


def test_a_layer_too_large_to_sum_raises_an_error_with_a_remedy():
    with pytest.raises(SynsampError, match=r"at most 20 units.*21.*annealed"):
        log_partition(*machine(30, 21))
    with pytest.raises(SynsampError, match=r"images.*\(any, 4\)"):
        log_likelihood(np.zeros((2, 3)), *machine(4, 3))
    with pytest.raises(SynsampError, match="at least one"):
        log_mean_likelihood([])


def test_black_and_white_images_may_be_true_and_false():
    images = np.random.default_rng(0).random((5, 4)) < 0.5
    parts = machine(4, 3)
    assert log_likelihood(images, *parts).tolist() == log_likelihood(images * 1.0, *parts).tolist()
