"""Draws as ArviZ takes them, whichever of its two lines is installed.

ArviZ 0.x (the newest for Python 3.11 is 0.23) knows ``InferenceData``; from 1.0 on it is made of
arviz-base, arviz-stats and arviz-plots, which take xarray's ``DataTree``.
"""

from __future__ import annotations

from importlib import metadata
from typing import Any

import xarray as xr

from synsamp.arguments import instance
from synsamp.errors import refuse


def to_arviz(dataset: xr.Dataset) -> Any:
    """The draws of ``sample`` for ArviZ, e.g. ``arviz.plot_trace(to_arviz(result))``.

    An ``InferenceData`` where ArviZ 0.x is installed, otherwise a ``DataTree``.
    """
    instance("dataset", dataset, xr.Dataset, "give what synsamp.sample returned")
    if "theta" not in dataset:
        found = sorted(map(str, dataset.data_vars))
        raise refuse("dataset", "must hold theta", found, "give what synsamp.sample returned")
    posterior = dataset[["theta"]]
    if _arviz_version().startswith("0."):
        import arviz  # seconds, so only when somebody asks for it

        return arviz.InferenceData(posterior=posterior)
    import arviz_base

    return arviz_base.convert_to_datatree(posterior)


def _arviz_version() -> str:
    """The version of the package ``arviz``; empty where only its parts are installed."""
    try:
        return metadata.version("arviz")
    except metadata.PackageNotFoundError:
        return ""
