"""All numbers of an analysis as named frames, one CSV file and one NetCDF file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from synsamp.spines.analysis import Analysis

CURVE = ("time", "survival", "low", "high", "at_risk")


def frames_of(found: Analysis, curves: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Every table of numbers by its name in both files."""
    frames: dict[str, pd.DataFrame] = {}
    if found.fits:
        frames["process"] = pd.concat([f.frame for f in found.fits], ignore_index=True)
    if found.sensitivity is not None:
        frames["sensitivity"] = found.sensitivity
    if found.table.offsets is not None:
        frames["offset"] = found.table.offsets.frame
    if found.unexplained is not None:
        frames["unexplained_loss"] = found.unexplained
    if found.held_out is not None:
        frames["held_out"] = found.held_out.scores
        frames["held_out_power"] = found.held_out.power
    if found.comparison is not None:
        frames["comparison"] = found.comparison.criteria
        frames["check"] = found.comparison.checks
    if found.rule_parameters is not None:
        frames["rule"] = found.rule_parameters.frame
    if found.posterior is not None:
        frames["posterior"] = found.posterior.frame
    frames["survival"] = found.survival.frame
    cohorts = [
        pd.DataFrame({"cohort": name, "time": c.time, "survival": c.survival, "at_risk": c.at_risk})
        for name, c in found.survival.cohorts.items()
    ]
    if cohorts:
        frames["cohort"] = pd.concat(cohorts, ignore_index=True)
    frames["proportion"] = found.survival.proportions
    frames["survival_model"] = found.survival.model_frame
    frames["turnover"] = found.turnover.rates
    frames["interval"] = found.turnover.intervals
    frames["animal"] = found.turnover.animals
    if found.by_condition:
        frames["condition"] = pd.concat(
            [f.frame.assign(condition=name) for name, f in found.by_condition.items()],
            ignore_index=True,
        )
    each = [
        pd.DataFrame({"condition": name, **{n: getattr(c, n) for n in CURVE}})
        for name, c in found.survival_by_condition.items()
    ]
    if each:
        frames["condition_survival"] = pd.concat(each, ignore_index=True)
    if found.turnover_by_condition is not None:
        frames["condition_turnover"] = found.turnover_by_condition
    if found.rates_by_condition is not None:
        frames["condition_rate"] = found.rates_by_condition
    if found.effects is not None:
        frames["effect"] = found.effects
    frames |= {f"curve_{name}": frame for name, frame in curves.items()}
    return {name: frame for name, frame in frames.items() if len(frame)}


def as_csv(frames: Mapping[str, pd.DataFrame]) -> str:
    """Tidy format: part, number, row (its text columns), quantity, value."""
    pieces = []
    for part, frame in frames.items():
        words = [c for c in frame.columns if not _is_number(frame[c])]
        text = frame[words].astype(str).agg("; ".join, axis=1) if words else ""
        for column in frame.columns:
            if column not in words:
                pieces.append(
                    pd.DataFrame(
                        {
                            "part": part,
                            "number": np.arange(len(frame)),
                            "row": text,
                            "quantity": column,
                            "value": frame[column].astype(float),
                        }
                    )
                )
    whole = pd.concat(pieces, ignore_index=True)
    # A spreadsheet would run a name from the table that begins like this as a formula.
    whole["row"] = [f"'{t}" if t[:1] in ("=", "+", "-", "@") else t for t in whole["row"]]
    return str(whole.to_csv(index=False))


def frames_dataset(found: Analysis, frames: Mapping[str, pd.DataFrame]) -> xr.Dataset:
    """The frames as variables ``part_column`` along ``part``, and the table itself."""
    table = found.table
    variables: dict[str, tuple[tuple[str, ...], np.ndarray]] = {
        "state": (("spine", "session"), table.state),
        "size": (("spine", "session"), table.size),
        "time": (("session",), table.times),
        "spine_name": (("spine",), _texts(table.spine)),
        "spine_animal": (("spine",), _texts(table.animal)),
        "spine_dendrite": (("spine",), _texts(table.dendrite)),
        "spine_condition": (("spine",), _texts(table.condition)),
    }
    if found.simulated is not None:
        shape = ("simulated_spine", "simulated_session")
        variables["simulated_size"] = (shape, found.simulated.size)
        variables["simulated_state"] = (shape, found.simulated.state)
    if found.posterior is not None:
        for name in found.posterior.draws.data_vars:
            values = found.posterior.draws[name].values
            variables[f"draw_{name}"] = (("chain", "draw"), values)
    for part, frame in frames.items():
        for column in frame.columns:
            values = frame[column]
            array = values.to_numpy(float) if _is_number(values) else _texts(values)
            variables[f"{part}_{column}"] = ((f"{part}_row",), array)
    attributes = {
        "title": f"synsamp spines: {table.name}",
        "time_unit": table.time_unit or "unknown",
        "size_unit": table.size_unit or "unknown",
        "state_meaning": "1 seen, 0 absent, -1 not imaged",
    }
    return xr.Dataset(variables, attrs=attributes)


def _is_number(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column))  # booleans count as 1 and 0


def _texts(values: object) -> np.ndarray:
    """Text as fixed-width bytes, which NetCDF 3 supports."""
    found = np.array([str(v).encode() or b" " for v in np.asarray(values, object)])
    return found
