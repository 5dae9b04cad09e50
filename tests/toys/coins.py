"""A coin is tossed: an experiment that is a plain function, with trouble on demand."""

from __future__ import annotations

import errno
import os
import signal
import time
from pathlib import Path

import numpy as np
import xarray as xr
from pydantic import Field

from synsamp.claims import Claim
from synsamp.errors import SynsampError
from synsamp.experiments.base import Experiment, Parameters, Results
from synsamp.seeds import named_seed


class Coin(Parameters):
    chance: float = Field(0.5, ge=0.0, le=1.0, description="of heads")


class CoinParameters(Parameters):
    tosses: int = Field(40, ge=1, le=10_000, description="tosses of the coin")
    coin: Coin = Coin()
    pause_s: float = Field(0.0, ge=0.0, le=10.0, description="wait per toss")
    trouble: str = Field("", description="KIND:FILE, what goes wrong while the file is there")
    ragged: bool = Field(False, description="record a table whose length differs")


def run(p: CoinParameters, seed: int) -> Results:
    rng = np.random.default_rng(named_seed(seed, "coin"))
    heads = np.zeros(p.tosses, np.int64)
    for toss in range(p.tosses):
        time.sleep(p.pause_s)
        _trouble(p, toss, rng)
        heads[toss] = rng.random() < p.coin.chance
    results = {
        "tossed": xr.Dataset(
            {"heads": ("toss", heads.cumsum()), "share": heads.mean()},
            coords={"toss": np.arange(p.tosses)},
        )
    }
    if p.ragged:
        results["runs"] = xr.Dataset({"start": ("run", np.flatnonzero(np.diff(heads)))})
    return results


def _trouble(p, toss, rng):
    kind, _, file = p.trouble.partition(":")
    if not kind or toss != p.tosses // 2 or not Path(file).exists():
        return
    if kind == "disk":
        raise OSError(errno.ENOSPC, "No space left on device")
    if kind == "refusal":
        raise SynsampError("chance must be fair, got a bent coin; take another")
    if kind == "kill" and rng.random() < 0.5:
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "some" and rng.random() < 0.5:
        raise ZeroDivisionError("a bug of the toy")


def heads(p: CoinParameters, results: Results) -> float:
    return float(results["tossed"].share)


def mostly(p: CoinParameters, results: Results) -> bool:
    return heads(p, results) > 0.5


def draw(parameters, runs):
    from toys import coins_figures

    return coins_figures.draw(parameters, runs)


EXPERIMENT = Experiment(
    name="coins",
    alias="fig000",
    title="Tossing coins",
    summary="A coin, to try ensembles.",
    parameters=CoinParameters,
    presets={"quick": CoinParameters(), "paper": CoinParameters(tosses=80)},
    run=run,
    measures=[heads, mostly],
    claims=(
        Claim("heads", "Heads come up", "Fig. 0A", "heads", (0.01, None), unit="of tosses"),
        Claim("mostly", "Heads come up mostly", "Fig. 0A", "mostly", (0.5, 1.0), unit="of seeds"),
    ),
    draw=draw,
    captions={"A": "Heads over time."},
)
