"""Run folders: what a run was given, what it left, and how it goes on after being stopped."""

from synsamp.runs.dataset import open
from synsamp.runs.execute import execute, resume
from synsamp.runs.storage.folder import RunFolder, find_runs

__all__ = ["RunFolder", "execute", "find_runs", "open", "resume"]
