"""An array with named dimensions, as light as a row every ten seconds asks for.

Records of the package give these; xarray's own take longer to build than the row takes to store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Labelled:
    """Values, their dimensions, what they mean, and coordinates along the dimensions."""

    values: NDArray[Any]
    dims: tuple[str, ...]
    attrs: Mapping[str, str] = field(default_factory=dict)
    coordinates: Mapping[str, NDArray[Any]] = field(default_factory=dict)
