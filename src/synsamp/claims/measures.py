"""Stored measures: one variable for each, with one value per seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from synsamp.claims.claim import Ratio, Value

MEASURES = "measures"
"""Name of the dataset in the results."""
PARTS = "part_and_whole"
"""The dimension of a `Ratio`."""


def measures_dataset(measures: Mapping[str, Value]) -> xr.Dataset:
    """Return the measures of one run as a dataset."""
    return xr.Dataset({name: _variable(name, value) for name, value in measures.items()})


def _variable(name: str, value: Any) -> Any:
    if isinstance(value, Ratio):
        return (PARTS, np.array([float(value.part), float(value.whole)]))
    if isinstance(value, (bool, np.bool_)):
        return ((), np.bool_(value))
    if value is None or isinstance(value, Mapping) or np.ndim(value) != 0:
        raise TypeError(f"measure {name!r} must be one number, true or false, or a Ratio")
    return ((), float(value))


def values_of(dataset: xr.Dataset) -> dict[str, list[Value]]:
    """Return one value per seed of each measure, from the dataset of a run or an ensemble."""
    return {str(name): _values(variable) for name, variable in dataset.data_vars.items()}


def _values(variable: xr.DataArray) -> list[Value]:
    if PARTS in variable.dims:
        pairs = variable.transpose(..., PARTS).values.reshape(-1, 2)
        return [Ratio(float(part), float(whole)) for part, whole in pairs]
    flat = variable.values.ravel()
    if flat.dtype == bool:
        return [bool(value) for value in flat]
    return [float(value) for value in flat]
