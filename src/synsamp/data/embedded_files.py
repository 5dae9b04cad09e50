"""Read a file of arrays inside the package."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from typing import Any

import numpy as np

from synsamp.errors import SynsampError

MOST_BYTES = 1 << 28
"""Limit for one array, unpacked."""


def read_embedded(file: str, what: str, names: Iterable[str]) -> dict[str, Any]:
    """Return the named arrays of a file inside the package."""
    with resources.as_file(resources.files("synsamp.data") / "embedded" / file) as path:
        try:
            with np.load(path, allow_pickle=False) as stored:
                packed = {info.filename: info.file_size for info in stored.zip.infolist()}
                large = [name for name in names if packed[f"{name}.npy"] > MOST_BYTES]
                if large:
                    raise ValueError(f"{large[0]} is too large")
                return {name: stored[name] for name in names}
        except Exception as problem:  # errors of zip, of NumPy's header, of memory
            why = f"{type(problem).__name__}: {problem}"[:200]
            raise SynsampError(
                f"{what} must be intact, got a damaged file ({why}); install synsamp again"
            ) from None
