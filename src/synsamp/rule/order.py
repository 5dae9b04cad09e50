"""Orders in which inputs are presented (Eq. 18, online rule)."""

from __future__ import annotations

import numpy as np


def in_turn(k: int, n: int, rng: np.random.Generator) -> int:
    """Present the inputs in a fixed order, as in the paper's derivation: k modulo n.

    Parameters
    ----------
    k, n : int
        Number of the presentation, and how many inputs there are.
    rng : numpy.random.Generator
        Not used.

    Returns
    -------
    int
        Index of the input.
    """
    return k % n


def at_random(k: int, n: int, rng: np.random.Generator) -> int:
    """Draw a random input for every presentation, as in the paper's simulations.

    Parameters
    ----------
    k, n : int
        Number of the presentation, and how many inputs there are.
    rng : numpy.random.Generator
        Generator of the chain.

    Returns
    -------
    int
        Index of the input.
    """
    return int(rng.random() * n)
