"""Fig. 1: maximum likelihood learning and synaptic sampling of two parameters."""

from __future__ import annotations

from synsamp.experiments.base import Experiment
from synsamp.figures.lazy import draw_with
from synsamp.paper.fig1_landscape.claims import CLAIMS
from synsamp.paper.fig1_landscape.measures import MEASURES
from synsamp.paper.fig1_landscape.parameters import LandscapeParameters
from synsamp.paper.fig1_landscape.protocol import run

EXPERIMENT = Experiment(
    name="landscape",
    alias="fig1",
    title="Maximum likelihood learning against synaptic sampling",
    summary="Two parameters, a few solutions: gradient ascent ends in one, sampling visits all.",
    parameters=LandscapeParameters,
    presets={
        "quick": LandscapeParameters(chain_time=300.0),
        "paper": LandscapeParameters(ml_paths=60, chains=64, chain_time=3000.0, path_time=3000.0),
    },
    trials={"quick": 4, "paper": 8},
    run=run,
    measures=MEASURES,
    claims=CLAIMS,
    draw=draw_with("synsamp.paper.fig1_landscape.figures"),
    captions={
        "A": "The likelihood of two parameters θ, given the inputs.",
        "B": "Sketch of a neural network to which these two parameters belong.",
        "C": "Paths along the gradient of the likelihood from random starts (dots). Each ends in a "
        "local maximum (orange triangles).",
        "D": "A prior that prefers small parameters.",
        "E": "The posterior, the product of prior and likelihood.",
        "F": "One path of synaptic sampling (green) fluctuates between solutions; the states that "
        "it visits cluster near the local optima (orange triangles).",
        "G": "The parts of one step: the drift (prior and likelihood) points to the nearest local "
        "maximum, the diffusion in a random direction.",
        "T": "Visited states at three temperatures. High temperature flattens the landscape; as "
        "T → 0 the path stays at one maximum.",
    },
    assumptions=(
        "The paper does not specify the likelihood and the prior of Fig. 1: here they are four "
        "Gaussian peaks and a Gaussian prior around 0.",
        "Panel B is a sketch in the paper as well: the peaks stand for the likelihood of a network "
        "with two parameters.",
        "Chains at the high temperature take steps that are shorter by T over the high T, because "
        "their many states would otherwise reveal the error of the Euler method.",
        "Panel G shows a step of 0.12 time units so that the arrows are visible; the step of the "
        "simulation is rule.dt.",
    ),
)
