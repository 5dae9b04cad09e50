"""The one error type of the package: name, rule, value, remedy."""

from __future__ import annotations


class SynsampError(ValueError):
    """A problem the user can mend; the command line shows it as one line, exit code 2."""


class FailureError(SynsampError):
    """Something outside failed and nobody gave a wrong value: no network, a full disk. Exit code 1.

    It is a `SynsampError`, so that who catches those catches this too.
    """


def refuse(name: str, rule: str, value: object, remedy: str = "") -> SynsampError:
    """Build the error for a bad value, as in ``rate_hz must be >= 0, got -3.0; use ...``.

    Returned, not raised, so that the caller's ``raise`` keeps the control flow visible.
    """
    tail = f"; {remedy}" if remedy else ""
    return SynsampError(f"{name} {rule}, got {value!r}{tail}")
