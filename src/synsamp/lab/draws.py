"""Random numbers of the lab's shell, in Python and in JavaScript alike.

The order of images and the initial θ of a session depend on nothing but (seed, number, stream): a
draw has no state, so a session can go back to any moment and be repeated anywhere. One draw is
`synsamp.environments.drawn`, three rounds of the finisher of SplitMix64 (Steele, Lea & Flood 2014).
``static/engine/draws.json`` holds values that the tests of both languages compare with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.environments import drawn
from synsamp.spiking.kernel.compiling import kernel

ORDER, SOUND, IMAGE = 0, 1, 2
FIRST_THETA = 10
"""Streams: order of presentations, choice of sound and image; initial θ of each projection."""


@kernel
def _fill(seed: float, first: float, stream: float, out: Any) -> None:
    for i in range(out.size):
        out[i] = drawn(seed, first + i, stream)


def uniforms(seed: int, first: int, count: int, stream: int) -> NDArray[np.float64]:
    """``count`` numbers in [0, 1), from number ``first`` of a stream on."""
    out = np.empty(count)
    _fill(float(seed), float(first), float(stream), out)
    return out


def below(n: int, seed: int, first: int, count: int, stream: int) -> NDArray[np.int64]:
    """``count`` whole numbers from 0 to n − 1."""
    return (n * uniforms(seed, first, count, stream)).astype(np.int64)


def normals(seed: int, count: int, stream: int) -> NDArray[np.float64]:
    """Standard normals by the Box–Muller transform, each from two neighbouring uniforms."""
    u = uniforms(seed, 0, 2 * count, stream).reshape(count, 2)
    return np.asarray(np.sqrt(-2.0 * np.log1p(-u[:, 0])) * np.cos(2.0 * np.pi * u[:, 1]))
