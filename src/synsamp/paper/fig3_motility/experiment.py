"""Fig. 3: spine motility as synaptic sampling.

One parameter θ represents a connection: for θ > 0 it is functional with efficacy w = exp(θ − θ0)
(Eq. 9), for θ <= 0 it is retracted. Traces and lifetimes come from the circuit of Fig. 4, imaged
for days at b = 1e-4 and for weeks at b = 1e-6; the same circuit without spikes serves as a control.
"""

from __future__ import annotations

from synsamp.experiments.base import Experiment
from synsamp.figures.lazy import draw_with
from synsamp.paper.fig3_motility.claims import CLAIMS
from synsamp.paper.fig3_motility.measures import ALSO_MEASURED, MEASURES
from synsamp.paper.fig3_motility.parameters import PAPER, QUICK, MotilityParameters
from synsamp.paper.fig3_motility.protocol import run
from synsamp.paper.fig3_motility.survival import analyse

EXPERIMENT = Experiment(
    name="motility",
    alias="fig3",
    title="Spine motility as synaptic sampling",
    summary="One parameter per connection for its existence and its strength: how connections "
    "appear, disappear and persist over days and weeks.",
    parameters=MotilityParameters,
    presets={"quick": QUICK, "paper": PAPER},
    trials={"quick": 3, "paper": 8},
    run=run,
    analyse=analyse,
    measures=MEASURES,
    also_measured=ALSO_MEASURED,
    claims=CLAIMS,
    draw=draw_with("synsamp.paper.fig3_motility.figures"),
    captions={
        "A": "One parameter θ for a connection: above 0 it is functional, below it is retracted "
        "and may grow back.",
        "B": "The Gaussian prior, and θ of single synapses of the learning circuit: some are "
        "stable, others transient.",
        "C": "The exponential function maps θ to the efficacy w; retracted connections lie near 0.",
        "D": "The prior in w is log-normal. The traces of B in w: only persistent connections have "
        "substantial efficacies.",
        "E": "Survival of newly formed connections for the larger b, with a power law fitted to "
        "each circuit; the band is the 95 % interval of the mean over circuits, or Kaplan–Meier's "
        "for one. Blue: the same synapses without activity, and the first-passage time that "
        "the rule predicts, without fitted parameters.",
        "F": "Survival of newly formed connections for the smaller b, as in E.",
        "S": "Supplement, not in the paper. Models of survival by AIC; those below the red line "
        "are better than a power law. Survival at both b coincides in units of 1/b. Changes of w "
        "grow in proportion to w until the likelihood stabilises the largest. Connections are "
        "active nearly always or rarely.",
    },
    assumptions=(
        "The circuit receives ones and twos throughout, because the three phases of the paper are "
        "too short for survival over days.",
        "New: active at an imaging session and not active 12 h before (2,400 s and 4,800 s in the "
        "quick preset, which covers hours). Survival: active at every later session. Sessions: "
        "every 24 min over 3 days for b = 1e-4, every 4 h over 14 days for b = 1e-6.",
        "Connections still active at the end are right-censored (Kaplan–Meier, and in the fits).",
        "Models of survival: power law S(t) = (1 + t/τ)^−γ, which starts at 1; exponential, "
        "Weibull, log-normal, double exponential; and the first-passage time of the "
        "Ornstein–Uhlenbeck process at the same sessions, with the same definition of new and "
        "no fitted parameter. Compared by AIC.",
        "At b = 1e-6 the circuit continues from one settled at b = 1e-4, and settles again "
        "for a day. Under prior and noise alone the stationary distribution is the prior at any b. "
        "Single spikes add noise to strong weights, so their distribution is wider at the larger "
        "b; the claim slow-steady tests how far the slow circuit still drifts.",
        "Survival at the smaller b is judged if imaging lasts a relaxation time of the prior or "
        "more: over shorter times lifetimes in units of sessions hardly depend on b.",
        "Two populations: in tenths of time active, the emptiest inner tenth holds less than half "
        "of the smaller outer tenth. Persistent: active at more than 95 % of the time points.",
    ),
    deviations=(
        "The prior's gradient is (μ − θ)/σ²; the paper prints the opposite sign.",
        "Changes of w are proportional to w where prior and noise dominate. The likelihood "
        "stabilises the largest weights, so over all active connections of the learning circuit "
        "and windows of b Δt = 0.0144 the slope is below 1 (docs/reference/fig3-methods.md).",
    ),
)
