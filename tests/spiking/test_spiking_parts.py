"""Descriptions, draws, stimuli, lesions, recordings, memory."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from oracles.from_python import from_python
from synsamp.errors import SynsampError
from synsamp.priors import CustomPrior
from synsamp.priors.gaussian import ornstein_uhlenbeck
from synsamp.rule.equation import likelihood_jump
from synsamp.spiking import (
    EventLog,
    InOrder,
    InputGroup,
    Network,
    Projection,
    RandomOrder,
    RemoveNeurons,
    RemoveSynapses,
    SilenceInputs,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    WinnerTakeAll,
    winner_take_all_network,
)
from synsamp.spiking.kernel import random
from synsamp.spiking.kernel.random import fill_alias_table, new_streams
from synsamp.spiking.plasticity.spike_likelihood import small_exp

alias_channel, poisson, uniform = map(
    from_python, (random.alias_channel, random.poisson, random.uniform)
)


def shown(rates_hz, durations_s=(0.25,)):
    rates = np.atleast_2d(np.asarray(rates_hz, float))
    return SimpleNamespace(durations_s=np.array(durations_s, float), rates_hz=rates)


# -- errors --------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: WinnerTakeAll("z", 0), "size of circuit 'z' must be a whole number >= 1"),
        (
            lambda: WinnerTakeAll("z", 2, rate_hz=-1.0),
            "rate_hz of circuit 'z' must be",
        ),
        (lambda: InputGroup("x", -3), "must be a whole number >= 1"),
        (lambda: SynapseModel(speed=float("nan")), "speed must be a finite number >= 0"),
        (lambda: SpikeLikelihood(alpha=0.0), "alpha must be a finite number > 0"),
        (lambda: SynapseModel(prior=CustomPrior(np.abs, np.abs)), "numba.njit"),
        (
            lambda: winner_take_all_network(3, 2, epsp=1),
            "argument of winner_take_all_network must be one of",
        ),
        (lambda: Network([InputGroup("x", 2)], [], []), "neurons must not be empty"),
        (
            lambda: Network([InputGroup("a", 2)], [WinnerTakeAll("a", 2)], []),
            "names of populations must differ",
        ),
        (
            lambda: Network([InputGroup("x", 2)], [WinnerTakeAll("z", 2)], [Projection("y", "z")]),
            "source of projection 'y->z' must be one of x, z, got 'y'",
        ),
        (
            lambda: Network([InputGroup("x", 2)], [WinnerTakeAll("z", 2)], [Projection("z", "x")]),
            "must be neurons, not inputs",
        ),
        (
            lambda: Network(
                [InputGroup("x", 2)],
                [WinnerTakeAll("z", 2)],
                [Projection("x", "z", mask=np.ones((2, 3), bool))],
            ),
            "must be boolean with shape [post, pre] = (2, 2)",
        ),
        (
            lambda: Network(
                [InputGroup("x", 2)],
                [WinnerTakeAll("z", 2)],
                [Projection("x", "z", name="one"), Projection("x", "z", name="two")],
            ),
            "must not overlap",
        ),
        (lambda: RemoveSynapses("x->z", theta=1.0), "theta must be a finite number <= 0"),
        (lambda: RandomOrder([]), "must not be empty"),
        (lambda: RandomOrder([shown([1.0])], weights=[-1.0]), "weights must be finite >= 0"),
        (lambda: InOrder({"x": [1], "y": []}), "must not be empty"),
        (lambda: InOrder({"x": [1], "y": [1, 2]}), "equally many"),
    ],
)
def test_bad_descriptions_raise_a_clear_error(make, words):
    with pytest.raises(SynsampError) as caught:
        make()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda s: s.run(-1.0), "duration_s must be a finite number >= 0"),
        (lambda s: s.theta("other"), "projection must be one of x->z, got 'other'"),
        (lambda s: s.lesion(RemoveNeurons("z", [9])), "neurons must be whole >= 0 and <= 2, got 9"),
        (lambda s: s.lesion(RemoveNeurons("q", [0])), "circuit must be one of z"),
        (lambda s: s.lesion(SilenceInputs("q", [0])), "group must be one of x"),
        (
            lambda s: s.probe(InOrder([shown([1, 1])]), 1.0, start="warm"),
            "start must be one of",
        ),
        (lambda s: s.replay([2.0, 1.0], [0, 0]), "must not decrease"),
        (lambda s: s.replay([1.0], [99]), "source must be whole >= 0 and <= 4"),
        (
            lambda s: setattr(s, "stimulus", InOrder({"q": [1]})),
            "stimulus library must be",
        ),
        (
            lambda s: Simulation(s.network, sync_interval_s=0.5),
            "sync_interval_s must be >= drift_interval_s",
        ),
        (
            lambda s: Simulation(s.network, theta={"q": 1.0}),
            "projection in theta must be",
        ),
        (lambda s: Simulation(s.network, theta={"x->z": np.nan}), "must be finite"),
        (
            lambda s: Simulation.from_state(s.network, {"format": 0}),
            "format of the saved",
        ),
        (
            lambda s: Simulation.from_state(winner_take_all_network(2, 4), s.state()),
            "network must be the one the state was saved from",
        ),
    ],
)
def test_bad_uses_raise_a_clear_error(use, words):
    sim = Simulation(winner_take_all_network(2, 3))
    with pytest.raises(SynsampError) as caught:
        use(sim)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (shown([1.0, 2.0, 3.0]), "must have shape (1, 2)"),
        (shown([1.0, -2.0]), "must be finite >= 0"),
        (shown([1.0, np.inf]), "must be finite >= 0"),
        (shown([1.0, 1.0], [0.0]), "must be finite >= 1e-09"),
    ],
)
def test_bad_presentations_raise_an_error_when_shown(bad, words):
    with pytest.raises(SynsampError) as caught:
        Simulation(winner_take_all_network(2, 3), InOrder([bad])).run(1.0)
    assert words in str(caught.value)


# -- draws --------------------


@pytest.mark.parametrize("mean", [0.03, 2.5, 9.99, 10.01, 45.0, 900.0])
def test_poisson_counts_have_the_poisson_distribution(mean):
    words = new_streams(np.random.SeedSequence(1), 1).events
    counts = np.array([poisson(words, mean) for _ in range(20_000)])

    def p_value(m):
        edges = np.unique(stats.poisson.ppf(np.linspace(0.02, 0.98, 15), m))
        place = np.searchsorted(edges, counts)
        cdf = np.concatenate([[0], stats.poisson.cdf(edges, m), [1]])
        expected = np.diff(cdf) * counts.size
        keep = expected > 5
        observed = np.bincount(place, minlength=expected.size)[keep]
        return stats.chisquare(
            observed, expected[keep] * observed.sum() / expected[keep].sum()
        ).pvalue

    mean_z = (counts.mean() - mean) / np.sqrt(mean / counts.size)
    assert abs(mean_z) < 4.5
    assert mean < 1 or p_value(mean) > 1e-4
    assert mean < 1 or p_value(mean * 1.1) < 1e-4


def test_channels_come_with_their_rates_and_never_with_rate_zero():
    rng = np.random.default_rng(2)
    rates = rng.gamma(0.3, 20.0, 50)
    rates[::7] = 0.0
    table = np.zeros(50, np.uint64)
    fill_alias_table(rates, table)
    threshold, alias = (table >> np.uint64(32)) / 2.0**32, table & np.uint64(0xFFFFFFFF)
    shares = threshold / 50
    np.add.at(shares, alias.astype(int), (1 - threshold) / 50)
    np.testing.assert_allclose(shares, rates / rates.sum(), atol=1e-9)  # exact
    words = rng.integers(0, 2**32, 5000, dtype=np.uint32)
    drawn = np.array([alias_channel(w, table) for w in words])
    assert (rates[drawn] > 0).all()


def test_uniform_numbers_lie_strictly_inside():
    words = new_streams(np.random.SeedSequence(3), 1).events
    for extreme in (0, 2**32 - 1):
        words.buffer[:] = extreme
        words.taken[0] = 0
        assert 0.0 < uniform(words) < 1.0


def test_the_series_and_the_gain_are_those_of_the_equation():
    x = np.linspace(-0.125, 0.125, 101, dtype=np.float32)
    np.testing.assert_allclose([small_exp(v) for v in x], np.exp(x.astype(float)), rtol=4e-7)
    for gradient in (-3.0, 0.2, 7.0):
        assert likelihood_jump(1e-4, 100.0, gradient) == pytest.approx(
            likelihood_jump(1e-4, 100.0, 1.0) * gradient, rel=1e-14
        )
    keep, spread = ornstein_uhlenbeck(1e-4, 1.0, 1.0, 1.0)
    assert (keep, spread) == pytest.approx((np.exp(-1e-4), np.sqrt(1 - np.exp(-2e-4))), rel=1e-9)


# -- stimuli --------------------


def test_runs_cut_into_pieces_are_the_same_run():
    presentations = [shown([[30.0, 0.0], [1.0, 1.0]], [0.2, 0.05]), shown([0.0, 40.0], [0.3])]

    def spikes(steps):
        sim = Simulation(
            winner_take_all_network(2, 3),
            RandomOrder(presentations),
            4,
            observer=EventLog("spikes"),
        )
        for step in steps:
            sim.run(step)
        return sim.observer["spikes"]["time_s"]

    np.testing.assert_array_equal(spikes([64.0]), spikes([0.5] * 128))


def test_input_spikes_have_the_rates_of_the_presentation_and_are_uniform_in_time():
    rates = np.array([5.0, 0.0, 50.0])
    record = EventLog("input_spikes")
    sim = Simulation(winner_take_all_network(3, 1, rate_hz=5.0), rates, 5, observer=record).run(
        1000.0
    )
    spikes = sim.observer["input_spikes"]
    delivered = sim.state()["activity"]["clock"][0]
    expected = rates * delivered
    counts = np.bincount(spikes["input"], minlength=3)
    assert counts[1] == 0
    assert (np.abs(counts - expected)[[0, 2]] < 4.5 * np.sqrt(expected[[0, 2]])).all()
    assert (np.abs(counts - 1.1 * expected)[2] > 4.5 * np.sqrt(expected[2])).all()
    times = spikes["time_s"][spikes["input"] == 2] / delivered
    assert stats.kstest(times, "uniform").pvalue > 1e-4
    assert stats.kstest(times**1.05, "uniform").pvalue < 1e-4


def test_presentations_are_logged_once_each_and_two_groups_go_together():
    net = Network(
        [InputGroup("a", 2), InputGroup("b", 3), InputGroup("c", 1)],
        [WinnerTakeAll("z", 2)],
        [Projection("a", "z"), Projection("b", "z"), Projection("c", "z")],
    )
    library = {
        "a": [shown([1, 2], [0.4]), shown([3, 4], [0.2])],
        "b": [shown([[1, 2, 3]] * 4, [0.1] * 4), shown([[1, 2, 3]] * 2, [0.1] * 2)],
    }
    sim = Simulation(net, InOrder(library), observer=EventLog("presentations"))
    for _ in range(30):
        sim.run(7.0)
    log = sim.observer["presentations"]
    n = len(log["time_s"])
    assert n == 700
    np.testing.assert_allclose(np.diff(log["time_s"]), np.tile([0.4, 0.2], 350)[: n - 1])
    np.testing.assert_array_equal(log["index"][:3], [[0, 0, -1], [1, 1, -1], [0, 0, -1]])
    uneven = {"a": library["a"], "b": library["b"][::-1]}
    with pytest.raises(SynsampError, match="must last equally long"):
        Simulation(net, InOrder(uneven)).run(1.0)


def test_a_large_library_works_with_a_small_pool(monkeypatch):
    rng = np.random.default_rng(6)
    presentations = [shown(rng.gamma(1.0, 20.0, 6)) for _ in range(60)]

    def end():
        sim = Simulation(winner_take_all_network(6, 3), RandomOrder(presentations), 6).run(400.0)
        return sim.theta("x->z")

    plenty = end()
    monkeypatch.setattr("synsamp.spiking.input.schedule.POOL_ENTRIES", 100)
    np.testing.assert_array_equal(end(), plenty)


# -- lesions --------------------


def three_circuits():
    net = Network(
        [InputGroup("x", 5)],
        [WinnerTakeAll("a", 3), WinnerTakeAll("b", 4)],
        [
            Projection("x", "a"),
            Projection("x", "b"),
            Projection("a", "b", delay_s=0.005),
            Projection("b", "a", delay_s=0.005),
        ],
    )
    return net, InOrder([shown([20.0, 40.0, 5.0, 0.0, 10.0])])


def test_removed_neurons_never_spike_and_their_synapses_go():
    net, stimulus = three_circuits()
    sim = Simulation(net, stimulus, 7, observer=EventLog("spikes")).run(20.0)
    sim.lesion(RemoveNeurons("b", [1, 3]))
    sim.run(30.0)
    spikes = sim.observer["spikes"]
    late = spikes["neuron"][spikes["time_s"] > 20.0]
    assert set(late) == {0, 1, 2, 3, 5}
    share_b = (late >= 3).mean()
    assert abs(share_b - 0.5) < 4.5 * 0.5 / np.sqrt(late.size)  # ρ_net stays
    assert np.isnan(sim.theta("x->b")[[1, 3]]).all()
    assert np.isnan(sim.theta("b->a")[:, [1, 3]]).all()
    assert np.isfinite(sim.theta("b->a")[:, [0, 2]]).all()
    assert sim.alive.sum() == 5
    sim.lesion(RemoveNeurons("b", [0, 2]))
    count = sim.n_spikes
    sim.run(20.0)
    rest = sim.observer["spikes"]["neuron"][count:]
    assert (rest < 3).all()  # a circuit without neurons is silent
    assert abs(rest.size - 2000) < 4.5 * np.sqrt(2000)


def test_removed_synapses_regrow_only_if_they_may():
    net, stimulus = three_circuits()
    sim = Simulation(net, stimulus, 8, theta={"x->a": 1.0}, sync_interval_s=10.0)
    sim.lesion(RemoveSynapses("x->a", regrow=False))
    sim.lesion(RemoveSynapses("x->b", np.eye(4, 5, dtype=bool), regrow=True))
    assert not sim.active("x->a").any()
    assert (sim.weight("x->a") == 0).all()
    assert (sim.theta("x->b")[np.eye(4, 5, dtype=bool)] <= -1.0 + 1e-9).all()
    sim.run(20_000.0)
    assert np.isnan(sim.theta("x->a")).all()
    assert sim.active("x->b")[np.eye(4, 5, dtype=bool)].any()


def test_silenced_inputs_do_not_spike_again():
    net, stimulus = three_circuits()
    sim = Simulation(net, stimulus, 9).run(5.0)
    sim.lesion(SilenceInputs("x", [0, 1]))
    sim.run(5.0)
    fall = sim.state()["activity"]["fall"]
    assert (fall[:2] < 1e-20).all()
    assert fall[4] > 0
    answer = Simulation.from_state(net, sim.state(), stimulus).run(5.0)
    assert (answer.state()["activity"]["fall"][:2] < 1e-20).all()


# -- recordings --------------------


def test_traces_and_spikes_are_those_of_the_run():
    asked = [(2, 7), (0, 3)]
    sim = Simulation(
        winner_take_all_network(
            40, 3, SynapseModel(speed=2e-3, plasticity=SpikeLikelihood(data_size=5.0))
        ),
        InOrder([shown(np.linspace(0, 60, 40))]),
        11,
        sync_interval_s=1.0,
        observer=EventLog("spikes", traces={"x->z": asked}),
    )
    theta = [sim.run(1.0).theta("x->z") for _ in range(60)]
    assert sim.observer["spikes"]["time_s"].size == sim.n_spikes
    traces = sim.observer["traces"]
    for asked_as, (post, pre) in enumerate(asked):  # in the order asked for
        own = (traces["synapse"] == asked_as) & np.isin(traces["time_s"], np.arange(1.0, 61.0))
        np.testing.assert_array_equal(traces["theta"][own], [row[post, pre] for row in theta])


def columns(sim):
    """Efficacies as the columns hold them, [neuron, input], of a network with one projection."""
    wiring, n = sim._engine.layout.wiring, sim.network.n_neurons
    cells = sim._state.synapses.column.reshape(-1, int(wiring.column_width[0]))
    return cells[:, :n].T


def test_columns_hold_the_efficacies_however_synapses_come_and_go():
    """At paper speed times 500 synapses cross θ = 0 at every refresh, in both directions."""
    sim = Simulation(
        winner_take_all_network(
            40, 5, SynapseModel(speed=0.05, plasticity=SpikeLikelihood(data_size=1.0))
        ),
        InOrder([shown(np.linspace(0, 60, 40))]),
        12,
        drift_interval_s=0.1,
        sync_interval_s=2.0,
    )
    was_active, crossings = sim.active("x->z"), 0
    for step in range(60):
        sim.run(0.35)
        if step == 30:
            sim.lesion(RemoveSynapses("x->z", was_active, regrow=False))
        active = sim.active("x->z")
        held, weight = columns(sim), sim.weight("x->z")
        np.testing.assert_allclose(held[active], weight[active], rtol=1e-6, atol=1e-9)
        assert held[~active].max() < 1e-7  # w is single precision: off by a rounding at θ = 0
        np.testing.assert_array_equal(weight > 0, active)
        np.testing.assert_array_equal(sim.theta("x->z") > 0, active)
        crossings += (active != was_active).sum()
        was_active = active
    assert crossings > 300  # so the lists had much to follow
    assert sim._state.synapses.n_listed.sum() < 1.5 * was_active.sum()  # the lists are cleared up


def test_between_grid_points_theta_is_as_of_the_last_refresh():
    sim = Simulation(winner_take_all_network(40, 3, rate_hz=1e-6), seed=1, sync_interval_s=10.0)
    start = sim.theta("x->z")
    np.testing.assert_array_equal(sim.run(9.9).theta("x->z"), start)
    assert (sim.run(0.1).theta("x->z") != start).all()
    at_grid = sim.theta("x->z")
    for _ in range(99):  # adding up durations rounds, but means the grid point
        sim.run(0.1)
    np.testing.assert_array_equal(sim.theta("x->z"), at_grid)
    assert (sim.run(0.1).theta("x->z") != at_grid).all()
    assert sim.time_s == 20.0


# -- cost --------------------


@pytest.mark.parametrize("n_neurons", [10, 17, 400])
def test_memory_is_at_most_32_bytes_per_synapse(n_neurons):
    sim = Simulation(winner_take_all_network(784, n_neurons))
    total = sim.nbytes + sum(a.nbytes for a in sim._engine.layout.numbers)
    assert total <= 32 * 784 * n_neurons + 64 * 784  # and a few numbers per input, not per synapse


def test_self_connections_exist_only_if_asked_for():
    for allow in (False, True):
        net = Network(
            [], [WinnerTakeAll("z", 4)], [Projection("z", "z", delay_s=0.005, allow_self=allow)]
        )
        sim = Simulation(net, seed=1).run(2.0)
        assert np.isnan(np.diag(sim.theta("z->z"))).all() != allow
        assert np.isfinite(sim.theta("z->z")[~np.eye(4, dtype=bool)]).all()
