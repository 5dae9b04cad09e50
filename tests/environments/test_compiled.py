"""Compiled environments: bit-identical with the loop in Python."""

import numpy as np
import pytest
from numba import njit

from synsamp.beyond.bandit.parameters import BanditTask
from synsamp.beyond.bandit.protocol import Bandit
from synsamp.beyond.lever.parameters import LeverTask
from synsamp.beyond.lever.task import Lever
from synsamp.beyond.reward_patterns.parameters import PatternTask
from synsamp.beyond.reward_patterns.task import RewardedPatterns
from synsamp.environments import CompiledEnvironment, Dopamine, Environment, Loop, Response, drawn
from synsamp.errors import SynsampError
from synsamp.priors import Gaussian
from synsamp.spiking import (
    EventLog,
    Homeostasis,
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    RemoveSynapses,
    RewardGradient,
    SilenceInputs,
    Simulation,
    StochasticNeurons,
    SynapseModel,
    WinnerTakeAll,
)

SEED, STEP, LIT, EARNED, PAST = range(5)
INPUTS = np.full((3, 4), 3.0)
INPUTS[1, :2] = INPUTS[2, 2:] = 60.0


@njit
def follow(state, counts, numbers):
    """What is lit changes at random; its half of the neurons is to answer."""
    state[STEP] += 1
    half = counts.size // 2
    past = state[PAST:]
    past[int(state[STEP]) % past.size] = counts[:half].sum() - counts[half:].sum()
    reward = numbers[0] * max(0.0, past.sum() if state[LIT] == 1 else -past.sum())
    state[EARNED] += reward
    if state[STEP] % 8 == 0:
        state[LIT] = np.floor(3 * drawn(state[SEED], state[STEP]))
    return int(state[LIT]), reward


class Follow(CompiledEnvironment):
    neurons, period_s = ("z",), 0.03
    inputs, numbers, answer = INPUTS, (0.3,), staticmethod(follow)

    def first(self, seed):
        return {"seed": seed, "step": 0, "lit": 0, "earned": 0.0, "past": np.zeros(5)}


class FromPython(Environment):
    """The same environment, asked by the loop in Python."""

    def __init__(self, environment):
        self._inside = environment
        self.period_s, self.neurons = environment.period_s, environment.neurons

    def start(self, seed):
        return self._inside.start(seed)

    def respond(self, state, counts):
        return self._inside.respond(state, counts)


def synapses():
    return SynapseModel(
        Gaussian(0.0, 1.0),
        plasticity=RewardGradient(0.3, 2.0, 0.5, 2.0),
        speed=0.02,
        temperature=0.1,
        theta_min=-2.0,
    )


def network(kind, inputs=4, neurons=8, name="z"):
    if kind == "circuit":
        cells = WinnerTakeAll(name, neurons, rate_hz=60.0)
    else:
        cells = StochasticNeurons(name, neurons, 5.0, 0.005, homeostasis=Homeostasis(5.0, 5.0))
    return Network([InputGroup("x", inputs)], [cells], [Projection("x", name, synapses())])


ENVIRONMENTS = {
    "follow": (Follow, 4, "z"),
    "lever": (lambda: Lever(LeverTask(threshold_hz=4.0), 3, INPUTS[1], INPUTS[0]), 4, "e"),
    "lever at random": (
        lambda: Lever(LeverTask(threshold_hz=4.0), 3, INPUTS[1], INPUTS[0], at_random=True),
        4,
        "e",
    ),
    "patterns": (lambda: RewardedPatterns(PatternTask(), INPUTS[1:], INPUTS[0]), 4, "z"),
    "patterns at random": (
        lambda: RewardedPatterns(PatternTask(), INPUTS[1:], INPUTS[0], True),
        4,
        "z",
    ),
    "bandit": (lambda: Bandit(BanditTask()), 1, "z"),
    "bandit shuffled": (lambda: Bandit(BanditTask(), shuffled=True), 1, "z"),
}


def acted(kind, environment, inputs, name, pieces, seed=3, log=EventLog, **options):
    """A simulation after some acting, with its loop."""
    record = log("spikes")
    sim = Simulation(
        network(kind, inputs, name=name), seed=1, drift_interval_s=0.1, observer=record
    )
    loop = Loop(sim, environment, seed, **options)
    for until_s in pieces:
        loop.run_until(until_s)
    return sim, loop


