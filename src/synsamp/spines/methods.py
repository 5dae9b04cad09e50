"""A Methods paragraph that states every choice made in the analysis."""

from __future__ import annotations

import numpy as np

from synsamp.spines.analysis import Analysis
from synsamp.spines.compare import SIMULATIONS
from synsamp.spines.fit import MOST_PROFILED, Fitted
from synsamp.spines.likelihood import FEWEST_ANIMALS
from synsamp.spines.table import SpineTable


def methods(found: Analysis, version: str) -> str:
    """The Methods as plain text, with the names that the table uses."""
    table = found.table
    unit = table.time_unit or "unit of time"
    n_animals = len(table.animals)
    observations = int((table.state >= 0).sum())
    steps = table.intervals()
    spacing = (
        f"every {steps.min():g} {unit}s"
        if steps.size and np.ptp(steps) < 1e-9
        else f"every {steps.min():g} to {steps.max():g} {unit}s"
        if steps.size
        else "once"
    )
    text = [
        f"Spines were analysed with synsamp {version}. The table {table.name} holds "
        f"{len(table.spine)} spines of {n_animals} animal{'s' * (n_animals != 1)}, imaged "
        f"{spacing} ({observations} observations in {table.times.size} sessions). "
        f"{table.choices['absent'][0].upper()}{table.choices['absent'][1:]}.",
        "New spines are those that were absent in one session and present in a later one; a spine "
        "that returned started a new lifetime. Survival was estimated by Kaplan–Meier, counting a "
        "loss in the session in which it was observed. Survival models were fitted by "
        "interval-censored maximum likelihood and ranked by AIC. Gain and loss are relative to the "
        "spines present before; the turnover ratio is (gained + lost)/(N1 + N2).",
    ]
    if table.offsets is not None:
        offsets = table.offsets
        text.append(
            f"An offset of log size was removed from each {offsets.of} "
            + (
                "(from the smallest size of each animal)"
                if offsets.by_smallest
                else "(estimated with the process as a Gaussian random effect)"
            )
            + f"; their standard deviation was {offsets.spread:.3g}. Intervals include the error "
            "of the offsets."
        )
    if found.fitted is not None:
        fitted = found.fitted
        origin = (
            "given"
            if found.threshold_given
            else "fitted; a threshold on the measured size was less probable"
            if fitted.threshold_on == "true"
            else "the smallest size measured; a threshold on the true size was not more probable"
        )
        threshold = float(np.exp(fitted.threshold))
        text.append(
            "Log size was modelled as an Ornstein–Uhlenbeck process with independent Gaussian "
            f"measurement noise. A spine counts as seen if its {fitted.threshold_on} size exceeds "
            f"{threshold:.4g} {table.size_unit}".rstrip()
            + f" ({origin}); absences entered the likelihood as sizes below it, {_missed(fitted)}"
            f"and each {_entry(table)} The likelihood was "
            "computed by a forward filter on quadrature nodes and maximised; "
            + (
                "95 % intervals come from the profile likelihood (Student's t)"
                if fitted.n_observations <= MOST_PROFILED
                else "95 % intervals come from its curvature (Student's t)"
            )
            + (
                f", enlarged if the {fitted.n_animals} animals differed more than expected from "
                "their spines (sandwich estimator, Student's t)."
                if fitted.n_animals >= FEWEST_ANIMALS
                else "; with fewer than three animals, spines were treated as independent."
            )
        )
        text.append(
            "A sum of two such processes (by a Gaussian filter with moment matching at absences) "
            "and a random walk were compared with it by AIC and BIC and by "
            f"{SIMULATIONS} tables simulated from each fit with the sessions and gaps of the "
            "table. Prior and speed are given at temperature T = 1 by convention, since sizes "
            "determine only μ, Tσ² and b/σ²."
        )
    if found.held_out is not None:
        text.append(
            "One time scale was compared with two time scales, two populations and a Kesten "
            "process by the log density of one-step predictions of the last third of the "
            "sessions, after fitting each to the sessions before. A model was preferred if its "
            "mean gain exceeded 2.39 standard errors (over animals, or spines with fewer than "
            "three)."
        )
    if found.posterior is not None:
        chains, draws = (found.posterior.draws.sizes[d] for d in ("chain", "draw"))
        text.append(
            f"The posterior was sampled by synaptic sampling ({chains} chains of {draws} steps) "
            "under weak Gaussian priors on the mean and the logarithms of the other parameters, "
            "centred on the scale of the table."
        )
    if found.effects is not None:
        text.append(
            f"Conditions ({', '.join(table.conditions)}) were fitted separately with one "
            "threshold. Intervals of differences combine the errors of both fits. Turnover was "
            "compared between animals by Welch's t test with Hedges' g. Intervals of the "
            "proportions of surviving new spines were bootstrapped over spines and, with three "
            "or more animals, over animals; the wider interval was used."
        )
    if found.simulated is not None:
        text.append(
            "The overlaid simulation follows the synaptic sampling rule under the fitted prior "
            f"alone, without a circuit (seed {found.seed})."
        )
    return "\n\n".join(text)


def _missed(fitted: Fitted) -> str:
    if fitted.missed is None:
        return ""
    return (
        "or as spines that the session missed (with one probability for all spines above the "
        "threshold, estimated with the rest; likelihood ratio test), "
    )


def _entry(table: SpineTable) -> str:
    if not table.renamed:
        return "spine's likelihood was divided by the probability of being seen at least once."
    return (
        "name was taken to end with its first loss: its likelihood is that of the absence before "
        "it, its sizes and the absence after it, divided by the expected number of such runs per "
        "place on the dendrite."
    )
