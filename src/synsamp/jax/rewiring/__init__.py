"""Deep rewiring (Bellec, Kappel, Maass & Legenstein, ICLR 2018) as parts of the one rule."""

from synsamp.jax.rewiring.hard import HardRewiring
from synsamp.jax.rewiring.magnitude import MagnitudeRewiring
from synsamp.jax.rewiring.parts import ConnectionCost, Rectified, random_signs
from synsamp.jax.rewiring.slots import Connections, Wired, turnover
from synsamp.jax.rewiring.soft import SoftRewiring

__all__ = [
    "ConnectionCost",
    "Connections",
    "HardRewiring",
    "MagnitudeRewiring",
    "Rectified",
    "SoftRewiring",
    "Wired",
    "random_signs",
    "turnover",
]
