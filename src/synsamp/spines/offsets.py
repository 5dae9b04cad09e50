"""Offsets of log size between animals, or between the sessions of each animal.

Brightness differs between animals (expression, depth, laser power), which multiplies all their
sizes, and the size at which a spine is seen, by a factor. The log of this factor is an offset,
drawn from N(0, ω²). If the threshold cuts the distribution of sizes, the smallest size of an animal
shows its offset best: it approaches the threshold as 1/n. Otherwise offsets are estimated with the
process under the Gaussian filter, alternating between both (ω by expectation–maximisation). The
more probable estimate is used. Corrected sizes are those of the average animal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from synsamp.spines.likelihood import inverse, maximise, total
from synsamp.spines.observations import SIZED, Observations, ThresholdOn
from synsamp.spines.problem import Problem
from synsamp.spines.process import OneTimeScale

if TYPE_CHECKING:
    from synsamp.spines.table import SpineTable

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
OffsetsOf = Literal["none", "animal", "session"]

UNLIKELY = 0.01
"""p of the Kruskal–Wallis test below which animals differ more than their spines explain."""

FEWEST_SPINES = 5
"""Spines with a size that an animal needs for an offset."""

ROUNDS, STEP = 12, 0.02
"""Rounds of alternation, and step of differences of an offset."""

SETTLED = 0.005
"""Change of all offsets, in standard deviations of log size, below which the rounds end."""


@dataclass(frozen=True, eq=False)
class Offsets:
    """Offsets of log size that were subtracted from a table.

    Attributes
    ----------
    of
        "animal", or "session": of each animal.
    animals
        Names of the animals.
    values
        Shape (animals, sessions); equal in all sessions if ``of`` is "animal".
    spread
        ω, the standard deviation between animals (or sessions).
    by_smallest
        Whether the smallest size of each animal gave them.
    """

    of: OffsetsOf
    animals: tuple[str, ...]
    times: Floats
    values: Floats
    spread: float
    by_smallest: bool

    @property
    def frame(self) -> pd.DataFrame:
        """One row per animal (and session): offset of log size, factor of size."""
        rows = []
        for animal, values in zip(self.animals, self.values, strict=True):
            if self.of == "animal":
                rows.append((animal, np.nan, values[0]))
            else:
                rows += [(animal, t, v) for t, v in zip(self.times, values, strict=True)]
        frame = pd.DataFrame(rows, columns=["animal", "time", "offset"])
        frame["factor"] = np.exp(frame["offset"])
        return frame.drop(columns="time") if self.of == "animal" else frame

    def covariance(self, problem: Problem, q: Floats, steps: Floats, animal: Numbers) -> Floats:
        """What estimated offsets add to the covariance of the parameters at ``q``."""
        names = problem.names
        if self.by_smallest:
            found = np.zeros((len(names), len(names)))
            found[0, 0] = self.spread**2 / (int(animal.max()) + 1)
            return found
        slots = _slots(problem.seen, self.of)
        n_slots = int(slots.max()) + 1
        all_steps = np.append(steps, np.full(n_slots, STEP))
        _, hessian = _derivatives(_shifted(problem, q, slots), all_steps, animal)
        n = len(names)
        # Near a threshold on the measured size the likelihood of one animal need not be concave.
        hessian = np.array([_concave(own) for own in hessian])
        within = hessian[:, :n, :n].sum(axis=0)
        taken = np.zeros_like(within)
        for own in hessian:
            prior = np.eye(n_slots) / max(self.spread, STEP) ** 2
            taken += own[:n, n:] @ inverse(own[n:, n:] + prior) @ own[n:, :n]
        return inverse(within - taken) - inverse(within)


def differ(table: SpineTable) -> float:
    """p that the mean log sizes of spines have the same distribution in all animals.

    Medians of conditions may differ.
    """
    groups = []
    for condition in table.conditions:
        own = table.condition == condition
        middle = _spine_means(table, own)
        for name in dict.fromkeys(table.animal[own].tolist()):
            means = _spine_means(table, own & (table.animal == name))
            if means.size >= FEWEST_SPINES:
                groups.append(means - np.median(middle))
    if len(groups) < 2 or np.ptp(np.concatenate(groups)) == 0:
        return 1.0
    return float(stats.kruskal(*groups).pvalue)


def _spine_means(table: SpineTable, chosen: NDArray[np.bool_]) -> Floats:
    sizes = table.size[chosen]
    sized = np.isfinite(sizes)
    logs = np.log(np.where(sized, sizes, 1.0)).sum(axis=1)
    counts = sized.sum(axis=1)
    found: Floats = logs[counts > 0] / counts[counts > 0]
    return found


def corrected(table: SpineTable, of: OffsetsOf, threshold: float | None = None) -> SpineTable:
    """The table with the sizes of the average animal; ``threshold`` is a size, if it is given."""
    seen = table.observations(threshold)
    animal = table.animal_number[table.ever_seen]
    n = len(table.animals)
    candidates = [_fitted(seen, of, animal, n)]
    if threshold is None and of == "animal":
        candidates.append((*_smallest(seen, animal, n), True))
    best = None
    for values, spread, smallest in candidates:
        moved = _subtract(seen, values[animal], _slots(seen, of))
        way: ThresholdOn = "measured" if smallest else "true"
        least = float(moved.sized().min()) if threshold is None else moved.threshold
        problem = Problem(OneTimeScale, moved.with_threshold(least, way))
        bounds, starts = problem.bounds_and_starts()
        q, _ = maximise(problem.approximate, starts[::3], bounds)
        judged = total(problem.exact_near(q), q) - (0.0 if smallest else 1.0)
        if best is None or judged > best[0]:
            best = judged, values, spread, smallest
    assert best is not None
    _, values, spread, smallest = best
    if of == "animal" and 1 < len(table.conditions) < n:
        spread = _within_conditions(table, values[:, 0])
    everywhere = np.broadcast_to(values, (n, table.times.size)).copy()
    offsets = Offsets(of, tuple(table.animals), table.times, everywhere, spread, smallest)
    return replace(
        table, size=table.size / np.exp(everywhere[table.animal_number]), offsets=offsets
    )


def _within_conditions(table: SpineTable, values: Floats) -> float:
    """Standard deviation of the offsets of animals around the mean of their condition."""
    place = {name: k for k, name in enumerate(table.animals)}
    left, degrees = 0.0, 0
    for name in table.conditions:
        animals = dict.fromkeys(table.animal[table.condition == name].tolist())
        own = values[[place[a] for a in animals]]
        left += float(((own - own.mean()) ** 2).sum())
        degrees += own.size - 1
    return float(np.sqrt(left / max(degrees, 1)))


def _slots(seen: Observations, of: OffsetsOf) -> Numbers:
    """Which offset of its animal each observation has."""
    return seen.session if of == "session" else np.zeros_like(seen.session)


def _subtract(seen: Observations, values: Floats, slots: Numbers) -> Observations:
    """Observations less the offsets ``values[spine, slot]``."""
    return replace(seen, value=seen.value - np.take_along_axis(values, slots, 1))


def _smallest(seen: Observations, animal: Numbers, n: int) -> tuple[Floats, float]:
    """Offsets from the smallest size of each animal, less its expected distance to the threshold.

    Spacings of the smallest sizes are alike, so their mean is this distance.
    """
    least = np.empty(n)
    for a in range(n):
        sizes = np.sort(seen.value[animal == a][(seen.kind[animal == a] == SIZED)])
        few = max(2, int(np.sqrt(sizes.size)))
        least[a] = sizes[0] - (sizes[min(few, sizes.size) - 1] - sizes[0]) / max(few - 1, 1)
    values = least - least.mean()
    return values[:, None], float(values.std(ddof=1))


def _fitted(
    seen: Observations, of: OffsetsOf, animal: Numbers, n: int
) -> tuple[Floats, float, bool]:
    """Offsets [animal, slot] that maximise the likelihood under the Gaussian filter."""
    seen = seen.with_threshold(seen.threshold, "true")
    slots = _slots(seen, of)
    n_slots = int(slots.max()) + 1
    sized = seen.kind == SIZED
    middle, sd = float(np.median(seen.value[sized])), float(seen.value[sized].std())
    values = np.zeros((n, n_slots))
    for a in range(n):
        for k in range(n_slots):
            own = seen.value[(animal == a)[:, None] & sized & (slots == k)]
            values[a, k] = np.median(own) - middle if own.size else 0.0
    spread = max(float(values.std()), 0.05 * sd)
    q = None
    for _ in range(ROUNDS):
        problem = Problem(OneTimeScale, _subtract(seen, values[animal], slots))
        bounds, starts = problem.bounds_and_starts()
        q, _ = maximise(problem.approximate, starts[::3] if q is None else [q], bounds)
        fixed = _shifted(problem, q, slots, parameters=False)
        gradient, hessian = _derivatives(fixed, np.full(n_slots, STEP), animal)
        prior = np.eye(n_slots) / spread**2
        move, spare = np.zeros_like(values), np.zeros_like(values)
        for a in range(n):
            within = inverse(hessian[a] + prior)
            move[a] = within @ (gradient[a] - values[a] / spread**2)
            spare[a] = np.diag(within)
        move = np.clip(move, -0.5 * sd, 0.5 * sd)
        values = values + move
        values -= values.mean()  # the mean and the threshold of the process have this freedom
        spread = max(float(np.sqrt((values**2 + spare).mean())), 0.01 * sd)
        if np.abs(move).max() < SETTLED * sd:
            break
    # Offsets are measured from their own mean.
    return values, spread * float(np.sqrt(values.size / (values.size - 1))), False


def _shifted(
    problem: Problem, q: Floats, slots: Numbers, parameters: bool = True
) -> Callable[[Floats], Floats]:
    """Log-likelihood of each spine as a function of shifts of the parameters and the offsets."""
    n = q.size if parameters else 0

    def per_spine(u: Floats) -> Floats:
        offsets = np.broadcast_to(u[n:], (len(slots), u.size - n))
        moved = Problem(problem.kind, _subtract(problem.seen, offsets, slots))
        return moved.approximate(q + u[:n] if n else q)

    return per_spine


def _concave(hessian: Floats) -> Floats:
    """The nearest matrix without negative curvature."""
    values, vectors = np.linalg.eigh(hessian)
    found: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return found


def _derivatives(
    per_spine: Callable[[Floats], Floats], steps: Floats, animal: Numbers
) -> tuple[Floats, Floats]:
    """Gradient and minus the Hessian of each animal, [animal, shift] and [animal, shift, shift].

    All animals are shifted at once, since each has its own offsets.
    """
    n = steps.size
    unit = np.diag(steps)
    count = int(animal.max()) + 1

    def of_animals(u: Floats) -> Floats:
        found: Floats = np.bincount(animal, per_spine(u), count).astype(np.float64)
        return found

    middle = of_animals(np.zeros(n))
    up = [of_animals(row) for row in unit]
    down = [of_animals(-row) for row in unit]
    gradient = np.stack([(u - d) / (2 * h) for u, d, h in zip(up, down, steps, strict=True)], 1)
    hessian = np.zeros((count, n, n))
    for i in range(n):
        hessian[:, i, i] = (2 * middle - up[i] - down[i]) / steps[i] ** 2
        for j in range(i):
            both = of_animals(unit[i] + unit[j]) + of_animals(-unit[i] - unit[j])
            sides = up[i] + up[j] + down[i] + down[j]
            mixed = (sides - both - 2 * middle) / (2 * steps[i] * steps[j])
            hessian[:, i, j] = hessian[:, j, i] = mixed
    return gradient, hessian
