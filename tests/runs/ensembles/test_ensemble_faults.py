"""Ensembles survive what happens to processes: real schedulers and workers are started and killed.

Everything talks to loopback only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import synsamp
from synsamp.runs import RunFolder
from synsamp.runs.ensembles.run import execute_ensemble
from synsamp.runs.parallel.tasks import OtherProcessorError, Task, run_tasks
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage import machine
from synsamp.seeds import named_seed
from toys.coins import EXPERIMENT

APP = Path(__file__).parents[2] / "toys" / "app.py"
TRIALS = 8
SETTINGS = ("pause_s=0.05", "tosses=20")
SLOW = tuple(word for setting in SETTINGS for word in ("--set", setting))
"""A trial takes a second, so that there is a middle to be killed in."""


def start_process(*arguments, **variables):
    environment = os.environ | {"PYTHONPATH": str(APP.parents[1]), "PYTHONUNBUFFERED": "1"}
    environment |= variables
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that started the tests in the background makes them ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def command(*arguments):
    return start_process(APP, *arguments)


def ended(process, timeout=300):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


def run_to_end(*arguments):
    return ended(command(*arguments))


def wait_for(condition, seconds=300):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def finished(folder):
    """The manifest of every trial that is finished, by name, with the time it was written."""
    return {
        path.parent.name: path.stat().st_mtime_ns
        for path in sorted(folder.glob("trials/*/results.manifest"))
        if '"finished"' in (path.parent / "status.json").read_text()
    }


def manifests(folder):
    return [path.read_text() for path in sorted(folder.rglob("results.manifest"))]


def children(pid):
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(text) for text in found.stdout.split()]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def workers_of(pid):
    """Processes below a command that run trials: copies of one that has loaded what they need."""
    found = []
    for child in children(pid):
        with suppress(OSError):  # it has ended meanwhile
            if "forkserver" in Path(f"/proc/{child}/cmdline").read_text():
                found += children(child)
    return found


@contextmanager
def cluster(tmp_path, n_workers, last=None):
    """A scheduler and workers as separate programs, one thread each; ``last`` is for the last's
    environment."""
    file = tmp_path / "scheduler.json"
    dask = ("-m", "distributed.cli.dask_scheduler")
    scheduler = start_process(
        *dask, "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file
    )
    workers = []
    try:
        wait_for(file.exists)
        for number in range(n_workers):
            workers.append(
                start_process(
                    *("-m", "distributed.cli.dask_worker", "--scheduler-file", file),
                    *("--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard", "--no-nanny"),
                    *("--local-directory", tmp_path, "--death-timeout", "60"),
                    **(last or {} if number == n_workers - 1 else {}),
                )
            )
        yield file, scheduler, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The manifests of an ensemble that nothing happened to."""
    with Workers(count=2) as workers:
        out = tmp_path_factory.mktemp("reference") / "run"
        folder = execute_ensemble(EXPERIMENT, out, TRIALS, settings=SETTINGS, workers=workers)
    return manifests(folder.path)


# -- local processes ---------------------------------------------------------------------------


def test_a_worker_killed_in_the_middle_loses_nothing(tmp_path, reference):
    out = tmp_path / "run"
    process = command("run", "coins", "--trials", TRIALS, "--workers", 2, "--out", out, *SLOW)
    wait_for(lambda: len(finished(out)) >= 1)
    victim = workers_of(process.pid)[0]
    os.kill(victim, signal.SIGKILL)
    code, _, err = ended(process)
    assert (code, err.count("failed")) == (0, 0), err
    assert manifests(out) == reference


def test_workers_killed_as_soon_as_they_appear_cost_nothing(tmp_path, reference):
    killed = set()
    for attempt in range(3):  # on a busy machine a run may end before all are seen
        out = tmp_path / f"run{attempt}"
        process = command("run", "coins", "--trials", TRIALS, "--workers", 2, "--out", out, *SLOW)
        killed = set()
        while len(killed) < 4 and process.poll() is None:  # two starts of both
            for victim in set(workers_of(process.pid)) - killed:
                os.kill(victim, signal.SIGKILL)
                killed.add(victim)
            time.sleep(0.01)
        code, _, err = ended(process)
        assert (code, err.count("failed")) == (0, 0), err
        assert "Traceback" not in err
        assert manifests(out) == reference
        if len(killed) == 4:
            break
    assert len(killed) == 4


