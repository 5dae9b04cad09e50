"""Claims of Fig. 3, judged over circuits (seeds).

The null of most is the same circuit without spikes (prior and noise alone), imaged in the same way.
"""

from __future__ import annotations

from synsamp.claims import Claim
from synsamp.paper.fig3_motility.survival import long_enough

ALONE = "prior and noise alone, observed in the same way"
COLDER = "half the noise: the same paths as at T/2"
SHUFFLED = "the same changes, shuffled across connections"
LOSSES = (
    "losses of new connections at four ages minus those predicted by the first passage of the "
    "Ornstein–Uhlenbeck process, in standard errors, root mean square"
)
LOSSES_REASON = "0.94 on average if the prediction is exact, and above 2.15 once in 1,000"
MARGIN = (
    "AIC of the best of exponential, Weibull, log-normal, double exponential and first passage "
    "(prior and noise alone) minus that of the power law"
)
MARGIN_REASON = "one parameter costs 2"

CLAIMS = (
    Claim(
        "no-activity-prior",
        "Without activity θ follows the prior",
        "Fig. 3B",
        "distance_to_prior",
        (None, 1.95),
        "σ",
        "0.87 on average for draws from the prior, and above 1.95 once in 1,000",
        "Kolmogorov–Smirnov distance between θ of all synapses, in the engine without spikes, and "
        "the prior, times √n",
        null_measure="distance_to_prior_half_noise",
        null_description=COLDER,
        kind="implication",
    ),
    Claim(
        "no-activity-process",
        "Without activity θ is an Ornstein–Uhlenbeck process",
        "Sec. Spine motility",
        "process_deviation",
        (None, 4.0),
        "σ",
        "an error of the engine would be many standard errors",
        "largest deviation of the maximum-likelihood estimates of μ, σ√T and b·T from the truth, "
        "in standard errors",
        null_measure="process_deviation_half_noise",
        null_description=COLDER,
        kind="statement",
    ),
    Claim(
        "log-normal",
        "Without activity the efficacies w are log-normal",
        "Fig. 3D",
        "log_weight_moments",
        (None, 2.63),
        "σ",
        "0.89 on average for normal draws, and above 2.63 once in 1,000",
        "skewness and kurtosis of log w in standard errors, root mean square",
        null_measure="weight_moments",
        null_description="w instead of log w",
        kind="statement",
    ),
    Claim(
        "multiplicative",
        "Spine sizes change in proportion to their size (prior and noise alone)",
        "Sec. Spine motility, requirement 2",
        "size_slope",
        (0.9, 1.1),
        "",
        "1 means proportional",
        "slope of log |Δw| over log w of connections active at first, over b Δt = 0.0144, "
        "without activity",
        branch="no_activity_fast",
        null_measure="shuffled_size_slope",
        null_branch="no_activity_fast",
        null_description=SHUFFLED,
        kind="statement",
    ),
    Claim(
        "multiplicative-learning",
        "Spine sizes change in proportion to their size in the learning circuit",
        "Sec. Spine motility, requirement 2",
        "size_slope",
        (0.75, 1.25),
        "",
        "1 means proportional; wider than without activity, because the likelihood stabilises "
        "large weights",
        "the same slope over b Δt = 0.0144, 4 h at the smaller b",
        branch="slow",
        null_measure="shuffled_size_slope",
        null_branch="slow",
        null_description=SHUFFLED,
        kind="question",
    ),
    Claim(
        "first-passage-E",
        "Without activity new connections survive as long as θ stays above 0 (larger b)",
        "Fig. 3E, theory",
        "loss_deviation",
        (None, 2.15),
        "σ",
        LOSSES_REASON,
        LOSSES,
        branch="no_activity_fast",
        null_branch="fast",
        null_description="the learning circuit, observed in the same way",
        kind="question",
    ),
    Claim(
        "first-passage-F",
        "Without activity new connections survive as long as θ stays above 0 (smaller b)",
        "Fig. 3F, theory",
        "loss_deviation",
        (None, 2.15),
        "σ",
        LOSSES_REASON,
        LOSSES,
        branch="no_activity_slow",
        null_branch="slow",
        null_description="the learning circuit, observed in the same way",
        needs=long_enough,
        kind="question",
    ),
    Claim(
        "power-law-E",
        "A power law describes the survival of new connections better than five other models "
        "(larger b)",
        "Fig. 3E",
        "power_law_margin",
        (2.0, None),
        "AIC",
        MARGIN_REASON,
        MARGIN,
        branch="fast",
        null_branch="no_activity_fast",
        null_description=ALONE,
        kind="statement",
    ),
    Claim(
        "power-law-F",
        "A power law describes the survival of new connections better than five other models "
        "(smaller b)",
        "Fig. 3F",
        "power_law_margin",
        (2.0, None),
        "AIC",
        MARGIN_REASON,
        MARGIN,
        branch="slow",
        null_branch="no_activity_slow",
        null_description=ALONE,
        needs=long_enough,
        kind="statement",
    ),
    Claim(
        "time-scale",
        "The time scale of survival is proportional to 1/b",
        "Fig. 3E, F",
        "time_scale",
        (0.8, 1.25),
        "× ratio of b",
        "1 is exact; circuits differ by about a quarter",
        "median lifetime of the power-law fits, slow over fast, both over the same duration in "
        "units of 1/b, relative to the ratio of b",
        null_measure="time_scale_unchanged",
        null_description="b unchanged, imaged as if it were changed (prior and noise alone)",
        needs=long_enough,
        kind="statement",
    ),
    Claim(
        "exponent",
        "The exponent of survival depends on b",
        "caption of Fig. 3E, F",
        "exponent_change",
        (0.2, None),
        "|log ratio|",
        "a fifth; fits of one distribution to two records of this length differ by less",
        "exponents of the power laws at both b, in real time, not in units of 1/b",
        null_measure="exponent_change_scaled",
        null_description="the same circuits, observed over the same length in units of 1/b",
        needs=long_enough,
        kind="statement",
    ),
    Claim(
        "slow-steady",
        "The circuit at the smaller b has settled after its change of b",
        "Fig. 3F, control of this protocol",
        "drift",
        (-0.02, 0.02),
        "",
        "a tenth of what the claim on the time scale allows",
        "share of active synapses, last quarter of the time over the first, minus 1",
        branch="slow",
        null_measure="drift_while_settling",
        null_description="the circuit from its start, over the same time in units of 1/b",
        kind="question",
    ),
    Claim(
        "two-populations",
        "There are persistent and transient connections",
        "Fig. 3B; Discussion",
        "dip",
        (None, 0.5),
        "",
        "1 means no dip; a dip to one half is visible by eye",
        "emptiest inner tenth of the time active, relative to the smaller outer tenth",
        branch="fast",
        null_branch="no_activity_fast",
        null_description=ALONE,
        kind="statement",
    ),
    Claim(
        "heavy-tailed",
        "Weights are heavy-tailed while the circuit learns",
        "Results and Discussion: structural rules",
        "weight_variation",
        (1.1, None),
        "",
        "1: an exponential distribution, the border to heavy tails; a tenth more is required",
        "standard deviation of the weights of active connections over their mean, at the end",
        branch="slow",
        null_measure="exponential_variation",
        null_branch="slow",
        null_description="as many weights drawn from an exponential distribution",
        kind="implication",
    ),
    Claim(
        "persistent-efficacy",
        "Only persistent connections contribute substantial efficacies",
        "Fig. 3D",
        "persistent_efficacy",
        (0.9, None),
        "of Σ ŵ",
        "“only” leaves at most a tenth to all others together",
        "share of the efficacy, summed over connections and time, of those active at more than "
        "95 % of the time points",
        branch="fast",
        null_branch="no_activity_fast",
        null_description=ALONE,
        kind="statement",
    ),
)
