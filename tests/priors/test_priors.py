from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy import integrate, stats

import synsamp as ss
from synsamp.specialise import is_compiled

numbers = st.floats(-50, 50)
scales = st.floats(1e-2, 1e2)
priors = st.one_of(
    st.builds(ss.Gaussian, numbers, scales),
    st.builds(ss.Laplace, numbers, scales),
    st.builds(ss.StudentT, st.floats(0.5, 100), numbers, scales),
    st.builds(ss.Flat),
    st.integers(1, 4).flatmap(
        lambda n: st.builds(
            ss.GaussianMixture,
            st.tuples(*[numbers] * n),
            st.tuples(*[scales] * n),
            st.tuples(*[st.floats(0.05, 1)] * n),
        )
    ),
    st.builds(
        ss.LogNormalWeight,
        st.floats(-3, 3),
        st.floats(0.2, 3),
        st.one_of(st.builds(ss.Exponential, st.floats(-5, 5)), st.builds(ss.Softplus, scales)),
    ),
)


def _kinks(prior):
    return [prior.mean] if isinstance(prior, ss.Laplace) else []


@settings(max_examples=300, deadline=None)
@given(priors, st.floats(-100, 100))
def test_gradient_is_the_derivative_of_the_log_density(prior, theta):
    if isinstance(prior, ss.LogNormalWeight):
        theta = float(np.clip(theta, -30, 30))
        if isinstance(prior.mapping, ss.Softplus):
            theta *= prior.mapping.scale / 5  # below −30 scales w underflows, as it should
    h = 1e-4 * max(1.0, abs(theta) * 1e-2)
    if any(abs(theta - kink) <= 2 * h for kink in _kinks(prior)):
        return
    # Five-point difference: error h⁴ f⁗ + ε f/h.
    points = theta + h * np.array([-2.0, -1.0, 1.0, 2.0])
    f = prior.log_density(points)
    measured = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)
    given_gradient = prior.gradient(np.array([theta]))[0]
    rounding = 1e-15 * np.abs(f).max() / h
    narrow = 1.0
    for name in ("std", "scale"):
        narrow = min(narrow, float(np.min(getattr(prior, name, 1.0))))
    narrow = min([narrow, *getattr(prior, "stds", ())])
    mapping = getattr(prior, "mapping", None)
    narrow = min(narrow, getattr(mapping, "scale", 1.0))
    curvature = (h / narrow) ** 4 / narrow * 100 if narrow < 1 else h**4
    tolerance = 1e-6 * (1 + abs(given_gradient)) + 100 * rounding + curvature
    assert abs(measured - given_gradient) < tolerance


@pytest.mark.parametrize(
    "prior",
    [
        ss.Gaussian(),
        ss.Laplace(),
        ss.StudentT(),
        ss.Flat(),
        ss.GaussianMixture(),
        ss.LogNormalWeight(-1.0, 0.5),
    ],
    ids=lambda prior: type(prior).__name__,
)
def test_all_functions_of_a_prior_can_run_inside_a_compiled_loop(prior):
    functions = [prior.log_density_of, prior.gradient_of, prior.transition_of]
    assert all(is_compiled(f) for f in functions if f is not None)
    assert (prior.transition_of is not None) == isinstance(prior, (ss.Gaussian, ss.Flat))


def test_the_printed_sign_would_be_detected():
    # The paper prints (θ − μ)/σ²; the derivative of the log density has the other sign.
    prior = ss.Gaussian(0.5, 1.0)
    theta, h = 1.7, 1e-5
    measured = (prior.log_density(theta + h) - prior.log_density(theta - h)) / (2 * h)
    assert prior.gradient(theta) == pytest.approx(measured, rel=1e-6)
    assert abs((theta - 0.5) - measured) > 1


@pytest.mark.parametrize(
    "prior",
    [
        ss.Gaussian(0.5, 1.0),
        ss.Laplace(0.5, 0.7),
        ss.StudentT(4.0, 0.5, 0.7),
        ss.GaussianMixture(),
        ss.LogNormalWeight(),
        ss.LogNormalWeight(-0.5, 0.8, ss.Softplus(0.5)),
    ],
    ids=lambda p: type(p).__name__,
)
def test_density_is_normalised_and_draws_follow_it(prior):
    def density(x):
        return np.exp(prior.log_density(np.array([x]))[0])

    total = integrate.quad(density, -30, 30, limit=500, points=[0.0, 0.5, 1.0])[0]
    assert total == pytest.approx(1, abs=1e-4)
    draws = prior.draw(np.random.default_rng(4), 20_000)
    x = np.linspace(-30, 30, 120_001)
    cdf = np.cumsum(np.exp(prior.log_density(x))) * (x[1] - x[0])
    assert stats.kstest(draws, lambda v: np.interp(v, x, cdf)).pvalue > 0.01 / 6
    assert stats.kstest(draws + 0.05, lambda v: np.interp(v, x, cdf)).pvalue < 1e-4


