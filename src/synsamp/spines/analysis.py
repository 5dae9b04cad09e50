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
    rates_each,
    survival_each,
    turnover_each,
)
from synsamp.spines.fit import Fitted, fit_process
from synsamp.spines.held_out import HeldOut
from synsamp.spines.held_out import held_out as compare_held_out
from synsamp.spines.lifetimes import Survival, survival_of
from synsamp.spines.observations import Observations
from synsamp.spines.offsets import UNLIKELY, OffsetsOf, corrected, differ
from synsamp.spines.posterior import Posterior, posterior_of
from synsamp.spines.process import PROCESSES, OneTimeScale, Process
from synsamp.spines.reading import read
from synsamp.spines.rule_parameters import RuleParameters, simulate_rule, to_rule_parameters
from synsamp.spines.sensitivity import sensitivity_of
from synsamp.spines.table import SpineTable
from synsamp.spines.tracking import unexplained_losses, with_corrected_rates
from synsamp.spines.turnover import TurnoverRates, turnover_of

FEWEST_SIZED = 10
"""Sizes that each animal needs for an offset."""

NAMES_IN_WORDS = {
    "mean": "μ",
    "spread": "s",
    "relaxation": "τ",
    "noise": "η",
    "bT": "b·T",
}

Source: TypeAlias = str | Path | pd.DataFrame | SpineTable


@dataclass(frozen=True, eq=False)
class Analysis:
    """A table and every result.

    Attributes
    ----------
    table
        The table; its sizes are corrected for offsets between animals if ``table.offsets`` is set.
    fits
        The fitted processes of the whole table, one time scale first.
    comparison
        Their AIC, BIC and predictive checks.
    rule_parameters, survival, turnover
        Of the whole table.
    by_condition, survival_by_condition, turnover_by_condition, rates_by_condition, effects
        Fits, survival, turnover ratios of animals and rates of each condition, and the effects
        between conditions.
    posterior, simulated, held_out
        If they were requested.
    sensitivity
        Estimates under other assumptions about names, tracking losses and offsets.
    unexplained
        Losses of large spines that the process does not explain (`unexplained_losses`).
    warnings
        What the reader must know before any number, the warnings of the table included.
    missing
        What could not be computed and why.
    threshold_given
        Whether the caller gave the threshold of detection.
    seed
        Seed of the resamples and simulations.
    """

    table: SpineTable
    fits: tuple[Fitted, ...]
    comparison: Comparison | None
    rule_parameters: RuleParameters | None
    survival: Survival
    turnover: TurnoverRates
    by_condition: dict[str, Fitted]
    survival_by_condition: dict[str, Curve]
    turnover_by_condition: pd.DataFrame | None
    rates_by_condition: pd.DataFrame | None
    effects: pd.DataFrame | None
    posterior: Posterior | None
    simulated: SpineTable | None
    held_out: HeldOut | None
    sensitivity: pd.DataFrame | None
    unexplained: pd.DataFrame | None
    warnings: tuple[str, ...]
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
    offsets: OffsetsOf | None = None,
    missed: bool | None = None,
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
    offsets
        Offsets of log size to remove: "animal", "session" (of each animal) or "none"; default:
        "animal" if animals differ more than their spines explain.
    missed
        Whether a session can miss a spine above the threshold; default: if this is more probable.

    Returns
    -------
    Fitted
        ``.frame`` has the estimates with 95 % intervals.
    """
    table = read(source)
    least = None if threshold is None else number("threshold", threshold, above=0)
    chosen = without_offsets(table.part(table.ever_seen), offsets, least)
    return fit_process(
        _checked(chosen, least),
        process,
        chosen.animal_number,
        missed=missed,
        offsets=chosen.offsets,
    )


def without_offsets(
    table: SpineTable, offsets: OffsetsOf | None, threshold: float | None = None
) -> SpineTable:
    """Remove offsets between animals or sessions from the sizes, or decide whether to.

    Parameters
    ----------
    table
        A table from `read`.
    offsets
        "animal", "session" or "none"; None decides between "animal" and "none".
    threshold
        Size below which a spine is not seen; default: estimated.
    """
    if offsets not in (None, "none", "animal", "session"):
        raise refuse("offsets", "must be animal, session or none", offsets, "leave it out")
    sized = [np.isfinite(table.size[table.animal == a]).sum() for a in table.animals]
    if offsets == "none" or table.offsets is not None or not table.has_sizes:
        return table
    if offsets is None:
        offsets = "animal" if differ(table) < UNLIKELY else "none"
    if offsets == "none" or (offsets == "animal" and len(table.animals) < 2):
        return table
    if min(sized) < FEWEST_SIZED:
        if offsets == "session":
            raise refuse(
                "offsets", f"need {FEWEST_SIZED} sizes per animal", min(sized), "leave it out"
            )
        return table
    return corrected(table, offsets, threshold)


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
    TurnoverRates
        ``.rates`` with 95 % intervals, ``.intervals`` and ``.animals`` with the counts.
    """
    return turnover_of(read(source))


