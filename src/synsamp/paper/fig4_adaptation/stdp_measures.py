"""How far the measured timing curves are from their law, and from it with the timing undone."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.claims import Value

SHORT_LAG_S = 0.010


def stdp_measures(stdp: xr.Dataset) -> dict[str, Value]:
    """Deviations of single, regular and Poisson pairs, and what they say of sign and weight.

    The nulls have the lags reversed (``…_reversed``), the weights in reverse order
    (``…_reversed``), or the lags shuffled among pairs (``…_shuffled``).
    """
    single, regular = stdp.single.values, stdp.regular.values
    return {
        "single_error": _largest(single, stdp.single_law.values),
        "single_error_reversed": _largest(single[:, ::-1], stdp.single_law.values),
        "regular_error": _largest(regular, stdp.regular_law.values),
        "regular_error_reversed": _largest(regular[::-1], stdp.regular_law.values),
        "regular_sign": _right_sign(stdp.paired_lag.values, regular),
        "regular_sign_reversed": _right_sign(stdp.paired_lag.values, regular[::-1]),
        "depression_slope": _depression_slope(stdp.weight.values, single[:, 0]),
        "depression_slope_reversed": _depression_slope(stdp.weight.values, single[::-1, 0]),
        "poisson_error": _in_errors(stdp.poisson, stdp.poisson_error, stdp.poisson_law),
        "poisson_error_shuffled": _in_errors(stdp.shuffled, stdp.shuffled_error, stdp.poisson_law),
    }


def _largest(measured: NDArray[np.float64], law: NDArray[np.float64]) -> float:
    return float(np.abs(measured - law).max())


def _right_sign(lag_s: NDArray[np.float64], change: NDArray[np.float64]) -> float:
    """The smaller of strengthening at a lag of about 10 ms and weakening at about −10 ms."""
    after, before = (int(np.argmin(np.abs(lag_s - at))) for at in (SHORT_LAG_S, -SHORT_LAG_S))
    return float(min(change[after], -change[before]))


def _depression_slope(weight: NDArray[np.float64], change: NDArray[np.float64]) -> float:
    """d log(depression)/dw where the presynaptic spike comes too late to count."""
    return float(np.polyfit(weight, np.log(-change), 1)[0])


def _in_errors(measured: xr.DataArray, error: xr.DataArray, law: xr.DataArray) -> float:
    """Root mean square deviation in standard errors."""
    return float(np.sqrt((((measured - law) / error) ** 2).mean()))
