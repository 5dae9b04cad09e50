"""The value of a record at one moment, as columns of a table.

A record may return a number, an array, a mapping of these by name, an `xarray.DataArray` or a
`Dataset`. Names, shapes and kinds of number must be the same in every row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.columns import Column
from synsamp.errors import refuse
from synsamp.protocol.named_array import NamedArray
from synsamp.protocol.steps import NAME


@dataclass(frozen=True, eq=False)
class Row:
    """Values by column with their dimensions, and coordinates along the dimensions."""

    values: dict[str, NDArray[Any]]
    columns: dict[str, Column]
    coordinates: dict[str, NDArray[Any]]


def as_row(record: str, value: Any) -> Row:
    """Columns from the value of a record."""
    parts = _parts(record, value)
    values, columns, coordinates = {}, {}, {}
    for name, part in parts.items():
        if not NAME.fullmatch(name):
            rule = "must be letters, digits, - and _, a letter first"
            raise refuse(f"a name in record {record!r}", rule, name)
        array, dimensions, attributes, along = _array(name, part)
        if array.dtype.kind not in "biuf":
            raise refuse(f"record {record!r}", "must give numbers", array.dtype, "convert them")
        values[name] = array
        sizes = dict(zip(dimensions, array.shape, strict=True))
        unit, text = str(attributes.get("units", "")), str(attributes.get("description", ""))
        columns[name] = Column(array.dtype.str, sizes, unit, text)
        coordinates.update(along)
    return Row(values, columns, coordinates)


def _parts(record: str, value: Any) -> Mapping[str, Any]:
    if isinstance(value, xr.Dataset):
        return {str(name): value[name] for name in value.data_vars}
    if isinstance(value, Mapping):
        return {str(name): part for name, part in value.items()}
    return {record: value}


def _array(name: str, part: Any) -> tuple[NDArray[Any], tuple[str, ...], Any, Any]:
    """Values, dimensions, attributes and coordinates of one part of a record."""
    if isinstance(part, NamedArray):
        return part.values, part.dims, part.attrs, part.coordinates
    if isinstance(part, xr.DataArray):
        along = {str(d): np.asarray(part.coords[d].values) for d in part.dims if d in part.coords}
        return np.asarray(part.values), tuple(map(str, part.dims)), part.attrs, along
    array = arguments.array(f"{name} of a record", part, "numbers", "give numbers")
    return array, tuple(f"{name}_{axis}" for axis in range(array.ndim)), {}, {}


def check_same(record: str, row: Row, first: Mapping[str, Column]) -> None:
    """Raise an error for a row that does not fit the table."""
    for name in {*row.columns, *first}:
        was, now = first.get(name), row.columns.get(name)
        if was is None or now is None:
            raise refuse(f"record {record!r}", "must give the same names each time", name)
        if tuple(was.dimensions.values()) != tuple(now.dimensions.values()):
            shapes = f"{tuple(now.dimensions.values())} after {tuple(was.dimensions.values())}"
            remedy = "pad it, or keep the largest shape from the start"
            raise refuse(f"{name} of record {record!r}", "must keep its shape", shapes, remedy)
        if not np.can_cast(now.dtype, was.dtype, "same_kind"):
            kinds = f"{np.dtype(now.dtype)} after {np.dtype(was.dtype)}"
            remedy = "give floating-point numbers from the start"
            raise refuse(f"{name} of record {record!r}", "must keep its kind", kinds, remedy)
