"""Misuses of the Python interface: a bad value in any argument of any public callable.

Each must end in a `SynsampError` of one line: not in another exception, not in a hang, and not in
a result as if nothing had been wrong.
"""

from __future__ import annotations

import inspect
import signal
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

import synsamp as ss
from torture.public_calls import BAD, CALLS, CASES
from torture.scale import many

LIMIT_S = 60


@contextmanager
def _in_time():
    def too_long(*_):
        raise TimeoutError(f"no answer within {LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _chosen():
    """All cases, or a part that reaches every callable at one time or another."""
    n = many(60, len(CASES))
    order = np.random.default_rng(2015).permutation(len(CASES))[:n]
    return [CASES[k] for k in sorted(order)]


def _outcome(call, argument, label):
    value = BAD[call.kinds[argument]][label]
    with warnings.catch_warnings(), _in_time():
        warnings.simplefilter("ignore")
        try:
            return call.function(**{**call.good, argument: value})
        except ss.SynsampError as error:
            return error


def test_bad_values_end_in_one_line(tally, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = []
    for call, argument, label in _chosen():
        what = f"{call.name}({argument}={label})"
        try:
            outcome = _outcome(call, argument, label)
        except Exception as error:
            wrong.append(f"{what}: {type(error).__name__}: {str(error)[:80]}")
            continue
        if not isinstance(outcome, ss.SynsampError):
            wrong.append(f"{what}: continued")
        elif "\n" in str(outcome) or len(str(outcome)) > 400 or "must" not in str(outcome):
            wrong.append(f"{what}: {outcome}")
    tally("misuses of the Python interface", len(_chosen()))
    assert not wrong, "\n".join(wrong)


def test_the_table_has_enough_cases():
    assert len(CASES) >= 300


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_the_good_arguments_are_good(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome = call.function(**call.good)
    if isinstance(outcome, np.ndarray) and not call.may_be_nan:
        assert np.isfinite(outcome).all()


def test_every_public_name_of_these_folders_is_in_the_table():
    tried = {call.name.split("(")[0].split(".")[0].split(",")[0] for call in CALLS}
    known = {"Flat", "Identity"}  # take no arguments
    bases = {
        "Prior",
        "Mapping",
        "SynsampError",
        "StepSizeWarning",
        "ConvergenceWarning",
        "FokkerPlanck",
    }  # not made by users
    public = {name for name in ss.__all__ if callable(getattr(ss, name))} - known - bases
    assert public - tried <= {"open", "export"}  # those of the runs
    for call in CALLS:
        assert set(call.kinds) <= set(call.good) | _names(call.function), call.name


def _names(function):
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return set(inspect.signature(ss.sample).parameters) | set(
            inspect.signature(ss.Chains).parameters
        ) | {"n_steps", "thin"}  # fmt: skip
    return {p.name for p in parameters}