def assert_same(one, other):
    (sim_1, loop_1), (sim_2, loop_2) = one, other
    assert sim_1.time_s == sim_2.time_s
    np.testing.assert_equal(sim_1.state(), sim_2.state())
    projection = sim_1.network.projections[0].name
    for column in ("time_s", "neuron"):
        np.testing.assert_array_equal(
            sim_1.observer["spikes"][column], sim_2.observer["spikes"][column]
        )
    np.testing.assert_array_equal(sim_1.theta(projection), sim_2.theta(projection))
    for mine, his in zip(sim_1.eligibility(projection), sim_2.eligibility(projection), strict=True):
        np.testing.assert_array_equal(mine, his)
    state_1, state_2 = loop_1.state(), loop_2.state()
    assert state_1.keys() == state_2.keys()
    for key in ("mean_reward", "total_reward", "start_s", "answers"):
        assert state_1[key] == state_2[key], key
    np.testing.assert_array_equal(state_1["seen"], state_2["seen"])
    assert state_1["environment"].keys() == state_2["environment"].keys()
    for key, value in state_1["environment"].items():
        np.testing.assert_array_equal(value, state_2["environment"][key])
    assert sim_1.modulator(sim_1.network.neurons[0].name) == sim_2.modulator(
        sim_2.network.neurons[0].name
    )


@pytest.mark.parametrize("kind", ["circuit", "free"])
@pytest.mark.parametrize("which", ENVIRONMENTS)
def test_compiled_or_asked_by_python_every_bit_is_the_same(which, kind):
    make, inputs, name = ENVIRONMENTS[which]
    pieces = (0.31, 1.0, 2.2, 60.0 if "random" in which else 12.0)
    options = {"dopamine": Dopamine(mean_s=5.0)}
    inside = acted(kind, make(), inputs, name, pieces, **options)
    outside = acted(kind, FromPython(make()), inputs, name, pieces, **options)
    assert inside[1].total_reward > 0
    assert_same(inside, outside)


def test_pieces_change_no_bit_and_another_environment_changes_many():
    whole = acted("free", Follow(), 4, "z", (12.0,))
    parts = acted("free", Follow(), 4, "z", np.linspace(0.017, 12.0, 97))
    assert_same(whole, parts)

    class Other(Follow):
        numbers = (0.3 * (1 + 1e-12),)

    with pytest.raises(AssertionError):
        assert_same(whole, acted("free", Other(), 4, "z", (12.0,)))
    with pytest.raises(AssertionError):
        assert_same(whole, acted("free", Follow(), 4, "z", (12.0,), seed=4))


@pytest.mark.parametrize("kind", ["circuit", "free"])
def test_a_resume_within_a_period_changes_no_bit(kind):
    sim, loop = acted(kind, Follow(), 4, "z", (5.0, 12.0))
    half, begun = acted(kind, Follow(), 4, "z", (5.011,))
    saved = begun.state()
    again = Simulation.from_state(
        half.network, half.state(), saved["rates_hz"], observer=half.observer
    )
    resumed = Loop.restore(again, Follow(), saved)
    resumed.run_until(12.0)
    assert_same((sim, loop), (again, resumed))


LESIONS = {
    "neurons": RemoveNeurons("z", [1, 6]),
    "synapses": RemoveSynapses("x->z", np.arange(32).reshape(8, 4) % 3 == 0, regrow=False),
    "inputs": SilenceInputs("x", [0, 3]),
}


@pytest.mark.parametrize("kind", ["circuit", "free"])
@pytest.mark.parametrize("which", LESIONS)
def test_a_lesion_while_it_acts_changes_no_bit(which, kind):
    def lesioned(environment, pieces, rest):
        sim, loop = acted(kind, environment, 4, "z", pieces)
        sim.lesion(LESIONS[which])
        for until_s in rest:
            loop.run_until(until_s)
        return sim, loop

    lesion_s = 3.011  # within a period
    inside = lesioned(Follow(), (lesion_s,), (8.0,))
    assert inside[1].total_reward > 0
    assert_same(inside, lesioned(FromPython(Follow()), (lesion_s,), (8.0,)))
    assert_same(inside, lesioned(Follow(), (0.5, lesion_s), (lesion_s + 1e-3, 5.5, 8.0)))
    with pytest.raises(AssertionError):
        assert_same(inside, acted(kind, Follow(), 4, "z", (8.0,)))
    with pytest.raises(AssertionError):
        assert_same(inside, lesioned(Follow(), (lesion_s + 0.09,), (8.0,)))


