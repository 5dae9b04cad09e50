"""Figure 4: its parameters, its run, its measures, and claims that can fail."""

from __future__ import annotations

import os

import numpy as np
import pytest

from synsamp.errors import SynsampError
from synsamp.experiments.adaptation.experiment import EXPERIMENT, AdaptationParameters
from synsamp.experiments.adaptation.figures import draw
from synsamp.experiments.adaptation.job import PhasesJob
from synsamp.experiments.adaptation.measures import (
    PhaseCourse,
    candidate_inputs,
    comeback,
    new_inputs,
    one_synapse,
    tuning,
)
from synsamp.experiments.adaptation.phases import DigitPhase
from synsamp.experiments.adaptation.stdp import measure_stdp
from synsamp.experiments.shared.digit_circuit import RuleSection
from synsamp.runs import execute, resume
from synsamp.runs.execute import parameters_of
from synsamp.runs.overrides import override
from synsamp.runs.parallel.workers import Workers
from toys.stopping import stop_after

TINY = ["phase_s=200", "snapshot_every_s=100", "seeds=2", "probe_s=5", "circuit.neurons=4"]


def seal(folder):
    return (folder.path / "results.sha256").read_text()


def held(folder):
    return {claim.id: claim.holds for claim in folder.claims()}


# -- phases and parameters ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "digits", "lengths"),
    [
        ("1;1,2;1", [(1,), (1, 2), (1,)], [None, None, None]),
        ("1; 2,1@6000 ;1", [(1,), (2, 1), (1,)], [None, 6000.0, None]),
        ("1", [(1,)], [None]),
        ("1,2", [(1, 2)], [None]),
    ],
)
def test_phases_are_read_as_one_writes_them(text, digits, lengths):
    found = override(EXPERIMENT.presets["paper"], [f"phases={text}", "snapshot_every_s=1000"])
    assert [phase.digits for phase in found.phases] == digits
    assert [phase.duration_s for phase in found.phases] == lengths


def test_phases_come_from_a_file_and_stay_without_it(tmp_path):
    path = tmp_path / "phases.txt"
    path.write_text("1        # to begin with\n1,2 @ 2000\n\n1\n")
    found = override(EXPERIMENT.presets["paper"], [f"phases={path}"])
    assert found.phases == (
        DigitPhase(digits=(1,)),
        DigitPhase(digits=(1, 2), duration_s=2000.0),
        DigitPhase(digits=(1,)),
    )
    path.unlink()
    assert AdaptationParameters.model_validate(found.model_dump(mode="json")) == found


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("phases=1;;x", "must be like"),
        ("phases=nowhere.txt", "readable text file"),
        ("phases=;", "at least one phase"),
        ("phases=1;3", "data=mnist"),
        ("phases=1;12", "less than or equal to 9"),
        ("phases=1@1500", "multiple of snapshot_every_s"),
        ("snapshot_every_s=150", "multiple of 100 s"),
        ("rule.b=0", "greater than or equal to"),
    ],
)
def test_bad_parameters_are_refused_in_words(setting, words):
    with pytest.raises(SynsampError, match=words):
        override(EXPERIMENT.presets["paper"], [setting])


# -- measures on made-up arrays -------------------------------------------------------------------

COURSE = PhaseCourse((2, 4, 6), (0, 20, 40), (20, 40, 60), ((1,), (1, 2), (1,)), 1, 2, 2)
INK = np.array([[0.9, 0.0, 0.0, 0.03, 0.0], [0.9, 0.8, 0.3, 0.9, 0.0]])


def test_inputs_are_sorted_by_the_images_alone():
    assert new_inputs(INK, (1, 2), COURSE).tolist() == [False, True, True, True, False]
    # The fourth is bright for the new digit but not background for the old one.
    assert candidate_inputs(INK, INK, (1, 2), COURSE).tolist() == [1, 2, 4]
    # What counts is how much brighter an input is for the new digit than it was for the old ones.
    mean = np.array([[0.0, 0.4, 0.0, 0.1, 0.0], [0.2, 0.7, 0.6, 0.3, 0.0]])
    assert candidate_inputs(mean, 0 * INK, (1, 2), COURSE)[:3].tolist() == [2, 1, 0]


