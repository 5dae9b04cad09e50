"""A session is determined by scene, seed, settings and log: nothing else changes its run."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from synsamp.errors import SynsampError
from synsamp.lab import draws
from synsamp.lab.marks import MOST, Marks
from synsamp.lab.readout import decoded
from synsamp.lab.scenes import SCENES
from synsamp.lab.session import FrameView, Session
from synsamp.models.landscape import Landscape
from synsamp.priors import Gaussian
from synsamp.rule import Chains, Rule

ALL = frozenset(FrameView().want)
LESION = {"kind": "lesion", "what": "neurons", "population": "z", "members": [2, 5]}


def opened(scene="digits", seed=4, **options):
    return Session(SCENES[scene](), seed, **options)


class Spikes:
    """All spikes of a model's simulation, read through the frames."""

    def __init__(self):
        self.times, self.neurons = [], []

    def take(self, session, prefix=""):
        arrays = session.look(FrameView(want=ALL)).arrays
        self.times.append(arrays[f"{prefix}spike_time"])
        self.neurons.append(arrays[f"{prefix}spike_neuron"])

    @property
    def all(self):
        return np.concatenate(self.times), np.concatenate(self.neurons)


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])


def acted(session, ticks=60):
    """A session with a knob turned, a picture, a lesion and a probe on its way."""
    for tick in range(ticks):
        if tick == 10:
            session.act({"kind": "set", "name": "temperature", "value": 0.3})
            session.act({"kind": "set", "name": "data_size", "value": 40.0})
        if tick == 20:
            session.act({"kind": "draw", "picture": [0.5] * 784})
        if tick == 30:
            session.act({"kind": "draw", "picture": None})
            session.act(LESION)
            session.act({"kind": "set", "name": "stimuli", "value": [2]})
        yield tick


@pytest.fixture(scope="module")
def plain():
    """A session without frames: θ and all spikes of 60 ticks."""
    session = opened()
    for _ in acted(session):
        session.advance()
    spikes = Spikes()
    spikes.take(session)
    return session, spikes.all


def test_frames_probes_and_pace_do_not_change_the_run(plain):
    session, (times, neurons) = plain
    looked, spikes = opened(), Spikes()
    for tick in acted(looked):
        if tick % 7 == 0:
            looked.act({"kind": "probe"})
        looked.advance()
        for _ in range(tick % 3):
            looked.theta()
            spikes.take(looked)
    spikes.take(looked)
    same(looked.theta(), session.theta())
    assert times.size > 1000
    np.testing.assert_array_equal(spikes.all[0], times)
    np.testing.assert_array_equal(spikes.all[1], neurons)


def test_the_log_repeats_the_session(plain):
    session, (times, _) = plain
    again, spikes = opened(actions=session.log), Spikes()
    again.advance(60)
    spikes.take(again)
    same(again.theta(), session.theta())
    np.testing.assert_array_equal(spikes.all[0], times)
    assert again.log == session.log
    other = opened(seed=5, actions=session.log)
    other.advance(60)
    assert not np.array_equal(other.theta()["x->z"], session.theta()["x->z"])


@pytest.mark.parametrize("back", [0, 25, 45])
def test_a_session_continues_from_any_moment_as_if_it_had_not_gone_back(plain, back):
    session, _ = plain
    wandering = opened()
    wandering.scene.mark_every = 20
    for _ in acted(wandering, 50):
        wandering.advance()
    wandering.act({"kind": "set", "name": "speed", "value": 3e-3})
    wandering.advance(5)
    wandering.goto(back)
    assert wandering.look(FrameView()).arrays["spike_time"].size == 0
    assert wandering.tick == back
    assert all(action["tick"] < back for action in wandering.log)
    for action in session.log:
        if action["tick"] >= back:
            wandering.advance(action["tick"] - wandering.tick)
            wandering.act({name: value for name, value in action.items() if name != "tick"})
    wandering.advance(60 - wandering.tick)
    same(wandering.theta(), session.theta())
    assert wandering.log == session.log


def test_the_twin_is_the_network_without_the_lesion():
    lesioned, whole = opened(), opened()
    for session in (lesioned, whole):
        session.advance(15)
    lesioned.act(LESION)
    for session in (lesioned, whole):
        session.act({"kind": "set", "name": "prior.mean", "value": -0.5})
        session.advance(25)
    found = lesioned.theta()
    np.testing.assert_array_equal(found["twin.x->z"], whole.theta()["x->z"])
    assert np.isnan(found["x->z"][[2, 5]]).all()
    assert np.isfinite(found["x->z"][[0, 1]]).all()
    assert not np.array_equal(found["x->z"][0], found["twin.x->z"][0])
    alive = lesioned.look(FrameView(want=ALL)).arrays
    assert alive["alive"].tolist() == [1, 1, 0, 1, 1, 0, 1, 1, 1, 1]
    assert alive["twin.alive"].all()


