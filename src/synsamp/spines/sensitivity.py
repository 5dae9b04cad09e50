"""Estimates under other assumptions: about names, tracking losses and offsets between animals."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from synsamp.errors import SynsampError
from synsamp.spines.fit import NOISE_TERM, Fitted, fit_process
from synsamp.spines.process import OneTimeScale
from synsamp.spines.table import SpineTable

COLUMNS = ["variant", "parameter", "estimate", "low", "high", "outside"]


def sensitivity_of(
    raw: SpineTable, table: SpineTable, fitted: Fitted, threshold: float | None
) -> pd.DataFrame:
    """Fit one time scale again with one assumption changed each time.

    Columns: variant, parameter, estimate, low, high, and whether the estimate lies ``outside`` the
    interval of ``fitted``. ``raw`` is the table before offsets were removed.
    """
    chosen = table.part(table.ever_seen)
    misses = fitted.missed is not None
    variants = {}
    if fitted.missed is not None or (table.state == 0).any():
        name = "with every absence as a loss" if misses else "with sessions that can miss a spine"
        variants[name] = (chosen, not misses)
    if table.renamed:
        variants["with names kept by returning spines"] = (replace(chosen, renamed=False), misses)
    if table.offsets is not None:
        variants["without offsets"] = (raw.part(raw.ever_seen), misses)
    rows = []
    for name, (one, can_miss) in variants.items():
        try:
            other = fit_process(
                one.observations(threshold),
                OneTimeScale,
                one.animal_number,
                fitted.threshold_on,
                can_miss,
                one.offsets,
                profiled=False,
            )
        except SynsampError:  # a given threshold that the other sizes do not allow
            continue
        for parameter in (*OneTimeScale.names(), *NOISE_TERM):
            low, high = fitted.interval(parameter)
            value = other.value(parameter)
            rows.append(
                (name, parameter, value, *other.interval(parameter), not low <= value <= high)
            )
    return pd.DataFrame(rows, columns=COLUMNS)
