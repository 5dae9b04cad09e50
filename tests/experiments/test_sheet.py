"""The sheet: its prior by distance, growth that balances STDP, and measures by hand."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import norm

from synsamp.beyond.sheet.measures import (
    Lives,
    far,
    gained,
    lives,
    loss_of_old_at_random,
    loss_rate,
    near,
    new_near,
)
from synsamp.beyond.sheet.parameters import SheetNetwork, SheetParameters, SheetSchedule
from synsamp.beyond.sheet.protocol import (
    LATERAL,
    PLACES,
    SHEET,
    SYNAPSES,
    TWIN,
    build_network,
    from_centre,
    functional_share,
    growth,
    on_post,
    on_pre,
    run,
    start_of,
)
from synsamp.claims import Ratio
from synsamp.spiking import RemoveNeurons
from synsamp.spiking.plasticity.in_vectors import Synapse

SMALL = SheetParameters(
    network=SheetNetwork(excitatory=400, inhibitory=40),
    schedule=SheetSchedule(settle_s=40.0, after_s=40.0, record_every_s=10.0),
)


@pytest.fixture(scope="module")
def network():
    return build_network(SMALL, 1)


def test_the_prior_makes_as_many_synapses_functional_as_the_rule_says(network):
    prior = network.projection(LATERAL).synapses.prior
    expected = functional_share(SMALL, network.distances_of(LATERAL))
    np.testing.assert_allclose(norm.cdf(prior.mean / prior.std), expected, rtol=1e-9)
    assert network.distances_of(LATERAL).max() <= SMALL.network.reach_mm


def test_the_start_has_as_many_functional_synapses_at_all_distances(network):
    apart, functional = network.distances_of(LATERAL), start_of(SMALL, network, 1)[LATERAL] > 0
    share = functional_share(SMALL, apart).mean()
    for here in (apart < 0.1, apart > 0.15):
        error = np.sqrt(share * (1 - share) / here.sum())
        assert abs(functional[here].mean() - share) < 4 * error
        assert (
            abs(functional[here].mean() - functional_share(SMALL, apart[here]).mean()) > 4 * error
        )


def change_per_s(rate_hz, seconds=4000.0):
    """Mean change of θ/b of a functional synapse between Poisson neurons, and its error."""
    rng, target_hz = np.random.default_rng(3), SMALL.rule.target_hz
    rule = SMALL.rule
    numbers = (rule.potentiation, rule.depression, growth(SMALL))
    spikes = [(t, 0) for t in rng.uniform(0, seconds, rng.poisson(target_hz * seconds))]
    spikes += [(t, 1) for t in rng.uniform(0, seconds, rng.poisson(rate_hz * seconds))]
    fall = rise = last = 0.0
    trace, change = np.zeros(1), np.zeros(40)
    for t, post in sorted(spikes):
        fall *= np.exp(-(t - last) / 0.02)
        rise *= np.exp(-(t - last) / 0.002)
        trace *= np.exp(-(t - last) / rule.trace_s)
        last, synapse = t, Synapse(1.0, 0.5, 0.5, fall - rise, 1.0)
        function = on_post if post else on_pre
        change[int(40 * t / seconds)] += function.py_func(synapse, trace, numbers)
        if not post:
            fall, rise = fall + 1.0, rise + 1.0
    each = change / (seconds / 40)
    return each.mean(), each.std() / np.sqrt(40)


def test_growth_balances_stdp_at_the_target_rate_alone():
    (at, error), (below, _) = change_per_s(SMALL.rule.target_hz), change_per_s(3.0)
    assert abs(at) < 4 * error
    assert below > 4 * error
    retracted = Synapse(-0.1, 0.0, 0.0, 1.0, 1.0)
    assert on_pre.py_func(retracted, np.ones(1), (1.0, 1.0, 0.5)) == 0.0
    assert on_post.py_func(retracted, np.ones(1), (1.0, 1.0, 0.5)) == 0.0


def test_the_lesion_removes_the_middle_of_both_populations(network):
    steps = run(SMALL, 1)[SHEET].steps
    for step, name in zip(steps[-3:-1], ("e", "i"), strict=True):
        assert isinstance(step.what, RemoveNeurons)
        inside = np.flatnonzero(from_centre(SMALL, network, name) < SMALL.lesion_mm)
        assert (step.what.circuit, list(step.what.neurons)) == (name, inside.tolist())
    positions = network.neurons[0].positions.coordinates(400)
    assert (np.abs(positions - 0.5).max(axis=1) < 0.5).all()
    straight = np.linalg.norm(positions - 0.5, axis=1)  # the middle is nowhere near the seam
    np.testing.assert_allclose(from_centre(SMALL, network, "e"), straight)


# -- measures --------------------


def turnover(rows):
    """A record of births and deaths: time, post, pre, born, age."""
    names = ("time", "post", "pre", "born", "age")
    columns = dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True))
    return {f"{TWIN}/turnover": xr.Dataset({k: ("event", v) for k, v in columns.items()})}


def test_lives_end_by_death_or_with_the_record():
    nan = np.nan
    rows = [
        (41.0, 0, 1, False, nan),  # functional before the record: its age is unknown
        (42.0, 0, 1, True, nan),
        (45.0, 0, 1, False, 3.0),
        (50.0, 0, 1, True, nan),  # alive at the end, 80 s
        (60.0, 1, 0, True, nan),
        (61.0, 1, 0, False, 1.0),
    ]
    found = lives(SMALL, turnover(rows))
    assert sorted(zip(found.seen_s, found.died, strict=True)) == [(1, True), (3, True), (30, False)]
    assert loss_rate(found, 0.0) == 2 / 34
    assert loss_rate(found, 0.0, 2.0) == 1 / 5
    assert loss_rate(found, 2.0) == 1 / 29


def test_losses_that_do_not_depend_on_age_have_a_ratio_of_one():
    rng = np.random.default_rng(1)
    born_s = rng.uniform(40.0, 80.0, 20_000)
    death_s = born_s + rng.weibull(0.5, born_s.size) * 10.0  # older ones are lost less often
    rows = [(t, i, 0, True, np.nan) for i, t in enumerate(born_s)]
    rows += [
        (d, i, 0, False, d - t)
        for i, (t, d) in enumerate(zip(born_s, death_s, strict=True))
        if d < 80.0
    ]
    p = SMALL.model_copy(update={"rule": SMALL.rule.model_copy(update={"speed": 0.1})})
    null = loss_of_old_at_random(p, turnover(rows))
    assert null.part / null.whole == pytest.approx(1.0, abs=0.1)
    found = lives(p, turnover(rows))
    assert loss_rate(found, 10.0) < 0.6 * loss_rate(found, 0.0, 1.0)
    assert isinstance(found, Lives)


def test_new_connections_are_counted_between_spared_neurons():
    pre, post = np.array([0, 1, 2, 0]), np.array([1, 2, 1, 2])
    before = np.array([[0, 1, 0, 0]] * 6, bool)
    after = np.array([[0, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], bool)
    times = np.array([0.0, 10.0, 20.0, 30.0, 40.0, 40.0, 60.0, 70.0, 80.0])
    kept = np.zeros((3, 4), bool) | [True, True, True, False]

    def active(values, at):
        return xr.Dataset({"active": (("time", "synapse"), values)}, {"time": at})

    results = {
        f"{SHEET}/active": active(np.concatenate([before, after]), times),
        f"{TWIN}/active": active(kept, times[-3:]),
        SYNAPSES: xr.Dataset({"pre": ("synapse", pre), "post": ("synapse", post)}),
        PLACES: xr.Dataset({"from_centre": ("neuron", np.array([0.1, 0.21, 0.5]))}),
    }
    np.testing.assert_array_equal(near(SMALL, results), [False, True, False])
    np.testing.assert_array_equal(far(SMALL, results), [False, False, True])
    # onto neuron 1: that from 2 counts, that from the removed neuron 0 does not
    np.testing.assert_array_equal(gained(SMALL, results, SHEET), [0, 1, 0])
    assert new_near(SMALL, results) == Ratio(1.0, 1.0)