def test_the_client_killed_and_resumed_does_only_what_is_missing(tmp_path, reference):
    out = tmp_path / "run"
    process = command("run", "coins", "--trials", TRIALS, "--workers", 2, "--out", out, *SLOW)
    wait_for(lambda: len(finished(out)) >= 2)
    below = children(process.pid)
    process.kill()
    process.communicate()
    wait_for(lambda: not any(alive(pid) for pid in below), 20)  # no worker is left behind
    kept = finished(out)
    assert 2 <= len(kept) < TRIALS
    code, _, err = run_to_end("resume", out)
    assert code == 0, err
    assert kept.items() <= finished(out).items()
    assert manifests(out) == reference


def test_ctrl_c_leaves_a_folder_that_can_be_resumed(tmp_path, reference):
    out = tmp_path / "run"
    process = command("run", "coins", "--trials", TRIALS, "--workers", 2, "--out", out, *SLOW)
    wait_for(lambda: len(finished(out)) >= 1)
    below = children(process.pid)
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process, 30)
    assert code == 130
    assert err.splitlines()[-1] == f"synsamp: stopped; continue with `synsamp resume {out}`"
    wait_for(lambda: not any(alive(pid) for pid in below), 20)
    assert RunFolder(out).status.state == "interrupted"
    kept = finished(out)
    # Finished trials are on the disk already.
    assert all(
        list(path.glob("results.zarr/tossed/heads/c/*"))
        for path in map((out / "trials").joinpath, kept)
    )
    code, _, err = run_to_end("resume", out, "--workers", 1)
    assert code == 0, err
    assert kept.items() <= finished(out).items()
    assert manifests(out) == reference


def test_a_second_command_on_the_folder_raises_an_error(tmp_path):
    out = tmp_path / "run"
    first = command("run", "coins", "--trials", TRIALS, "--workers", 2, "--out", out, *SLOW)
    wait_for(lambda: (out / "status.json").exists())
    code, _, err = run_to_end("resume", out)
    assert code == 2
    assert err.startswith("synsamp: run folder must not be in use")
    assert err.count("\n") == 1
    assert ended(first)[0] == 0


def test_a_full_disk_is_one_clear_line_and_nothing_finished_is_lost(tmp_path):
    flag, out = tmp_path / "flag", tmp_path / "run"
    trouble = ("--set", f"trouble=disk:{flag}")
    process = command(
        "run", "coins", "--trials", TRIALS, "--workers", 2, "--out", out, *SLOW, *trouble
    )
    wait_for(lambda: len(finished(out)) >= 1)
    flag.touch()
    code, _, err = ended(process)
    kept = finished(out)
    assert code == 1
    assert "is full; make room, then continue with `synsamp resume" in err
    assert "Traceback" not in err
    assert RunFolder(out).status.state == "failed"
    flag.unlink()
    code, _, err = run_to_end("resume", out)
    assert code == 0, err
    assert kept.items() <= finished(out).items()
    assert synsamp.open(out).finished.values.all()


def test_a_trial_that_kills_its_workers_is_given_up_and_no_other(tmp_path):
    flag, out = tmp_path / "flag", tmp_path / "run"
    flag.touch()
    kills = ("--set", f"trouble=kill:{flag}")
    code, _, _ = run_to_end(
        "run", "coins", "--trials", 4, "--workers", 2, "--seed", 1, "--out", out, *kills
    )
    assert code == 1
    data = synsamp.open(out)
    assert "died again and again" in RunFolder(out).status.message
    # Who kills is settled by the trial's seed; the test of the toy below says who should.
    doomed = [kills_its_worker(int(seed)) for seed in data.trial_seed.values]
    assert 0 < sum(doomed) < 4
    assert [not done for done in data.finished.values] == doomed


