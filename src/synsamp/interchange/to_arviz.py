"""Draws of θ for ArviZ, as a Zarr store: trials are chains, recorded times are draws.

Read it with ``xarray.open_datatree(path, engine="zarr", consolidated=False)``. ArviZ 1 takes the
result; for ArviZ 0.x use ``arviz.InferenceData(posterior=tree["posterior"].to_dataset())``.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import xarray as xr

from synsamp.errors import refuse
from synsamp.interchange.recorded import Recorded, claim_rows
from synsamp.protocol.records.theta import Theta
from synsamp.runs.storage.folder import RunFolder

SUFFIX = "-arviz.zarr"
OVER_TIME = ("draw", "time")
"""Dimensions along which a chain moves."""


def write(
    folder: RunFolder, trials: list[Recorded], target: Path, advance: Callable[[float], None]
) -> None:
    """Write the store."""
    chains = []
    for trial in trials:
        chains.append(_draws(trial))
        advance(1)
    common = [name for name in chains[0] if all(_alike(chains[0], c, name) for c in chains)]
    if not common:
        found = ", ".join(sorted(trials[0].results))
        remedy = 'record it with {"theta": every(seconds, theta("x->z"))}'
        raise refuse(str(folder.path), "must hold θ over time, alike in all trials", found, remedy)
    posterior = xr.concat([chain[common] for chain in chains], "chain", join="override")
    about = folder.description
    posterior.attrs = {
        "inference_library": "synsamp",
        "inference_library_version": about.versions.get("synsamp", ""),
        "created_at": about.created.isoformat(),
        "experiment": about.experiment,
    }
    claims = json.dumps(claim_rows(folder.claims()), ensure_ascii=False)
    tree = xr.DataTree.from_dict(
        {
            "posterior": posterior.assign_coords(chain=range(len(chains))),
            "claims": xr.Dataset(attrs={"claims": claims}),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Zarr on strings: a format note for its developers
        tree.to_zarr(target, consolidated=False)


def _draws(trial: Recorded) -> xr.Dataset:
    """The variables that hold θ along ``draw``; where there are several, each with its own dims."""
    found: dict[str, xr.DataArray] = {}
    for name, data in trial.results.items():
        for key, variable in data.data_vars.items():
            is_theta = key == "theta" or variable.attrs.get("description") == Theta.description
            along = next((dim for dim in variable.dims if dim in OVER_TIME), None)
            if not is_theta or along is None or variable.dtype.kind != "f":
                continue
            moved = variable.reset_coords(drop=True).load().transpose(along, ...)
            plain = name.replace("/", "_")
            full = plain if name.rpartition("/")[2] == key else f"{plain}_{key}"
            # Times of two records differ: draws are counted.
            found[full] = moved.drop_vars(along, errors="ignore").rename({along: "draw"})
    if len(found) == 1:
        found = {"theta": found.popitem()[1]}
    else:
        found = {
            full: theta.rename({dim: f"{dim}_of_{full}" for dim in theta.dims})
            for full, theta in found.items()
        }
    return xr.Dataset(found)


def _alike(one: xr.Dataset, other: xr.Dataset, name: object) -> bool:
    return name in other and one[name].sizes == other[name].sizes
