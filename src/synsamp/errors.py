"""The one error type of the package: name, rule, value, remedy."""

from __future__ import annotations


class SynsampError(ValueError):
    """A problem that the user can fix; the command line shows one line and exits with code 2."""


class FailureError(SynsampError):
    """A failure outside the program, such as no network or a full disk; exit code 1.

    ``except SynsampError`` catches it as well.
    """


def refuse(name: str, rule: str, value: object, remedy: str = "") -> SynsampError:
    """Build the error for a bad value, as in ``rate_hz must be >= 0, got -3.0; use ...``.

    Returned, not raised, so that ``raise`` stays visible in the caller.
    """
    tail = f"; {remedy}" if remedy else ""
    return SynsampError(f"{name} {rule}, got {value!r}{tail}")
