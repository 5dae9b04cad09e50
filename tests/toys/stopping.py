"""Stop a run in the middle, as Ctrl-C would."""

from __future__ import annotations

from contextlib import contextmanager

from synsamp.runs.context import FolderContext
from synsamp.runs.storage.checkpoint import CheckpointFolder


def stop_after(monkeypatch, reports):
    """Raise Ctrl-C after ``reports`` reports of progress; a checkpoint is due at each."""
    monkeypatch.setattr(CheckpointFolder, "due", lambda folder: True)
    told = []

    class Bar:
        def advance(self, amount=1.0):
            told.append(amount)
            if len(told) > reports:
                raise KeyboardInterrupt

    @contextmanager
    def progress(self, description, total):
        yield Bar()

    monkeypatch.setattr(FolderContext, "progress", progress)