def analyse(
    source: Source,
    *,
    threshold: float | None = None,
    offsets: OffsetsOf | None = None,
    simulate: bool = False,
    posterior: bool = False,
    held_out: bool = False,
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
    offsets
        Offsets of log size to remove: "animal", "session" or "none"; default: decided.
    simulate
        Also simulate the rule under the fitted prior.
    posterior
        Also sample the posterior of the parameters (minutes).
    held_out
        Also compare models by held-out sessions (minutes).
    seed
        Seed of all random numbers.
    progress
        Show a progress bar for each long step on a terminal.

    Returns
    -------
    Analysis
        Parts for which the table is too small are None or empty and listed in ``missing``.
    """
    raw = read(source)
    least = None if threshold is None else number("threshold", threshold, above=0)
    if raw.has_sizes:
        _checked(raw.part(raw.ever_seen), least)
    table = without_offsets(raw, offsets, least)
    chosen = table.part(table.ever_seen)
    missing: list[str] = []
    fits: list[Fitted] = []
    seen = None
    if table.has_sizes:
        seen = _checked(chosen, least)
        with progress_bar("fitting processes", len(PROCESSES), progress) as advance:
            for kind in PROCESSES:
                try:
                    # All share one kind of detection, so that they can be compared.
                    way = fits[0].threshold_on if fits else None
                    can_miss = fits[0].missed is not None if fits else None
                    animal = chosen.animal_number
                    fits.append(fit_process(seen, kind, animal, way, can_miss, table.offsets))
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
    sensitivity = unexplained = None
    if one is not None:
        sensitivity = sensitivity_of(raw, table, one, least)
        unexplained = unexplained_losses(chosen, one)
    drawn = None
    if posterior and one is not None and seen is not None:
        drawn = posterior_of(seen, one, seed=seed, progress=progress)
    predictions = None
    if held_out:
        try:
            predictions = compare_held_out(chosen, seed=seed, progress=progress)
        except SynsampError as error:
            missing.append(f"no sessions are held out: {error}")
    simulated = None
    if simulate:
        if one is None:
            missing.append("no simulation of the rule: it needs a fitted process")
        else:
            simulated = simulate_rule(table, one, seed)
    turned = turnover_of(table, seed)
    if one is not None and one.missed is not None:
        turned = with_corrected_rates(turned, one)
    return Analysis(
        table=table,
        fits=tuple(fits),
        comparison=compare(table, fits, seed, progress=progress) if fits else None,
        rule_parameters=rule_parameters,
        survival=new,
        turnover=turned,
        by_condition=by_condition,
        survival_by_condition=survival_each(table) if effects is not None else {},
        turnover_by_condition=turnover_each(table) if effects is not None else None,
        rates_by_condition=rates_each(table, seed) if effects is not None else None,
        effects=effects,
        posterior=drawn,
        simulated=simulated,
        held_out=predictions,
        sensitivity=sensitivity,
        unexplained=unexplained,
        warnings=_warnings(raw, table, one, sensitivity, unexplained),
        missing=tuple(missing),
        threshold_given=threshold is not None,
        seed=seed,
    )


def _warnings(
    raw: SpineTable,
    table: SpineTable,
    fitted: Fitted | None,
    sensitivity: pd.DataFrame | None,
    unexplained: pd.DataFrame | None,
) -> tuple[str, ...]:
    """What the reader must know before any number; what changes the model comes first."""
    found = []
    p = differ(raw) if raw.has_sizes else 1.0
    if table.offsets is not None and raw.offsets is None:
        factors = np.exp([table.offsets.values.min(), table.offsets.values.max()])
        of = "animals" if table.offsets.of == "animal" else "sessions"
        found.append(
            f"sizes differ between {of} by factors from {factors[0]:.2g} to {factors[1]:.2g}"
            + (" more than their spines explain" if p < UNLIKELY else "")
            + "; an offset of log size is removed from each (--offsets none keeps them)"
        )
    elif p < UNLIKELY and raw.offsets is None:
        found.append(
            "median sizes differ between animals more than their spines explain; "
            "--offsets animal removes an offset of each"
        )
    if fitted is not None and fitted.missed is not None:
        low, high = fitted.interval("missed")
        found.append(
            f"sessions miss {100 * fitted.missed:.2g} % (95 % interval {100 * low:.2g} to "
            f"{100 * high:.2g} %) of the spines that are there; the fitted process accounts for "
            "this, survival and the uncorrected gain and loss do not"
        )
    if unexplained is not None and len(unexplained):
        permanent = int((~unexplained["returned"]).sum())
        found.append(
            f"{len(unexplained)} losses of large spines, {permanent} of them permanent, are "
            "probably tracking losses; the page lists them"
        )
    if sensitivity is not None:
        moved = sensitivity[sensitivity["outside"].astype(bool)]
        for variant, rows in moved.groupby("variant", sort=False):
            found.append(
                f"{variant}, {', '.join(NAMES_IN_WORDS[n] for n in rows['parameter'])} would lie "
                "outside the interval given here; see the sensitivity table"
            )
    first = [str(w) for w in table.warnings if w.important]
    rest = [str(w) for w in table.warnings if not w.important]
    return (*first, *found, *rest)


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
