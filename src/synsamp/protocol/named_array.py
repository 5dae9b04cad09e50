"""An array with named dimensions.

Records return these: building an `xarray.DataArray` takes longer than storing a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class NamedArray:
    """Values with their dimensions, attributes, and coordinates along the dimensions."""

    values: NDArray[Any]
    dims: tuple[str, ...]
    attrs: Mapping[str, str] = field(default_factory=dict)
    coordinates: Mapping[str, NDArray[Any]] = field(default_factory=dict)
