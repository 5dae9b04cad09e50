"""How long connections live: lifetimes from observations, Kaplan–Meier, losses against a theory.

A connection is seen at discrete times only. Its life ends somewhere between the last time it was
seen and the first time it was missed; one that is still there at the end is right-censored.
`synsamp.analysis.survival_laws` fits laws to just that.
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
    """Times since a connection was first counted: last seen, and first missed (inf: never)."""

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
            raise refuse("lifetimes", "must have 0 <= last_seen < first_missed", "others")
        object.__setattr__(self, "last_seen", last)
        object.__setattr__(self, "first_missed", missed)

    def __len__(self) -> int:
        return len(self.last_seen)

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which lives were seen to end."""
        return np.isfinite(self.first_missed)

    def scaled(self, factor: float) -> Lifetimes:
        """The same lives with time counted in other units."""
        factor = number("factor", factor, above=0)
        return Lifetimes(self.last_seen * factor, self.first_missed * factor)


def joined(parts: list[Lifetimes]) -> Lifetimes:
    """Lives of several circuits or cohorts together."""
    for k, part in enumerate(instance("parts", parts, (list, tuple))):
        instance(f"parts[{k}]", part, Lifetimes)
    return Lifetimes(
        np.concatenate([p.last_seen for p in parts] or [np.zeros(0)]),
        np.concatenate([p.first_missed for p in parts] or [np.zeros(0)]),
    )


def new_lifetimes(active: ArrayLike, step: float, window_steps: int) -> Lifetimes:
    """Lives of newly formed connections, from states ``active[time, connection]`` on a grid.

    New: active now and not active ``window_steps`` before. Cohorts are taken every
    ``window_steps``, so that no formation is counted twice; a life lasts while the connection is
    active at every later grid point.
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
    """Kaplan–Meier estimate at each time a loss was noticed, with a 95 % band; starts at (0, 1)."""

    time: Floats
    survival: Floats
    low: Floats
    high: Floats
    at_risk: NDArray[np.int64]


def kaplan_meier(lives: Lifetimes, confidence: float = 0.95) -> Curve:
    """Survival of right-censored lives; the band is Greenwood's on the log–log scale."""
    instance("lives", lives, Lifetimes)
    confidence = number("confidence", confidence, above=0, below=1)
    if len(lives) == 0:
        raise refuse("lifetimes", "must not be empty", 0, "observe longer or more connections")
    data = stats.CensoredData(
        uncensored=lives.first_missed[lives.ended], right=lives.last_seen[~lives.ended]
    )
    found = stats.ecdf(data)
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The confidence interval is undefined", RuntimeWarning)
        band = found.sf.confidence_interval(confidence_level=confidence, method="log-log")
    time = found.sf.quantiles
    # Before the first loss and where the estimate is 0 or 1 the log–log band is not defined.
    value = found.sf.probabilities
    low = np.where(np.isfinite(band.low.probabilities), band.low.probabilities, value)
    high = np.where(np.isfinite(band.high.probabilities), band.high.probabilities, value)
    return Curve(
        np.concatenate([[0.0], time]),
        np.concatenate([[1.0], value]),
        np.concatenate([[1.0], low]),
        np.concatenate([[1.0], high]),
        np.array(
            [len(lives), *((lives.last_seen[None, :] >= time[:, None]).sum(axis=1))], np.int64
        ),
    )


def loss_deviations(lives: Lifetimes, step: float, alive: ArrayLike, ages: int = 4) -> Floats:
    """Losses seen less losses foretold, in standard errors, at each of a few ages.

    ``alive`` is the theory's S at 0, ``step``, 2 ``step``, …, the looks at which lives were
    followed. Of those at risk at a look a share h = 1 − S(next)/S(now) should be lost by the next.
    Looks are grouped into ages of about equal losses foretold. If the theory is true each entry is
    a standard normal, however lives were censored.
    """
    instance("lives", lives, Lifetimes)
    step = number("step", step, above=0)
    s = numbers("alive", alive, shape=(None,), at_least=0)
    ages = whole("ages", ages, at_least=1, at_most=1000)
    look = np.rint(lives.last_seen / step).astype(int)
    if not np.allclose(look * step, lives.last_seen, rtol=1e-6):
        raise refuse("step", "must be that of the looks, of which all lives are multiples", step)
    if len(lives) == 0 or look.max() >= s.size - 1:
        raise refuse("alive", f"must reach beyond the last look, {look.max(initial=0)}", s.size)
    looks = s.size - 1
    lost = np.bincount(look[lives.ended], minlength=looks)
    # Who was seen last at a look and not missed at the next was not looked at again.
    left = np.bincount(look[~lives.ended], minlength=looks)
    seen_at = len(lives) - np.concatenate([[0], np.cumsum(lost + left)[:-1]])
    at_risk = seen_at - left
    hazard = 1.0 - s[1:] / np.maximum(s[:-1], 1e-300)
    foretold = at_risk * hazard
    age = np.minimum((np.cumsum(foretold) / foretold.sum() * ages - 1e-9).astype(int), ages - 1)
    deviation = np.bincount(age, lost - foretold, minlength=ages)
    variance = np.bincount(age, foretold * (1.0 - hazard), minlength=ages)
    return deviation / np.sqrt(np.maximum(variance, 1e-300))
