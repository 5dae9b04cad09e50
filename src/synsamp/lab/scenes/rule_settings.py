"""The paper's rule with the values of the knobs, and the circuit of all digit scenes."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from synsamp.lab.draws import FIRST_THETA, normals
from synsamp.lab.scene import KnobValues
from synsamp.paper.shared.digit_circuit import SpikingRule, training_digits
from synsamp.spiking import Network

LABELS = (1, 2)


def rule(settings: KnobValues) -> SpikingRule:
    """The paper's rule with the values of the knobs."""
    names = ("speed", "temperature", "data_size", "learn_when_retracted")
    return SpikingRule.model_validate(
        {name: settings[name] for name in names if name in settings}
        | {"prior": {"mean": settings["prior.mean"], "std": settings["prior.std"]}}
        | ({"clip_limit": settings["clip"]} if "clip" in settings else {})
    )


def first_theta(
    network: Network, settings: KnobValues, seed: int
) -> dict[str, NDArray[np.float64]]:
    """Initial θ of all projections, drawn from the prior."""
    found = {}
    for place, projection in enumerate(network.projections):
        shape = network.shape_of(projection)
        drawn = normals(seed, int(np.prod(shape)), FIRST_THETA + place).reshape(shape)
        found[projection.name] = settings["prior.mean"] + settings["prior.std"] * drawn
    return found


@functools.cache
def images(label: int, count: int) -> NDArray[np.uint8]:
    """The first images of a digit as levels [image, pixel]."""
    found = training_digits("embedded").by_digit(label)[:count]
    return np.asarray(np.round(255.0 * found.reshape(len(found), -1)), np.uint8)
