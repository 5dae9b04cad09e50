"""Repetition: ``every(10, theta("x->z"))`` is a record, ``every(10, Change(f))`` a step."""

from __future__ import annotations

from dataclasses import dataclass

from synsamp import arguments


@dataclass(frozen=True, eq=False)
class Every:
    """A record or change at each multiple of ``seconds`` of biological time; see `every`.

    Parameters
    ----------
    seconds : float
        Interval (s).
    what : record, `Change`, or function of a `View`
        What is taken or made.
    """

    seconds: float
    what: object


def every(seconds: float, what: object) -> Every:
    """Take a record, or make a change, at each multiple of ``seconds`` of biological time.

    Parameters
    ----------
    seconds
        A multiple of the protocol's ``sync_interval_s``.
    what
        As a record: one of `synsamp.protocol.records` or any function of a `View`. The first row is
        taken at the start of the protocol or branch, and one more right after each lesion. This
        row has the next floating-point number as its time, so times are unique, and the
        coordinate ``after_lesion`` is True. As a step: a `Change`, made at
        once and at each multiple until the end of the protocol or branch.

    Returns
    -------
    Every
        A record for ``record=``, or a step.
    """
    return Every(arguments.number("seconds", seconds, above=0, at_most=1e12), what)
