"""Deep rewiring (Bellec, Kappel, Maass & Legenstein, ICLR 2018) as parts of the one rule."""

from synsamp.jax.rewiring.hard import Connections, HardRewiring, turnover
from synsamp.jax.rewiring.parts import ConnectionCost, Rectified, random_signs
from synsamp.jax.rewiring.soft import SoftRewiring

__all__ = [
    "ConnectionCost",
    "Connections",
    "HardRewiring",
    "Rectified",
    "SoftRewiring",
    "random_signs",
    "turnover",
]
