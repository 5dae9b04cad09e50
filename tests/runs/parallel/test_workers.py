"""Workers: no one else can connect, a dying worker loses nothing, trials continue."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import psutil
import pytest
from rich.console import Console

from synsamp.experiments.loading import Given
from synsamp.runs import RunFolder
from synsamp.runs.ensembles.run import carry_out_ensemble, execute_ensemble
from synsamp.runs.execute import RunFailedError
from synsamp.runs.parallel.worker_info import ask_workers
from synsamp.runs.parallel.workers import Workers
from toys.walk import EXPERIMENT


@pytest.fixture
def two():
    with Workers(count=2) as workers:
        yield workers


def die_once(folder):
    """In a worker: be killed at the first question, answer the second."""
    try:
        os.close(os.open(f"{folder}/died", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return "alive"
    os.kill(os.getpid(), signal.SIGKILL)


def die_twice(folder):
    for number in range(2):
        try:
            os.close(os.open(f"{folder}/died-{number}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


@pytest.mark.parametrize("die", [die_once, die_twice])
def test_a_worker_that_dies_while_it_is_asked_costs_nothing(two, tmp_path, die):
    client = two.client(Console(quiet=True))
    answers = ask_workers(client, die, str(tmp_path))
    assert set(answers.values()) == {"alive"}
    assert list(tmp_path.glob("died*"))


def test_a_worker_has_one_thread_and_keeps_the_memory_it_is_given(two, monkeypatch):
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    for found in ask_workers(two.client(Console(quiet=True)), os.environ.copy).values():
        threads = {found[f"{library}_NUM_THREADS"] for library in ("OMP", "MKL", "OPENBLAS")}
        assert threads == {"1"}
        # As Dask sets it, Fig. 2 took twice the time: every array was fetched page by page again.
        assert "MALLOC_TRIM_THRESHOLD_" not in found


def strangers():
    """Another user of this machine, without a key and with another key."""
    from distributed import Security

    return {"tcp": None, "tls": Security.temporary()}


def listening(process):
    found = [process, *process.children(recursive=True)]
    connections = [c for p in found for c in p.net_connections("tcp") if c.status == "LISTEN"]
    return {(c.laddr.ip, c.laddr.port) for c in connections}


def test_no_other_user_of_the_machine_gets_in():
    from distributed import Client

    before = listening(psutil.Process())
    with Workers(count=1) as workers:
        client = workers.client(Console(quiet=True))
        doors = listening(psutil.Process()) - before
        assert doors
        assert {ip for ip, _ in doors} == {"127.0.0.1"}
        port = int(client.scheduler.address.rpartition(":")[2])
        assert ("127.0.0.1", port) in doors
        for protocol, key in strangers().items():
            with pytest.raises(OSError):  # noqa: PT011 (whatever Dask calls it)
                Client(f"{protocol}://127.0.0.1:{port}", security=key, timeout=2)
        for ip, port in doors:
            for page in ("", "/info/main/workers.html", "/json/counts.json", "/metrics", "/health"):
                with pytest.raises((OSError, urllib.error.URLError)):
                    urllib.request.urlopen(f"http://{ip}:{port}{page}", timeout=5)
        assert client.submit(abs, -1).result() == 1


def test_a_trial_continues_from_its_checkpoint_and_reports_a_damaged_one(tmp_path, two):
    whole = execute_ensemble(EXPERIMENT, tmp_path / "whole", 1, workers=two).path
    out = tmp_path / "run"
    settings = ["trouble=bug", "trouble_at=13"]
    with pytest.raises(RunFailedError, match="a bug of the toy"):
        execute_ensemble(EXPERIMENT, out, 1, settings=settings, workers=two)
    trial = out / "trials" / "00000"
    older, newest = sorted((trial / "checkpoints").glob("*.checkpoint"))
    newest.write_bytes(newest.read_bytes()[:-1])
    with RunFolder.reopen(out) as folder:
        carry_out_ensemble(Given(EXPERIMENT), folder, Console(quiet=True), two)
    said = (trial / "run.log").read_text()
    assert f"checkpoint passed over, it is damaged: {newest.name}" in said
    assert f"continuing from {older.name}" in said
    manifests = [place / "trials" / "00000" / "results.manifest" for place in (out, whole)]
    assert manifests[0].read_text() == manifests[1].read_text()


def test_processes_that_end_late_do_not_spoil_what_is_done(two, monkeypatch):
    client = two.client(Console(quiet=True))

    def late(timeout):
        raise TimeoutError(f"timed out after {timeout} s.")

    with monkeypatch.context() as patch:
        patch.setattr(client, "close", late)
        patch.setattr(client.cluster, "close", late)
        two.close()
    client.close()
    client.cluster.close()


def test_workers_do_not_import_from_the_current_folder(tmp_path):
    """A folder from somebody else may hold a numpy.py."""
    for name in ("numpy", "distributed", "rich"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w')\n")
    code = (
        "import sys; sys.path[:] = [p for p in sys.path if p]\n"
        "from rich.console import Console\n"
        "from synsamp.runs.parallel.workers import Workers\n"
        "if __name__ == '__main__':\n"
        "    with Workers(count=1) as workers:\n"
        "        workers.client(Console()).submit(abs, -1).result()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "executed").exists()
