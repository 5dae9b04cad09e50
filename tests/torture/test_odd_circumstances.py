"""Clocks that run backwards, folders that move, Ctrl-C in compiled code, and long recordings."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from protocol.circuit import LEFT, SYNAPSES, network
from synsamp.cli import run_command_line
from synsamp.protocol import Protocol, Show, every, theta
from synsamp.runs import RunFolder, execute
from synsamp.runs.storage import folder as folders
from torture.scale import many
from toys import walk
from toys.app import WITH_COINS

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("step_s", [-1, -86_400, -3e9, 3e9])
def test_a_clock_that_jumps_changes_no_result(step_s, tmp_path, monkeypatch, tally):
    calm = execute(walk.EXPERIMENT, tmp_path / "calm", settings=["blocks=4"])
    calls = []

    def jumping():
        calls.append(None)
        return datetime(2026, 1, 1).astimezone() + timedelta(seconds=step_s * (len(calls) % 2))

    monkeypatch.setattr(folders, "now", jumping)
    odd = execute(walk.EXPERIMENT, tmp_path / "odd", settings=["blocks=4"])
    assert calls
    manifests = [(run.path / "results.manifest").read_bytes() for run in (calm, odd)]
    assert manifests[0] == manifests[1]
    assert 0 <= odd.status.elapsed_s < 600
    for words in (["check", str(odd.path)], ["report", str(odd.path)], ["resume", str(odd.path)]):
        assert run_command_line(words, WITH_COINS) == 0
    tally("odd circumstances")


def test_a_folder_may_be_moved_copied_and_renamed(tmp_path, capsys, tally):
    execute(walk.EXPERIMENT, tmp_path / "first", settings=["blocks=4"])
    before = (tmp_path / "first" / "results.manifest").read_bytes()
    names = ["a b", "ünï–cødé", "-dash", "x" * 120, "deep/er/still"]
    for name in names:
        target = tmp_path / "moved" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(tmp_path / "first", target)
        assert run_command_line(["check", str(target)], WITH_COINS) == 0
        assert run_command_line(["report", str(target)], WITH_COINS) == 0
        assert (target / "results.manifest").read_bytes() == before
        assert RunFolder(target).results()["end"].position.dtype == float
        shutil.move(target, tmp_path / "first")
    tally("odd circumstances", len(names))


def test_a_folder_that_is_in_use_is_left_alone_by_a_second_command(tmp_path, tally):
    words = ["run", "walk", "--out", str(tmp_path / "run"), "--trials", "1"]
    program = [sys.executable, str(TESTS / "toys" / "app.py"), *words]
    slow = [*program, "--set", "pause_s=0.1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    first = subprocess.Popen(slow, env=environment, stdout=subprocess.DEVNULL)
    try:
        while not (tmp_path / "run" / "status.json").exists():
            assert first.poll() is None
            threading.Event().wait(0.02)
        os.kill(first.pid, signal.SIGSTOP)  # it keeps the folder for as long as it takes
        for second in (program, [*program, "--force"], [*program[:2], "resume", words[3]]):
            done = subprocess.run(second, env=environment, capture_output=True, text=True)
            assert done.returncode == 2
            assert len(done.stderr.splitlines()) == 1, done.stderr
            tally("odd circumstances")
    finally:
        os.kill(first.pid, signal.SIGCONT)
        code = first.wait(timeout=300)
    assert code == 0
    assert run_command_line(["check", words[3]], WITH_COINS) == 0


def test_ctrl_c_in_compiled_code_leaves_whole_rows_of_the_same_run(tally):
    def protocol():
        return Protocol(network(), [Show(LEFT, 60_000)], {"theta": every(20, theta(SYNAPSES))})

    calm = Protocol(network(), [Show(LEFT, 2_000)], {"theta": every(20, theta(SYNAPSES))}).run(1)
    cases = many(3, 60)
    for case in range(cases):
        timer = threading.Timer(0.02 + 0.01 * case, os.kill, (os.getpid(), signal.SIGINT))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            timer.start()
            try:
                found = protocol().run(1)
            except KeyboardInterrupt:  # before the run had begun
                continue
            finally:
                timer.cancel()
        rows = found["theta/theta"].values if "theta" in found.children else np.zeros((0, 4, 12))
        same = min(len(rows), calm["theta/theta"].shape[0])
        np.testing.assert_array_equal(rows[:same], calm["theta/theta"].values[:same])
        assert len(found["theta/time"]) == len(rows) if len(rows) else True
    tally("interrupts in compiled code", cases)


MEMORY = """
import resource, sys
from pathlib import Path
from rich.console import Console
from protocol.circuit import LEFT, SYNAPSES, network
from synsamp.experiments.base import Experiment
from synsamp.protocol import Protocol, Show, active_count, every, spikes, theta
from synsamp.runs import execute

def run(p, seed):
    record = {{"theta": every(1, theta(SYNAPSES)), "count": every(1, active_count(SYNAPSES))}}
    return Protocol(network(), [Show(LEFT, {rows})], record, sync_interval_s=1.0)

execute(Experiment("long", "Long", run), Path(sys.argv[1]), console=Console(quiet=True))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""

ENSEMBLE = """
import resource, sys
from pathlib import Path
from rich.console import Console
from synsamp.runs.ensembles.run import execute_ensemble
from synsamp.runs.parallel.workers import Workers
from toys.coins import EXPERIMENT

if __name__ == "__main__":
    with Workers(count=2) as workers:
        execute_ensemble(
            EXPERIMENT, Path(sys.argv[1]), {rows}, console=Console(quiet=True), workers=workers
        )
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


ROOM_MB = 60
LONG_RUNS = {"rows": (MEMORY, 1_000, 100_000), "trials": (ENSEMBLE, 4, 200)}
SHORT_RUNS = {"rows": (MEMORY, 200, 600)}
RUNS = LONG_RUNS if many(0, 1) else SHORT_RUNS


@pytest.mark.parametrize(("program", "few", "lots"), RUNS.values(), ids=RUNS)
def test_memory_does_not_grow_with_the_number_of(program, few, lots, tmp_path, tally):
    peaks = []
    for count in (few, lots):
        script = tmp_path / f"{count}.py"
        script.write_text(program.format(rows=count))
        done = subprocess.run(
            [sys.executable, str(script), str(tmp_path / f"run-{count}")],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] < peaks[0] + ROOM_MB, peaks
    tally("long recordings and ensembles")