def test_comeback_counts_what_was_eliminated_and_is_back():
    theta = np.full((7, 1, 5), -1.0)
    theta[0] = [[1, 1, 1, -1, 1]]
    theta[2] = [[1, -1, -1, -1, -1]]
    theta[4] = [[1, 1, -1, 1, 1]]
    control = np.array([[1, -1, -1, -1, 1.0]])
    found = comeback(theta, control, new_inputs(INK, (1, 2), COURSE), COURSE)
    assert (found["eliminated"], found["back"], found["back_control"]) == (3, 2, 1)
    assert (found["eliminated_at_new"], found["back_at_new"]) == (2, 1)
    assert found["back_control_at_new"] == 0


def test_the_synapse_is_chosen_in_mid_phase_and_judged_after():
    trace = np.full((61, 2, 2), -1.0)
    trace[25:, 1, 1] = 2.0  # grows in phase 2 and stays
    trace[45:, 1, 1] = -1.0
    trace[50, 1, 1] = 0.5  # one probe in phase 3
    trace[35:, 1, 0] = 9.0  # larger, but later
    share = np.zeros((7, 2))
    share[3] = [0.2, 0.9]
    share[4] = [0.95, 0.1]
    found = one_synapse(trace, share, COURSE)
    assert (found["neuron"], found["candidate"]) == (1, 1)
    assert found["late_active_new"] == 1.0
    assert found["late_losses_new"] == 0
    assert found["regrowths_after"] == 1
    assert found["late_active_before"] == 0.0


def test_a_neuron_has_turned_only_with_spikes_and_weights():
    mean = np.array([[1.0, 0, 0, 0, 0], [0, 1.0, 1.0, 0, 0]])
    theta = np.full((1, 3, 5), -4.0)
    theta[0, 0, 1:3] = 3.0  # looks like 2 and answers to it
    theta[0, 1, 0] = 3.0  # looks like 1, answers to 2
    theta[0, 2, 1:3] = 3.0  # looks like 2, answers to both
    spikes = np.array([[[1, 99], [1, 99], [50, 50]]])
    found = tuning(spikes, theta, 3.0, mean, (1, 2), COURSE)
    assert found["turned"].tolist() == [[1.0, 0.0, 0.0]]


def test_a_neuron_must_look_more_like_the_new_digit_than_like_any_other():
    mean = np.eye(3)
    theta = np.full((2, 3, 3), -4.0)
    for neuron in range(3):
        theta[:, neuron, neuron] = 3.0  # neuron k looks like digit k
    spikes = np.zeros((2, 3, 3))
    spikes[..., 1] = 9.0  # all answer to 2
    found = tuning(spikes, theta, 3.0, mean, (1, 2, 3), COURSE)
    assert found["turned"].tolist() == [[0.0, 1.0, 0.0]] * 2


# -- the rule's timing curve in the engine --------------------------------------------------------


def test_the_engine_follows_the_timing_curve():
    stdp = measure_stdp(RuleSection(), np.random.SeedSequence(1))
    # Away from the steep rise a bin's mean is the law at its middle.
    flat = (stdp.lag.values < 0) | (stdp.lag.values > 0.008)
    lag = stdp.lag.values[flat]
    for k in range(stdp.sizes["weight"]):
        law = np.interp(lag, stdp.fine_lag.values, stdp.sparse_law.values[k])
        # What is left of the spike before last: at most e^(−0.2/0.02); and the middle of the bin.
        assert np.abs(stdp.sparse.values[k][flat] - law).max() < 0.02
    law = np.interp(lag, stdp.fine_lag.values, stdp.pairing_law.values)
    z = (stdp.pairing.values[flat] - law) / stdp.pairing_error.values[flat]
    assert np.abs(z).max() < 5.0
    wrong = law + 0.1  # control: the test would see a tenth of the EPSP
    z = (stdp.pairing.values[flat] - wrong) / stdp.pairing_error.values[flat]
    assert np.abs(z).max() > 5.0


