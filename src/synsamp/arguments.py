"""Check arguments of public functions; errors name the argument, the rule, the value and a remedy.

Each function returns the value in a fixed type or raises `synsamp.SynsampError` with one line. A
bool is not a number: ``steps=True`` is likely a mistake.

    steps = whole("steps", steps, at_least=1)
    speed = number("b", speed, at_least=0, at_most=1e6)
    start = numbers("start", start, shape=(None, 2))        # None: any length
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp.errors import SynsampError, refuse

LARGEST_SEED = 2**63 - 1

NumberFunction = Callable[..., ArrayLike]
"""``f(θ, parameters)`` of one number, compiled by Numba, or of a whole array."""

_COMPARISONS: tuple[tuple[str, Callable[[Any, Any], Any]], ...] = (
    (">", operator.gt),
    (">=", operator.ge),
    ("<", operator.lt),
    ("<=", operator.le),
)


def _bounds(
    above: float | None, at_least: float | None, below: float | None, at_most: float | None
) -> list[tuple[str, Callable[[Any, Any], Any], float]]:
    given = zip(_COMPARISONS, (above, at_least, below, at_most), strict=True)
    return [(sign, compare, bound) for (sign, compare), bound in given if bound is not None]


def _in_words(kind: str, bounds: Iterable[tuple[str, Any, float]]) -> str:
    limits = " and ".join(f"{sign} {bound:g}" for sign, _, bound in bounds)
    return f"must be {kind}" + (f" {limits}" if limits else "")


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    remedy: str = "",
) -> float:
    """A finite real number within its bounds, as a float."""
    found = _as_float(value)
    if not (
        math.isfinite(found)
        and (above is None or found > above)
        and (at_least is None or found >= at_least)
        and (below is None or found < below)
        and (at_most is None or found <= at_most)
    ):
        bounds = _bounds(above, at_least, below, at_most)
        raise refuse(name, _in_words("a finite number", bounds), value, remedy)
    return found


def _as_float(value: Any) -> float:
    """A real number as a float; NaN for anything else."""
    if type(value) is float:
        return value
    if not _is_scalar(value) or isinstance(value, (bool, np.bool_)):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def whole(
    name: str,
    value: Any,
    *,
    at_least: int | None = None,
    at_most: int | None = None,
    remedy: str = "",
) -> int:
    """A whole number within its bounds, as an int; 3.0 raises an error, as 2.9999 would."""
    bounds = _bounds(None, at_least, None, at_most)
    rule = _in_words("a whole number", bounds)
    if isinstance(value, (bool, np.bool_)):
        raise refuse(name, rule, value, remedy)
    try:
        found = operator.index(value)
    except TypeError:
        raise refuse(name, rule, value, remedy) from None
    if not all(compare(found, bound) for _, compare, bound in bounds):
        raise refuse(name, rule, value, remedy)
    return found


def array(name: str, value: Any, kind: str = "numbers", remedy: str = "") -> NDArray[Any]:
    """The values of an array, a list, a Series or a DataFrame, in their own type.

    Every array of a user passes through here: `numpy.asarray` would drop a mask without a word,
    and nullable pandas columns would become arrays of Python objects.
    """
    _refuse_masked(name, value)
    try:
        found = np.asarray(value)
    except (TypeError, ValueError, OverflowError):  # ragged lists, objects of other libraries
        raise refuse(name, f"must be an array of {kind}", _brief(value), remedy) from None
    if found.dtype.kind not in "biufc":
        raise refuse(name, f"must be an array of {kind}", _brief(value), remedy)
    return found


def _refuse_masked(name: str, value: Any) -> None:
    """Raise an error for masked values, also in lists of arrays."""
    if isinstance(value, (list, tuple)):
        for part in value:
            if isinstance(part, (list, tuple, np.ma.MaskedArray)):
                _refuse_masked(name, part)
    elif isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        hidden = f"{np.ma.count_masked(value)} of {value.size}"
        use = "use .filled(value) or .compressed()"
        raise SynsampError(f"{name} must have no masked values, got {hidden}; {use}")


def numbers(
    name: str,
    value: Any,
    *,
    shape: tuple[int | None, ...] | None = None,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    finite: bool = True,
    remedy: str = "",
) -> NDArray[np.float64]:
    """An array of finite numbers within their bounds; in ``shape`` None stands for any length.

    ``finite=False`` accepts NaN and infinity.
    """
    bounds = _bounds(above, at_least, below, at_most)
    found = array(name, value, "numbers", remedy)
    if found.dtype.kind not in "iuf":
        raise refuse(name, "must be an array of numbers", _brief(value), remedy)
    found = found.astype(np.float64)
    _require_shape(name, found, shape, remedy)
    good = np.isfinite(found) if finite else np.ones(found.shape, bool)
    for _, compare, bound in bounds:
        good &= compare(found, bound)
    if not good.all():
        raise refuse(name, _in_words("finite", bounds), float(found[~good].flat[0]), remedy)
    return found


def number_or_numbers(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    remedy: str = "",
) -> float | NDArray[np.float64]:
    """One finite number for all as a float, or an array with a number for each."""
    limits: Any = dict(above=above, at_least=at_least, below=below, at_most=at_most)
    if _is_scalar(value) or isinstance(value, (str, bytes)):
        return number(name, value, remedy=remedy, **limits)
    found = numbers(name, value, remedy=remedy, **limits)
    if found.size == 0:
        raise refuse(name, "must not be empty", found.shape, remedy)
    return found


def flags(
    name: str, value: Any, *, shape: tuple[int | None, ...] | None = None, remedy: str = ""
) -> NDArray[np.bool_]:
    """An array of True and False, or of 0 and 1 as in many files and masks."""
    found = array(name, value, "True and False", remedy)
    if found.dtype.kind not in "biuf" or not np.all((found == 0) | (found == 1)):
        raise refuse(name, "must be an array of True and False", _brief(value), remedy)
    found = found.astype(bool)
    _require_shape(name, found, shape, remedy)
    return found


def generator(name: str, value: Any) -> np.random.Generator:
    """A NumPy generator of random numbers."""
    found: np.random.Generator = instance(
        name, value, np.random.Generator, "use numpy.random.default_rng(0)"
    )
    return found


def wholes(
    name: str,
    value: Any,
    *,
    shape: tuple[int | None, ...] | None = (None,),
    at_least: int | None = None,
    at_most: int | None = None,
    remedy: str = "",
) -> NDArray[np.int64]:
    """An array of whole numbers (indices, counts) within their bounds."""
    bounds = _bounds(None, at_least, None, at_most)
    found = array(name, value, "whole numbers", remedy)
    if found.dtype.kind not in "iu" and found.size:
        raise refuse(name, "must be an array of whole numbers", _brief(value), remedy)
    if found.dtype.kind == "u" and found.size and found.max() > np.iinfo(np.int64).max:
        raise refuse(name, "must fit into 63 bits", int(found.max()), remedy)
    found = found.astype(np.int64)
    _require_shape(name, found, shape, remedy)
    good = np.ones(found.shape, bool)
    for _, compare, bound in bounds:
        good &= compare(found, bound)
    if not good.all():
        raise refuse(name, _in_words("whole", bounds), int(found[~good].flat[0]), remedy)
    return found


def seed(name: str, value: Any) -> int:
    """A seed of random numbers."""
    return whole(name, value, at_least=0, at_most=LARGEST_SEED, remedy="use a number such as 0")


def flag(name: str, value: Any) -> bool:
    """True or False; 0 and 1 raise an error."""
    if not isinstance(value, (bool, np.bool_)):
        raise refuse(name, "must be True or False", _brief(value))
    return bool(value)


def text(name: str, value: Any) -> str:
    """A string that is not empty."""
    if not isinstance(value, str) or not value:
        raise refuse(name, "must be a string that is not empty", _brief(value))
    return value


def one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """One of the named choices."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise refuse(name, f"must be one of {', '.join(known)}", _brief(value))
    return value


