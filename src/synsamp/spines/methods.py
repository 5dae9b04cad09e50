"""A Methods paragraph with every choice that was made, ready to adapt."""

from __future__ import annotations

import numpy as np

from synsamp.spines.analysis import Analysis
from synsamp.spines.compare import SIMULATIONS
from synsamp.spines.fit import PROFILED_LOOKS
from synsamp.spines.likelihood import FEWEST_ANIMALS


def methods(found: Analysis, version: str) -> str:
    """Plain text in several sentences; the reader's own names stand where the table has them."""
    table = found.table
    unit = table.time_unit or "unit of time"
    n_animals = len(table.animals)
    looks = int((table.state >= 0).sum())
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
        f"{len(table.spine)} spines of {n_animals} animal{'s' * (n_animals != 1)}, looked at "
        f"{spacing} ({looks} looks in {table.times.size} sessions). "
        f"{table.choices['absent'][0].upper()}{table.choices['absent'][1:]}.",
        "New spines are those seen absent and later present; a spine that returned began another "
        "life. Survival is by Kaplan–Meier, a loss counted when it was noticed; laws were fitted "
        "by the likelihood of the interval in which a life ended and ranked by AIC. Gain and loss "
        "are relative to the spines seen before, the turnover ratio is (gained + lost)/(N1 + N2).",
    ]
    if found.fitted is not None:
        fitted = found.fitted
        origin = (
            "given"
            if found.threshold_given
            else "fitted; taking the measured size as what decides was less probable"
            if fitted.by_true_size
            else "the smallest size measured; taking the true size was not more probable"
        )
        threshold = float(np.exp(fitted.threshold))
        text.append(
            "Log size was described as an Ornstein–Uhlenbeck process with independent Gaussian "
            f"noise of measurement. A spine counts as seen if its {fitted.seen_by} exceeds "
            f"{threshold:.4g} {table.size_unit}".rstrip()
            + f" ({origin}); absences entered the likelihood as sizes below it, and each "
            "spine's likelihood was divided by the probability of being seen at least once. The "
            "likelihood was computed by a forward filter on quadrature nodes and maximised; "
            + (
                "95 % intervals are of profile likelihood (Student's t)"
                if fitted.n_looks <= PROFILED_LOOKS
                else "95 % intervals are from its curvature (Student's t)"
            )
            + (
                f", widened where the {fitted.n_animals} animals differ more than their spines "
                "allow (sandwich estimate, Student's t)."
                if fitted.n_animals >= FEWEST_ANIMALS
                else "; with fewer than three animals spines were taken as independent."
            )
        )
        text.append(
            "A sum of two such processes (by a Gaussian filter with moments matched at absences) "
            "and a random walk were compared with it by AIC and BIC and by "
            f"{SIMULATIONS} tables simulated from each fit with the sessions and gaps of the "
            "table. Prior and speed are given at temperature T = 1 by convention, since sizes "
            "tell μ, Tσ² and b/σ² only."
        )
    if found.posterior is not None:
        chains, draws = (found.posterior.draws.sizes[d] for d in ("chain", "draw"))
        text.append(
            f"The posterior was drawn by synaptic sampling ({chains} chains of {draws} steps) "
            "under weak Gaussian priors on the mean and the logarithms of the other parameters, "
            "centred on the scale of the table."
        )
    if found.effects is not None:
        text.append(
            f"Conditions ({', '.join(table.conditions)}) were fitted separately with one "
            "threshold. Differences have intervals from the errors of both fits; turnover was "
            "compared between animals by Welch's t test with Hedges' g, the shares of new spines "
            "alive by drawing spines and, from three on, animals anew, whichever is wider."
        )
    if found.simulated is not None:
        text.append(
            "The overlaid simulation follows the rule of synaptic sampling under the fitted prior "
            f"alone, without a circuit (seed {found.seed})."
        )
    return "\n\n".join(text)
