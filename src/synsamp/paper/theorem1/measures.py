"""What the theory is judged by, of one seed: distances from laws, and an order of convergence."""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.claims import Value
from synsamp.experiments.base import Results


def measures(parameters: Any, results: Results) -> dict[str, Value]:
    """One distance per arm, in units of what chance allows, and what noise does not enter."""
    found: dict[str, Value] = {}
    for name in ("arms", "pairs"):
        table = results[name]
        found |= {
            f"{arm}_distance": float(gap)
            for arm, gap in zip(table.arm.values, table.distance.values, strict=True)
        }
    quiet = results["no_noise"]
    gap = np.abs(quiet.theta.isel(time=-1) - quiet.maximum).max("path") / quiet.spread
    found["gap_without_noise"], found["gap_with_noise"] = (float(each) for each in gap)
    one = results["pass"]
    for name, gaps in (("pass_order", one.gap), ("pass_order_without_N", one.gap_without_N)):
        found[name] = float(np.polyfit(np.log(one.step), np.log(gaps), 1)[0])
    return found
