"""Records of any arm of a run, and what neurons answer to at each snapshot of one."""

from __future__ import annotations

import numpy as np
import xarray as xr

from synsamp.analysis.tuning import correlations, label_fractions
from synsamp.experiments.base import Results

TURNED = 0.8
"""A neuron has turned to a digit if more than this share of its spikes falls on it."""


def record_of(results: Results, arm: str, name: str) -> xr.DataArray:
    """A record of an arm from the start of the run: a branch's own after that of its trunk.

    So whatever is measured of the circuit is measured of a branch in the same way.
    """
    trunk, _, branch = arm.partition("/")
    whole = results[f"{trunk}/{name}"][name]
    if not branch:
        return whole
    own = results[f"{arm}/{name}"][name]
    return xr.concat([whole.sel(time=whole.time < float(own.time[0])), own], "time")


def turning(
    spikes: xr.DataArray, weight: xr.DataArray, mean_image: xr.DataArray, digit: int
) -> xr.Dataset:
    """Share of spikes on a digit, likeness of ŵ to its mean image, and whether a neuron has turned.

    It has if its share exceeds 0.8 and its weights look more like the mean of the digit than like
    that of any other.
    """
    column = [int(d) for d in mean_image.digit].index(digit)
    share = label_fractions(spikes.values)[..., column]
    likeness = correlations(weight.values, mean_image.values)
    others = np.delete(likeness, column, axis=-1).max(axis=-1, initial=-1.0)
    own = likeness[..., column]
    axes = ("time", "post")
    return xr.Dataset(
        {
            "new_share": (axes, share),
            "new_likeness": (axes, own),
            "turned": (axes, (share > TURNED) & (own > others)),
        },
        coords={"time": spikes.time},
    )
