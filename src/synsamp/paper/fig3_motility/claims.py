"""The claims of Fig. 3; each is judged over circuits (seeds).

The null of most is the same circuit without spikes: prior and noise alone, watched on the same
grid for as long.
"""

from __future__ import annotations

from synsamp.claims import Claim

ALONE = "prior and noise alone, observed in the same way"
COLDER = "half the noise: the same paths as at T/2"
DEALT = "the same changes, shuffled across connections"
LOSSES = (
    "losses of new connections at four ages less those that the first passage of the "
    "Ornstein–Uhlenbeck process predicts, in standard errors, root mean square"
)
LOSSES_REASON = "true lives have 0.94 on average, and more than 2.15 once in 1,000"
MARGIN = (
    "AIC of the best of exponential, Weibull, log-normal, double exponential and first passage of "
    "prior and noise alone, less that of the power law"
)
MARGIN_REASON = "2 is what a parameter costs"

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
        null_measure="free_law_colder",
        null_description=COLDER,
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
        null_measure="free_process_colder",
        null_description=COLDER,
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
        null_measure="free_moments_of_w",
        null_description="w in the place of log w",
    ),
    Claim(
        "multiplicative",
        "Spine sizes change in proportion to their size (prior and noise alone)",
        "Sec. Spine motility, requirement 2",
        "free_slope",
        (0.9, 1.1),
        "",
        "1 is proportional",
        "slope of log |Δw| against log w, connections active at first, over b Δt = 0.0144, "
        "without activity",
        null_measure="free_slope_dealt",
        null_description=DEALT,
    ),
    Claim(
        "multiplicative-learning",
        "and do so in the learning circuit",
        "Sec. Spine motility, requirement 2",
        "slope_slow",
        (0.75, 1.25),
        "",
        "1 is proportional; wider than without activity, as the likelihood holds large weights",
        "the same slope over b Δt = 0.0144, 4 h at the smaller b",
        null_measure="slope_slow_dealt",
        null_description=DEALT,
    ),
    Claim(
        "first-passage-E",
        "Without activity new connections live as long as θ stays above 0 (larger b)",
        "Fig. 3E, theory",
        "free_losses_fast",
        (None, 2.15),
        "σ",
        LOSSES_REASON,
        LOSSES,
        null_measure="losses_fast",
        null_description="the learning circuit, observed in the same way",
    ),
    Claim(
        "first-passage-F",
        "Without activity new connections live as long as θ stays above 0 (smaller b)",
        "Fig. 3F, theory",
        "free_losses_slow",
        (None, 2.15),
        "σ",
        LOSSES_REASON,
        LOSSES,
        null_measure="losses_slow",
        null_description="the learning circuit, observed in the same way",
    ),
    Claim(
        "power-law-E",
        "New connections survive by a power law better than by any of five other laws (larger b)",
        "Fig. 3E",
        "margin_fast",
        (2.0, None),
        "AIC",
        MARGIN_REASON,
        MARGIN,
        null_measure="free_margin_fast",
        null_description=ALONE,
    ),
    Claim(
        "power-law-F",
        "New connections survive by a power law better than by any of five other laws (smaller b)",
        "Fig. 3F",
        "margin_slow",
        (2.0, None),
        "AIC",
        MARGIN_REASON,
        MARGIN,
        null_measure="free_margin_slow",
        null_description=ALONE,
    ),
    Claim(
        "time-scale",
        "The time scale of survival goes as 1/b",
        "Fig. 3E, F",
        "time_scale",
        (0.8, 1.25),
        "× ratio of b",
        "1 is exact; a quarter more or less is what circuits differ by",
        "median life in the power-law fits, slow over fast, both observed over the same length in "
        "units of 1/b, relative to the ratio of b",
        null_measure="time_scale_unchanged",
        null_description="b not changed, watched as if it were (prior and noise alone)",
    ),
    Claim(
        "exponent",
        "The exponent of survival depends on b",
        "caption of Fig. 3E, F",
        "exponent",
        (0.2, None),
        "|log ratio|",
        "a fifth: fits of one law to two records of this length differ by less",
        "exponents of the power laws at both b, in real time, not in units of 1/b",
        null_measure="exponent_alike",
        null_description="the same circuits, observed over the same length in units of 1/b",
    ),
    Claim(
        "slow-steady",
        "The circuit at the smaller b has settled after its change of b",
        "Fig. 3F, of this protocol",
        "drift_slow",
        (-0.02, 0.02),
        "",
        "a tenth of what the claim on the time scale allows",
        "share of active synapses, last quarter of the time over the first, less 1",
        null_measure="drift_settling",
        null_description="the circuit from its start, as long in units of 1/b",
    ),
    Claim(
        "two-populations",
        "There are persistent and transient connections",
        "Fig. 3B; Discussion",
        "dip",
        (None, 0.5),
        "",
        "1 is no dip; half as many in between are seen by eye",
        "emptiest inner tenth of the time active, relative to the smaller outer tenth",
        null_measure="free_dip",
        null_description=ALONE,
    ),
    Claim(
        "persistent-efficacy",
        "Only persistent connections contribute substantial efficacies",
        "Fig. 3D",
        "lasting_efficacy",
        (0.9, None),
        "of Σ ŵ",
        "“only” leaves a tenth to all others together",
        "share of the efficacy, summed over connections and time, of those active at more than "
        "95 % of the looks",
        null_measure="free_lasting_efficacy",
        null_description=ALONE,
    ),
)
