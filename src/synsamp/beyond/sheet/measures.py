"""Measures of one seed: connections by distance, deaths by age, and new connections by place.

The lesion happens at ``settle_s``. Before it, the sheet and its twin are the same network.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.beyond.shared.reward_network import Floats
from synsamp.beyond.sheet.parameters import SheetParameters
from synsamp.beyond.sheet.protocol import PLACES, SHEET, SYNAPSES, TWIN
from synsamp.claims import Multiple, Ratio, Share, measures_in
from synsamp.experiments.base import Results

RINGS = 8
"""Stretches of distance."""
YOUNG = 0.1
"""Ages below this share of the relaxation time σ²/b are young; above it once, old."""

Bools = NDArray[np.bool_]


class Lives(NamedTuple):
    """Synapses that were born in a branch: how long each was seen, and whether it died."""

    seen_s: Floats
    died: Bools


# -- connections by distance --------------------


def by_distance(p: SheetParameters, results: Results, row: int) -> tuple[Floats, Floats]:
    """Middles of rings, and the share of their potential synapses that is functional."""
    apart = results[SYNAPSES].distance.values
    functional = results[f"{SHEET}/active"].active.values[row]
    edges = np.linspace(0.0, p.network.reach_mm, RINGS + 1)
    ring = np.clip(np.searchsorted(edges, apart, side="right") - 1, 0, RINGS - 1)
    share = np.bincount(ring, functional, RINGS) / np.bincount(ring, minlength=RINGS)
    return (edges[1:] + edges[:-1]) / 2, share


def row_of_lesion(p: SheetParameters) -> int:
    """The last row before the lesion."""
    return round(p.schedule.settle_s / p.schedule.record_every_s)


def _fall(p: SheetParameters, results: Results, row: int) -> float:
    middle, share = by_distance(p, results, row)
    slope = np.polyfit(middle, np.log(np.maximum(share, 1e-6)), 1)[0]
    return float(-p.rule.length_mm * slope)


def fall_with_distance(p: SheetParameters, results: Results) -> float:
    """Slope of the logarithm of the connection probability, in units of −1/λ."""
    return _fall(p, results, row_of_lesion(p))


def fall_at_start(p: SheetParameters, results: Results) -> float:
    """The same of the random wiring at the start."""
    return _fall(p, results, 0)


# -- deaths by age --------------------


def lives(p: SheetParameters, results: Results) -> Lives:
    """Of all synapses that were born in the twin."""
    events = results[f"{TWIN}/turnover"]
    time, born, age = events.time.values, events.born.values, events.age.values
    died = ~born & ~np.isnan(age)
    last = np.lexsort((time, events.pre.values, events.post.values))
    synapse = events.post.values[last].astype(np.int64) * p.network.excitatory
    synapse += events.pre.values[last]
    alive = last[born[last] & (np.diff(synapse, append=-1) != 0)]  # birth is their last event
    end_s = p.schedule.settle_s + p.schedule.after_s
    seen_s = np.concatenate([age[died], end_s - time[alive]])
    return Lives(seen_s, np.arange(seen_s.size) < died.sum())


def loss_rate(lives: Lives, from_s: float, to_s: float = np.inf) -> float:
    """Deaths per second of a functional synapse of this age."""
    there = lives.died & (lives.seen_s >= from_s) & (lives.seen_s < to_s)
    return float(there.sum() / np.clip(lives.seen_s - from_s, 0.0, to_s - from_s).sum())


def _old_to_young(p: SheetParameters, lives: Lives) -> Ratio:
    relaxation_s = p.rule.std**2 / p.rule.speed
    old = loss_rate(lives, relaxation_s)
    return Ratio(old, loss_rate(lives, 0.0, YOUNG * relaxation_s))


def loss_of_old(p: SheetParameters, results: Results) -> Multiple:
    """Rate at which old synapses are lost, relative to young ones."""
    return _old_to_young(p, lives(p, results))


def loss_of_old_at_random(p: SheetParameters, results: Results) -> Multiple:
    """The same if as many synapses were lost, whatever their age."""
    found = lives(p, results)
    limit_s = np.where(found.died, np.inf, found.seen_s)
    # Whoever died would have been seen until the end: draw that end from those who were.
    rng = np.random.default_rng(0)
    limit_s[found.died] = rng.uniform(0.0, p.schedule.after_s, found.died.sum())
    drawn_s = rng.exponential(1.0 / loss_rate(found, 0.0), limit_s.size)
    return _old_to_young(p, Lives(np.minimum(drawn_s, limit_s), drawn_s < limit_s))


# -- around the lesion --------------------


def from_edge(p: SheetParameters, results: Results) -> Floats:
    """Distance of each excitatory neuron from the edge of the lesion; negative inside."""
    return np.asarray(results[PLACES].from_centre.values - p.lesion_mm)


def near(p: SheetParameters, results: Results) -> Bools:
    """Neurons that the lesion spares, and that lie next to it."""
    apart = from_edge(p, results)
    return np.asarray((apart >= 0) & (apart < p.near_mm))


def far(p: SheetParameters, results: Results) -> Bools:
    """Neurons that no potential synapse of a removed neuron reaches."""
    return np.asarray(from_edge(p, results) > p.network.reach_mm)


def gained(p: SheetParameters, results: Results, branch: str) -> Floats:
    """New connections of each neuron from spared neurons: mean over the second half of the time."""
    listed, spared = results[SYNAPSES], from_edge(p, results) >= 0
    before = results[f"{SHEET}/active"].active.values[row_of_lesion(p)]
    found = results[f"{branch}/active"]
    late = found.time.values > p.schedule.settle_s + p.schedule.after_s / 2
    new = found.active.values[late].mean(axis=0) * ~before * spared[listed.pre.values]
    return np.asarray(
        np.bincount(listed.post.values, new * spared[listed.post.values], spared.size)
    )


def _gain(p: SheetParameters, results: Results, where: Bools) -> Ratio:
    lesioned, twin = (gained(p, results, branch)[where].sum() for branch in (SHEET, TWIN))
    return Ratio(float(lesioned), float(twin))


def new_near(p: SheetParameters, results: Results) -> Multiple:
    """New connections onto neurons near the lesion, relative to the twin."""
    return _gain(p, results, near(p, results))


def new_far(p: SheetParameters, results: Results) -> Multiple:
    """New connections onto neurons far from the lesion, relative to the twin."""
    return _gain(p, results, far(p, results))


def rates_after(p: SheetParameters, results: Results, branch: str) -> Floats:
    """Mean rate of each excitatory neuron in the time after the lesion."""
    found = results[f"{branch}/rates"]
    rows = found.rates.values[found.time.values > p.schedule.settle_s]
    return np.asarray(np.nanmean(rows, axis=0)[: p.network.excitatory])


def _change_of_rate(p: SheetParameters, results: Results, where: Bools) -> Ratio:
    hit, spared = (rates_after(p, results, branch)[where].mean() for branch in (SHEET, TWIN))
    return Ratio(float(hit), float(spared))


def rate_near(p: SheetParameters, results: Results) -> Multiple:
    """Rate near the lesion, relative to the twin."""
    return _change_of_rate(p, results, near(p, results))


def rate_far(p: SheetParameters, results: Results) -> Multiple:
    """The same far from the lesion."""
    return _change_of_rate(p, results, far(p, results))


def functional_share_at_lesion(p: Any, results: Results) -> Share:
    """Share of potential synapses that is functional before the lesion."""
    return float(results[f"{SHEET}/active"].active.values[row_of_lesion(p)].mean())


MEASURES = measures_in(__name__)
ALSO_MEASURED = ("functional_share_at_lesion",)
