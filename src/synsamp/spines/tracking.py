"""Tracking losses: spines that a session missed although they were there.

If the fit includes the probability m of missing a spine, the estimates account for such sessions.
Of the spines seen before, the fraction loss + m (1 − loss) is absent, so loss and gain follow from
the observed ones. A
spine that vanishes permanently is no such miss; losses of large spines are listed if the table has
more of them than the fitted process explains.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import special, stats

from synsamp.spines.fit import NORMAL, Fitted
from synsamp.spines.process import OneTimeScale
from synsamp.spines.table import SpineTable
from synsamp.spines.turnover import TurnoverRates

RARE = 0.01
"""Chance of a loss below which it is rare."""

UNLIKELY = 0.01
"""p of the number of rare losses below which they are listed."""

COLUMNS = ["animal", "dendrite", "spine", "time", "size", "returned", "p"]


def unexplained_losses(table: SpineTable, fitted: Fitted) -> pd.DataFrame:
    """Losses of large spines, if there are more of them than the process explains.

    Columns: animal, dendrite, spine, ``time`` of the first session without the spine, its last
    ``size``, whether it ``returned``, and ``p``, the chance to fall below the threshold from there.
    """
    process = fitted.process
    assert isinstance(process, OneTimeScale)
    rows, expected = [], 0.0
    on_true = fitted.threshold_on == "true"
    # From one measured size: its noise, the process, and the noise of the next if it decides.
    share = process.spread**2 / (process.spread**2 + process.noise**2)
    for s, state in enumerate(table.state):
        for k, after in pairwise(np.flatnonzero(state >= 0).tolist()):
            if state[k] != 1 or not np.isfinite(table.size[s, k]):
                continue
            ((keep, added),) = process.transition(table.times[after] - table.times[k])
            now = process.mean + share * (np.log(table.size[s, k]) - process.mean)
            variance = keep**2 * share * process.noise**2 + added**2
            variance += 0.0 if on_true else process.noise**2
            mean = process.mean + keep * (now - process.mean)
            p = float(special.ndtr((fitted.threshold - mean) / np.sqrt(variance)))
            if p >= RARE:
                continue
            expected += p
            if state[after] == 0:
                back = bool((state[after:] == 1).any())
                where = str(table.animal[s]), str(table.dendrite[s]), str(table.spine[s])
                rows.append((*where, table.times[after], table.size[s, k], back, p))
    frame = pd.DataFrame(rows, columns=COLUMNS)
    if stats.poisson.sf(len(frame) - 1, expected) >= UNLIKELY:
        return frame.iloc[:0]
    return frame.sort_values("p", ignore_index=True)


def with_corrected_rates(found: TurnoverRates, fitted: Fitted) -> TurnoverRates:
    """Add gain and loss per interval without the sessions that missed a spine."""
    m, error = fitted.value("missed"), fitted.error("missed")
    rates = found.rates.set_index("rate")
    loss, gain = rates.loc["loss per interval"], rates.loc["gain per interval"]
    true_loss = (loss["value"] - m) / (1 - m)
    slope = (1 - true_loss) / (1 - m)
    rows = []
    for name, rate, value, own in (
        ("gain", gain, gain["value"] - m * (1 - true_loss), 1.0),
        ("loss", loss, true_loss, 1 / (1 - m)),
    ):
        added = NORMAL * error * (slope if name == "loss" else 1 - true_loss)
        low = value - np.hypot(own * (rate["value"] - rate["low"]), added)
        high = value + np.hypot(own * (rate["high"] - rate["value"]), added)
        words = f"{name} per interval, corrected for missed spines"
        rows.append((words, value, max(low, 0.0), high, rate["unit"]))
    more = pd.DataFrame(rows, columns=found.rates.columns)
    return replace(found, rates=pd.concat([found.rates, more], ignore_index=True))