@pytest.mark.parametrize(
    ("name", "value"),
    [("speed", 2e-4), ("temperature", 2.0), ("data_size", 7.0), ("prior.mean", 1.0),
     ("prior.std", 0.5), ("clip", 2.0)],
)  # fmt: skip
def test_a_knob_changes_the_parameter_that_it_names(name, value):
    session = opened()
    session.act({"kind": "set", "name": name, "value": value})
    assert session.pending == {name: value}
    session.advance()
    assert session.settings[name] == value
    model = session.network.simulation.network.projection("x->z").synapses
    found = {
        "speed": model.speed,
        "temperature": model.temperature,
        "data_size": model.plasticity.data_size,
        "prior.mean": model.prior.mean,
        "prior.std": model.prior.std,
        "clip": model.plasticity.clip.limit,
    }
    for knob in session.scene.knobs:
        if knob.name in found:
            assert found[knob.name] == (value if knob.name == name else knob.value)


def test_stimuli_choose_what_is_shown_and_a_restart_knob_only_opens():
    session = opened(settings={"stimuli": [1], "learn_when_retracted": False})
    session.advance(8)
    assert session.look(FrameView()).values["label"] == 1
    plasticity = session.network.simulation.network.projection("x->z").synapses.plasticity
    assert plasticity.learn_when_retracted is False
    session.act({"kind": "set", "name": "stimuli", "value": [2]})
    session.advance(8)
    assert session.look(FrameView()).values["label"] == 2
    with pytest.raises(SynsampError, match="open a new session"):
        session.act({"kind": "set", "name": "learn_when_retracted", "value": True})


def test_a_lesion_is_followed_by_a_test_of_both_networks():
    session = opened()
    session.advance(5)
    session.act(LESION)
    session.advance(1)
    (probe,) = (event for event in session.events if event["type"] == "probe")
    assert probe["tick"] == 5
    means = {name: np.array(found["mean"]) for name, found in probe["values"].items()}
    assert (means["network"][LESION["members"]] == 0).all()
    assert (means["twin"][LESION["members"]] > 0).any()


def test_a_lesion_that_fails_changes_nothing_and_is_reported():
    session, untouched = opened(), opened()
    session.advance(5)
    session.act({**LESION, "members": list(range(10))})
    session.act({**LESION, "members": [99]})
    session.act({"kind": "lesion", "what": "synapses", "projection": "nothing"})
    assert [action["tick"] for action in session.waiting] == [5, 5, 5]
    session.advance(5)
    untouched.advance(10)
    same(session.theta(), untouched.theta())
    assert [event["type"] for event in session.events].count("error") == 3
    assert [event["type"] for event in session.events].count("probe") == 0
    assert session.log == session.waiting == []


def test_synapses_and_inputs_can_be_lesioned():
    session = opened()
    session.advance(5)
    session.act({"kind": "lesion", "what": "synapses", "projection": "x->z", "regrow": False})
    session.act({"kind": "lesion", "what": "inputs", "group": "x", "members": [400, 401]})
    active = session.theta()["x->z"] > 0
    session.advance(1)
    np.testing.assert_array_equal(np.isnan(session.theta()["x->z"]), active)  # others may grow
    shown = session.network.simulation
    assert shown.state()["inputs"]["silenced"]["x"].nonzero()[0].tolist() == [400, 401]


def test_marks_stay_few_and_keep_the_start():
    marks, tick = Marks(10), 0
    while tick < 100_000:
        if marks.due(tick):
            marks.add(tick, tick)
        tick = marks.next_after(tick)
        assert len(marks.ticks) <= MOST
    assert marks.ticks[0] == 0
    assert marks.last_before(50_001) == (max(t for t in marks.ticks if t <= 50_001),) * 2


def test_other_scenes_repeat_and_return():
    for name in ("landscape", "reward", "spines"):
        straight, back = opened(name), opened(name)
        back.scene.mark_every = 2
        straight.advance(6)
        back.advance(5)
        back.look(FrameView())
        back.goto(3)
        back.advance(3)
        same(back.theta(), straight.theta())
        arrays = back.look(FrameView()).arrays
        for array, values in straight.look(FrameView()).arrays.items():
            if array in ("histogram", "survival"):
                np.testing.assert_array_equal(arrays[array], values)


