"""Figure 4: connections and weights adapt to a changing distribution of inputs.

Ten winner-take-all neurons see handwritten ones, then ones and twos, then ones again, while every
synapse follows the one rule

    dθ = b ( (μ − θ)/σ² + N w S(t) (x(t) − α e^w) ) dt + sqrt(2 T b) dW,   w = exp(θ − θ0)

(structsamp-spiking with the sign of the prior mended). Any digits and phases will do:
``--set phases="1;1,2;1"``, or the name of a file with one phase per line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from synsamp.experiments.base import Experiment, Results
from synsamp.paper.fig4_adaptation.analysis import analyse
from synsamp.paper.fig4_adaptation.claims import CLAIMS
from synsamp.paper.fig4_adaptation.measures import measures
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters
from synsamp.paper.fig4_adaptation.protocol import run


def draw(parameters: AdaptationParameters, runs: Sequence[Results]) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.paper.fig4_adaptation import figures

    return figures.draw(parameters, runs)


EXPERIMENT = Experiment(
    name="adaptation",
    alias="fig4",
    title="Connections adapt to a changing input",
    summary="Ten spiking neurons see ones, then ones and twos, then ones: connections that matter "
    "survive, others come and go, and the circuit rewires itself.",
    parameters=AdaptationParameters,
    presets={"quick": AdaptationParameters(), "paper": AdaptationParameters(mechanism=True)},
    trials={"quick": 4, "paper": 20},
    run=run,
    analyse=analyse,
    measures=measures,
    claims=CLAIMS,
    draw=draw,
    captions={
        "A": "A winner-take-all circuit: every input neuron may connect to every one of ten "
        "neurons that inhibit each other.",
        "B": "What a pair of spikes does to a synapse under the likelihood term; points are "
        "the engine's, lines are ε(lag) − α e^w.",
        "C": "The same with both neurons at 20 Hz: regular pairs, as in the experiment, and "
        "Poisson trains (gray, bars of two standard errors), with their laws.",
        "D": "Two data sets: ones in the first and last phase, ones and twos in the second.",
        "E": "Weight vectors of four neurons; most initial weights vanish, and with the new digit "
        "some neurons learn it and forget it again.",
        "F": "Active connections of the same neurons. Those to background inputs are eliminated, "
        "some return with the new digit, and isolated ones come and go all the time.",
        "G": "One synapse that is useful for the new digit: it wanders in the first and last phase "
        "and is stable in the second. The prior is drawn at the left.",
        "H": "The number of active synapses falls and then stays low: mean and range of all "
        "circuits, and synapses under prior and noise alone.",
        "I": "Not in the paper. Of the connections useful for the new digit that had been "
        "eliminated, those that are back at the end of its phase, in both readings of a retracted "
        "synapse: as it is, once more on other noise, without noise in that phase, without prior "
        "from the start. A small point is a circuit, a large one the mean, a bar what one synapse "
        "would do by itself.",
        "J": "Not in the paper. Active synapses with prior and without, and with the noise off "
        "from the switch on (dotted), mean over circuits.",
    },
    assumptions=(
        "Phases last 4,000 s; the paper does not say.",
        "All images of a digit are equally likely, as in the paper; so in phase 2 a digit is a 1 "
        "with 6,742/12,700.",
        "A neuron's tuning is tested with plasticity off, from the running state, on a copy.",
        "The synapse of panel G is chosen in the middle of the new digit's phase and judged after: "
        "the neuron with the largest share of spikes on the new digit; of the 20 inputs that are "
        "background for the old digits and brightest for the new one, the one with the largest θ.",
        "Chance is a copy of the circuit that goes on with what was shown before, on the same "
        "streams of random numbers, or synapses under prior and noise alone.",
        "Synapses with θ <= 0 feel the likelihood, by w = exp(θ − θ0), as printed; "
        "--set rule.learn_when_retracted=false takes the text's word that they follow prior and noise "
        "alone. The paper preset runs both.",
        "Regular pairs come in trains of five; the paper does not say.",
        "A public copy of the authors' MATLAB code, altered by somebody, clips only α e^w (at 5), "
        "has the prior's gradient as (μ − θ)/σ², lets retracted synapses learn with the unclipped "
        "w = exp(θ − θ0), keeps θ >= −5, has an adaptation that rises in 10 s (12 s in the paper "
        "and here), and multiplies the noise by a factor whose default is 0 and which is set "
        "nowhere in that copy; whether the paper's figures were made so is not known.",
    ),
    deviations=(
        "The prior's gradient is (μ − θ)/σ²; the paper prints the opposite sign.",
        "Only the term α e^w is clipped (at 5), not the whole change at 5 b; "
        "--set rule.clip=change does what the paper's text says.",
    ),
)