def test_reward_can_be_withheld():
    inside = acted("circuit", Follow(), 4, "z", (3.0,), rewarded=False)
    assert inside[1].total_reward > 0
    assert inside[1].mean_reward == 0
    assert inside[0].modulator("z") == 0.02
    assert_same(inside, acted("circuit", FromPython(Follow()), 4, "z", (3.0,), rewarded=False))


@pytest.mark.parametrize("kind", ["circuit", "free"])
@pytest.mark.parametrize("until_s", [0.3, 0.6, 0.7, 1.2, 1.4, 2.3, 2.8])
def test_answers_that_are_due_a_rounding_later(until_s, kind):
    """3 × 0.1 is not 0.3: time must not go back, and what is saved can be restored."""

    class Tenths(Follow):
        period_s = 0.1

    inside = acted(kind, Tenths(), 4, "z", (until_s, until_s + 0.05))
    assert_same(inside, acted(kind, FromPython(Tenths()), 4, "z", (until_s, until_s + 0.05)))
    sim, loop = acted(kind, Tenths(), 4, "z", (until_s,))
    again = Simulation.from_state(sim.network, sim.state(), loop.state()["rates_hz"])
    np.testing.assert_array_equal(again.theta("x->z"), sim.theta("x->z"))


class Interrupted(EventLog):
    """An observer that interrupts the run once."""

    left = 20

    def take(self, event, columns):
        self.left -= 1
        super().take(event, columns)
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("kind", ["circuit", "free"])
def test_a_loop_stopped_in_between_can_continue(kind):
    whole = acted(kind, Follow(), 4, "z", (12.0,))
    sim, loop = acted(kind, Follow(), 4, "z", (), log=Interrupted)
    with pytest.raises(KeyboardInterrupt):
        loop.run_until(12.0)
    assert 0 < sim.time_s < 12.0
    loop.run_until(12.0)
    assert_same(whole, (sim, loop))


# -- bad answers --------------------


@njit
def turns_bad(state, counts, numbers):
    state[STEP] += 1
    if state[STEP] == 50:
        if numbers[0] == 0:
            return 0, np.nan
        if numbers[0] == 1:
            return 7, 1.0
        if numbers[0] == 2:
            raise ValueError("the lever broke")
    return int(state[STEP]) % 2, 1.0


class TurnsBad(Follow):
    answer = staticmethod(turns_bad)

    def __init__(self, how):
        self.numbers = (how,)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (0.0, r"reward of TurnsBad at 1\.500 s .*nan"),
        (1.0, r"environment TurnsBad at 1\.500 s must answer, .*inputs number 7 .* of 3"),
        (2.0, r"environment TurnsBad at 1\.500 s must answer, .*ValueError: the lever broke"),
    ],
)
@pytest.mark.parametrize("wrapped", [lambda e: e, FromPython], ids=["compiled", "from Python"])
def test_a_bad_answer_ends_the_run_with_one_line(how, words, wrapped):
    class Named(FromPython):
        def describe(self):
            return self._inside.describe()

    wrapped = Named if wrapped is FromPython else wrapped
    sim, loop = acted("free", wrapped(TurnsBad(how)), 4, "z", ())
    with pytest.raises(SynsampError, match=words) as found:
        loop.run_until(10.0)
    assert "\n" not in str(found.value)
    assert sim.time_s == pytest.approx(1.5)
    assert loop.state_of_environment["step"] == 49
    saved = loop.state()
    assert saved["answers"] == 49
    mended = Loop.restore(sim, TurnsBad(3.0), saved)
    mended.run_until(10.0)
    assert_same((sim, mended), acted("free", TurnsBad(3.0), 4, "z", (10.0,)))


def test_an_answer_that_is_another_one_the_second_time_raises_an_error():
    class Moody(TurnsBad):
        def respond(self, state, counts):
            return Response(state, INPUTS[0], 0.0)

    with pytest.raises(SynsampError, match="must depend on its arguments alone"):
        acted("free", Moody(0.0), 4, "z", (10.0,))


def not_compiled(state, counts, numbers):
    return 0, 0.0


@njit
def one_number(state, counts, numbers):
    return 0.5


@njit
def no_index(state, counts, numbers):
    return 0.5, 1.0


@njit
def asks_for_more(state, counts):
    return 0, 1.0


