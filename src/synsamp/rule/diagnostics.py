"""R-hat, effective sample size and Monte-Carlo error for many parameters at once.

The definitions are those of Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021). ArviZ computes
them for one parameter after the other; here whole blocks of parameters are sorted and transformed
together. The tests compare both.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft, special

from synsamp.specialise import specialise

Floats = NDArray[np.float64]

NAMES = ("r_hat", "ess_bulk", "mcse_mean")
_BLOCK_NUMBERS = 2**21
"""Numbers in a block: 16 MB, a few times that with temporary arrays."""


def diagnose(
    read: Callable[[slice], Floats], shape: tuple[int, int, int], threads: int = 1
) -> dict[str, Floats]:
    """Diagnostics per parameter; ``read(columns)`` returns draws (chains, draws, columns).

    NaN for fewer than 4 draws, and R-hat also for a single chain.
    """
    n_chains, n_draws, size = shape
    if n_draws < 4:  # split chains need two halves of two draws
        return {name: np.full(size, np.nan) for name in NAMES}
    width = max(1, _BLOCK_NUMBERS // (n_chains * n_draws))
    blocks = [slice(first, min(first + width, size)) for first in range(0, size, width)]
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(lambda columns: _block(read(columns)), blocks))
    r_hat, ess_bulk, mcse_mean = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if n_chains == 1:
        r_hat = np.full(size, np.nan)
    return dict(zip(NAMES, (r_hat, ess_bulk, mcse_mean), strict=True))


def _block(draws: Floats) -> tuple[Floats, Floats, Floats]:
    half = draws.shape[1] // 2
    by_parameter = np.moveaxis(draws, 2, 0)
    split = np.concatenate([by_parameter[:, :, :half], by_parameter[:, :, -half:]], axis=1)
    scores = _normal_scores(split)
    middle = np.median(split, axis=(1, 2), keepdims=True)
    tails = _normal_scores(np.abs(split - middle))
    with np.errstate(divide="ignore", invalid="ignore"):  # a constant parameter has no R-hat
        r_hat = np.maximum(_r_hat(scores), _r_hat(tails))
    error = by_parameter.reshape(len(split), -1).std(axis=1, ddof=1) / np.sqrt(_ess(split))
    return r_hat, _ess(scores), error


def _normal_scores(x: Floats) -> Floats:
    """Quantile of the standard normal at the average rank of each value of a parameter."""
    rows = np.ascontiguousarray(x).reshape(len(x), -1)
    n = rows.shape[1]
    # Average ranks are whole or half numbers: k/2 for k = 2 … 2n.
    quantiles = special.ndtri((np.arange(2, 2 * n + 1) / 2.0 - 0.375) / (n + 0.25))
    out = np.empty_like(rows)
    _by_average_rank(rows, np.argsort(rows, axis=1), quantiles, out)
    return out.reshape(x.shape)


def _average_ranks(rows: Any, order: Any, values: Any, out: Any) -> None:
    for p in range(rows.shape[0]):
        first = 0
        while first < rows.shape[1]:
            last = first  # the run of equal numbers that begins here
            while (
                last + 1 < rows.shape[1] and rows[p, order[p, last + 1]] == rows[p, order[p, first]]
            ):
                last += 1
            for k in range(first, last + 1):
                out[p, order[p, k]] = values[first + last]
            first = last + 1


def _r_hat(x: Floats) -> Floats:
    n = x.shape[2]
    between = n * x.mean(axis=2).var(axis=1, ddof=1)
    within = x.var(axis=2, ddof=1).mean(axis=1)
    return np.asarray(np.sqrt((between / within + n - 1) / n))


def _ess(x: Floats) -> Floats:
    """Effective sample size (parameters,) of split chains (parameters, chains, draws)."""
    n_chains, n = x.shape[1:]
    means = x.mean(axis=2, keepdims=True)
    length = fft.next_fast_len(2 * n, real=True)
    power = np.zeros((len(x), length // 2 + 1))
    for chain in range(n_chains):  # only the mean covariance of the chains is needed
        spectrum = fft.rfft(x[:, chain] - means[:, chain], length, axis=1)
        power += spectrum.real**2 + spectrum.imag**2
    covariance = fft.irfft(power, length, axis=1)[:, :n] / (n * n_chains)
    between = means[:, :, 0].var(axis=1, ddof=1) if n_chains > 1 else np.zeros(len(x))
    constant = np.ptp(x, axis=(1, 2)) < np.finfo(float).resolution
    out = np.empty(len(x))
    _geyer(np.ascontiguousarray(covariance), between, n_chains, constant, out)
    return out


def _geyer_sequences(covariance: Any, between: Any, n_chains: int, constant: Any, out: Any) -> None:
    """Geyer's initial positive and monotone sequences of sums of two neighbouring correlations."""
    size, n = covariance.shape
    total = n_chains * n
    rho = np.empty(n)
    for p in range(size):
        if constant[p]:
            out[p] = total
            continue
        variance = covariance[p, 0] * n / (n - 1.0)
        var_plus = covariance[p, 0] + between[p]
        rho[:] = 0.0
        even, odd = 1.0, 1.0 - (variance - covariance[p, 1]) / var_plus
        rho[0], rho[1] = even, odd
        t = 1
        while t < n - 3 and even + odd > 0.0:
            even = 1.0 - (variance - covariance[p, t + 1]) / var_plus
            odd = 1.0 - (variance - covariance[p, t + 2]) / var_plus
            if even + odd >= 0.0:
                rho[t + 1], rho[t + 2] = even, odd
            t += 2
        last = t - 2
        if even > 0.0:
            rho[last + 1] = even
        t = 1
        while t <= last - 2:
            if rho[t + 1] + rho[t + 2] > rho[t - 1] + rho[t]:
                rho[t + 1] = rho[t + 2] = (rho[t - 1] + rho[t]) / 2.0
            t += 2
        tau = -1.0 + 2.0 * rho[: last + 1].sum() + rho[last + 1 : last + 2].sum()
        out[p] = total / max(tau, 1.0 / np.log10(total))


_EXACTLY = {"fastmath": False}
_by_average_rank: Any = specialise(_average_ranks, on_disk=True, options=_EXACTLY)
_geyer: Any = specialise(_geyer_sequences, on_disk=True, options=_EXACTLY)
