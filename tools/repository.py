"""The commit of the code that made a table. Needs nothing but git."""

from __future__ import annotations

import subprocess

from tools.markdown import ROOT


def commit() -> str:
    """The commit of the code, and whether files differ from it; empty outside a repository."""
    found = _git("rev-parse", "--short=12", "HEAD")
    state = _git("status", "--porcelain", "--untracked-files=no", "--", "src", "tests", "tools")
    return found + " with changes" if state else found


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()
