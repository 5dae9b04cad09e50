"""A random walk that checkpoints, fills a table and can stop, fail or fill the disk on demand."""

from __future__ import annotations

import errno
import os
import signal
import time
from typing import Literal

import numpy as np
import xarray as xr
from pydantic import Field, model_validator

from synsamp.claims import Claim
from synsamp.columns import Column, Table
from synsamp.errors import SynsampError
from synsamp.experiments.base import Experiment, Parameters, Results, RunContext
from synsamp.seeds import named_seed

FAR = "standard deviations, measured from the place where the walk ought to end"
Trouble = Literal["none", "sigkill", "sigint", "bug", "refusal", "disk", "nan"]


class Step(Parameters):
    size: float = Field(1.0, gt=0.0, le=1e6, description="standard deviation of one step")
    bias: float = Field(0.0, ge=-1e3, le=1e3, description="mean of one step")


class WalkParameters(Parameters):
    blocks: int = Field(20, ge=1, le=10_000, description="blocks of steps")
    block_steps: int = Field(50, ge=1, le=100_000, description="steps per block")
    levels: tuple[float, ...] = Field((1.0, 2.0), max_length=8, description="levels to cross")
    label: str = Field("walk", max_length=20, description="a name")
    step: Step = Step()
    trouble: Trouble = Field("none", description="what goes wrong")
    trouble_at: int = Field(10, ge=0, description="the block before which it goes wrong")
    checkpoint_every: int = Field(3, ge=1, description="blocks between checkpoints")
    pause_s: float = Field(0.0, ge=0.0, le=10.0, description="wait per block")

    @model_validator(mode="after")
    def _levels_rise(self) -> WalkParameters:
        if list(self.levels) != sorted(set(self.levels)):
            raise ValueError("levels must rise")
        return self


PATH = Table(
    "record",
    {
        "block": Column("int32"),
        # Wide rows, so that even a short run fills several chunks.
        "position": Column("float64", {"copy": 20_000}, unit="m", description="where it is"),
    },
)


def run(parameters: WalkParameters, seed: int, context: RunContext) -> Results:
    rng = np.random.default_rng(named_seed(seed, "walk"))
    position, done = 0.0, 0
    state = context.checkpoint.load()
    if state is not None:
        rng.bit_generator.state = state["rng"]
        position, done = state["position"], state["done"]
    path = context.table("path", PATH, {})
    with context.progress("walking", total=parameters.blocks) as bar:
        bar.advance(done)
        for block in range(done, parameters.blocks):
            if block == parameters.trouble_at and state is None:
                _make(parameters.trouble)
            steps = rng.normal(parameters.step.bias, parameters.step.size, parameters.block_steps)
            position = position + float(steps.sum())
            path.append(
                block=np.array([block]), position=np.full((1, 20_000), position) + np.arange(20_000)
            )
            if (block + 1) % parameters.checkpoint_every == 0:
                context.checkpoint.save(
                    {"rng": rng.bit_generator.state, "position": position, "done": block + 1}
                )
            bar.advance()
            time.sleep(parameters.pause_s)
    value = np.nan if parameters.trouble == "nan" else position
    return {"end": xr.Dataset({"position": ((), value), "names": ("k", np.array(["a", "bb"]))})}


def _make(trouble: Trouble) -> None:
    if trouble == "sigkill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif trouble == "sigint":
        raise KeyboardInterrupt
    elif trouble == "bug":
        raise ZeroDivisionError("a bug of the toy")
    elif trouble == "refusal":
        raise SynsampError("rate_hz must be finite, got nan; lower step.size")
    elif trouble == "disk":
        raise OSError(errno.ENOSPC, "No space left on device")


def end(parameters: WalkParameters, results: Results) -> float:
    steps = parameters.blocks * parameters.block_steps
    spread = parameters.step.size * np.sqrt(steps)
    return (float(results["end"].position) - steps * parameters.step.bias) / spread


def rows(parameters: WalkParameters, results: Results) -> float:
    return results["path"].sizes["record"] / parameters.blocks


def far(parameters: WalkParameters, results: Results) -> float:
    return abs(end(parameters, results))


CLAIMS = (
    Claim("end", "The walk ends near its mean", "Fig. 0A", "end", (-5.0, 5.0), unit="σ"),
    Claim("rows", "Every block is recorded", "Fig. 0B", "rows", (1.0, 1.0), exact=True),
    Claim(
        "far",
        "The walk goes very far",
        "Fig. 0B",
        "far",
        (50.0, None),
        unit=FAR,
        reason="fifty are very far",
        detail="it cannot",
        exact=True,
    ),
)
"""Of one seed: undecided, holds, fails."""


def draw(parameters, runs):
    from toys import walk_figures

    return walk_figures.draw(parameters, runs)


EXPERIMENT = Experiment(
    name="walk",
    alias="fig0",
    title="A walk",
    summary="A random walk, to try the machinery.",
    parameters=WalkParameters,
    presets={"quick": WalkParameters(), "paper": WalkParameters(blocks=100)},
    run=run,
    measures=[end, rows, far],
    claims=CLAIMS,
    draw=draw,
    captions={"A": "The walk wanders.", "B": "It does not go <far> & stays."},
    assumptions=("Steps are Gaussian.",),
    deviations=("It is no figure of the paper.",),
)
