"""Survival analysis: interval-censored lifetimes, Kaplan–Meier curves, losses against a theory.

A connection is observed only at discrete times. Its lifetime ends between the last time it was seen
and the first time it was missed; a connection that remains until the end is right-censored.
`synsamp.analysis.survival_models` fits distributions to these intervals.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from synsamp.arguments import flags, instance, number, numbers, whole
from synsamp.errors import refuse

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """Interval-censored lifetimes, in any unit of time.

    Parameters
    ----------
    last_seen
        Time from the first to the last observation, shape (n,).
    first_missed
        Time from the first observation to the first absence, shape (n,); inf if never absent.
    """

    last_seen: Floats
    first_missed: Floats

    def __post_init__(self) -> None:
        last = numbers("last_seen", self.last_seen, shape=(None,))
        missed = numbers("first_missed", self.first_missed, finite=False)
        if last.shape != missed.shape:
            raise refuse(
                "last_seen and first_missed",
                "must be rows of one length",
                (last.shape, missed.shape),
            )
        if not ((last >= 0).all() and (missed > last).all()):
            raise refuse("lifetimes", "must have 0 <= last_seen < first_missed", "other values")
        object.__setattr__(self, "last_seen", last)
        object.__setattr__(self, "first_missed", missed)

    def __len__(self) -> int:
        return len(self.last_seen)

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which lifetimes ended during the observation."""
        return np.isfinite(self.first_missed)

    def scaled(self, factor: float) -> Lifetimes:
        """The lifetimes in another unit of time."""
        factor = number("factor", factor, above=0)
        return Lifetimes(self.last_seen * factor, self.first_missed * factor)


def joined(parts: list[Lifetimes]) -> Lifetimes:
    """Concatenate the lifetimes of several circuits or cohorts."""
    for k, part in enumerate(instance("parts", parts, (list, tuple))):
        instance(f"parts[{k}]", part, Lifetimes)
    return Lifetimes(
        np.concatenate([p.last_seen for p in parts] or [np.zeros(0)]),
        np.concatenate([p.first_missed for p in parts] or [np.zeros(0)]),
    )


def new_lifetimes(active: ArrayLike, step: float, window_steps: int) -> Lifetimes:
    """Lifetimes of newly formed connections.

    Parameters
    ----------
    active
        States on a regular grid of times, shape (times, connections).
    step
        Time between grid points.
    window_steps
        A connection is new if it is active now and was not ``window_steps`` before. Cohorts start
        every ``window_steps``, so that no formation counts twice.

    Returns
    -------
    Lifetimes
        A lifetime lasts while the connection is active at every later grid point.
    """
    states = flags("active", active, shape=(None, None), remedy="[time, connection]")
    step = number("step", step, above=0)
    window_steps = whole("window_steps", window_steps, at_least=1)
    parts = []
    for now in range(window_steps, len(states) - 1, window_steps):
        new = states[now] & ~states[now - window_steps]
        later = states[now:, new]
        gone = ~later
        ended = gone.any(axis=0)
        missed_at = np.where(ended, gone.argmax(axis=0), len(later))
        parts.append(Lifetimes((missed_at - 1) * step, np.where(ended, missed_at * step, np.inf)))
    return joined(parts)


@dataclass(frozen=True, eq=False)
class Curve:
    """Kaplan–Meier estimate; all arrays have one entry for time 0 and one per time of the data.

    Attributes
    ----------
    time
        Times of losses and censoring.
    survival, low, high
        Proportion surviving and its confidence band.
    at_risk
        Number of lifetimes observed until at least this time, that is, before its losses.
    """

    time: Floats
    survival: Floats
    low: Floats
    high: Floats
    at_risk: NDArray[np.int64]


def kaplan_meier(lifetimes: Lifetimes, confidence: float = 0.95) -> Curve:
    """Kaplan–Meier estimate; a loss counts at the time of the first absence.

    Parameters
    ----------
    lifetimes
        Lifetimes, at least one.
    confidence
        Level of the band (Greenwood's formula on the log–log scale).
    """
    instance("lifetimes", lifetimes, Lifetimes)
    confidence = number("confidence", confidence, above=0, below=1)
    if len(lifetimes) == 0:
        raise refuse("lifetimes", "must not be empty", 0, "observe longer or more connections")
    ended = lifetimes.ended
    until = np.where(ended, lifetimes.first_missed, lifetimes.last_seen)
    found = stats.ecdf(stats.CensoredData(uncensored=until[ended], right=until[~ended]))
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The confidence interval is undefined", RuntimeWarning)
        band = found.sf.confidence_interval(confidence_level=confidence, method="log-log")
    time = found.sf.quantiles
    # The log–log band is undefined before the first loss and where the estimate is 0.
    value = found.sf.probabilities
    low = np.where(np.isfinite(band.low.probabilities), band.low.probabilities, value)
    high = np.where(np.isfinite(band.high.probabilities), band.high.probabilities, value)
    return Curve(
        np.concatenate([[0.0], time]),
        np.concatenate([[1.0], value]),
        np.concatenate([[1.0], low]),
        np.concatenate([[1.0], high]),
        np.array([len(until), *(until >= time[:, None]).sum(axis=1)], np.int64),
    )


def loss_deviations(lifetimes: Lifetimes, step: float, alive: ArrayLike, ages: int = 4) -> Floats:
    """Observed minus expected losses in several age groups, in standard errors.

    Of the connections at risk in a session, a fraction h = 1 − S(next)/S(now) should be lost by the
    next. If the theory is true, each entry is standard normal, whatever the censoring.

    Parameters
    ----------
    lifetimes
        Lifetimes observed in sessions ``step`` apart.
    step
        Time between sessions.
    alive
        The theory's survival S at 0, ``step``, 2 ``step``, …, shape (sessions + 1,).
    ages
        Number of age groups, with about equal expected losses.

    Returns
    -------
    ndarray
        Deviations, shape (ages,).
    """
    instance("lifetimes", lifetimes, Lifetimes)
    step = number("step", step, above=0)
    s = numbers("alive", alive, shape=(None,), at_least=0)
    ages = whole("ages", ages, at_least=1, at_most=1000)
    session = np.rint(lifetimes.last_seen / step).astype(int)
    if not np.allclose(session * step, lifetimes.last_seen, rtol=1e-6):
        raise refuse("step", "must be the time between sessions, which divides all lifetimes", step)
    if len(lifetimes) == 0 or session.max() >= s.size - 1:
        raise refuse(
            "alive", f"must extend beyond the last session, {session.max(initial=0)}", s.size
        )
    sessions = s.size - 1
    lost = np.bincount(session[lifetimes.ended], minlength=sessions)
    # A connection that is not missed in the next session was not observed again.
    left = np.bincount(session[~lifetimes.ended], minlength=sessions)
    seen_at = len(lifetimes) - np.concatenate([[0], np.cumsum(lost + left)[:-1]])
    at_risk = seen_at - left
    hazard = 1.0 - s[1:] / np.maximum(s[:-1], 1e-300)
    expected = at_risk * hazard
    age = np.minimum((np.cumsum(expected) / expected.sum() * ages - 1e-9).astype(int), ages - 1)
    deviation = np.bincount(age, lost - expected, minlength=ages)
    variance = np.bincount(age, expected * (1.0 - hazard), minlength=ages)
    return deviation / np.sqrt(np.maximum(variance, 1e-300))
