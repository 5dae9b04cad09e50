"""Declared measures: functions of one run, evaluated in the branches that claims name."""

from __future__ import annotations

import difflib
import inspect
import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from synsamp.analysis.intervals import Limits
from synsamp.claims.claim import (
    Amount,
    Claim,
    Correlation,
    Multiple,
    Portion,
    Ratio,
    Share,
    Value,
    measure_key,
)

Measure = Callable[..., Value]
"""A function of ``(parameters, results)`` or of ``(parameters, results, branch)``."""


def variants(measure: Measure, **arguments: tuple[object, ...]) -> tuple[Measure, ...]:
    """Declare one measure several times, each with further arguments and another name.

    Parameters
    ----------
    measure
        A function of ``(parameters, results, ...)`` or of ``(parameters, results, branch, ...)``.
    **arguments
        The further arguments, by the name of the measure that they make.

    Returns
    -------
    tuple of callable
        The measures, in the order of ``arguments``.

    Examples
    --------
    >>> def count(parameters, results, kind):
    ...     return results[kind]
    >>> spikes, bursts = variants(count, spikes=("spike",), bursts=("burst",))
    >>> bursts.__name__, bursts(None, {"spike": 5, "burst": 2})
    ('bursts', 2)
    """
    with_branch = "branch" in inspect.signature(measure).parameters

    def variant(name: str, given: tuple[object, ...]) -> Measure:
        def alone(parameters: Any, results: Any) -> Value:
            return measure(parameters, results, *given)

        def in_branch(parameters: Any, results: Any, branch: str) -> Value:
            return measure(parameters, results, branch, *given)

        made: Measure = in_branch if with_branch else alone
        made.__name__, made.__doc__ = name, measure.__doc__
        made.__annotations__["return"] = measure.__annotations__.get("return", Value)
        return made

    return tuple(variant(name, given) for name, given in arguments.items())


def measures_in(module: str) -> tuple[Measure, ...]:
    """Return the measures of a module, whether defined there or imported from another file.

    Parameters
    ----------
    module
        ``__name__`` of the module, at its end. A measure is a public function of
        ``(parameters, results)`` or ``(parameters, results, branch)`` that returns ``float``,
        ``bool``, ``Share``, ``Correlation``, ``Amount``, ``Ratio``, ``Portion`` or ``Multiple``
        by its annotation; other functions are helpers.

    Returns
    -------
    tuple of callable
        The measures, in the order of the file.
    """
    public = {name: part for name, part in vars(sys.modules[module]).items() if name[0] != "_"}
    return tuple(filter(_is_measure, public.values()))


def _is_measure(part: object) -> bool:
    if not inspect.isfunction(part):
        return False
    arguments = list(inspect.signature(part).parameters)[1:]
    return arguments in (["results"], ["results", "branch"]) and _kind(part) in _KINDS.values()


_KINDS = {
    "float": float,
    "bool": bool,
    "Ratio": Ratio,
    "Value": Value,
    "Share": Share,
    "Correlation": Correlation,
    "Amount": Amount,
    "Portion": Portion,
    "Multiple": Multiple,
}


def _kind(measure: Measure) -> Any:
    """Return type of a measure, a string under ``from __future__ import annotations``."""
    returns = inspect.signature(measure).return_annotation
    return _KINDS.get(returns) if isinstance(returns, str) else returns


def limits_of(measure: Measure) -> Limits:
    """Return the range of a measure, by its return type.

    Parameters
    ----------
    measure
        A declared measure, for example one with ``-> Share``.

    Returns
    -------
    tuple
        Smallest and largest possible value; ``None``: open.
    """
    limits: Limits = getattr(_kind(measure), "__metadata__", ((None, None),))[0]
    return limits


def with_limits(claims: Sequence[Claim], measures: Sequence[Measure]) -> tuple[Claim, ...]:
    """Return the claims with the ranges of their measures and nulls.

    Parameters
    ----------
    claims
        Claims on declared measures.
    measures
        The declared measures.

    Returns
    -------
    tuple of Claim
        In the same order.
    """
    limits = {function.__name__: limits_of(function) for function in measures}
    return tuple(
        replace(
            claim,
            limits=limits[claim.measure],
            null_limits=limits[claim.null_measure or claim.measure],
        )
        for claim in claims
    )


class _Use(NamedTuple):
    """A measure in a branch, and what asks for it."""

    measure: str
    branch: str
    by: str


