"""Read a file of arrays inside the package."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from typing import Any

import numpy as np

from synsamp.errors import SynsampError

MOST_BYTES = 1 << 28
"""Of one array, unpacked."""


def read_embedded(file: str, what: str, names: Iterable[str]) -> dict[str, Any]:
    """Return the named arrays; whatever is wrong with the file, the remedy is the same."""
    with resources.as_file(resources.files("synsamp.data") / "embedded" / file) as path:
        try:
            with np.load(path, allow_pickle=False) as stored:
                packed = {info.filename: info.file_size for info in stored.zip.infolist()}
                large = [name for name in names if packed[f"{name}.npy"] > MOST_BYTES]
                if large:
                    raise ValueError(f"{large[0]} is too large")
                return {name: stored[name] for name in names}
        except Exception as problem:  # zip, NumPy's header, memory: the list would never be whole
            why = f"{type(problem).__name__}: {problem}"[:200]
            raise SynsampError(
                f"{what} must be as it was installed, got a damaged file ({why}); "
                "install synsamp again"
            ) from None
