"""A small spiking experiment as a program: tests kill it for real and resume it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from synsamp.experiments.base import Claim, Column, Experiment, Parameters
from synsamp.experiments.registry import Entry, Registry
from synsamp.spiking import (
    InOrder,
    RandomOrder,
    Recording,
    RemoveNeurons,
    RemoveSynapses,
    Scheduled,
    Simulation,
    StreamSink,
    winner_take_all,
)

NETWORK_SIZE = (30, 4)


class ToyParameters(Parameters):
    chunks: int = Field(120, ge=1, description="stretches of 2 s, each ending in a checkpoint")
    overdrive_from: int = Field(10**6, ge=0, description="chunk from which inputs run at 2 kHz")


def presentations():
    rng = np.random.default_rng(7)
    return [
        SimpleNamespace(
            durations_s=np.array([0.2, 0.05]),
            rates_hz=np.stack([rng.gamma(0.3, 60.0, 30).clip(0, 120), np.ones(30)]),
        )
        for _ in range(9)
    ]


def overdrive():
    return SimpleNamespace(durations_s=np.ones(1), rates_hz=np.full((1, 30), 2000.0))


def run(parameters, context):
    network = winner_take_all(*NETWORK_SIZE)
    stimulus = RandomOrder(presentations())
    state = context.checkpoint.load()
    options = {
        "record": Recording(
            spikes=True,
            presentations=True,
            theta_every_s=20.0,
            active_every_s=10.0,
            turnover_every_s=10.0,
            traces={"x->z": [(1, 3), (2, 0)]},
        ),
        "sink": StreamSink(context.stream, Column),
        "lesions": [
            Scheduled(RemoveSynapses("x->z"), at_s=33.3),
            Scheduled(RemoveNeurons("z", [3]), when=lambda sim: sim.time_s >= 70.0),
        ],
    }
    if state is None:
        sim = Simulation(network, stimulus, context.seed_for("circuit"), **options)
        done, probed = 0, []
    else:
        sim = Simulation.from_state(network, state["sim"], stimulus, **options)
        done, probed = int(state["done"]), list(state["probed"])
    with context.progress("toy", parameters.chunks) as bar:
        bar.advance(done)
        for chunk in range(done, parameters.chunks):
            if chunk == parameters.overdrive_from:
                sim.stimulus = InOrder([overdrive()])
            sim.run(2.0)
            answer = sim.probe(InOrder(presentations()), 0.5, seed=chunk, burn_in_s=0.1)
            probed.append(answer.time_s.sum())
            probed.append(np.nansum(sim.theta("x->z")))
            bar.advance()
            context.checkpoint.save(
                {"sim": sim.state(), "done": chunk + 1, "probed": np.array(probed)}
            )
    return {"end": xr.Dataset({"theta": (("post", "pre"), sim.theta("x->z")), "probed": probed})}


def claims(parameters, results):
    return [Claim("runs", "It runs", "toy", 1.0, (0.0, None))]


def draw(parameters, results):
    figure = Figure()
    figure.subplots().imshow(results["end"].theta)
    return {"A": figure}


EXPERIMENT = Experiment(
    name="circuit",
    alias="fig000",
    title="A toy circuit",
    summary="A toy circuit.",
    parameters=ToyParameters,
    presets={"quick": ToyParameters(), "paper": ToyParameters()},
    run=run,
    claims=claims,
    draw=draw,
    captions={"A": "The synapses at the end."},
)
REGISTRY = Registry([Entry("circuit", "fig000", "A toy circuit", lambda: EXPERIMENT)])

if __name__ == "__main__":
    from synsamp.cli import run_command_line

    sys.exit(run_command_line(sys.argv[1:], REGISTRY))
