"""The whole analysis of a spine table in one object: what the command prints, draws and writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from synsamp.analysis.survival import Curve
from synsamp.arguments import number
from synsamp.errors import SynsampError, refuse
from synsamp.progress import progress_bar
from synsamp.spines.compare import Comparison, compare
from synsamp.spines.conditions import (
    compare_conditions,
    fit_each,
    survival_each,
    turnover_each,
)
from synsamp.spines.fit import Fitted, fit_process
from synsamp.spines.lifetimes import Survival, survival_of
from synsamp.spines.observations import Observations
from synsamp.spines.posterior import Posterior, posterior_of
from synsamp.spines.process import PROCESSES, OneTimeScale, Process
from synsamp.spines.reading import read
from synsamp.spines.rule_parameters import RuleParameters, simulate_rule, to_rule_parameters
from synsamp.spines.table import SpineTable
from synsamp.spines.turnover import TurnoverRates, turnover_of

Source: TypeAlias = str | Path | pd.DataFrame | SpineTable


@dataclass(frozen=True, eq=False)
class Analysis:
    """A table and every result; ``missing`` lists what could not be computed and why."""

    table: SpineTable
    fits: tuple[Fitted, ...]
    comparison: Comparison | None
    rule_parameters: RuleParameters | None
    survival: Survival
    turnover: TurnoverRates
    by_condition: dict[str, Fitted]
    survival_by_condition: dict[str, Curve]
    turnover_by_condition: pd.DataFrame | None
    effects: pd.DataFrame | None
    posterior: Posterior | None
    simulated: SpineTable | None
    missing: tuple[str, ...]
    threshold_given: bool
    seed: int

    @property
    def fitted(self) -> Fitted | None:
        """The fit with one time scale, which corresponds to the synaptic sampling rule."""
        return next((f for f in self.fits if isinstance(f.process, OneTimeScale)), None)


def fit(
    source: Source,
    process: type[Process] = OneTimeScale,
    *,
    threshold: float | None = None,
) -> Fitted:
    """Fit a stochastic process to the sizes of a table.

    Parameters
    ----------
    source
        A file, a pandas DataFrame or a table from `read`.
    process
        `OneTimeScale`, `TwoTimeScales` or `RandomWalk`.
    threshold
        Size below which a spine is not seen; default: estimated.

    Returns
    -------
    Fitted
        ``.frame`` has the estimates with 95 % intervals.
    """
    table = read(source)
    least = None if threshold is None else number("threshold", threshold, above=0)
    chosen = table.part(table.ever_seen)
    return fit_process(_checked(chosen, least), process, chosen.animal_number)


def survival(source: Source, fitted: Fitted | None = None) -> Survival:
    """Estimate the survival of the new spines of a table.

    Parameters
    ----------
    source
        A file, a pandas DataFrame or a table from `read`.
    fitted
        A fitted process, whose first-passage prediction is added to the survival models.

    Returns
    -------
    Survival
        ``.frame`` has the Kaplan–Meier curve, ``.model_frame`` the survival models by AIC.
    """
    return survival_of(read(source), fitted)


def turnover(source: Source) -> TurnoverRates:
    """Compute gain, loss, turnover ratio, persistent and transient fraction of a table.

    Parameters
    ----------
    source
        A file, a pandas DataFrame or a table from `read`.

    Returns
    -------
    Turnover
        ``.rates`` with 95 % intervals, ``.intervals`` and ``.animals`` with the counts.
    """
    return turnover_of(read(source))


def analyse(
    source: Source,
    *,
    threshold: float | None = None,
    simulate: bool = False,
    posterior: bool = False,
    seed: int = 0,
    progress: bool = False,
) -> Analysis:
    """Run the whole analysis of ``synsamp spines``.

    Parameters
    ----------
    source
        A file, a pandas DataFrame or a table from `read`.
    threshold
        Size below which a spine is not seen; default: estimated.
    simulate
        Also simulate the rule under the fitted prior.
    posterior
        Also sample the posterior of the parameters (minutes).
    seed
        Seed of all random numbers.
    progress
        Show a progress bar for each long step on a terminal.

    Returns
    -------
    Analysis
        Parts for which the table is too small are None or empty and listed in ``missing``.
    """
    table = read(source)
    least = None if threshold is None else number("threshold", threshold, above=0)
    chosen = table.part(table.ever_seen)
    missing: list[str] = []
    fits: list[Fitted] = []
    seen = None
    if table.has_sizes:
        seen = _checked(chosen, least)
        with progress_bar("fitting processes", len(PROCESSES), progress) as advance:
            for kind in PROCESSES:
                try:
                    # All share one kind of threshold, so that they can be compared.
                    way = fits[0].threshold_on if fits else None
                    fits.append(fit_process(seen, kind, chosen.animal_number, way))
                except SynsampError as error:
                    missing.append(f"no process is fitted: {error}")
                    break
                advance(1)
    else:
        missing.append("no process is fitted: the table has no sizes")
    one = fits[0] if fits else None
    rule_parameters = to_rule_parameters(one, table.time_unit) if one else None
    new = survival_of(table, one, seed)
    if not new.models:
        ended = int(new.lifetimes.durations.ended.sum())
        missing.append(f"no survival model is fitted: {ended} new spines disappeared, 3 are needed")
    by_condition: dict[str, Fitted] = {}
    effects = None
    if len(table.conditions) > 1:
        if one is not None:
            by_condition, why = fit_each(table, one, progress)
            missing += [f"{name}: no process is fitted: {text}" for name, text in why.items()]
        effects = compare_conditions(table, by_condition, seed)
    drawn = None
    if posterior and one is not None and seen is not None:
        drawn = posterior_of(seen, one, seed=seed, progress=progress)
    simulated = None
    if simulate:
        if one is None:
            missing.append("no simulation of the rule: it needs a fitted process")
        else:
            simulated = simulate_rule(table, one, seed)
    return Analysis(
        table=table,
        fits=tuple(fits),
        comparison=compare(table, fits, seed, progress=progress) if fits else None,
        rule_parameters=rule_parameters,
        survival=new,
        turnover=turnover_of(table, seed),
        by_condition=by_condition,
        survival_by_condition=survival_each(table) if effects is not None else {},
        turnover_by_condition=turnover_each(table) if effects is not None else None,
        effects=effects,
        posterior=drawn,
        simulated=simulated,
        missing=tuple(missing),
        threshold_given=threshold is not None,
        seed=seed,
    )


def _checked(table: SpineTable, threshold: float | None) -> Observations:
    """Observations with a threshold that most of the measured sizes exceed."""
    if threshold is not None and table.has_sizes and threshold > np.nanmedian(table.size):
        raise refuse(
            "threshold",
            f"must be at most the median size ({np.nanmedian(table.size):.4g})",
            threshold,
            "most sizes lie below it; give a smaller one",
        )
    return table.observations(threshold)
