"""Fig. 5 in small: wiring, lesions, controls, a whole run in a folder, stopping and continuing."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from pydantic import ValidationError
from rich.console import Console

from synsamp.data.digit_pairs import build_stimuli
from synsamp.paper.fig5_compensation.analysis import LESIONS, NOISE, NONE
from synsamp.paper.fig5_compensation.experiment import EXPERIMENT, load_pairs
from synsamp.paper.fig5_compensation.figures import draw
from synsamp.paper.fig5_compensation.parameters import CompensationParameters, ScheduleSection
from synsamp.paper.fig5_compensation.protocol import (
    AUDITORY,
    CIRCUITS,
    VISUAL,
    Hidden,
    build_network,
    compensation_protocol,
    connections_removed,
    lateral_theta,
    neurons_removed,
    tuned_to_second,
    tuning,
    tuning_trials,
)
from synsamp.paper.shared.digit_circuit import SpikingRule, build_synapses
from synsamp.priors import Gaussian
from synsamp.protocol import Branch, Change, Lesion, Mark, Show, View
from synsamp.runs.execute import carry_out, describe_run, execute, parameters_of, resume
from synsamp.runs.parallel.tasks import StoppedError
from synsamp.runs.storage.folder import RunFolder
from synsamp.runs.storage.results import open_results
from synsamp.seeds import named_seed
from synsamp.spiking import Simulation

SETTINGS = (
    "input.speech=embedded",
    "circuit.neurons=4",
    "schedule.learning_s=200",
    "schedule.after_lesion_1_s=100",
    "schedule.after_lesion_2_s=200",
    "schedule.no_lesion_s=100",
    "schedule.frozen_1_s=100",
    "schedule.frozen_2_s=100",
    "schedule.noise_off_1_s=100",
    "schedule.noise_off_2_s=100",
    "schedule.likelihood_2_s=100",
    "test.every_s=100",
    "test.blocks=2",
    "test.block_s=12",
    "test.burn_in_s=2",
    "test.tuning_s=20",
    "test.significance=0.999",  # so that so short a test finds some neurons
)
CONTROLS = {
    "plasticity_off_1",
    "noise_off_1",
    "plasticity_off_2",
    "noise_off_2",
    "likelihood_alone_2",
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The whole protocol with every branch, in a folder."""
    where = tmp_path_factory.mktemp("compensation") / "run"
    return execute(EXPERIMENT, where, preset="paper", settings=SETTINGS, seed=3)


@pytest.fixture(scope="module")
def parameters(tiny):
    return parameters_of(EXPERIMENT, tiny)


@pytest.fixture(scope="module")
def results(tiny):
    return {name: data.load() for name, data in open_results(tiny.path).items()}


@pytest.fixture(scope="module")
def pairs(parameters):
    return load_pairs(parameters.input, 1)


@pytest.fixture(scope="module")
def stimuli(parameters, pairs):
    shown = parameters.input
    return build_stimuli(pairs, shown.image_peak_hz, shown.noise_hz, shown.padding_s)


def manifest(folder):
    return (folder.path / "results.manifest").read_text()


def network(parameters, pairs, **options):
    synapses = build_synapses(SpikingRule(**options))
    return build_network(
        pairs.n_heard, pairs.n_seen, parameters.circuit, synapses, parameters.lateral
    )


# -- the network --------------------


def test_wiring_is_that_of_the_paper():
    p = EXPERIMENT.presets["paper"]
    built = build_network(770, 784, p.circuit, build_synapses(p.rule), p.lateral)
    assert built.n_neurons == 80
    lateral = [q for q in built.projections if q.source in CIRCUITS]
    possible = sum(int(built.mask_of(q).sum()) for q in lateral)
    assert possible == 80 * 79  # no neuron to itself
    assert {q.delay_s for q in lateral} == {0.005}
    ears = {q.target for q in built.projections if q.source == "x_A"}
    eyes = {q.target for q in built.projections if q.source == "x_V"}
    assert (ears, eyes) == (set(AUDITORY), set(VISUAL))
    assert len({q.synapses for q in built.projections}) == 1


def test_hidden_neurons_are_numbered_circuit_by_circuit():
    hidden = Hidden(10)
    assert (hidden.n, hidden.auditory[-1], hidden.visual[0]) == (80, 39, 40)
    assert hidden.rows(4) == slice(40, 50)


