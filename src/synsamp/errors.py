"""The one error type of the package: name, rule, value, remedy."""

from __future__ import annotations

from typing import Any


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


def require_positive(**values: Any) -> None:
    """Refuse any value that is not a positive finite number (or array of such)."""
    import numpy as np  # here, so that the command line starts without it

    for name, value in values.items():
        array = np.asarray(value, float)
        if not np.all(np.isfinite(array) & (array > 0)):
            raise refuse(name, "must be > 0 and finite", value, "use a positive number")


def require_finite(**values: Any) -> None:
    """Refuse NaN and infinity."""
    import numpy as np

    for name, value in values.items():
        if not np.all(np.isfinite(np.asarray(value, float))):
            raise refuse(name, "must be finite", value, "use a finite number")
