"""States that a protocol kept (`Save`): as bytes in the results, and back."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from synsamp import arguments
from synsamp.errors import SynsampError, refuse
from synsamp.packing import DamagedStateError, read_packed, write_packed

GROUP = "saved"


def state_dataset(state: Mapping[str, Any]) -> xr.Dataset:
    """The state of a simulation as one row of bytes."""
    file = io.BytesIO()
    write_packed(file, state)
    content = np.frombuffer(file.getvalue(), np.uint8)
    return xr.Dataset({"state": ("byte", content)}, attrs={"format": "synsamp checkpoint 1"})


def saved_state(results: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The state that the step ``Save(name)`` kept, for `Simulation.from_state` or a `Protocol`.

    ``results`` is what `Protocol.run` gave, or the results of a run folder; in a branch the name
    begins with the branch: ``saved_state(results, "control/end")``.

    Parameters
    ----------
    results : mapping of str to Dataset
        Results of `Protocol.run` or of a run folder.
    name : str
        Name of the state.

    Returns
    -------
    dict
        The state.
    """
    branch, _, last = arguments.text("name", name).rpartition("/")
    key = "/".join(part for part in (branch, GROUP, last) if part)
    try:
        content = results[key]["state"].values
    except (KeyError, TypeError, IndexError, AttributeError):
        raise refuse("name", "must be that of a Save step of the run", name) from None
    try:
        return read_packed(content.tobytes(), f"saved state {name!r}")
    except (DamagedStateError, ValueError, KeyError) as error:
        raise SynsampError(f"{error}; run it again") from None
