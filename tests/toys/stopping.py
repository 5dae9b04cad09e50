"""Stop an ensemble of simulations after some steps, as Ctrl-C would."""

from __future__ import annotations

from synsamp.experiments import jobs as ensemble
from synsamp.runs.checkpoint import CheckpointFolder


def stop_after(monkeypatch, job, steps):
    """Let ``job.step`` be called ``steps`` times on one thread, then raise KeyboardInterrupt."""
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    monkeypatch.setattr(ensemble, "PUBLISH_EVERY_S", -1.0)
    monkeypatch.setattr(CheckpointFolder, "due", lambda folder: True)
    wait, step, taken = ensemble.wait, job.step, []
    monkeypatch.setattr(ensemble, "wait", lambda f, **k: wait(f, **(k | {"timeout": 0.01})))

    def stopping(self):
        taken.append(self)
        if len(taken) > steps:
            raise KeyboardInterrupt
        step(self)

    monkeypatch.setattr(job, "step", stopping)
