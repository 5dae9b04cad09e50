"""A sheet of neurons: wiring by distance, turnover by age, and rewiring around a focal lesion."""

from __future__ import annotations

from synsamp.beyond.sheet.claims import CLAIMS
from synsamp.beyond.sheet.measures import ALSO_MEASURED, MEASURES
from synsamp.beyond.sheet.parameters import SheetNetwork, SheetParameters, SheetSchedule
from synsamp.beyond.sheet.protocol import run
from synsamp.experiments.base import Experiment
from synsamp.figures.lazy import draw_with

PAPER = SheetParameters()
QUICK = SheetParameters(
    network=SheetNetwork(excitatory=700, inhibitory=175, width_mm=0.6),
    schedule=SheetSchedule(settle_s=80.0, after_s=80.0),
    lesion_mm=0.15,
)

EXPERIMENT = Experiment(
    name="sheet",
    alias="lesioned_sheet",
    title="A sheet of neurons rewires around a focal lesion",
    summary="Excitatory and inhibitory neurons on a sheet fire spontaneously. Distance decides "
    "which connections form, and new ones replace those that a focal lesion removes.",
    parameters=SheetParameters,
    presets={"quick": QUICK, "paper": PAPER},
    trials={"quick": 2, "paper": 8},
    run=run,
    measures=MEASURES,
    also_measured=ALSO_MEASURED,
    claims=CLAIMS,
    draw=draw_with("synsamp.beyond.sheet.figures"),
    captions={
        "A": "Share of potential synapses that are functional, by distance: mean over networks, ± "
        "one standard deviation. The line is the share that the prior alone gives.",
        "B": "Rate at which connections of an age are lost, in the network without lesion. Dashed: "
        "as many losses, whatever the age.",
        "C": "New connections per neuron after the lesion (white), relative to the twin without "
        "lesion; all networks together.",
        "D": "The same by distance from the edge of the lesion: mean over networks, ± one standard "
        "deviation.",
        "E": "Firing rate after the lesion, relative to the twin, by distance from its edge.",
    },
    assumptions=(
        "Half of all excitatory pairs within 0.2 mm have a potential synapse. Its prior is a "
        "Gaussian with σ = 1, whose mean depends on distance d so that it is functional with "
        "probability 0.6 exp(−d / 0.1 mm).",
        "Plasticity acts on functional synapses alone. At a postsynaptic spike θ changes by b "
        "times the EPSP of the input, at a presynaptic one by b (growth − 10 y), where y is a "
        "trace of postsynaptic spikes (20 ms). Growth balances STDP at 5 Hz, so synapses grow "
        "onto neurons that fire less.",
        "The sheet starts with as many connections as the prior alone gives, at any distance.",
        "Connections to, from and among inhibitory neurons are fixed. The lesion removes neurons "
        "of both kinds.",
    ),
    deviations=(
        "The preset quick has a smaller sheet of the same density, a smaller lesion and a shorter "
        "protocol.",
    ),
)
