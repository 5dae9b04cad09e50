"""Listed synapses: bit-identical with the matrix, resumable, and small in memory."""

import copy
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from synsamp.errors import SynsampError
from synsamp.priors import Gaussian, GaussianMixture
from synsamp.spiking import (
    CustomPlasticity,
    DistanceRule,
    DoubleExponential,
    EdgeList,
    EventLog,
    Homeostasis,
    InputGroup,
    Line,
    Network,
    Plane,
    Positions,
    Projection,
    RandomPairs,
    RemoveNeurons,
    RemoveSynapses,
    RewardGradient,
    Ring,
    Simulation,
    StochasticNeurons,
    SynapseModel,
    Torus,
    Volume,
    WinnerTakeAll,
    available,
    births,
    layout,
    potential,
    state,
)


@njit
def on_post(synapse, traces, p):
    traces[1] += 1.0
    return p[0] * (traces[0] + synapse.x) - 0.1 * synapse.w


@njit
def on_pre(synapse, traces, p):
    traces[0] += 1.0
    return -p[0] * traces[1] - 0.1 * synapse.slope


OWN = SynapseModel(
    Gaussian(-0.5, 1.0),
    plasticity=CustomPlasticity(on_post, on_pre, (1.0,), (0.02, 0.03)),
    speed=1e-2,
)


def circuits():
    """Inputs in gaps, two circuits, delays: the loop from spike to spike."""
    model = SynapseModel(speed=1e-2)
    return Network(
        [InputGroup("x", 50), InputGroup("y", 20)],
        [WinnerTakeAll("z", 10), WinnerTakeAll("v", 7)],
        [
            Projection("x", "z", model),
            Projection("y", "v", replace(model, prior=GaussianMixture(), max_euler_step=1e-2)),
            Projection("z", "v", model, delay_s=0.01),
            Projection("v", "z", model, delay_s=0.01),
            Projection("x", "v", model, delay_s=0.02),
        ],
    )


def stochastic():
    """Learning at spikes and arrivals, inhibition with a slower EPSP, adaptation, bias."""
    free = StochasticNeurons(
        "h", 30, 5.0, 0.002, homeostasis=Homeostasis(5.0, 1.0), max_rate_hz=100.0,
        adaptation_strength=-0.5,
    )  # fmt: skip
    slow = {"sign": -1, "plastic": False, "epsp": DoubleExponential(0.004, 0.05)}
    fixed = SynapseModel(theta_min=-4.0)
    return Network(
        [InputGroup("x", 50)],
        [WinnerTakeAll("z", 10), free],
        [
            Projection("x", "z", SynapseModel(speed=1e-2)),
            Projection("x", "h", OWN),
            Projection("h", "h", OWN, delay_s=0.002),
            Projection("h", "z", SynapseModel(speed=1e-2), delay_s=0.002),
            Projection("z", "h", fixed, plastic=False, delay_s=0.002),
            Projection("z", "h", fixed, name="z slow", **slow),
            Projection("h", "h", SynapseModel(), name="h slow", **slow),
        ],
    )


def rewarded():
    """Eligibility in a circuit and of stochastic neurons."""
    model = SynapseModel(Gaussian(0.3, 1.0), plasticity=RewardGradient(), speed=1e-2)
    return Network(
        [InputGroup("x", 40)],
        [StochasticNeurons("h", 40, 5.0, max_rate_hz=80.0), WinnerTakeAll("z", 5)],
        [
            Projection("x", "h", model),
            Projection("h", "h", model, delay_s=0.001),
            Projection("h", "z", model, delay_s=0.001),
            Projection("z", "h", replace(model, speed=2e-2), delay_s=0.001),
        ],
    )


def with_all_pairs(network, listed):
    """The network with every pair listed, or as a matrix."""
    every = [
        replace(
            p,
            allow_self=True,
            potential=np.ones(network.shape_of(p), bool) if listed else None,
        )
        for p in network.projections
    ]
    return Network(network.inputs, network.neurons, every)


def simulated(network, seconds=0.7):
    """Run, remove a neuron, change numbers, run on."""
    rates = {g.name: np.full(g.size, 20.0) for g in network.inputs}
    sim = Simulation(
        network, rates, seed=3, observer=EventLog("spikes"), drift_interval_s=0.1,
        sync_interval_s=0.5,
    )  # fmt: skip
    sim.run(seconds)
    sim.lesion(RemoveNeurons(network.neurons[0].name, [1]))
    sim.change(network.projections[0].name, speed=5e-3)
    return sim.run(seconds)


