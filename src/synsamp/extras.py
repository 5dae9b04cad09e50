"""Parts of the package that need more than it installs by itself: whether that is there."""

from __future__ import annotations

from importlib.util import find_spec

from synsamp.errors import SynsampError

EXTRAS = {"jax": ("jax", "optax")}
"""What each extra brings, as ``pip install 'synsamp[jax]'`` names it."""


class MissingExtraError(SynsampError, ImportError):
    """An extra is wanted that is not installed; also an ImportError, as imports raise."""


def require_extra(who: str, extra: str) -> None:
    """Refuse in one line where a package is missing."""
    needed = EXTRAS[extra]
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"{who} needs {' and '.join(needed)}, got no {' and no '.join(missing)}; "
            f"pip install 'synsamp[{extra}]'"
        )
