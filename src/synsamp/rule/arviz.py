"""Convert draws for ArviZ, version 0 or 1.

ArviZ 0.x (0.23 is the newest for Python 3.11) uses ``InferenceData``. ArviZ 1 consists of
arviz-base, arviz-stats and arviz-plots, which use xarray's ``DataTree``.
"""

from __future__ import annotations

from importlib import metadata
from typing import Any

import xarray as xr

from synsamp.arguments import instance
from synsamp.errors import refuse


def to_arviz(dataset: xr.Dataset) -> Any:
    """Convert the draws of ``sample`` for ArviZ.

    Parameters
    ----------
    dataset : xarray.Dataset
        Result of ``sample``.

    Returns
    -------
    arviz.InferenceData or xarray.DataTree
        ``InferenceData`` if ArviZ 0.x is installed, otherwise a ``DataTree``.

    Examples
    --------
    >>> arviz.plot_trace(to_arviz(result))
    """
    instance("dataset", dataset, xr.Dataset, "pass the result of synsamp.sample")
    if "theta" not in dataset:
        found = sorted(map(str, dataset.data_vars))
        raise refuse("dataset", "must hold theta", found, "pass the result of synsamp.sample")
    return convert(dataset[["theta"]])


def convert(posterior: xr.Dataset, sample_stats: xr.Dataset | None = None) -> Any:
    """Datasets (chain, draw, …) as ArviZ's ``InferenceData`` or ``DataTree``."""
    groups = {"posterior": posterior}
    if sample_stats is not None:
        groups["sample_stats"] = sample_stats
    if _arviz_version().startswith("0."):
        import arviz  # takes seconds to import

        make: Any = arviz.InferenceData
        return make(**groups)
    return xr.DataTree.from_dict(groups)


def _arviz_version() -> str:
    """Version of the package ``arviz``; empty if only its parts are installed."""
    try:
        return metadata.version("arviz")
    except metadata.PackageNotFoundError:
        return ""