@pytest.mark.parametrize("group", [1024, 16], ids=["small", "large"])
@pytest.mark.parametrize("make", [circuits, stochastic, rewarded])
def test_a_list_of_all_pairs_and_the_matrix_are_bit_identical(make, group, monkeypatch):
    monkeypatch.setattr(layout, "LIMITS_TOGETHER", group)
    dense, sparse = (simulated(with_all_pairs(make(), listed)) for listed in (False, True))
    assert dense.n_spikes > 100
    for name in ("time_s", "neuron"):
        a, b = dense.observer["spikes"][name], sparse.observer["spikes"][name]
        np.testing.assert_array_equal(a, b)
    for p in dense.network.projections:
        for read in ("theta", "weight", "active"):
            a, b = getattr(dense, read)(p.name), getattr(sparse, read)(p.name)
            np.testing.assert_array_equal(a.reshape(-1), b)


def on_a_sheet(rule=OWN):
    place = {"positions": Plane(seed=1)}
    near = DistanceRule(lambda d: np.exp(-d / 0.2), within=0.7)
    return Network(
        [InputGroup("x", 30, **place)],
        [StochasticNeurons("h", 40, 5.0, max_rate_hz=80.0, **place), WinnerTakeAll("z", 5)],
        [
            Projection("x", "h", rule, potential=near, contacts=2),
            Projection(
                "h", "h", rule, potential=near, delay_s=lambda d: 0.001 + d / 100,
                prior_mean=lambda d: 0.5 - 2 * d,
            ),
            Projection("h", "z", SynapseModel(speed=1e-2), potential=RandomPairs(0.5)),
        ],
    )  # fmt: skip


@pytest.mark.parametrize("group", [1024, 16], ids=["small", "large"])
@pytest.mark.parametrize(
    "rule",
    [OWN, SynapseModel(Gaussian(0.3, 1.0), plasticity=RewardGradient(), speed=1e-2)],
    ids=["arrivals", "reward"],
)
def test_copies_and_restored_states_continue_bit_identically(rule, group, monkeypatch):
    monkeypatch.setattr(layout, "LIMITS_TOGETHER", group)
    network, rates = on_a_sheet(rule), {"x": np.full(30, 30.0)}
    whole = Simulation(network, rates, seed=1, drift_interval_s=0.05, sync_interval_s=0.5)
    whole.run(1.3)
    copied = copy.deepcopy(whole)
    restored = Simulation.from_state(network, whole.state(), rates)
    parts = copy.deepcopy(whole)
    for _ in range(7):
        parts.run(0.1)
    whole.run(0.7)
    for other in (copied.run(0.7), restored.run(0.7), parts):
        assert other.n_spikes == whole.n_spikes > 100
        for p in network.projections:
            np.testing.assert_array_equal(other.theta(p.name), whole.theta(p.name))
    with pytest.raises(SynsampError, match="network must be the one"):
        Simulation.from_state(on_a_sheet(replace(rule, speed=1e-3)), whole.state(), rates)
    moved = [replace(network.inputs[0], positions=Plane(seed=9))]
    other = Network(moved, network.neurons, network.projections)
    with pytest.raises(SynsampError, match="positions of 'x'"):
        Simulation.from_state(other, whole.state(), rates)


def test_memory_follows_the_list():
    n, each = 1200, 100
    model = SynapseModel(plasticity=CustomPlasticity(), speed=1e-3)
    network = Network(
        [],
        [StochasticNeurons("h", n)],
        [Projection("h", "h", model, potential=RandomPairs(each / n))],
    )
    sim = Simulation(network)
    size = network.synapses_of("h->h").size
    assert abs(size - n * each) < 5 * np.sqrt(n * each)
    assert sim.nbytes < 40 * size + 300 * n  # and some numbers per neuron; the matrix: 25 n²


FIXED = SynapseModel(Gaussian(-0.5, 1.0), plasticity=CustomPlasticity())
REWARDED = SynapseModel(Gaussian(-0.5, 1.0), plasticity=RewardGradient())


@pytest.mark.parametrize("listed", [True, False], ids=["list", "matrix"])
@pytest.mark.parametrize("model", [FIXED, OWN, REWARDED], ids=["fixed", "traces", "reward"])
def test_a_simulation_takes_as_much_memory_as_is_asked_for(model, listed, monkeypatch):
    for module in (potential, state):
        monkeypatch.setattr(module, "AT_ONCE", 2**12)  # parts are small compared with the whole

    def peak(n):
        tracemalloc.start()
        try:
            pairs = RandomPairs(1.0) if listed else None
            wires = Projection("h", "h", model, potential=pairs)
            network = Network([], [StochasticNeurons("h", n)], [wires])
            Simulation(network)
            return tracemalloc.get_traced_memory()[1], network.projections[0].bytes_per_synapse
        finally:
            tracemalloc.stop()

    peak(20)  # compiles
    (small, _), (large, each) = peak(128), peak(512)  # whole lanes: no padding
    taken = (large - small) / (512**2 - 128**2)
    assert 0.8 * each < taken < each


