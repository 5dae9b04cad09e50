"""Whether JAX and Optax are there; every other file of this folder counts on both."""

from __future__ import annotations

from importlib.util import find_spec

from synsamp.errors import SynsampError

NEEDED = ("jax", "optax")


class MissingExtraError(SynsampError, ImportError):
    """`synsamp.jax` was asked for without its packages; also an ImportError, as imports raise."""


def require_extra() -> None:
    """Refuse in one line where a package is missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"synsamp.jax needs {' and '.join(NEEDED)}, got no {' and no '.join(missing)}; "
            "pip install 'synsamp[jax]'"
        )
