"""Fig. 2: a prior for synaptic weights keeps a Boltzmann machine from overfitting.

A machine of 784 visible and 9 hidden neurons learns from five images of a handwritten 1, once
under a uniform prior (the common maximum likelihood rule, with noise) and once under a bimodal
prior for its weights. Every trial draws its images, initial values and noise anew.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import xarray as xr
from pydantic import Field, model_validator

from synsamp.analysis.intervals import mean_interval, share_interval
from synsamp.experiments.base import (
    Claim,
    Experiment,
    Parameters,
    Repeats,
    Results,
    RunContext,
)
from synsamp.experiments.shared.boltzmann_ensemble import run_trials
from synsamp.experiments.shared.boltzmann_trials import Learning, TrialParameters, Variant
from synsamp.priors import Flat, GaussianMixture

MARGIN_NATS = 15.0
"""A fall from the best value by less than this counts as none; see docs/generalization.md."""


class BimodalPrior(Parameters):
    """The mixture of two Gaussians in equal shares (Eq. rbm_prior)."""

    means: tuple[Annotated[float, Field(ge=-100.0, le=100.0)], ...] = Field(
        (1.0, 0.0), min_length=1, max_length=5, description="μ"
    )
    stds: tuple[Annotated[float, Field(ge=1e-3, le=100.0)], ...] = Field(
        (0.15, 0.15), min_length=1, max_length=5, description="σ"
    )

    @model_validator(mode="after")
    def _fits(self) -> BimodalPrior:
        if len(self.means) != len(self.stds):
            raise ValueError("means and stds must have the same length")
        return self


class GeneralizationParameters(TrialParameters):
    """Parameters of Fig. 2."""

    prior: BimodalPrior = BimodalPrior()
    temperature: float = Field(1.0, ge=0.0, le=1000.0, description="T, the noise temperature")


def run(p: GeneralizationParameters, context: RunContext) -> Results:
    """Learn under both priors in every trial."""
    bimodal = GaussianMixture(p.prior.means, p.prior.stds)
    variants = (
        Variant("uniform", Flat(), p.temperature),
        Variant("bimodal", bimodal, p.temperature),
    )
    weight = np.linspace(-4.0, 4.0, 801)
    density = xr.Dataset(
        {"density": ("weight", np.exp(bimodal.log_density(weight)))}, coords={"weight": weight}
    )
    return run_trials(p, variants, context) | {"prior": density}


def claims(p: GeneralizationParameters, results: Results) -> list[Claim]:
    """What the caption of Fig. 2 and its text say, over all trials."""
    trials = results["trials"]
    test = trials.test_log_likelihood.load()
    uniform, bimodal = test.sel(variant="uniform"), test.sel(variant="bimodal")
    peak = uniform["update"].values[uniform.argmax("update").values] / p.learning.updates
    fall = (uniform.max("update") - uniform.isel(update=-1)).values
    kept = (bimodal.max("update") - bimodal.isel(update=-1)).values
    ahead = (bimodal - uniform).isel(update=-1).values
    falls, leads, n = share_interval(fall > MARGIN_NATS), share_interval(ahead > 0), len(ahead)
    peaks, fallen, kept_mean = mean_interval(peak), mean_interval(fall), mean_interval(kept)
    lead = mean_interval(ahead)
    return [
        Claim(
            "early-peak",
            "Under a uniform prior the likelihood of test images peaks early in learning",
            "Fig. 2D",
            peaks.value,
            (0.0, 0.25),
            unit="of the run",
            detail=f"mean of the best update {peaks.text(3)}; latest {peak.max():.3f}; {n} trials",
        ),
        Claim(
            "overfitting",
            "... and then falls for prolonged learning",
            "Fig. 2D",
            fallen.value,
            (MARGIN_NATS, None),
            unit="nats",
            detail=f"mean fall from best to end {fallen.text()}; smallest {fall.min():.1f}",
        ),
        Claim(
            "overfitting-share",
            f"It falls by more than {MARGIN_NATS:g} nats in nearly every trial",
            "Fig. 2D",
            falls.value,
            (0.95, 1.0),
            unit="of trials",
            detail=f"share {falls.text(3)}",
        ),
        Claim(
            "constant-high",
            "Under the bimodal prior the likelihood of test images stays near its best to the end",
            "Fig. 2F",
            kept_mean.value,
            (0.0, MARGIN_NATS),
            unit="nats",
            detail=f"mean of best minus end {kept_mean.text()}; largest {kept.max():.1f}",
        ),
        Claim(
            "ahead-share",
            "At the end the bimodal prior is ahead on test images in every trial",
            "Fig. 2D,F",
            leads.value,
            (1.0, 1.0),
            unit="of trials",
            detail=f"share {leads.text(3)}",
        ),
        Claim(
            "ahead",
            "... and by a wide margin",
            "Fig. 2D,F",
            lead.value,
            (MARGIN_NATS, None),
            unit="nats",
            detail=f"mean lead {lead.text()}; smallest {ahead.min():.1f}",
        ),
        *_weight_claims(p, results),
        _averaging_claim(results),
    ]


def _weight_claims(p: GeneralizationParameters, results: Results) -> list[Claim]:
    """How the weights divide between the modes; the valley between 0 and 1 lies at 0.5."""
    counts = results["trials"].weight_count.sel(variant="bimodal").load()
    all_weights = 784 * p.machine.hidden_units
    shares = {
        mode: mean_interval(
            counts.sel(bin=slice(mode - 0.5, mode + 0.5)).sum("bin").values / all_weights
        )
        for mode in (0.0, 1.0)
    }
    return [
        Claim(
            "mode-at-0",
            "Most weights settle in the prior's mode at 0",
            "Fig. 2E",
            shares[0.0].value,
            (0.5, 1.0),
            unit="of weights",
            detail=f"between −0.5 and 0.5: {shares[0.0].text(3)}",
        ),
        Claim(
            "mode-at-1",
            "A few larger weights emerge and stay in the mode at 1",
            "Fig. 2E",
            shares[1.0].value,
            (0.01, 0.5),
            unit="of weights",
            detail=f"between 0.5 and 1.5: {shares[1.0].text(3)}",
        ),
    ]


def _averaging_claim(results: Results) -> Claim:
    trials = results["trials"].sel(variant="bimodal").load()
    last = trials.test_log_likelihood.isel(update=-1).values
    gain = mean_interval(trials.averaged_test_log_likelihood.values - last)
    return Claim(
        "averaging",
        "The posterior's average over samples predicts test images better than the last sample",
        "beyond Fig. 2F",
        gain.value,
        (0.0, None),
        unit="nats",
        detail=f"mean gain {gain.text()}, averaging p(x|θ) over the second half of learning",
    )


def draw(parameters: GeneralizationParameters, results: Results) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.experiments.generalization import figures

    return figures.draw(parameters, results)


EXPERIMENT = Experiment(
    name="generalization",
    alias="fig2",
    title="Priors improve generalization",
    summary="A Boltzmann machine learns five handwritten ones: under a uniform prior it overfits, "
    "under a bimodal prior for its weights it keeps explaining ones it has never seen.",
    parameters=GeneralizationParameters,
    presets={
        "quick": GeneralizationParameters(trials=4, learning=Learning(updates=20_000)),
        "paper": GeneralizationParameters(),
    },
    run=run,
    claims=claims,
    draw=draw,
    captions={
        "A": "The five training images of the first trial, and the network: 784 visible neurons, "
        "one per pixel, and 9 hidden ones.",
        "B": "Some of the test images: ways to write a 1 that the training set does not have.",
        "C": "Uniform prior: 50 randomly chosen weights during learning in the first trial, and "
        "the histogram of all weights of all trials at the end (80 bins from −4 to 4).",
        "D": "Uniform prior: log-likelihood of training and test images, mean and standard "
        "deviation over trials. On test images it rises at first and then falls.",
        "E": "Bimodal prior (blue curve): most weights settle around 0, some around 1.",
        "F": "Bimodal prior: the log-likelihood of test images stays high throughout.",
        "G": "Beyond the figure: digits that the machines of the first trial make up at the end "
        "(drawn from the exact law of the hidden neurons; gray values are probabilities).",
        "H": "Beyond the figure: test images under the last sample of the parameters, under a "
        "typical sample of the second half of learning, and under the average of p(x|θ) over "
        "those samples. One dot is one trial.",
    },
    assumptions=(
        "50,000 updates: the paper does not say how many.",
        "Log-likelihood is exact (log Z by summing all hidden states), on images binarised once "
        "per trial; the paper does not say how it was computed.",
        "Each trial draws its own five training and 100 test images from MNIST's training set; "
        "both priors learn from the same images, initial values and random numbers.",
        f"Staying near the best means within {MARGIN_NATS:g} nats; the paper gives no number.",
    ),
    repeats=Repeats("trials", "trial"),
    deviations=(
        "784 visible neurons; the Methods print 748, which is not 28 × 28.",
        "The quick preset has 4 trials of 20,000 updates.",
    ),
)
