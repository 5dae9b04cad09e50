#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""Checks in environments that nox makes: ``nox -s tests-3.13``, ``nox -s without_extras``.

`make test` is the everyday command; these sessions cover other versions of Python.
"""

from __future__ import annotations

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "venv"


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """The test suite with the newest dependencies."""
    session.install("-e", ".[dev]")
    session.run("pytest", "-n", "2", *session.posargs)


@nox.session(python="3.11", default=False)
def lowest(session: nox.Session) -> None:
    """The test suite with the lowest supported versions of all direct dependencies."""
    session.install("-c", "constraints-lowest.txt", "-e", ".[dev,gym]")
    session.run("pytest", "-n", "2", *session.posargs)


@nox.session(python="3.11", default=False)
def without_extras(session: nox.Session) -> None:
    """The test suite without JAX, Gymnasium and openpyxl."""
    session.install("-e", ".", "pytest", "pytest-xdist", "hypothesis")
    session.run("pytest", "-n", "2", *session.posargs)


if __name__ == "__main__":
    nox.main()
