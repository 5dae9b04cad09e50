"""Call a user's gradient, and detect whether it is vectorised over chains.

A compiled gradient always receives the parameters of one chain. A plain one may be written for one
chain, θ of shape (parameters,), like those of ``jax.grad``, or vectorised over all chains, θ of
shape (chains, parameters), which is faster in NumPy. Before the run it is called both ways. If the
results differ, it mixes the chains when it receives all of them, and is called chain by chain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import SynsampError, refuse

_NAME = "likelihood gradient"
_PACKAGE = __name__.partition(".")[0]


def is_vectorised(
    gradient: Callable[..., Any], theta: NDArray[np.float64], *inputs: NDArray[Any]
) -> bool:
    """Whether ``gradient(θ, *inputs)`` can be called once for all chains.

    Parameters
    ----------
    gradient : callable
        The user's function.
    theta, *inputs : ndarray
        One row per chain, at least two. The rows of θ are perturbed first, since chains with equal
        start values would hide that a function mixes them.
    """
    noise = np.random.default_rng(0).standard_normal(theta.shape)
    theta = theta + 1e-3 * (1.0 + np.abs(theta)) * noise
    rows = [tuple(array[chain] for array in (theta, *inputs)) for chain in (0, 1)]
    with np.errstate(all="ignore"):
        first, single_error = _attempt(lambda: gradient(*rows[0]), theta[0].shape)
        second, _ = _attempt(lambda: gradient(*rows[1]), theta[0].shape)
        single = None if first is None or second is None else np.stack([first, second])
        together, together_error = _attempt(lambda: gradient(theta, *inputs), theta.shape)
    if together is not None:
        # Single precision (JAX's default) rounds differently when it sums in another order.
        return single is None or np.allclose(together[:2], single, rtol=1e-4, equal_nan=True)
    if single is not None:
        return False
    remedy = "return one number per parameter"
    if single_error == "shape ()":
        remedy += ", or compile a log-likelihood by jax.jit, and JAX differentiates it"
    raise SynsampError(
        f"{_NAME} must return the shape of θ, {theta.shape[1:]} for one chain or {theta.shape} for "
        f"all, got {single_error} for one and {together_error} for all; {remedy}"
    )


def _attempt(
    call: Callable[[], Any], shape: tuple[int, ...]
) -> tuple[NDArray[np.float64] | None, str]:
    try:
        found = np.asarray(call())
    except Exception as error:  # a user's function may raise anything
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
    """Raise an error unless a compiled gradient returns one number per parameter.

    The compiled loop does not check the length of what it receives.
    """
    remedy = "return an array shaped like θ; without numba.njit the function may also be plain"
    try:
        found = call()
    except Exception as error:
        raise refuse(_NAME, "must run with one chain's θ", brief(error), remedy) from error
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "iuf":
        raise refuse(_NAME, "must return an array of numbers", type(found).__name__, remedy)
    require_shape(found, (size,))


def require_shape(found: NDArray[Any], shape: tuple[int, ...]) -> None:
    """Raise an error unless a gradient has the shape of θ."""
    if found.shape != shape:
        remedy = "return one number per parameter"
        raise refuse(_NAME, f"must have the shape of θ {shape}", found.shape, remedy)


def is_builtin(*functions: Any) -> bool:
    """Whether all functions belong to this package, and so need no trial call."""
    sources = (getattr(f, "py_func", f) for f in functions)
    return all((s.__module__ or "").partition(".")[0] == _PACKAGE for s in sources)