# -- runs -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("tiny") / "run", settings=TINY)


def test_a_run_records_what_the_figure_needs(tiny):
    results = tiny.results()
    circuits = results["circuits"]
    assert circuits.theta.shape == (2, 7, 4, 784)
    assert circuits.active.shape == (2, 61, 4)
    # What was counted on the grid is what the snapshots hold.
    counted = (circuits.theta.values > 0).sum(axis=-1)
    assert (circuits.active.values[:, ::10] == counted).all()
    change = circuits.born.values - circuits.died.values
    assert (np.diff(counted.sum(axis=-1), axis=1) == change).all()
    assert (circuits.spikes.values.sum(axis=(2, 3)) > 200).all()
    assert set(EXPERIMENT.captions) == set("ABCDEFGH")


def test_its_figures_are_drawn(tiny):
    figures = draw(parameters_of(EXPERIMENT, tiny), tiny.results())
    assert sorted("".join(figures)) == list("ABCDEFGH")


def test_worker_processes_do_not_change_a_bit(tiny, tmp_path):
    with Workers(count=2) as workers:
        folder = execute(EXPERIMENT, tmp_path / "two", settings=TINY, workers=workers)
    assert seal(folder) == seal(tiny)


@pytest.mark.parametrize("steps", [4, 8, 13])
def test_a_stopped_run_ends_in_the_same_bits(tiny, tmp_path, monkeypatch, steps):
    """Stopped in the first phase, in the control, between phases, and in the second circuit."""
    stop_after(monkeypatch, PhasesJob, steps)
    with pytest.raises(KeyboardInterrupt):
        execute(EXPERIMENT, tmp_path / "run", settings=TINY)
    assert list((tmp_path / "run" / "checkpoints").iterdir())
    monkeypatch.undo()
    assert seal(resume(EXPERIMENT, tmp_path / "run")) == seal(tiny)


def test_phases_without_a_new_digit_are_judged_on_what_they_can_show(tmp_path):
    settings = [*TINY, "phases=1;1", "seeds=1"]
    folder = execute(EXPERIMENT, tmp_path / "run", settings=settings)
    assert set(held(folder)) == {"background-eliminated", "relevant-survive", "turnover-goes-on"}
    draw(parameters_of(EXPERIMENT, folder), folder.results())


def test_without_the_likelihood_the_claims_fail(tmp_path):
    settings = ["phase_s=1000", "snapshot_every_s=500", "seeds=1", "probe_s=20", "rule.N=0"]
    found = held(execute(EXPERIMENT, tmp_path / "run", settings=settings))
    for claim in ("background-eliminated", "relevant-survive", "few-active", "neurons-turn"):
        assert not found[claim]
    assert not found["eliminated-return"]


@pytest.mark.statistical
def test_one_circuit_shows_the_effects(tmp_path):
    folder = execute(EXPERIMENT, tmp_path / "run", settings=["seeds=1"], seed=11)
    found = held(folder)
    for claim in ("background-eliminated", "relevant-survive", "few-active", "turnover-goes-on"):
        assert found[claim]
    assert found["eliminated-return"]
    assert found["weights-turn"]


@pytest.mark.skipif(
    "SYNSAMP_DATA" not in os.environ, reason="needs the full MNIST: set SYNSAMP_DATA"
)
def test_any_digits_of_the_full_set(tmp_path):
    settings = [*TINY, "phases=0;0,7;0", "data=mnist", "seeds=1"]
    folder = execute(EXPERIMENT, tmp_path / "run", settings=settings)
    assert folder.results()["circuits"].digit.values.tolist() == [0, 7]
    assert "digit 7" in " ".join(claim.statement for claim in folder.claims())