def instance(name: str, value: Any, kind: type | tuple[type, ...], remedy: str = "") -> Any:
    """An object of the right class."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(k.__name__ for k in kinds)
        raise refuse(name, f"must be a {wanted}", _brief(value), remedy)
    return value


def function(name: str, value: Any, remedy: str = "") -> Callable[..., Any]:
    """A callable object."""
    if not callable(value):
        raise refuse(name, "must be a function", _brief(value), remedy)
    found: Callable[..., Any] = value
    return found


def _is_scalar(value: Any) -> bool:
    if isinstance(value, (str, bytes, complex, np.complexfloating)):
        return False
    try:
        return np.ndim(value) == 0
    except (TypeError, ValueError):  # a ragged list
        return False


def _require_shape(
    name: str, found: NDArray[Any], shape: tuple[int | None, ...] | None, remedy: str
) -> None:
    if shape is None:
        return
    fits = found.ndim == len(shape) and all(
        wanted is None or wanted == length
        for wanted, length in zip(shape, found.shape, strict=True)
    )
    if not fits:
        words = ", ".join("any" if wanted is None else str(wanted) for wanted in shape)
        comma = "," if len(shape) == 1 else ""
        raise refuse(name, f"must have shape ({words}{comma})", found.shape, remedy)


def _brief(value: Any) -> Any:
    """What an error shows of a value: numbers and short text unchanged, else the type."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return value if len(value) <= 60 else value[:57] + "..."
    return type(value)
