"""How a user's gradient is called, and whether what it returns can be used at all.

A compiled gradient is always called with one chain's parameters. A plain one may be written for one
chain, θ of shape (parameters,), as ``jax.grad`` makes them, or for all chains at once, (chains,
parameters), which NumPy does faster. Which of the two it is, is found out by calling it both ways
before the run starts. One that gives different answers has mixed the chains up when it saw them
together, so it is called chain by chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import SynsampError, refuse

NAME = "likelihood gradient"
_PACKAGE = __name__.partition(".")[0]


def is_vectorised(
    gradient: Callable[..., Any], theta: NDArray[np.float64], *inputs: NDArray[Any]
) -> bool:
    """Whether ``gradient(θ, *inputs)`` is to be called once for all chains.

    ``theta`` and ``inputs`` have one row per chain, at least two. The rows of θ are moved apart
    first: chains that start alike would hide that a function mixes them up.
    """
    apart = np.random.default_rng(0).standard_normal(theta.shape)
    theta = theta + 1e-3 * (1.0 + np.abs(theta)) * apart
    with np.errstate(all="ignore"):
        first, why_not_alone = _attempt(lambda: gradient(*_of(0, theta, inputs)), theta[0].shape)
        second, _ = _attempt(lambda: gradient(*_of(1, theta, inputs)), theta[0].shape)
        alone = None if first is None or second is None else np.stack([first, second])
        together, why_not_together = _attempt(lambda: gradient(theta, *inputs), theta.shape)
    if together is not None:
        # Single precision (JAX's default) rounds differently when it sums in another order.
        return alone is None or np.allclose(together[:2], alone, rtol=1e-4, equal_nan=True)
    if alone is not None:
        return False
    raise SynsampError(
        f"{NAME} must return the shape of θ, {theta.shape[1:]} for one chain or {theta.shape} for "
        f"all, got {why_not_alone} for one and {why_not_together} for all; return one number per "
        "parameter"
    )


def _of(chain: int, theta: NDArray[Any], inputs: tuple[NDArray[Any], ...]) -> Iterator[Any]:
    return (rows[chain] for rows in (theta, *inputs))


def _attempt(
    call: Callable[[], Any], shape: tuple[int, ...]
) -> tuple[NDArray[np.float64] | None, str]:
    try:
        found = np.asarray(call())
    except Exception as error:  # whatever a user's function may raise
        return None, brief(error)
    if found.dtype.kind not in "iuf":
        return None, f"an array of {found.dtype.name}"
    return (found.astype(float), "") if found.shape == shape else (None, f"shape {found.shape}")


def brief(error: BaseException) -> str:
    """An exception in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else ""
    return f"{type(error).__name__}: {text[:80]}" if text else type(error).__name__


def require_compiled_result(call: Callable[[], Any], size: int) -> None:
    """Refuse a compiled gradient that returns anything but one number per parameter.

    The compiled loop reads what it gets without looking at its length.
    """
    remedy = "return an array shaped like θ; without numba.njit the function may also be plain"
    try:
        found = call()
    except Exception as error:
        raise refuse(NAME, "must run with one chain's θ", brief(error), remedy) from error
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "iuf":
        raise refuse(NAME, "must return an array of numbers", type(found).__name__, remedy)
    require_shape(found, (size,))


def require_shape(found: NDArray[Any], shape: tuple[int, ...]) -> None:
    """Refuse a gradient that has not one number per parameter."""
    if found.shape != shape:
        remedy = "return one number per parameter"
        raise refuse(NAME, f"must have the shape of θ {shape}", found.shape, remedy)


def is_builtin(*functions: Any) -> bool:
    """Whether all functions come with the package, so that nobody need try them first."""
    sources = (getattr(f, "py_func", f) for f in functions)
    return all((s.__module__ or "").partition(".")[0] == _PACKAGE for s in sources)