@njit
def divides(state, counts, numbers):
    return 0, 1.0 / counts.sum()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (not_compiled, "must be compiled.*numba.njit"),
        (one_number, r"must be answer\(state, counts, numbers\)"),
        (no_index, r"must be answer\(state, counts, numbers\).*whole number and a float"),
        (asks_for_more, r"must be answer\(state, counts, numbers\)"),
        (divides, r"must be answer\(state, counts, numbers\).*division by zero"),
    ],
)
def test_what_cannot_be_compiled_raises_an_error_before_anything_runs(function, words):
    class Wrong(Follow):
        answer = staticmethod(function)

    with pytest.raises(SynsampError, match=words) as found:
        Loop(Simulation(network("free"), seed=1), Wrong())
    assert "\n" not in str(found.value)


def test_inputs_must_fit_the_network():
    class Wrong(Follow):
        inputs = np.full((2, 5), 3.0)

    with pytest.raises(SynsampError, match=r"rates_hz of Wrong.*'x'.*shape"):
        Loop(Simulation(network("free"), seed=1), Wrong())


def test_a_state_must_be_such_as_it_begins_with():
    sim, loop = acted("free", Follow(), 4, "z", (1.0,))
    saved = loop.state()
    for wrong in (
        {k: v for k, v in saved["environment"].items() if k != "past"},
        {**saved["environment"], "past": np.zeros(3)},
        {**saved["environment"], "showing": 3},
        {k: v for k, v in saved["environment"].items() if k != "showing"},
    ):
        with pytest.raises(SynsampError, match="of Follow must"):
            Loop.restore(sim, Follow(), {**saved, "environment": wrong})

    class Named(Follow):
        def first(self, seed):
            return {**super().first(seed), "showing": 1}

    with pytest.raises(SynsampError, match="must leave the name 'showing' alone"):
        Loop(sim, Named())


def test_neurons_and_inputs_are_checked():
    sim = Simulation(network("free"), seed=1)

    class Twice(Follow):
        neurons = ("z", "z")

    with pytest.raises(SynsampError, match="must name each group of neurons once"):
        Loop(sim, Twice())

    class Unequal(Follow):
        inputs = {"x": INPUTS, "y": INPUTS[:2]}  # noqa: RUF012

    with pytest.raises(SynsampError, match="inputs of Unequal must be as many"):
        Loop(sim, Unequal())


@njit
def spoils(state, counts, numbers):
    numbers[0] += 1.0
    state[1:] += counts.size + 0.5
    return int(state[1]) % 2, numbers[0]


def test_no_neuron_is_watched_and_parameters_are_read_only():
    class Blind(Follow):
        neurons, answer = (), staticmethod(spoils)

        def first(self, seed):
            return {"seed": seed, "table": np.zeros((2, 3))}

    found = [acted("free", e, 4, "z", (0.4, 2.0)) for e in (Blind(), FromPython(Blind()))]
    assert_same(*found)
    assert found[0][1].state_of_environment["table"].shape == (2, 3)
    assert found[0][1].total_reward == pytest.approx(1.3 * 0.03 * 66)


def test_an_exception_of_the_event_loop_is_not_taken_for_an_end(monkeypatch):
    sim, loop = acted("free", Follow(), 4, "z", ())
    monkeypatch.setattr(sim._engine, "_run", lambda *given: 0)
    with pytest.raises(SynsampError, match="compiled code raised"):
        loop.run_until(1.0)


# -- random numbers --------------------


def test_drawn_numbers_are_uniform_and_depend_on_all_that_is_given():
    n = 20_000
    for vary in range(3):
        given = np.zeros((n, 3))
        given[:, vary] = np.arange(n)
        found = np.array([drawn(*row) for row in given])
        assert 0 <= found.min() < found.max() < 1
        counts = np.histogram(found, 50, (0, 1))[0]
        chi2 = ((counts - n / 50) ** 2 / (n / 50)).sum()
        assert chi2 < 49 + 4 * np.sqrt(2 * 49)
        following = np.corrcoef(found[:-1], found[1:])[0, 1]
        assert abs(following) < 4 / np.sqrt(n)
    assert len({drawn(*row) for row in np.eye(3)} | {drawn(0, 0, 0)}) == 4
    assert drawn(1, 2) == drawn(1.0, 2) == drawn(1, 2.0, 0)
    assert Follow().start(2**53 + 1).state["seed"] == 1