@pytest.mark.parametrize("theta", [-1e6, -700.0, 0.0, 700.0, 1e6])
@pytest.mark.parametrize(
    "prior", [ss.Gaussian(), ss.Laplace(), ss.StudentT(), ss.Flat(), ss.GaussianMixture()]
)
def test_far_out_values_stay_finite(prior, theta):
    assert np.isfinite(prior.gradient(theta))
    assert np.isfinite(prior.log_density(theta))


def test_log_normal_weight_under_the_exponential_mapping_is_a_gaussian_in_theta():
    x = np.linspace(-3, 6, 50)
    prior, twin = ss.LogNormalWeight(-2.5, 1.0, ss.Exponential(3.0)), ss.Gaussian(0.5, 1.0)
    assert prior.gradient(x) == pytest.approx(twin.gradient(x), abs=1e-12)
    assert prior.log_density(x) == pytest.approx(twin.log_density(x), abs=1e-12)


def test_arrays_give_each_parameter_its_own_prior():
    means = np.array([-1.0, 0.0, 2.0])
    prior = ss.Gaussian(means, 0.5)
    theta = np.array([[0.1, 0.2, 0.3], [1.0, 2.0, 3.0]])
    assert prior.gradient(theta) == pytest.approx((means - theta) / 0.25)


def test_groups_give_each_label_its_own_prior():
    labels = np.array([0, 1, 1, 0, 2])
    members = (ss.Gaussian(1.0, 0.5), ss.Flat(), ss.Laplace(0.0, 2.0))
    prior = ss.PriorByGroup(members, labels)
    theta = np.array([0.3, -1.0, 5.0, 2.0, -0.7])
    expected = [members[k].gradient(t) for k, t in zip(labels, theta, strict=True)]
    assert prior.gradient(theta) == pytest.approx(np.array(expected))
    assert prior.ranges(1).tolist() == [[1, 3]]


def test_custom_prior_plain_and_compiled_agree():
    def log_density(theta, p):
        return -np.log1p((theta / p[0]) ** 2)

    def gradient(theta, p):
        return -2 * theta / (p[0] ** 2 + theta**2)

    plain = ss.CustomPrior(log_density, gradient, (2.0,))
    fast = ss.CustomPrior(njit(log_density), njit(gradient), (2.0,))
    x = np.linspace(-5, 5, 11)
    assert not plain.compiled
    assert fast.compiled
    assert fast.gradient(x) == pytest.approx(plain.gradient(x))
    assert fast.log_density(x) == pytest.approx(plain.log_density(x))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ss.Gaussian(0, -1), ["std", ">= 1e-12", "-1"]),
        (lambda: ss.Gaussian(np.nan, 1), ["mean", "finite", "nan"]),
        (lambda: ss.StudentT(df=0), ["df", "> 0"]),
        (lambda: ss.GaussianMixture((0.0, 1.0), (1.0,)), ["same length"]),
        (lambda: ss.GaussianMixture((), ()), ["length >= 1"]),
        (lambda: ss.PriorByGroup((ss.Flat(),), np.array([0, 3])), ["group", "0..0", "3"]),
        (lambda: ss.PriorByGroup((ss.Flat(),), np.array([0.5])), ["whole numbers"]),
        (
            lambda: ss.LogNormalWeight(mapping=ss.CustomMapping(abs, abs)),
            ["dlog_slope_of", "must be given"],
        ),
    ],
)
def test_errors_of_bad_values_give_name_rule_and_value(make, words):
    with pytest.raises(ss.SynsampError) as error:
        make()
    for word in words:
        assert word in str(error.value)


