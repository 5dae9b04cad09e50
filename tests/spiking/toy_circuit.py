"""A small spiking experiment, a protocol, as a program: tests kill it for real and resume it.

With TOY_HOLDS in its environment it says on standard output what it has just done (``saved``: a
checkpoint, ``moved``: a stretch of time) and waits for a line, so that who listens can kill it
exactly there.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
from pydantic import Field

from synsamp.claims import Claim
from synsamp.experiments.base import Experiment, Parameters
from synsamp.experiments.registry import Entry, Registry
from synsamp.protocol import (
    Lesion,
    Protocol,
    Show,
    active_count,
    every,
    presentations,
    probe,
    spikes,
    theta,
    traces,
    turnover,
)
from synsamp.spiking import (
    InOrder,
    RandomOrder,
    RemoveNeurons,
    RemoveSynapses,
    winner_take_all_network,
)

NETWORK_SIZE = (30, 4)


class ToyParameters(Parameters):
    overdriven: bool = Field(False, description="whether inputs run at 2 kHz after 12 s")


def pictures():
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


def run(parameters, seed):
    shown = RandomOrder(pictures())
    steps = [
        Show(shown, 32),
        Lesion(RemoveSynapses("x->z")),
        Show(shown, 36),
        Lesion(RemoveNeurons("z", [3])),
        Show(shown, 32),
    ]
    if parameters.overdriven:
        steps = [Show(shown, 12), Show(InOrder([overdrive()]), 12)]
    record = {
        "spikes": spikes(),
        "shown": presentations(),
        "theta": every(20, theta("x->z")),
        "active": every(10, active_count("x->z")),
        "turnover": every(10, turnover("x->z")),
        "traces": traces({"x->z": [(1, 3), (2, 0)]}),
        "probed": every(2, probe(InOrder(pictures()), 0.5, lambda found: found.time_s.sum())),
    }
    return Protocol(winner_take_all_network(*NETWORK_SIZE), steps, record, sync_interval_s=2.0)


def rows(parameters, results):
    return float(results["theta"].sizes["time"])


EXPERIMENT = Experiment(
    name="circuit",
    alias="fig000",
    title="A toy circuit",
    summary="A toy circuit.",
    parameters=ToyParameters,
    run=run,
    measures=[rows],
    claims=(Claim("runs", "It runs", "toy", "rows", (8.0, 8.0), exact=True),),
)
REGISTRY = Registry([Entry("circuit", "fig000", "A toy circuit", lambda: EXPERIMENT)])


def _wait(word):
    print(word, flush=True)
    if sys.stdin.readline() == "":  # no process reads any more
        os._exit(1)


def hold():
    """Wait after every checkpoint and after every stretch of time."""
    from synsamp.runs.context import FolderContext
    from synsamp.runs.storage.checkpoint import CheckpointFolder

    save = CheckpointFolder.save

    def saving(self, state):
        save(self, state)
        _wait("saved")

    class Bar:
        def advance(self, amount=1.0):
            _wait("moved")

    @contextmanager
    def progress(self, description, total):
        yield Bar()

    CheckpointFolder.save, FolderContext.progress = saving, progress


if __name__ == "__main__":
    from synsamp.cli import run_command_line
    from synsamp.runs.storage.checkpoint import CheckpointFolder

    CheckpointFolder.due = lambda self: True
    if "TOY_HOLDS" in os.environ:
        hold()
    sys.exit(run_command_line(sys.argv[1:], REGISTRY))