def test_lesions_remove_and_forbid(parameters, pairs, stimuli):
    hidden = Hidden(parameters.circuit.neurons)
    sim = Simulation(
        network(parameters, pairs), stimuli.learning, seed=3, sync_interval_s=10.0
    ).run(20.0)
    for lesion in neurons_removed(hidden, [17, 30]):
        sim.lesion(lesion)
    theta = lateral_theta(sim)
    assert np.isnan(theta[[17, 30]]).all()
    assert np.isnan(theta[:, [17, 30]]).all()
    assert (~sim.alive).nonzero()[0].tolist() == [17, 30]
    functional = theta > 0
    for lesion in connections_removed(hidden, functional):
        sim.lesion(lesion)
    sim.run(100.0)
    later = lateral_theta(sim)
    assert np.isnan(later[functional]).all()
    grown = later > 0
    assert grown.any()  # what was retracted may grow
    assert (theta[grown] <= 0).all()


def test_tuned_neurons_are_those_that_answer_to_the_second_digit(parameters, pairs, stimuli):
    """Fields painted by hand: neuron 0 of each visual circuit sees twos, neuron 1 ones."""
    ones, twos = pairs.mean_images
    theta = {f"{source}->{target}": -1.0 for source in CIRCUITS for target in CIRCUITS}
    for name in VISUAL:
        field = np.full((4, 784), -1.0)
        field[0] = np.where(twos > ones + 0.15, 2.5, -1.0)
        field[1] = np.where(ones > twos + 0.15, 2.5, -1.0)
        theta[f"x_V->{name}"] = field
    built = network(parameters, pairs)
    sim = Simulation(built, stimuli.learning, seed=5, sync_interval_s=10.0, theta=theta)
    section = parameters.test.model_copy(update={"tuning_s": 120.0, "significance": 0.05})
    view = View(sim, "", partial(named_seed, 11))
    shown = tuning_trials(view, stimuli, section)
    found = tuned_to_second(shown, Hidden(4), section)
    assert set(found) >= {16, 20, 24, 28}
    assert not set(found) & {17, 21, 25, 29}
    counted = tuning(Hidden(4), stimuli, section)(view)
    assert int(counted["tuned"]) == found.size
    assert int(counted["tuned_shuffled"]) == 0  # the null of the same test


@pytest.mark.parametrize("learn", [True, False])
def test_the_likelihood_acts_on_retracted_synapses_only_if_set(parameters, pairs, stimuli, learn):
    """T = 0 and no prior: nothing but the likelihood can move θ."""
    start = {f"{s}->{t}": -0.5 for s in CIRCUITS for t in CIRCUITS}
    start |= {f"x_V->{t}": 0.5 for t in VISUAL} | {f"x_A->{t}": 0.5 for t in AUDITORY}
    built = network(parameters, pairs, temperature=0.0, learn_when_retracted=learn)
    sim = Simulation(built, stimuli.learning, seed=3, sync_interval_s=10.0, theta=start)
    sim.change({p.name: {"prior": Gaussian(0.5, 1e6)} for p in built.projections})
    sim.run(20.0)
    lateral = lateral_theta(sim)
    moved = np.abs(lateral[np.isfinite(lateral)] + 0.5).max()
    assert (moved > 1e-3) == learn
    assert np.abs(sim.theta("x_V->V0") - 0.5).max() > 1e-3  # functional ones always do


# -- the schedule --------------------


def test_the_paper_preset_has_both_lesions_and_every_control(pairs):
    protocol = compensation_protocol(EXPERIMENT.presets["paper"], pairs)
    steps = protocol.steps
    assert sum(step.duration_s for step in steps if isinstance(step, Show)) > 7 * 3600
    branches = {step.name: step for step in steps if isinstance(step, Branch)}
    assert set(branches) == CONTROLS | {"no_lesion"}
    order = [s.name[:2] for s in steps if isinstance(s, (Mark, Lesion))]
    assert order == ["t1", "1:", "t2", "2:", "t3", "t4"]
    every = [p.name for p in protocol.network.projections]
    for name, branch in branches.items():
        changes = [s for s in branch.steps if isinstance(s, Change)]
        numbers = [c.numbers for c in changes]
        assert all(c.projections == every for c in changes)
        if name.startswith("plasticity_off"):
            assert numbers == [{"speed": 0.0}]
        elif name.startswith("noise_off"):
            assert numbers == [{"temperature": 0.0}]
        elif name == "likelihood_alone_2":
            assert numbers[0]["temperature"] == 0.0
            assert abs(numbers[0]["prior"].gradient(-5.0)) < 1e-9
        else:
            assert numbers == []