def test_two_senses_repeat_after_both_lesions():
    session = opened("senses")
    session.advance(30)
    session.act({"kind": "lesion", "what": "neurons", "population": None, "members": [41, 42, 79]})
    session.act({"kind": "lesion", "what": "synapses", "projection": "lateral", "regrow": False})
    active = session.theta()["lateral"] > 0
    session.advance(10)
    again = opened("senses", actions=session.log)
    again.advance(40)
    same(again.theta(), session.theta())
    assert active.any()
    assert np.isnan(session.theta()["lateral"][active]).all()
    assert (session.theta()["twin.lateral"][active] > 0).mean() > 0.5
    assert np.flatnonzero(session.look(FrameView()).arrays["alive"] == 0).tolist() == [41, 42, 79]


# -- random numbers and distributions --------------------


def test_draws_are_those_of_the_table_that_javascript_uses():
    table = json.loads((files("synsamp.lab") / "static/engine/draws.json").read_text())
    for row in table["draws"]:
        found = draws.uniforms(row["seed"], row["number"], 1, row["stream"])
        assert found[0] == row["value"]
    normal, whole = table["normals"], table["below"]
    found = draws.normals(normal["seed"], len(normal["values"]), normal["stream"])
    np.testing.assert_allclose(found, normal["values"], rtol=1e-15)
    count = len(whole["values"])
    drawn = draws.below(whole["n"], whole["seed"], whole["first"], count, whole["stream"])
    assert drawn.tolist() == whole["values"]


def test_draws_are_uniform_normal_and_independent_between_streams():
    from scipy import stats

    a, b = (draws.uniforms(9, 0, 20_000, stream) for stream in (0, 1))
    assert stats.kstest(a, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(a.size)
    assert abs(np.corrcoef(a[1:], a[:-1])[0, 1]) < 4 / np.sqrt(a.size)
    assert stats.kstest(draws.normals(9, 20_000, 10), "norm").pvalue > 1e-4
    counts = np.bincount(draws.below(7, 3, 0, 20_000, 0), minlength=7)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_the_landscape_takes_the_steps_of_chains():
    session = opened("landscape", seed=3)
    session.advance(40)
    path = session.look(FrameView()).arrays["path"]
    rule = Rule(Landscape().likelihood(), Gaussian(0.0, 1.5), 1.0, 1.0)
    expected = Chains(rule, np.zeros((1, 2)), 0.004, 3).advance(1000, thin=5)[0]
    np.testing.assert_array_equal(path, expected.astype(np.float32))


def test_the_landscape_visits_its_exact_density():
    """Counts in the quadrants of independent sessions; one at another temperature must differ."""

    def quadrants(seed, temperature):
        session = opened("landscape", seed=seed, settings={"temperature": temperature})
        session.advance(8000)
        counts = session.look(FrameView()).arrays["histogram"]
        return counts.reshape(2, 20, 2, 20).sum(axis=(1, 3)).ravel() / counts.sum()

    exact = opened("landscape").network.density()
    expected = exact.reshape(2, 20, 2, 20).sum(axis=(1, 3)).ravel()
    assert exact.sum() == pytest.approx(1.0)

    def worst(shares):
        error = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
        return float(np.max(np.abs(shares.mean(axis=0) - expected) / error))

    assert worst(np.stack([quadrants(seed, 1.0) for seed in range(12)])) < 4.5
    assert worst(np.stack([quadrants(seed, 2.5) for seed in range(12)])) > 4.5


def test_spines_survive_as_predicted():
    """Survival of independent dendrites; at another temperature it must differ."""

    def curves(temperature):
        found = []
        for seed in range(6):
            session = opened("spines", seed=seed, settings={"temperature": temperature})
            session.network.simulation.stimulus = None  # N = 0: input is irrelevant
            session.advance(120)
            found.append(session.look(FrameView()).arrays["survival"][[5, 15, 40]])
        return np.stack(found)

    predicted = opened("spines").network.predicted_survival()[[5, 15, 40]]

    def worst(found):
        error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
        return float(np.max(np.abs(found.mean(axis=0) - predicted) / error))

    assert worst(curves(1.0)) < 4.5
    assert worst(curves(3.0)) > 4.5


def test_the_decoder_is_at_chance_without_knowledge_and_finds_what_is_there():
    rng, labels = np.random.default_rng(1), np.tile([1, 2], 20)
    noise = [decoded(rng.poisson(3.0, (40, 8)), labels) / 40 for _ in range(400)]
    assert abs(np.mean(noise) - 0.5) < 4.5 * np.std(noise) / np.sqrt(len(noise))
    assert decoded(rng.poisson(np.where(labels == 1, 1.0, 9.0)[:, None], (40, 8)), labels) >= 39
