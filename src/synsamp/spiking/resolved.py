"""From rules of distance to lists: what a `Network` does with the projections it is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from synsamp.errors import refuse
from synsamp.priors import Prior
from synsamp.spiking.potential import (
    Ends,
    SynapseList,
    by_distance,
    list_synapses,
    synapse_distances,
)

MOST_DELAYS = 1000
"""Distinct delays of a projection; each has a queue and a trace per source."""


def resolved(projection: Any, ends: Ends) -> Any:
    """The projection with its potential synapses listed, and rules of distance evaluated.

    One without ``potential`` is returned unchanged, and so is one from another network.
    """
    potential, delay = projection.potential, projection.delay_s
    if potential is None:
        return projection
    if isinstance(potential, SynapseList):
        _check_fits(potential, ends)
        return projection
    listed = list_synapses(potential, projection.contacts, ends, projection.bytes_per_synapse)
    apart = None
    if callable(delay) or projection.prior_mean is not None:
        apart = synapse_distances(listed, ends)
    if callable(delay):
        listed = _with_delays(listed, projection, apart)
    else:
        listed = replace(listed, delays_s=(delay,))
    synapses = projection.synapses
    if projection.prior_mean is not None:
        synapses = replace(synapses, prior=_prior(projection, apart))
    return replace(
        projection,
        potential=listed,
        delay_s=listed.delays_s[0],
        synapses=synapses,
        prior_mean=None,
    )


def _check_fits(listed: SynapseList, ends: Ends) -> None:
    beyond = listed.size > 0 and int(listed.pre.max()) >= ends.n_pre
    if listed.first.size != ends.n_post + 1 or beyond:
        rule = "must be listed for populations of these sizes"
        raise refuse(f"synapses of {ends.name!r}", rule, (ends.n_post, ends.n_pre))


def _with_delays(listed: SynapseList, projection: Any, apart: Any) -> SynapseList:
    what, step = (
        f"delay by distance of projection {projection.name!r}",
        (projection.delay_resolution_s),
    )
    delays = by_distance(what, projection.delay_s, apart, 0.0)
    if (delays > 1e3).any():
        raise refuse(what, "must be at most 1000 s", float(delays.max()))
    steps, which = np.unique(np.rint(delays / step).astype(np.int64), return_inverse=True)
    if steps.size > MOST_DELAYS:
        remedy = "use a larger delay_resolution_s"
        raise refuse(what, f"must have at most {MOST_DELAYS} values", steps.size, remedy)
    if steps.size == 0:
        return replace(listed, delays_s=(0.0,))
    several = which.astype(np.uint16) if steps.size > 1 else np.zeros(0, np.uint16)
    return replace(listed, delays_s=tuple((steps * step).tolist()), delay=several)


def _prior(projection: Any, apart: Any) -> Prior:
    """The prior with one mean per synapse."""
    prior, what = projection.synapses.prior, f"prior_mean of projection {projection.name!r}"
    if not isinstance(prior, Prior) or "mean" not in getattr(prior, "__dataclass_fields__", ()):
        rule = "must go with a prior that has a mean"
        raise refuse(what, rule, type(prior).__name__, "e.g. Gaussian(0.0, 1.0)")
    if apart.size == 0:
        return prior
    mean = by_distance(what, projection.prior_mean, apart, -1e12)
    return replace(prior, mean=mean)  # type: ignore[type-var]
