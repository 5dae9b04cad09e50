"""Theorem 1: the stationary distribution of the rule (Eq. 12, Eq. 14).

Small models with known posteriors test what the rule samples, also with a speed b(θ), at other
temperatures, with hidden states and online. `models` defines them; `protocol` runs the rule in
each, and again with one part removed.
"""

from __future__ import annotations

from synsamp.experiments.base import Experiment
from synsamp.figures.lazy import draw_with
from synsamp.paper.theorem1.claims import CLAIMS
from synsamp.paper.theorem1.measures import MEASURES
from synsamp.paper.theorem1.parameters import TheoryParameters
from synsamp.paper.theorem1.protocol import run

EXPERIMENT = Experiment(
    name="theorem1",
    alias="theory",
    title="Theorem 1: what the rule samples from",
    summary="In small models with known posteriors the rule samples the posterior, and does not "
    "once any part of it is removed.",
    parameters=TheoryParameters,
    presets={
        "quick": TheoryParameters(),
        "paper": TheoryParameters(copies=20_000),
    },
    trials={"quick": 4, "paper": 16},
    run=run,
    measures=MEASURES,
    claims=CLAIMS,
    draw=draw_with("synsamp.paper.theorem1.figures"),
    captions={
        "A": "Theorem 1 at T = 1: sampled states (blue), posterior (black), and states of a rule "
        "that lacks one part (orange). A skewed posterior and one with two modes, where the noise "
        "lacks its factor √2; two parameters, where the prior is omitted (ellipses contain 50 and "
        "95 % of the posterior). Right: distance from the posterior, one dot per seed.",
        "B": "Temperature. States at a low and a high T, and p*^(1/T); dotted: p*. "
        "Without noise (T = 0) paths end in the maximum of the posterior (dashed).",
        "C": "A speed b(θ) that depends on the parameter. With the term T b′(θ) the rule "
        "samples p*; without it (orange) p*/b (dotted).",
        "D": "Hidden states: the network draws its response z in every step, and the states "
        "follow the marginal posterior. Orange: a constant response.",
        "E": "Online learning: one or a few of 20 inputs at a time. With the factor N the states "
        "follow the posterior of all inputs; without it (orange) they stay near the prior. After "
        "one pass through all inputs, online and batch rule differ to second order in N τ b.",
    },
    assumptions=(
        "The paper proves Theorem 1 without a figure. The models were chosen because their "
        "posteriors are known in closed form.",
        "States are independent copies after several relaxation times of the Fokker–Planck "
        "operator, so the distance follows Kolmogorov's distribution if the theorem is right.",
        "Observations are fixed; starts and noise differ between seeds.",
    ),
)