def kills_its_worker(seed):
    rng = np.random.default_rng(named_seed(seed, "coin"))
    rng.random(EXPERIMENT.presets["quick"].tosses // 2)
    return rng.random() < 0.5


def test_failed_trials_are_reported_and_tried_again_by_resume(tmp_path):
    flag, out = tmp_path / "flag", tmp_path / "run"
    flag.touch()
    code, _, err = run_to_end(
        "run", "coins", "--trials", 6, "--workers", 2, "--out", out, "--set", f"trouble=some:{flag}"
    )
    assert code == 1
    line = err.splitlines()[-1]
    assert "of 6 trials failed: trial 0" in line
    assert "(seed " in line
    assert "a bug of the toy" in line
    flag.unlink()
    code, _, err = run_to_end("resume", out)
    assert code == 0, err
    assert synsamp.open(out).finished.values.all()
    assert run_to_end("resume", out)[1] == f"{out} is finished, nothing to do\n"


# -- a cluster ---------------------------------------------------------------------------------


def test_eight_workers_of_a_cluster_keep_order_and_bits_whoever_dies(tmp_path, reference):
    arguments = ("run", "coins", "--trials", TRIALS, *SLOW, "--out")
    with cluster(tmp_path, 8) as (file, _, workers):
        code, _, err = run_to_end(*arguments, tmp_path / "whole", "--scheduler", file)
        assert code == 0, err
        assert all(worker.poll() is None for worker in workers)  # the cluster is left running
        assert manifests(tmp_path / "whole") == reference

        process = command(*arguments, tmp_path / "one-less", "--scheduler", file)
        wait_for(lambda: len(list((tmp_path / "one-less").glob("trials/*/run.json"))) >= 6)
        workers[0].kill()
        code, _, err = ended(process)
        assert code == 0, err
        assert manifests(tmp_path / "one-less") == reference

        out = tmp_path / "no-client"
        process = command(*arguments, out, "--scheduler", file)
        wait_for(lambda: len(list(out.glob("trials/*/run.json"))) >= 4)
        process.kill()
        process.communicate()
        # Its trials stop when the cluster notices; the next command waits for their folders.
        code, _, err = run_to_end("resume", out, "--scheduler", file)
        assert code == 0, err
        assert manifests(out) == reference


def test_the_scheduler_killed_is_reported_and_the_folder_resumed(tmp_path, reference):
    out = tmp_path / "run"
    with cluster(tmp_path, 2) as (file, scheduler, _):
        arguments = ("run", "coins", "--trials", TRIALS, "--out", out, *SLOW)
        process = command(*arguments, "--scheduler", file)
        wait_for(lambda: len(finished(out)) >= 1)
        scheduler.kill()
        code, _, err = ended(process)
        assert code == 1
        assert "the Dask scheduler is gone" in err
        assert f"synsamp resume {out}" in err
        assert "Traceback" not in err
    kept = finished(out)
    code, _, err = run_to_end("resume", out)
    assert code == 0, err
    assert kept.items() <= finished(out).items()
    assert manifests(out) == reference


def test_workers_of_different_kinds_raise_an_error_unless_asked_for(tmp_path):
    arguments = ("run", "coins", "--trials", 2, "--set", "tosses=4", "--out")
    with cluster(tmp_path, 2, last={"NUMBA_CPU_NAME": "generic"}) as (file, _, _):
        with Workers(str(file), mixed=True) as workers:  # until both are there
            client = workers.client(Console(quiet=True))
            wait_for(lambda: len(client.scheduler_info()["workers"]) == 2)
        code, _, err = run_to_end(*arguments, tmp_path / "no", "--scheduler", file)
        assert code == 2
        assert err.splitlines()[-1].startswith(
            "synsamp: workers must be of one kind of processor, got "
        )
        assert "or give --mixed-processors" in err
        assert "Traceback" not in err
        yes = (*arguments, tmp_path / "yes", "--scheduler", file, "--mixed-processors")
        code, _, err = run_to_end(*yes)
        assert code == 0, err
        assert any("generic" in note for note in RunFolder(tmp_path / "yes").status.notes)


def test_a_worker_of_another_kind_that_comes_later_runs_nothing(tmp_path):
    with (
        cluster(tmp_path, 1, last={"NUMBA_CPU_NAME": "generic"}) as (file, _, _),
        Workers(str(file)) as workers,
    ):
        client = workers.client(Console(quiet=True))
        tasks = [Task("a", partial(print), "one")]
        first = frozenset([machine.processor().digest])  # as if it had come after another
        ended_ = list(run_tasks(client, tasks, print, first))
    assert isinstance(ended_[0].error, OtherProcessorError)
    assert "compiles for generic" in str(ended_[0].error)