def test_the_two_readings_differ_in_the_rule_for_retracted_synapses_alone():
    printed, retracted = (EXPERIMENT.presets[n] for n in ("paper", "paper_retracted"))
    other = retracted.rule.model_copy(update={"learn_when_retracted": True})
    assert printed.rule.learn_when_retracted
    assert not retracted.rule.learn_when_retracted
    assert retracted.model_copy(update={"rule": other}) == printed
    assert EXPERIMENT.trials["paper"] == EXPERIMENT.trials["paper_retracted"] == 8


@pytest.mark.parametrize("change", [{"temperature": 0.0}, {"speed": 0.0}])
def test_controls_keep_potentials_and_adaptation(parameters, pairs, stimuli, change):
    """A control differs from the network in what it is meant to, and in nothing else."""
    built = network(parameters, pairs)
    sim = Simulation(built, stimuli.learning, seed=3, sync_interval_s=10.0).run(20.0)
    control = Simulation.from_state(built, sim.state(), stimuli.learning)
    control.change({p.name: change for p in built.projections})
    for name in CIRCUITS:
        assert np.abs(sim.potentials(name)).max() > 0.1
        assert np.array_equal(control.potentials(name), sim.potentials(name))
    for name in (p.name for p in built.projections):
        assert np.array_equal(control.theta(name), sim.theta(name), equal_nan=True)


def test_the_quick_preset_has_three_marks_and_one_lesion(pairs):
    protocol = compensation_protocol(EXPERIMENT.presets["quick"], pairs)
    order = [s.name[:2] for s in protocol.steps if isinstance(s, (Mark, Lesion))]
    assert order == ["t1", "1:", "t2", "t3"]


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ({"learning_s": 250.0}, "multiple of test.every_s = 900 s, not 250"),
        ({"no_lesion_s": 1000.0}, "schedule.no_lesion_s must be a multiple"),
        ({"after_lesion_2_s": 0.0, "likelihood_2_s": 0.0, "frozen_2_s": 0.0}, "noise_off_2_s must"),
        ({"after_lesion_2_s": 0.0, "noise_off_2_s": 0.0, "likelihood_2_s": 0.0}, "frozen_2_s must"),
    ],
)
def test_schedules_that_do_not_fit_raise_an_error(schedule, words):
    with pytest.raises(ValidationError, match=words):
        CompensationParameters.model_validate({"schedule": schedule})


def test_too_short_a_schedule_and_an_odd_grid_raise_an_error():
    none = dict.fromkeys(("noise_off_2_s", "likelihood_2_s", "frozen_2_s"), 0.0)
    with pytest.raises(ValidationError, match="at least 200 s"):
        ScheduleSection(after_lesion_1_s=100.0, after_lesion_2_s=0.0, **none)
    with pytest.raises(ValidationError, match="multiple of 100 s"):
        CompensationParameters.model_validate({"test": {"every_s": 150.0}})


# -- the whole run --------------------


def test_every_branch_is_tested_at_its_start_and_end(results):
    tests = results["recall"]
    for branch in CONTROLS | {"no_lesion"}:
        own = tests.isel(test=tests.branch.values == branch)
        start = {"1": 200.0, "2": 300.0}.get(branch[-1], 200.0)
        assert own.time.values.tolist() == [start, start + 100.0]
    main = tests.isel(test=tests.branch.values == "main")
    assert main.time.values == pytest.approx([0, 100, 200, 200, 300, 300, 400, 500], rel=1e-12)
    assert main.lesions.values.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    for name in ("recall", "heard", "heard_shuffled", "likeness"):
        assert np.isfinite(tests[name]).all(), name
    assert np.isfinite(tests.recall_fixed.values[2:]).all()


