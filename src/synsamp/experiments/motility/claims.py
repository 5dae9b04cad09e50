"""The claims of Fig. 3; each is judged over circuits (seeds)."""

from __future__ import annotations

from synsamp.claims import Claim

CLAIMS = (
    Claim(
        "free-law",
        "Without activity θ follows the prior",
        "Fig. 3B",
        "free_law",
        (None, 1.95),
        "σ",
        "a sample of the prior has 0.87 on average, and more than 1.95 once in 1,000",
        "Kolmogorov–Smirnov distance between θ of all synapses, in the engine without spikes, and "
        "the prior, times √n",
    ),
    Claim(
        "free-process",
        "Without activity θ is an Ornstein–Uhlenbeck process",
        "Sec. Spine motility",
        "free_process",
        (None, 4.0),
        "σ",
        "an error of the engine would be many standard errors",
        "largest deviation of the maximum-likelihood estimates of μ, σ√T and b·T from the truth, "
        "in standard errors",
    ),
    Claim(
        "log-normal",
        "so the efficacies w are log-normal",
        "Fig. 3D",
        "free_moments",
        (None, 2.63),
        "σ",
        "a normal sample has 0.89 on average, and more than 2.63 once in 1,000",
        "skewness and kurtosis of log w in standard errors, root mean square",
    ),
    Claim(
        "multiplicative",
        "Spine sizes change in proportion to their size (prior and noise alone)",
        "Sec. Spine motility, requirement 2",
        "free_slope",
        (0.9, 1.1),
        "",
        "1 is proportional",
        "slope of log |Δw| against log w, connections active at first, one step of the grid of "
        "the larger b, without activity",
    ),
    Claim(
        "multiplicative-learning",
        "and do so in the learning circuit",
        "Sec. Spine motility, requirement 2",
        "slope_slow",
        (0.75, 1.25),
        "",
        "1 is proportional; wider than without activity, as the likelihood holds large weights",
        "the same slope, one step of the grid of the smaller b",
    ),
    Claim(
        "power-law-E",
        "New connections survive by a power law rather than exponentially (larger b)",
        "Fig. 3E",
        "aic_gain_fast",
        (2.0, None),
        "AIC",
        "a difference of 2 is what one more parameter costs",
        "AIC of the exponential minus AIC of the power law",
    ),
    Claim(
        "power-law-F",
        "New connections survive by a power law rather than exponentially (smaller b)",
        "Fig. 3F",
        "aic_gain_slow",
        (2.0, None),
        "AIC",
        "a difference of 2 is what one more parameter costs",
        "AIC of the exponential minus AIC of the power law",
    ),
    Claim(
        "time-scale",
        "The time scale of survival goes as 1/b",
        "Fig. 3E, F",
        "time_scale",
        (0.8, 1.25),
        "× ratio of b",
        "1 is exact; one and the same time scale would be 0.01 at the paper's b",
        "median life in the power-law fits, slow over fast, both watched alike in units of 1/b, "
        "relative to the ratio of b",
    ),
    Claim(
        "two-populations",
        "There are persistent and transient connections",
        "Fig. 3B; Discussion",
        "dip",
        (None, 0.5),
        "",
        "1 is no dip; half as many in between are seen by eye",
        "emptiest inner tenth of the time active, relative to the smaller outer tenth; beside it "
        "synapses without activity, watched as long",
        null="dip_without_activity",
    ),
)