def test_lesions_of_listed_synapses():
    network = on_a_sheet()
    sim = Simulation(network, {"x": np.full(30, 30.0)}, seed=1).run(0.2)
    listed = network.synapses_of("h->h")
    sim.lesion(RemoveNeurons("h", [3]))
    gone = (listed.pre == 3) | (listed.post == 3)
    np.testing.assert_array_equal(np.isnan(sim.theta("h->h")), gone)
    sim.lesion(RemoveSynapses("x->h", sim.theta("x->h") > 0.5))
    assert np.nanmax(sim.theta("x->h")) <= 0.5
    sim.lesion(RemoveSynapses("h->h"))
    assert not sim.active("h->h").any()
    sim.run(0.2)


# -- which synapses there are --------------------


def between(potential, n_pre=40, n_post=30, **more):
    network = Network(
        [InputGroup("x", n_pre, Plane(seed=1))],
        [StochasticNeurons("h", n_post, positions=Plane(seed=2))],
        [Projection("x", "h", plastic=False, potential=potential, **more)],
    )
    return network.synapses_of("x->h")


def test_an_edge_list_is_sorted_by_target_then_source():
    found = between(EdgeList(pre=[7, 3, 7, 0], post=[2, 29, 0, 2]))
    assert found.post.tolist() == [0, 2, 2, 29]
    assert found.pre.tolist() == [7, 0, 7, 3]
    assert found.place(2, 7) == 2
    assert found.place(2, 8) == -1


def test_contacts_follow_each_other():
    found = between(EdgeList(pre=[7, 3], post=[2, 29]), contacts=3)
    assert found.post.tolist() == [2] * 3 + [29] * 3
    assert found.contact.tolist() == [0, 1, 2] * 2
    assert found.place(29, 3, 2) == 5


@pytest.mark.parametrize("space", [Line(2.0), Ring(2.0), Plane(), Torus(1.0, 2.0), Volume()])
def test_a_bound_on_distance_does_not_change_the_rule(space):
    """A tree finds neighbours; all pairs are compared with those within reach."""

    def nearby(d):
        return (d < 0.3).astype(float)

    found = []
    for within in (np.inf, 0.3):
        network = Network(
            [],
            [StochasticNeurons("h", 60, positions=space)],
            [Projection("h", "h", plastic=False, potential=DistanceRule(nearby, within))],
        )
        found.append(network.synapses_of("h->h"))
    np.testing.assert_array_equal(found[0].pre, found[1].pre)
    np.testing.assert_array_equal(found[0].first, found[1].first)
    assert 0 < found[0].size < 60 * 59
    assert not (found[0].pre == found[0].post).any()


def frequencies(potential, rule, n=300):
    """Per class of distance: pairs, those that may connect, and those expected."""
    points = np.random.default_rng(5).uniform(size=(n, 2))
    where = Positions(points, period=(1.0, 1.0))
    network = Network(
        [InputGroup("x", n, where)],
        [StochasticNeurons("h", n, positions=where)],
        [Projection("x", "h", plastic=False, potential=potential)],
    )
    apart = np.abs(points[:, None] - points[None])
    apart = np.sqrt((np.minimum(apart, 1 - apart) ** 2).sum(-1))
    chosen = np.zeros((n, n), bool)
    listed = network.synapses_of("x->h")
    chosen[listed.post, listed.pre] = True
    edges = np.linspace(0, 0.6, 9)
    counts = [np.histogram(d, edges)[0] for d in (apart, apart[chosen])]
    expected = np.histogram(apart, edges, weights=rule(apart))[0]
    spread = np.sqrt(np.histogram(apart, edges, weights=rule(apart) * (1 - rule(apart)))[0])
    return counts[1], expected, spread


@pytest.mark.parametrize("within", [np.inf, 0.65])
def test_the_frequency_of_pairs_follows_the_rule_of_distance(within):
    def rule(d):
        return 0.6 * np.exp(-d / 0.15)

    found, expected, spread = frequencies(DistanceRule(rule, within, seed=4), rule)
    assert (np.abs(found - expected) < 4 * spread).all()
    _, other, _ = frequencies(DistanceRule(rule, within, seed=4), lambda d: 1.1 * rule(d))
    assert (np.abs(found - other) > 4 * spread).any()  # a factor of 1.1 is seen


