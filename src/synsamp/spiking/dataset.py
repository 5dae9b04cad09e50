"""θ and ŵ of all projections as an xarray Dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from synsamp.spiking.network import Network
from synsamp.spiking.projection import Projection

if TYPE_CHECKING:
    import xarray as xr


def synapse_dataset(
    network: Network,
    theta: Callable[[str], NDArray[Any]],
    weight: Callable[[str], NDArray[Any]],
    time_s: float,
) -> xr.Dataset:
    """Variables ``theta x->z`` and ``weight x->z``, and where listed synapses lie."""
    import xarray as xr  # only here: it loads slowly

    now: dict[str, Any] = {}
    for p in network.projections:
        dims = _dimensions(p)
        now[f"theta {p.name}"] = (dims, theta(p.name), {"long_name": "θ"})
        now[f"weight {p.name}"] = (dims, weight(p.name), {"long_name": "ŵ = max(0, w − f(0))"})
        if p.listed is not None:
            for name in ("pre", "post", "contact"):
                now[f"{name} {p.name}"] = (dims, getattr(p.listed, name))
    return xr.Dataset(now, attrs={"time_s": time_s})


def _dimensions(p: Projection) -> tuple[str, ...]:
    if p.listed is not None:
        return (f"{p.name} synapse",)
    if p.source == p.target:
        return f"{p.target} neuron", f"{p.source} source neuron"
    return f"{p.target} neuron", f"{p.source} neuron"
