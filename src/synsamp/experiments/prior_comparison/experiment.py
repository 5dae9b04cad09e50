"""Beyond Fig. 2: which prior generalises best, and does more noise hurt?

The machine and the images of ``generalization``, under every prior of a list at every
temperature of a list. The one-humped priors are centred at 0. All but one have the standard
deviation of the bimodal prior, so that they differ in shape and not in width; the narrow Gaussian
is the bimodal prior's mode at 0 alone, and shows what its second mode adds.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import xarray as xr
from pydantic import Field, model_validator

from synsamp.analysis.intervals import mean_interval, share_interval
from synsamp.experiments.base import Claim, Experiment, Repeats, Results, RunContext
from synsamp.experiments.shared.boltzmann_ensemble import run_trials
from synsamp.experiments.shared.boltzmann_trials import Learning, TrialParameters, Variant
from synsamp.priors import Flat, Gaussian, GaussianMixture, Laplace, Prior, StudentT

Name = Literal["uniform", "gaussian", "laplace", "student_t", "narrow_gaussian", "bimodal"]
BIMODAL = GaussianMixture((1.0, 0.0), (0.15, 0.15))
STUDENT_DF = 3.0


class ComparisonParameters(TrialParameters):
    """Which priors and temperatures are compared."""

    priors: tuple[Name, ...] = Field(
        ("uniform", "gaussian", "laplace", "student_t", "narrow_gaussian", "bimodal"),
        min_length=1,
        max_length=6,
        description="priors of the weights",
    )
    temperatures: tuple[Annotated[float, Field(ge=0.0, le=1000.0)], ...] = Field(
        (0.0, 0.25, 1.0, 4.0),
        min_length=1,
        max_length=50,
        description="temperatures T; 0 is no noise",
    )
    prior_std: float = Field(
        0.52, ge=1e-3, le=100.0, description="std of the Gaussian, Laplace and Student-t prior"
    )

    @model_validator(mode="after")
    def _each_once(self) -> ComparisonParameters:
        for values in (self.priors, self.temperatures):
            if len(set(values)) < len(values):
                raise ValueError("priors and temperatures must each be named once")
        return self

    @property
    def n_variants(self) -> int:
        """Ways to learn in every trial."""
        return len(self.priors) * len(self.temperatures)


def prior_named(name: Name, std: float) -> Prior:
    """The prior called ``name``; Gaussian, Laplace and Student-t have this standard deviation."""
    priors: dict[str, Prior] = {
        "uniform": Flat(),
        "bimodal": BIMODAL,
        "gaussian": Gaussian(0.0, std),
        "narrow_gaussian": Gaussian(0.0, BIMODAL.stds[1]),
        "laplace": Laplace(0.0, std / np.sqrt(2.0)),
        "student_t": StudentT(STUDENT_DF, 0.0, std * np.sqrt(1.0 - 2.0 / STUDENT_DF)),
    }
    return priors[name]


def run(p: ComparisonParameters, context: RunContext) -> Results:
    """Learn under every prior at every temperature in every trial."""
    pairs = [(name, T) for name in p.priors for T in p.temperatures]
    variants = [Variant(f"{name} T={T:g}", prior_named(name, p.prior_std), T) for name, T in pairs]
    prior = ("variant", np.array([name for name, _ in pairs]))
    temperature = ("variant", np.array([T for _, T in pairs]))
    return {
        key: dataset.assign_coords(prior=prior, temperature=temperature)
        for key, dataset in run_trials(p, variants, context).items()
    }


def end_table(results: Results) -> xr.DataArray:
    """Test log-likelihood at the end, with dimensions (prior, temperature, trial)."""
    end = results["trials"].test_log_likelihood.isel(update=-1).load()
    order = list(dict.fromkeys(end.prior.values.tolist()))
    table = end.set_index(variant=["prior", "temperature"]).unstack("variant")
    return table.sel(prior=order).transpose("prior", "temperature", "trial")


def claims(p: ComparisonParameters, results: Results) -> list[Claim]:
    """What the comparison says, as far as its lists hold what is compared."""
    table = end_table(results)
    found: list[Claim] = []
    if 1.0 in p.temperatures:
        found += _claims_on_priors(p, table.sel(temperature=1.0))
    if "bimodal" in p.priors and 1.0 in p.temperatures and max(p.temperatures) > 1.0:
        found += _claims_on_noise(table.sel(prior="bimodal"))
    return found


def _claims_on_priors(p: ComparisonParameters, at_one: xr.DataArray) -> list[Claim]:
    found = []
    informed = [name for name in p.priors if name != "uniform"]
    if informed and "uniform" in p.priors:
        worst = at_one.sel(prior=informed).min("prior") - at_one.sel(prior="uniform")
        ahead = share_interval(worst.values > 0)
        found.append(
            Claim(
                "any-prior-helps",
                "Any of the priors ends ahead of the uniform one on test images (T = 1)",
                "beyond Fig. 2F",
                ahead.value,
                (0.95, 1.0),
                unit="of trials",
                detail=f"share in which even the worst is ahead: {ahead.text(3)}; "
                f"its mean lead {mean_interval(worst.values).text()} nats",
            )
        )
    if "bimodal" not in informed:
        return found
    bimodal = at_one.sel(prior="bimodal")
    as_wide = [name for name in informed if name in ("gaussian", "laplace", "student_t")]
    if as_wide:
        others = at_one.sel(prior=as_wide)
        best = str(others.mean("trial").idxmax("prior").values)
        lead = mean_interval((bimodal - at_one.sel(prior=best)).values)
        found.append(
            Claim(
                "two-modes-beat-one",
                "A prior with two modes, as black and white pixels have, generalises better than "
                "one hump of the same spread",
                "Results, on the choice of the prior",
                lead.value,
                (0.0, None),
                unit="nats",
                detail=f"mean lead over the best of them ({best}) at T = 1: {lead.text()}",
            )
        )
    if "narrow_gaussian" in informed:
        gain = mean_interval((bimodal - at_one.sel(prior="narrow_gaussian")).values)
        found.append(
            Claim(
                "second-mode-helps",
                "The mode at 1 adds to what the mode at 0 alone does for generalization",
                "Results, on the choice of the prior",
                gain.value,
                (0.0, None),
                unit="nats",
                detail=f"mean lead over a Gaussian at 0 with std 0.15 at T = 1: {gain.text()}",
            )
        )
    return found


def _claims_on_noise(bimodal: xr.DataArray) -> list[Claim]:
    hottest = float(bimodal.temperature.max())
    loss = mean_interval((bimodal.sel(temperature=1.0) - bimodal.sel(temperature=hottest)).values)
    means = ", ".join(
        f"{float(m):.1f} at T = {float(T):g}".replace("-", "−")
        for m, T in zip(bimodal.mean("trial"), bimodal.temperature, strict=True)
    )
    return [
        Claim(
            "noise-hurts",
            f"More noise than T = 1 costs likelihood on test images (bimodal, T = {hottest:g})",
            "beyond Fig. 2F",
            loss.value,
            (0.0, None),
            unit="nats",
            detail=f"mean loss {loss.text()}; test log-likelihood at the end: {means}",
        )
    ]


def draw(parameters: ComparisonParameters, results: Results) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.experiments.prior_comparison import figures

    return figures.draw(parameters, results)


EXPERIMENT = Experiment(
    name="prior_comparison",
    alias="fig2x",
    title="Which prior generalises best?",
    summary="The Boltzmann machine of Fig. 2 under six priors and four temperatures.",
    parameters=ComparisonParameters,
    presets={
        "quick": ComparisonParameters(
            trials=2,
            evaluations=12,
            temperatures=(0.0, 1.0, 4.0),
            learning=Learning(updates=4_000),
        ),
        "paper": ComparisonParameters(trials=20),
    },
    run=run,
    claims=claims,
    draw=draw,
    captions={
        "A": "Log-likelihood of test images at the end of learning by prior and temperature; "
        "mean and standard deviation over trials.",
        "B": "The same during learning at temperature 1 (or the one nearest to it).",
        "C": "Digits that the machines of the first trial make up at the end, at the same "
        "temperature; gray values are probabilities.",
    },
    assumptions=(
        "Not in the paper: it asks what its Fig. 2 leaves open.",
        "Gaussian, Laplace and Student-t (3 degrees of freedom) priors have mean 0 and the "
        "standard deviation of the bimodal prior, 0.52; the narrow Gaussian has 0.15.",
        "All variants of a trial share images, initial values and random numbers.",
    ),
    repeats=Repeats("trials", "trial"),
    deviations=("The quick preset has 2 trials of 6,000 updates.",),
)
