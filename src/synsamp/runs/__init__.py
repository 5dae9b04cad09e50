"""Run folders: the settings and results of a run, and how to resume it."""

from synsamp.runs.dataset import open
from synsamp.runs.execute import execute, resume
from synsamp.runs.storage.folder import RunFolder, find_runs

__all__ = ["RunFolder", "execute", "find_runs", "open", "resume"]
