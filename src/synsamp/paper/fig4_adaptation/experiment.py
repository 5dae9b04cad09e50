"""Figure 4: connections and weights adapt to a changing distribution of inputs.

Ten winner-take-all neurons see handwritten ones, then ones and twos, then ones again, while every
synapse follows the one rule

    dθ = b ( (μ − θ)/σ² + N w S(t) (x(t) − α e^w) ) dt + sqrt(2 T b) dW,   w = exp(θ − θ0)

(the synaptic sampling rule for spiking neurons, with the sign of the prior corrected). Set other
digits and phases by ``--set phases="1;1,2;1"``, or name a file with one phase per line.
"""

from __future__ import annotations

from synsamp.experiments import Experiment
from synsamp.figures.lazy import draw_with
from synsamp.paper.fig4_adaptation.claims import CLAIMS
from synsamp.paper.fig4_adaptation.measures import CONTROLS, MEASURES, analyse
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters
from synsamp.paper.fig4_adaptation.protocol import READINGS, run
from synsamp.paper.fig4_adaptation.stdp import STDP_MEASURES

SHOWN_BY_CONTROL = tuple(
    f"{measure}@{reading}{control}"
    for measure in ("useful_regrowth", "regrowth_at_end", "active_share", "retuned")
    for reading in READINGS
    for control in ("", *(f"/{name}" for name in CONTROLS))
)

EXPERIMENT = Experiment(
    name="adaptation",
    alias="fig4",
    title="Connections adapt to a changing input",
    summary="Ten spiking neurons see ones, then ones and twos, then ones: connections that matter "
    "survive, others come and go, and the circuit rewires itself.",
    parameters=AdaptationParameters,
    presets={"quick": AdaptationParameters(), "paper": AdaptationParameters(controls=True)},
    trials={"quick": 4, "paper": 20},
    run=run,
    analyse=analyse,
    measures=(*MEASURES, *STDP_MEASURES),
    claims=CLAIMS,
    also_measured=(
        "low_after_s@learning",
        "candidate_regrowths_around@learning",
        *SHOWN_BY_CONTROL,
        *(f"background_active@{reading}{end}" for reading in READINGS for end in ("", "/no_prior")),
    ),
    draw=draw_with("synsamp.paper.fig4_adaptation.figures"),
    captions={
        "A": "A winner-take-all circuit: every input neuron may connect to every one of ten "
        "neurons that inhibit each other.",
        "B": "Change of a synapse by a pair of spikes under the likelihood term. Points: "
        "simulation; lines: ε(lag) − α e^w.",
        "C": "Both neurons at 20 Hz: regular pairs, as in the experiment, and Poisson trains "
        "(grey, bars of two standard errors), with theory.",
        "D": "Two data sets: ones in the first and last phase, ones and twos in the second.",
        "E": "Weight vectors of four neurons. Most initial weights vanish; some neurons learn the "
        "new digit and forget it again.",
        "F": "Active connections of the same neurons. Those to background inputs are eliminated, "
        "some return with the new digit, and isolated ones come and go all the time.",
        "G": "One synapse that is useful for the new digit: it wanders in the first and last phase "
        "and is stable in the second. The prior is drawn at the left.",
        "H": "The number of active synapses falls and then stays low: mean and range over "
        "circuits, compared with prior and noise alone.",
        "I": "Not in the paper. Share of eliminated connections useful for the new digit that are "
        "active again at the end of its phase, in both readings of a retracted synapse: "
        "unchanged, with other noise, without noise in that phase, without prior from the start. "
        "Small points: circuits; large points: means; bars: theory of a single synapse.",
        "J": "Not in the paper. Active synapses with and without prior, and without noise after "
        "the switch (dotted), mean over circuits.",
    },
    assumptions=(
        "Phases last 4,000 s; the paper does not say.",
        "All images are equally likely, as in the paper; so in phase 2 a digit is a 1 with "
        "probability 6,742/12,700.",
        "A neuron's tuning is tested on a copy of the running network, with plasticity off.",
        "The synapse of panel G is selected in the middle of the new digit's phase and evaluated "
        "afterwards: of the neuron with the largest share of spikes on the new digit, and of the "
        "20 inputs that are background for the old digits and brightest for the new one, the one "
        "with the largest θ.",
        "Nulls are copies of the circuit that continue with the previous input, with the same "
        "random numbers, or synapses under prior and noise alone.",
        "The likelihood acts on synapses with θ <= 0, with w = exp(θ − θ0), as printed. With "
        "--set rule.learn_when_retracted=false they follow prior and noise alone, as the text "
        "says. The paper preset runs both.",
        "Regular pairs come in trains of five; the paper does not say.",
        "A public copy of the authors' MATLAB code, altered by someone else, clips only α e^w (at "
        "5), "
        "has the prior's gradient as (μ − θ)/σ², lets retracted synapses learn with the unclipped "
        "w = exp(θ − θ0), keeps θ >= −5, has an adaptation that rises in 10 s (12 s in the paper "
        "and here), and multiplies the noise by a factor that is 0 by default and set nowhere in "
        "that copy. Whether the paper's figures were made with it is not known.",
    ),
    deviations=(
        "The prior's gradient is (μ − θ)/σ²; the paper prints the opposite sign.",
        "Only the term α e^w is clipped (at 5), not the whole change at 5 b; "
        "--set rule.clip=change does what the paper's text says.",
    ),
)