def check_declared(
    measures: Sequence[Measure], claims: Sequence[Claim], also_measured: Sequence[str]
) -> None:
    """Raise an error if a claim, or ``also_measured``, names a measure that is not declared."""
    if not _are_functions(measures):
        given = getattr(measures, "__name__", repr(measures))
        raise ValueError(
            "measures must be a list of functions, each of which returns one value; write "
            f"measures=[first, second] with one function for each measure, got {given}"
        )
    functions = _by_name(measures)
    for use in _uses(claims, also_measured):
        if use.measure not in functions:
            raise ValueError(
                f"{use.by}: measure {use.measure!r} is not declared; {near(use.measure, functions)}"
            )
        if use.branch and not _takes_branch(functions[use.measure]):
            raise ValueError(
                f"{use.by}: measure {use.measure!r} must take (parameters, results, branch) "
                f"to be taken in branch {use.branch!r}"
            )


def evaluate(
    measures: Sequence[Measure],
    claims: Sequence[Claim],
    also_measured: Sequence[str],
    parameters: Any,
    results: Mapping[str, Any],
) -> dict[str, Value]:
    """Return the measures of one run by key: those of the claims, and the others named.

    Parameters
    ----------
    measures
        Declared measures.
    claims
        Claims that apply to ``parameters``; their measures and nulls are evaluated.
    also_measured
        Further measures, as ``"name"`` or ``"name@branch"``; left out where the run lacks the
        branch.
    parameters, results
        What the measures are functions of.
    """
    functions, branches = _by_name(measures), _branches(results)
    found: dict[str, Value] = {}
    for use in _uses(claims, also_measured):
        key = measure_key(use.measure, use.branch)
        if use.branch and use.branch not in branches:
            if use.by == _ALSO:
                continue
            raise ValueError(
                f"{use.by}: measure {key!r} needs branch {use.branch!r}, which this run does not "
                f"have; {near(use.branch, branches)}"
            )
        if key not in found:
            function = functions[use.measure]
            takes = (use.branch,) if _takes_branch(function) else ()
            found[key] = function(parameters, results, *takes)
            _check_limits(key, found[key], limits_of(function))
    return found


ROUNDING = 1e-9


def _check_limits(key: str, value: Value, limits: Limits) -> None:
    """Raise an error if a measure leaves the range that its return type promises."""
    if limits == (None, None):
        return
    if isinstance(value, Ratio):
        number = value.part / value.whole if value.whole else math.nan
    else:
        number = float(value)
    lowest, highest = (end if end is not None else math.nan for end in limits)
    if number < lowest - ROUNDING or number > highest + ROUNDING:  # never true of an open end
        raise ValueError(
            f"measure {key!r} must lie in the range {limits} of its return type, got {number!r}; "
            "annotate it with -> float"
        )


def near(name: str, known: Collection[str]) -> str:
    """The names most like one that is missing, for an error message."""
    close = difflib.get_close_matches(name, known, n=3)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"known: {', '.join(sorted(known)) or 'none'}"


_ALSO = "also_measured"


def _uses(claims: Sequence[Claim], also_measured: Sequence[str]) -> Iterator[_Use]:
    for claim in claims:
        by = f"claim {claim.id!r}"
        yield _Use(claim.measure, claim.branch, by)
        if claim.null_key is not None:
            yield _Use(claim.null_measure or claim.measure, claim.null_branch or "", by)
    for name in also_measured:
        measure, _, branch = name.partition("@")
        yield _Use(measure, branch, _ALSO)


def _by_name(measures: Sequence[Measure]) -> dict[str, Measure]:
    functions = {function.__name__: function for function in measures}
    if len(functions) < len(measures):
        raise ValueError("two measures have the same name")
    return functions


def _are_functions(measures: object) -> bool:
    return isinstance(measures, Sequence) and all(
        callable(measure) and hasattr(measure, "__name__") for measure in measures
    )


def _takes_branch(function: Measure) -> bool:
    return len(inspect.signature(function).parameters) > 2


def _branches(results: Mapping[str, Any]) -> set[str]:
    """Branches of a run: leading parts of the names of records, labels of dimension ``branch``."""
    parts = [name.split("/") for name in results]
    named = {"/".join(part[:n]) for part in parts for n in range(1, len(part))}
    labels = (data["branch"].values for data in results.values() if "branch" in data.coords)
    return named.union(*(map(str, each) for each in labels))