def test_random_pairs_have_their_probability():
    found = between(RandomPairs(0.3, seed=1), 200, 300)
    spread = np.sqrt(0.3 * 0.7 * 60_000)
    assert abs(found.size - 18_000) < 4 * spread
    in_degree, per_row = np.diff(found.first), 200 * 0.3
    assert abs(in_degree.var() / (per_row * 0.7) - 1) < 4 * np.sqrt(2 / 300)
    assert between(RandomPairs(1.0)).size == 1200
    assert between(RandomPairs(0.0)).size == 0
    assert between(RandomPairs(1e-300)).size == 0  # gaps beyond any integer


def test_delays_and_means_follow_their_rules():
    points = np.linspace(0, 1, 11)[:, None]
    network = Network(
        [InputGroup("x", 11, Positions(points))],
        [StochasticNeurons("h", 1, positions=Positions([[0.0]]))],
        [
            Projection(
                "x", "h", SynapseModel(plasticity=CustomPlasticity()), potential=RandomPairs(1.0),
                delay_s=lambda d: 0.01 * d, delay_resolution_s=0.002, prior_mean=lambda d: 1 - d,
            )
        ],
    )  # fmt: skip
    p = network.projection("x->h")
    delays = np.array(p.delays_s)[p.listed.delay]
    np.testing.assert_allclose(delays, 0.002 * np.rint(5 * points[:, 0]), atol=1e-15)
    np.testing.assert_allclose(p.synapses.prior.mean, 1 - points[:, 0])


# -- contacts --------------------


def test_contacts_of_a_pair_are_independent():
    """Under prior and noise alone the number of functional contacts is binomial."""
    model = SynapseModel(Gaussian(0.0, 1.0), plasticity=CustomPlasticity(), speed=0.3)
    network = Network(
        [InputGroup("x", 60)],
        [StochasticNeurons("h", 50, 1e-3)],
        [Projection("x", "h", model, potential=RandomPairs(1.0), contacts=3)],
    )
    sim = Simulation(network, None, seed=2, drift_interval_s=1.0, sync_interval_s=10.0).run(40.0)
    active = sim.active("x->h").reshape(-1, 3)
    p, pairs = 0.5, len(active)

    def binomial(counts):
        expected = pairs * np.array([1, 3, 3, 1]) / 8
        found = np.bincount(counts, minlength=4)
        return ((found - expected) ** 2 / (expected * (1 - expected / pairs))).max()

    assert abs(active.mean() - p) < 4 * np.sqrt(p * (1 - p) / active.size)
    assert binomial(active.sum(axis=1)) < 4**2
    assert binomial(3 * active[:, 0].astype(int)) > 4**2  # contacts that share their noise


# -- what raises an error --------------------


def nan(d):
    return np.where(d > 0.2, np.nan, 0.1)


