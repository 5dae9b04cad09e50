"""A run killed with SIGKILL ends bit-identically with one that never stopped, wherever it was.

The process that is killed says where it is and waits (see `toy_circuit`), so that the kill comes
exactly there, on any machine.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from toy_circuit import NETWORK_SIZE, pictures

from synsamp.runs.storage.checkpoint import read_checkpoint
from synsamp.spiking import (
    EventLog,
    InOrder,
    RandomOrder,
    RemoveNeurons,
    Simulation,
    winner_take_all_network,
)

PROGRAM = [sys.executable, str(Path(__file__).with_name("toy_circuit.py"))]


def start(*arguments, **variables):
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | variables,
    )


def finish(*arguments):
    process = start(*arguments)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err
    return out + err


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    finish("run", "circuit", "--out", folder, "--seed", 5)
    return (folder / "results.manifest").read_text()


def kill_at(word, count, *arguments):
    """Start the program and kill it the ``count``-th time that it says the word."""
    process = start(*arguments, TOY_HOLDS="1")
    heard = 0
    for line in process.stdout:
        heard += line.strip() == word
        if heard == count:
            break
        if line.strip() in ("saved", "moved"):
            process.stdin.write("\n")
            process.stdin.flush()
    process.kill()
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors
    assert heard == count, errors


def test_killed_and_resumed_runs_end_bit_identical(uninterrupted, tmp_path):
    folder = tmp_path / "run"
    kill_at("saved", 4, "run", "circuit", "--out", folder, "--seed", 5)
    assert len(list(folder.glob("checkpoints/*.checkpoint"))) == 2
    kill_at("moved", 9, "resume", folder)  # rows were written that no checkpoint counts on
    kill_at("saved", 25, "resume", folder)
    finish("resume", folder)
    assert (folder / "results.manifest").read_text() == uninterrupted


def test_a_damaged_checkpoint_is_passed_over(uninterrupted, tmp_path):
    folder = tmp_path / "run"
    kill_at("saved", 20, "run", "circuit", "--out", folder, "--seed", 5)
    newest = sorted(folder.glob("checkpoints/*.checkpoint"))[-1]
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 0x10
    newest.write_bytes(content)
    assert "damaged" in finish("resume", folder)
    assert (folder / "results.manifest").read_text() == uninterrupted


def test_overflow_stops_the_run_in_one_line_and_the_last_good_checkpoint_is_kept(tmp_path):
    folder = tmp_path / "run"
    process = start("run", "circuit", "--out", folder, "--set", "overdriven=true")
    out, err = process.communicate(timeout=300)
    message = " ".join((out + err).split())
    assert process.returncode == 2
    assert "must be finite, got NaN or overflow at" in message
    assert "the last checkpoint is kept" in message
    assert "Traceback" not in message
    newest = sorted(folder.glob("checkpoints/*.checkpoint"))[-1]
    state = read_checkpoint(newest)["state"]
    assert state["done_s"] >= 12
    assert np.isfinite(state["branches"]["0"]["simulation"]["synapses"]["weight"]).all()


# -- within one process --------------------


def simulation(**options):
    return Simulation(winner_take_all_network(*NETWORK_SIZE), RandomOrder(pictures()), 3, **options)


def bits(sim):
    state = sim.state()
    return {
        **{f"synapses.{k}": v for k, v in state["synapses"].items()},
        **{f"activity.{k}": v for k, v in state["activity"].items()},
        **{f"{s}.{k}": v for s, part in state["random"].items() for k, v in part.items()},
    }


def assert_bit_identical(one, two):
    mine, other = bits(one), bits(two)
    for name, array in mine.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


def test_recording_looking_and_probing_change_no_bit():
    plain = simulation().run(60.0)
    busy = simulation(
        observer=EventLog("spikes", "presentations", traces={"x->z": [(0, 0), (3, 29)]})
    )
    for _ in range(40):
        busy.run(1.5)
        busy.theta("x->z")
        busy.probe(InOrder(pictures()), 0.3, burn_in_s=0.2, seed=1)
        busy.probe(InOrder(pictures()), 0.3, start="rest", seed=2)
    assert_bit_identical(plain, busy)
    assert plain.n_spikes == busy.n_spikes == busy.observer["spikes"]["time_s"].size > 5000


def test_a_probe_with_another_seed_answers_differently_but_changes_nothing():
    sim = simulation().run(5.0)
    before = bits(sim)
    answers = [sim.probe(InOrder(pictures()), 2.0, seed=s).time_s for s in (1, 1, 2)]
    np.testing.assert_array_equal(answers[0], answers[1])
    assert not np.array_equal(answers[0], answers[2])
    for name, array in bits(sim).items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


def test_a_restored_state_continues_bit_identically():
    def log():
        return EventLog("spikes", traces={"x->z": [(0, 0)]})

    whole = simulation(observer=log()).run(25.0)
    whole.lesion(RemoveNeurons("z", [1]))
    whole.run(25.0)
    part = simulation(observer=log()).run(17.77)
    continued = Simulation.from_state(
        part.network, part.state(), RandomOrder(pictures()), observer=part.observer
    )
    continued.run_until(25.0)
    continued.lesion(RemoveNeurons("z", [1]))
    continued.run_until(50.0)
    assert_bit_identical(whole, continued)
    for event in ("spikes", "traces"):
        for name, column in whole.observer[event].items():
            np.testing.assert_array_equal(column, continued.observer[event][name])
