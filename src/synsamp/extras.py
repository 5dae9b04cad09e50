"""Optional dependencies: whether they are installed."""

from __future__ import annotations

from importlib.util import find_spec

from synsamp.errors import SynsampError

EXTRAS = {
    "jax": ("jax", "optax"),
    "neo": ("neo", "nixio"),
    "notebook": ("anywidget",),
    "nwb": ("pynwb",),
}
"""Packages of each extra, e.g. of ``pip install 'synsamp[jax]'``."""


class MissingExtraError(SynsampError, ImportError):
    """A missing optional dependency; also an ImportError."""


def require_extra(who: str, extra: str) -> None:
    """Raise `MissingExtraError` if a package of the extra is missing."""
    needed = EXTRAS[extra]
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"{who} needs {' and '.join(needed)}, got no {' and no '.join(missing)}; "
            f"pip install 'synsamp[{extra}]'"
        )