def test_lesions_remove_what_they_say(results):
    test, theta = results["network/test"], results["network/theta"]
    alive = test.alive.values
    assert alive[:3].all()
    gone = ~alive[3]
    assert 0 < gone.sum() < 16
    assert not gone[:16].any()  # z_A is spared
    steps = results["network/steps"]
    logged = [
        json.loads(chosen)
        for chosen, what in zip(steps.chosen.values, steps.what.values, strict=True)
        if what.startswith("lesion 1")
    ]
    said = [int(one["circuit"][1]) * 4 + 16 + k for one in logged[0] for k in one["neurons"]]
    assert sorted(said) == np.flatnonzero(gone).tolist()
    before, after = theta.theta.values[np.isclose(theta.time.values, 300.0, rtol=1e-12)]
    assert (np.isnan(after) == (np.isnan(before) | (before > 0))).all()
    tests = results["recall"].isel(test=slice(5, 6))
    assert int(tests.connections[0]) == 0
    assert int(tests.allowed[0]) == int(np.isfinite(after).sum())
    removed = np.nansum(before > 0) / np.isfinite(before).sum()
    assert results["measures"].removed_share == pytest.approx(removed)
    assert results["measures"].tuned == gone.sum()


def test_controls_begin_where_the_network_was_struck(results):
    tests = results["recall"]
    for lesion, row in ((1, 3), (2, 5)):
        for branch in (a for a in CONTROLS if a.endswith(str(lesion))):
            first = tests.isel(test=np.flatnonzero(tests.branch.values == branch)[0])
            assert first.connections == tests.connections[row]
            assert first.allowed == tests.allowed[row]


def test_controls_do_what_they_say(results):
    """With b = 0 nothing moves; T = 0 and the likelihood alone move θ, each in its own way."""
    tests = results["recall"]
    grown = {
        branch: tests.connections.values[tests.branch.values == branch]
        for branch in ("main", *sorted(CONTROLS))
    }
    for lesion in (1, 2):
        first, last = grown[f"plasticity_off_{lesion}"]
        assert first == last
    assert grown["noise_off_2"][1] > 0
    assert grown["noise_off_2"][1] != grown["likelihood_alone_2"][1]
    theta = results["network/no_lesion/theta"]
    trunk = results["network/theta"]
    assert np.array_equal(theta.theta.values[0], trunk.theta.values[2], equal_nan=True)


def test_results_are_drawn_and_measured(parameters, results):
    compared = results["path"].reindex(path=[LESIONS, NONE, NOISE], fill_value=1.5)
    for runs in ([results], [results, results], [results | {"path": compared}] * 2):
        figures = draw(parameters, runs)
        assert set(figures) == {"AB", "C", "D", "S1A"}
    # the separation of epochs is drawn if there are paths without lesions
    labels = [axes.get_ylabel() for axes in figures["C"].get_axes()]
    assert "between / within epochs" in labels
    claimed = {claim.key for claim in EXPERIMENT.claims}
    claimed |= {claim.null_key for claim in EXPERIMENT.claims if claim.null_key}
    # too short for a drift over hours and for the half hours around a lesion
    drifts = ("drift_A", "drift_V", "sequence_drift")
    missing = {f"{drift}{end}" for drift in drifts for end in ("", "_without_plasticity")}
    missing |= {f"moved_{n}{end}" for n in (1, 2) for end in ("", "_by_noise")}
    assert claimed - set(results["measures"].data_vars) == missing


def test_a_run_stopped_in_branches_and_resumed_is_bit_identical(tiny, tmp_path):
    """Stopped within the control without lesions, then within one without noise."""

    def stop_after(share, done):
        if done > share:
            raise StoppedError

    asked, out = describe_run(EXPERIMENT, "paper", SETTINGS, 3), tmp_path / "run"
    for share, begin in (
        (0.2, lambda: RunFolder.create(out, asked, False)),
        (0.65, lambda: RunFolder.reopen(out)),
    ):
        with begin() as folder, pytest.raises(StoppedError):
            carry_out(EXPERIMENT, folder, Console(quiet=True), report=partial(stop_after, share))
    again = resume(EXPERIMENT, out, Console(quiet=True))
    assert manifest(again) == manifest(tiny)
