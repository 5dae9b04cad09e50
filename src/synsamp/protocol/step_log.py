"""The log of steps: lesions and changed numbers as JSON, and which neurons were removed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import xarray as xr

from synsamp.spiking import Network

NONE_REMOVED = np.zeros(0, np.int64)


def as_log(entries: Sequence[Mapping[str, Any]], network: Network) -> xr.Dataset:
    """All steps taken: time, branch, what was done and chosen, and which neurons it removed.

    ``removed`` has the dimensions ``step`` and ``neuron``, so that ensembles can stack it; the
    coordinate ``population`` names the circuit of each neuron.
    """
    removed = np.zeros((len(entries), network.n_neurons), bool)
    for row, entry in zip(removed, entries, strict=True):
        row[entry["removed"]] = True
    texts = {key: np.array([e[key] for e in entries], str) for key in ("branch", "what", "chosen")}
    about = {"description": "neurons removed by this step"}
    names = np.repeat([c.name for c in network.neurons], [c.size for c in network.neurons])
    return xr.Dataset(
        {
            **{key: ("step", values) for key, values in texts.items()},
            "removed": (("step", "neuron"), removed, about),
        },
        coords={
            "time": ("step", [e["time"] for e in entries], {"units": "s"}),
            "neuron": np.arange(network.n_neurons),
            "population": ("neuron", names),
        },
    )


def as_text(what: Any) -> str:
    """Lesions or changed numbers as JSON; a mask is written as the places where it is true."""
    return json.dumps(_plain(what), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype == bool:
            return {"true at": [axis.tolist() for axis in np.nonzero(value)]}
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(part) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        named = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        return {"kind": type(value).__name__, **named}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return repr(value)
