"""Figure 3: spine motility as synaptic sampling.

One parameter θ stands for a connection: θ > 0 functional with efficacy w = exp(θ − θ0), θ <= 0
retracted. Traces and lifetimes come from the circuit of Fig. 4, watched for days at b = 1e-4 and
for weeks at b = 1e-6; the law without activity from the same circuit without spikes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from synsamp.experiments.base import Experiment, Results
from synsamp.paper.fig3_motility.claims import CLAIMS
from synsamp.paper.fig3_motility.measures import analyse, measures
from synsamp.paper.fig3_motility.parameters import PAPER, QUICK, MotilityParameters
from synsamp.paper.fig3_motility.protocol import run


def draw(parameters: MotilityParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.paper.fig3_motility import figures

    return figures.draw(parameters, runs)


EXPERIMENT = Experiment(
    name="motility",
    alias="fig3",
    title="Spine motility as synaptic sampling",
    summary="One parameter per connection for its existence and its strength: how connections "
    "come, go and last, over days and weeks.",
    parameters=MotilityParameters,
    presets={"quick": QUICK, "paper": PAPER},
    trials={"quick": 3, "paper": 8},
    run=run,
    analyse=analyse,
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "One parameter θ for a connection: above 0 it is functional, below it is retracted "
        "and may grow back.",
        "B": "The Gaussian prior, and θ of single synapses of the learning circuit: some are "
        "stable, others come and go.",
        "C": "The exponential function maps θ to the efficacy w; retracted connections lie near 0.",
        "D": "The prior in w is log-normal. The traces of B in w: only persistent connections have "
        "substantial efficacies.",
        "E": "Survival of newly formed connections for the larger b, with a power law fitted to "
        "each circuit; the band is the 95 % interval of the mean over circuits, or Kaplan–Meier's "
        "for one. Blue: the same synapses without activity, and the first-passage time that the "
        "rule predicts for them, nothing fitted.",
        "F": "The same for the smaller b.",
        "S": "What supports the claims and is not in the paper's figure: laws of survival by AIC, "
        "below the red line better than a power law; survival at both b falls together when time "
        "is counted in 1/b; changes of w grow in proportion to w until the likelihood holds the "
        "largest; connections are nearly always there or seldom.",
    },
    assumptions=(
        "The circuit sees ones and twos throughout; the paper's three phases are too short for "
        "survival over days.",
        "New: active at a grid point and not active 12 h before (2,400 s and 4,800 s in the quick "
        "preset, which watches for hours). Survival: active at every later grid point. Grid: "
        "24 min over 3 days for b = 1e-4, 4 h over 14 days for b = 1e-6.",
        "Connections still there at the end are right-censored (Kaplan–Meier, and in the fits).",
        "Laws: power law S(t) = (1 + t/τ)^−γ, which starts at 1; exponential, Weibull, log-normal, "
        "double exponential; and the first-passage time of the Ornstein–Uhlenbeck process on the "
        "same grid, with the same definition of new, which has nothing to fit. Compared by AIC.",
        "At b = 1e-6 the circuit goes on from one that has settled at b = 1e-4, and settles again "
        "for a day. Under prior and noise alone the stationary law is the prior at any b. Strong "
        "weights feel the noise of single spikes besides, so their law is wider at the larger b; "
        "how far the slow circuit still drifts is measured.",
        "Survival at the smaller b is judged if it is watched for a relaxation time of the prior "
        "or more: before that lives counted in looks are alike whatever b is.",
        "Two populations: in tenths of time active, the emptiest inner tenth holds less than half "
        "of the smaller outer tenth. Persistent: active at more than 95 % of the looks.",
    ),
    deviations=(
        "The prior's gradient is (μ − θ)/σ²; the paper prints the opposite sign.",
        "Changes of w are proportional to w where prior and noise rule. The likelihood holds the "
        "largest weights, so over all active connections of the learning circuit and windows of "
        "b Δt = 0.0144 the slope is below 1 (docs/motility.md).",
    ),
)
