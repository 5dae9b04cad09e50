"""Stop a run in the middle of its jobs, as Ctrl-C would."""

from __future__ import annotations

from synsamp.runs.storage.checkpoint import CheckpointFolder


def stop_after(monkeypatch, job, steps):
    """Let ``job.step`` be called ``steps`` times, each followed by a checkpoint; then Ctrl-C."""
    monkeypatch.setattr(CheckpointFolder, "due", lambda folder: True)
    step, taken = job.step, []

    def stopping(self):
        taken.append(self)
        if len(taken) > steps:
            raise KeyboardInterrupt
        step(self)

    monkeypatch.setattr(job, "step", stopping)
    return taken
