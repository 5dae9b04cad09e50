"""Out-of-distribution images: digits rotated by 90°, and letters drawn with strokes.

A letter consists of straight strokes in the unit square (x to the right, y downwards), rotated,
slanted and scaled slightly at random, drawn with a round pen about as wide as in MNIST.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE = 28
STROKES: dict[str, list[tuple[float, float, float, float]]] = {
    "A": [(0, 1, 0.5, 0), (0.5, 0, 1, 1), (0.22, 0.6, 0.78, 0.6)],
    "E": [(0, 0, 0, 1), (0, 0, 0.9, 0), (0, 0.5, 0.7, 0.5), (0, 1, 0.9, 1)],
    "F": [(0, 0, 0, 1), (0, 0, 0.9, 0), (0, 0.5, 0.7, 0.5)],
    "H": [(0, 0, 0, 1), (1, 0, 1, 1), (0, 0.5, 1, 0.5)],
    "K": [(0, 0, 0, 1), (0, 0.55, 0.9, 0), (0.3, 0.4, 0.9, 1)],
    "M": [(0, 1, 0, 0), (0, 0, 0.5, 0.6), (0.5, 0.6, 1, 0), (1, 0, 1, 1)],
    "N": [(0, 1, 0, 0), (0, 0, 1, 1), (1, 1, 1, 0)],
    "T": [(0, 0, 1, 0), (0.5, 0, 0.5, 1)],
    "V": [(0, 0, 0.5, 1), (0.5, 1, 1, 0)],
    "W": [(0, 0, 0.25, 1), (0.25, 1, 0.5, 0.4), (0.5, 0.4, 0.75, 1), (0.75, 1, 1, 0)],
    "X": [(0, 0, 1, 1), (1, 0, 0, 1)],
    "Y": [(0, 0, 0.5, 0.5), (1, 0, 0.5, 0.5), (0.5, 0.5, 0.5, 1)],
}
SIZE = 18.0
"""Height in pixels; MNIST digits fit in a box of 20."""


def letters(n: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw letters [n, 784] in [0, 1], uniformly from the alphabet above."""
    names = list(STROKES)
    chosen = rng.integers(0, len(names), n)
    return np.stack([_letter(STROKES[names[k]], rng) for k in chosen]).reshape(n, -1)


def rotated(images: NDArray[Any]) -> NDArray[np.float32]:
    """Rotate rows of 784 pixels by 90° counterclockwise."""
    turned = np.rot90(images.reshape(-1, SIDE, SIDE), axes=(1, 2))
    return np.ascontiguousarray(turned.reshape(len(images), -1), np.float32)


def _letter(
    strokes: list[tuple[float, float, float, float]], rng: np.random.Generator
) -> NDArray[np.float32]:
    ends = np.array(strokes).reshape(-1, 2, 2) - 0.5
    angle, slant = rng.normal(0.0, [0.08, 0.12])
    scale = SIZE * rng.normal(1.0, 0.06, 2) * [0.75, 1.0]
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    points = (ends + [[slant, 0.0]] * ends[..., 1:]) * scale @ turn.T
    points += (SIDE - 1) / 2 + rng.normal(0.0, 0.7, 2)
    pen = rng.uniform(0.9, 1.5)
    row, column = np.mgrid[:SIDE, :SIDE]
    pixels = np.stack([column, row], axis=-1).reshape(-1, 1, 2)
    return np.asarray(np.clip(pen + 0.5 - _distance(pixels, points), 0.0, 1.0), np.float32)


def _distance(pixels: NDArray[Any], strokes: NDArray[Any]) -> NDArray[np.float64]:
    """Distance of each pixel from the nearest stroke."""
    start, along = strokes[:, 0], strokes[:, 1] - strokes[:, 0]
    share = ((pixels - start) * along).sum(-1) / (along**2).sum(-1)
    nearest = start + np.clip(share, 0.0, 1.0)[..., None] * along
    return np.asarray(np.sqrt(((pixels - nearest) ** 2).sum(-1)).min(axis=1))
