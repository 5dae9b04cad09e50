"""What a simulation holds, as xarray and pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.spiking.instruments.sinks import MemorySink
from synsamp.spiking.network import Network


def to_xarray(
    network: Network,
    theta: Callable[[str], NDArray[np.float64]],
    weight: Callable[[str], NDArray[np.float64]],
    time_s: float,
    sink: Any,
) -> xr.DataTree:
    """θ and ŵ of all projections as the node ``now``, and a node per recorded table."""
    now: dict[str, Any] = {}
    for p in network.projections:
        dims = (f"{p.target} neuron", f"{p.source} neuron")
        if p.source == p.target:
            dims = (dims[0], f"{p.source} source neuron")
        now[f"theta {p.name}"] = (dims, theta(p.name), {"long_name": "θ"})
        now[f"weight {p.name}"] = (dims, weight(p.name), {"long_name": "ŵ = max(0, w − f(0))"})
    nodes = {"now": xr.Dataset(now, attrs={"time_s": time_s})}
    if isinstance(sink, MemorySink):
        for table in sink:
            about, rows = sink.table(table), sink[table]
            columns: dict[str, Any] = {}
            for name, column in about.columns.items():
                attributes = {"units": column.unit, "long_name": column.description}
                kept = {key: text for key, text in attributes.items() if text}
                columns[name] = ([about.dimension, *column.dimensions], rows[name], kept)
            nodes[table] = xr.Dataset(columns)
    return xr.DataTree.from_dict(nodes)


def to_pandas(sink: Any, table: str) -> pd.DataFrame:
    """One recorded table; a column of arrays becomes a column of lists, texts become strings."""
    if not isinstance(sink, MemorySink):
        raise refuse(
            "sink", "must be a MemorySink", type(sink), "read the run folder with synsamp.open"
        )
    columns: dict[str, Any] = {}
    for name, values in sink[table].items():
        if values.dtype == np.uint8 and values.ndim == 2:
            columns[name] = [bytes(row).decode(errors="replace").rstrip() for row in values]
        else:
            columns[name] = values if values.ndim == 1 else list(values)
    return pd.DataFrame(columns)
