"""Records taken at named moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from synsamp.protocol.records.base import Record
from synsamp.protocol.steps import check_step_name
from synsamp.protocol.view import View


@dataclass(frozen=True, eq=False)
class AtMarks:
    """A record that takes a row at marks; see `at_marks`."""

    what: Any
    names: tuple[str, ...] = ()


def at_marks(what: Record | Callable[[View], object], *names: str) -> AtMarks:
    """Take a record at every `Mark`, or only at the marks with these names.

    Parameters
    ----------
    what : Record or function of a `View`
        What is taken.
    *names : str
        Marks at which it is taken; default: all.

    Returns
    -------
    AtMarks
        A record for ``record=``.
    """
    return AtMarks(what, tuple(check_step_name("name of a mark", name) for name in names))