SPACE = {"potential": RandomPairs(1.0)}
ALL = [
    (lambda: Positions([[0.0, np.nan]]), "positions must be finite"),
    (lambda: Positions(np.zeros((3, 4))), "must have shape"),
    (lambda: Positions([[0.0]], period=(0.0,)), "period of positions"),
    (lambda: StochasticNeurons("h", 3, positions=Positions([[0.0]])), "for all 3 neurons"),
    (lambda: StochasticNeurons("h", 3, positions="plane"), "positions of stochastic neurons"),
    (lambda: Plane(0.0), "width of Plane must be"),
    (lambda: between(DistanceRule(lambda d: d - 10)), "must be finite >= 0"),
    (lambda: between(DistanceRule(nan)), "must be finite >= 0"),
    (lambda: between(DistanceRule(lambda d: 2.0 + d)), "must be at most 1"),
    (lambda: between(DistanceRule(lambda d: "near")), "must be an array of numbers"),
    (lambda: between(DistanceRule(lambda d: d[:2])), "must return a number per distance"),
    (lambda: between(RandomPairs(1.5)), "probability of pairs"),
    (lambda: between(EdgeList([1, 1], [2, 2])), "twice"),
    (lambda: between(EdgeList([40], [2])), "pre of the edge list"),
    (lambda: between(EdgeList([-1], [2])), "pre of the edge list"),
    (lambda: between(EdgeList([1], [30])), "post of the edge list"),
    (lambda: between(EdgeList([1, 2], [3])), "must have one length"),
    (lambda: between(np.ones((3, 3), bool)), "must have shape"),
    (lambda: between([[1, 2]]), "must say which pairs"),
    (lambda: between(None, contacts=2), "must be given for several contacts"),
    (lambda: between(None, prior_mean=lambda d: d), "rules of distance"),
    (lambda: between(RandomPairs(1.0), contacts=0), "contacts"),
    (lambda: between(RandomPairs(1.0), mask=np.ones((30, 40), bool)), "must not be given with"),
    (lambda: between(RandomPairs(1.0), delay_s=lambda d: -d), "delay by distance"),
    (
        lambda: between(RandomPairs(1.0), delay_s=lambda d: d, delay_resolution_s=1e-6),
        "must have at most 1000 values",
    ),
    (lambda: between(RandomPairs(1.0), prior_mean=nan), "prior_mean"),
    (
        lambda: Network(
            [],
            [StochasticNeurons("h", 5)],
            [Projection("h", "h", plastic=False, potential=EdgeList([3], [3]))],
        ),
        "must not connect a neuron to itself",
    ),
    (
        lambda: Network(
            [InputGroup("x", 5)],
            [StochasticNeurons("h", 5, positions=Plane())],
            [Projection("x", "h", plastic=False, potential=DistanceRule(lambda d: d * 0))],
        ),
        "must have positions at both ends",
    ),
    (
        lambda: Network(
            [InputGroup("x", 5, Torus())],
            [StochasticNeurons("h", 5, positions=Plane())],
            [Projection("x", "h", plastic=False, potential=DistanceRule(lambda d: d * 0))],
        ),
        "one space",
    ),
    (lambda: between(RandomPairs(1.0), 10**7, 10**7), "must be at most"),
]


@pytest.mark.parametrize(("make", "words"), ALL, ids=[words for _, words in ALL])
def test_bad_lists_and_rules_raise_an_error_of_one_line(make, words):
    with pytest.raises(SynsampError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_what_does_not_fit_into_memory_raises_an_error_before_it_is_listed(monkeypatch):
    monkeypatch.setattr(available, "available_bytes", lambda: 10**6)
    with pytest.raises(SynsampError, match="52,000,000 bytes are wanted") as caught:
        between(RandomPairs(1.0), 1000, 1000)
    assert "19,231 would fit" in str(caught.value)


def test_memory_that_plasticity_keeps_counts_for_a_matrix_too(monkeypatch):
    monkeypatch.setattr(available, "available_bytes", lambda: 4 * 10**6)

    def make(model):
        return Network(
            [InputGroup("x", 1000)], [WinnerTakeAll("z", 100)], [Projection("x", "z", model)]
        )

    make(SynapseModel())  # 3.4 million bytes
    with pytest.raises(SynsampError, match="must fit into memory: 5,000,000 bytes are wanted"):
        make(REWARDED)


@pytest.mark.parametrize("parts", [1, 9], ids=["at once", "in parts"])
def test_births_and_deaths_lead_from_the_first_synapses_to_the_last(parts, monkeypatch):
    """Whatever changes synapses: noise, spikes, arrivals, a lesion; also with a full buffer."""
    monkeypatch.setattr(births, "ROOM", 1)
    network = on_a_sheet(replace(OWN, speed=5e-2))
    log = EventLog("births_deaths")
    sim = Simulation(
        network, {"x": np.full(30, 30.0)}, seed=1, drift_interval_s=0.05, sync_interval_s=0.5,
        observer=log,
    )  # fmt: skip
    before = {p.name: sim.active(p.name) for p in network.projections}
    for _ in range(parts):
        sim.run(1.23 / parts)
    sim.lesion(RemoveNeurons("h", [3]))
    sim.change("h->h", temperature=0.5)
    sim.run(0.4)
    found = log["births_deaths"]
    assert (np.diff(found["time_s"]) >= 0).all()
    for number, p in enumerate(network.projections):
        own = found["projection"] == number
        state = before[p.name].copy()
        born_s = np.full(state.size, np.nan)
        for post, pre, contact, born, age_s, time_s in zip(
            *(found[c][own] for c in ("post", "pre", "contact", "born", "age_s", "time_s")),
            strict=True,
        ):
            at = p.listed.place(post, pre, contact)
            assert state[at] != born
            np.testing.assert_equal(age_s, np.nan if born else time_s - born_s[at])
            state[at], born_s[at] = born, time_s if born else np.nan
        np.testing.assert_array_equal(state, sim.active(p.name))
        assert own.any()
    assert found["time_s"].size > 200
    assert np.isfinite(found["age_s"]).sum() > 50