def test_parameters_may_have_the_shape_post_by_pre():
    means = np.array([[-1.0, 0.0, 2.0], [0.5, 1.0, 1.5]])
    prior = ss.Gaussian(means, 0.5)
    theta = np.random.default_rng(0).normal(size=(4, 2, 3))  # chains, post, pre
    assert prior.gradient(theta) == pytest.approx((means - theta) / 0.25)
    mean, std = prior.for_kernel((2, 3))
    assert mean.tolist() == means.reshape(-1).tolist()
    assert std.tolist() == [0.5] * 6
    (part,) = prior.parts((2, 3))
    assert part.ranges.tolist() == [[0, 6]]
    assert prior.draw(np.random.default_rng(0), (4, 2, 3)).shape == (4, 2, 3)
    with pytest.raises(ss.SynsampError, match=r"fit θ of shape \(6,\)"):
        prior.gradient(np.zeros(6))


def test_labels_may_have_the_shape_post_by_pre():
    labels = np.array([[0, 1, 1], [0, 0, 2]])
    means = np.arange(6.0).reshape(2, 3)
    members = (ss.Gaussian(means, 0.5), ss.Flat(), ss.Laplace(0.0, 2.0))
    prior = ss.PriorByGroup(members, labels)
    theta = np.random.default_rng(0).normal(size=(4, 2, 3))
    laplace = -np.sign(theta) / 2.0
    expected = np.where(labels == 0, (means - theta) / 0.25, np.where(labels == 1, 0.0, laplace))
    assert prior.gradient(theta) == pytest.approx(expected)
    parts = prior.parts((2, 3))
    assert [part.ranges.tolist() for part in parts] == [[[0, 1], [3, 5]], [[1, 3]], [[5, 6]]]
    assert parts[0].parameters[0][[0, 3, 4]].tolist() == [0.0, 3.0, 4.0]
    assert parts[2].parameters == (0.0, 2.0)
    drawn = ss.PriorByGroup((ss.Gaussian(100 * means, 0.5), ss.Laplace()), labels % 2).draw(
        np.random.default_rng(0), (7, 2, 3)
    )
    assert np.abs(drawn - np.where(labels == 1, 0, 100 * means)).max() < 20


def test_arrays_of_a_group_may_be_given_per_member_or_in_the_labels_shape():
    labels = np.array([0, 1, 0])
    theta = np.array([0.3, -1.0, 5.0])
    per_member = ss.PriorByGroup((ss.Gaussian([1.0, 3.0], 1.0), ss.Flat()), labels)
    in_place = ss.PriorByGroup((ss.Gaussian([1.0, 99.0, 3.0], 1.0), ss.Flat()), labels)
    assert per_member.gradient(theta).tolist() == in_place.gradient(theta).tolist()
    own = ss.CustomPrior(_parabola, _pull, ([1.0, 99.0, 3.0],))
    custom = ss.PriorByGroup((own, ss.Flat()), labels)
    assert custom.gradient(theta).tolist() == in_place.gradient(theta).tolist()
    with pytest.raises(ss.SynsampError, match="fit θ of shape"):
        ss.PriorByGroup((ss.Gaussian(np.zeros(4), 1.0), ss.Flat()), labels)


def _parabola(theta, p):
    return -0.5 * (theta - p[0]) ** 2


def _pull(theta, p):
    return p[0] - theta


def test_a_mixture_of_as_many_components_as_parameters_stays_a_mixture():
    grouped = ss.PriorByGroup((ss.GaussianMixture(), ss.Flat()), np.array([0, 1]))
    theta = np.array([0.3, 0.3])
    assert grouped.gradient(theta)[0] == ss.GaussianMixture().gradient(0.3)


@pytest.mark.parametrize("kind", [ss.Gaussian, ss.Laplace])
def test_bounds_of_location_and_scale_are_inclusive(kind):
    for place, width in [(1e12, 1.0), (-1e12, 1.0), (0.0, 1e12), (0.0, 1e-12)]:
        kind(place, width)
    for place, width in [(1.01e12, 1.0), (-1.01e12, 1.0), (0.0, 1.01e12), (0.0, 0.99e-12)]:
        with pytest.raises(ss.SynsampError, match=r"must be a finite number"):
            kind(place, width)


@pytest.mark.parametrize(
    ("prior", "name"),
    [
        (ss.Gaussian(), "std"),
        (ss.Laplace(), "scale"),
        (ss.StudentT(), "df"),
        (ss.Flat(), "gradient_of"),
        (ss.GaussianMixture(), "stds"),
        (ss.LogNormalWeight(-1.0, 0.5), "mapping"),
        (ss.CustomPrior(abs, abs), "gradient_of"),
        (ss.PriorByGroup((ss.Flat(),), np.zeros(2, int)), "labels"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_a_prior_cannot_be_changed_past_its_checks(prior, name):
    with pytest.raises(FrozenInstanceError):
        setattr(prior, name, -1.0)
