"""Coins are tossed: a light experiment for ensembles, with repeats, jobs and trouble on demand."""

from __future__ import annotations

import errno
import os
import signal
import time
from functools import partial
from pathlib import Path

import numpy as np
import xarray as xr
from pydantic import Field

from synsamp.errors import SynsampError
from synsamp.experiments.base import (
    Claim,
    Experiment,
    Parameters,
    Repeats,
    Results,
    RunContext,
)


class Coin(Parameters):
    chance: float = Field(0.5, ge=0.0, le=1.0, description="of heads")


class CoinParameters(Parameters):
    coins: int = Field(3, ge=1, le=100, description="coins tossed within one run")
    tosses: int = Field(40, ge=1, le=10_000, description="tosses of one coin")
    coin: Coin = Coin()
    pause_s: float = Field(0.0, ge=0.0, le=10.0, description="wait per toss")
    trouble: str = Field("", description="KIND:FILE, what goes wrong while the file is there")
    ragged: bool = Field(False, description="record a table whose length differs")


class CoinJob:
    def __init__(self, p, seed_for, number, state):
        self._p = p
        self._rng = np.random.default_rng(seed_for("coin", number))
        self._heads = np.zeros(p.tosses, np.int64)
        self._tossed = 0
        if state is not None:
            self._rng.bit_generator.state = state["rng"]
            self._heads[:] = state["heads"]
            self._tossed = int(state["tossed"])

    @property
    def work(self):
        return float(self._p.tosses)

    @property
    def done(self):
        return float(self._tossed)

    def step(self):
        time.sleep(self._p.pause_s)
        _trouble(self._p, self._tossed, self._rng)
        self._heads[self._tossed] = self._rng.random() < self._p.coin.chance
        self._tossed += 1

    def state(self):
        return {
            "rng": self._rng.bit_generator.state,
            "heads": self._heads.copy(),
            "tossed": self._tossed,
        }


def _trouble(p, tossed, rng):
    kind, _, file = p.trouble.partition(":")
    if not kind or tossed != p.tosses // 2 or not Path(file).exists():
        return
    if kind == "disk":
        raise OSError(errno.ENOSPC, "No space left on device")
    if kind == "refusal":
        raise SynsampError("chance must be fair, got a bent coin; take another")
    if kind == "kill" and rng.random() < 0.5:
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "some" and rng.random() < 0.5:
        raise ZeroDivisionError("a bug of the toy")


def make(p, seed_for, number, state):
    return CoinJob(p, seed_for, number, state)


def run(p: CoinParameters, context: RunContext) -> Results:
    makers = [partial(make, p, context.seed_for, number) for number in range(p.coins)]
    heads = np.stack([np.asarray(s["heads"]) for s in context.run_jobs("tossing", makers)])
    toss = np.arange(p.tosses)
    tossed = xr.Dataset(
        {
            "heads": (("coin", "toss"), heads.cumsum(axis=1)),
            "share": ("coin", heads.mean(axis=1)),
        },
        coords={"toss": toss},
    )
    results = {"tossed": tossed}
    if p.ragged:
        results["runs"] = xr.Dataset({"start": ("run", np.flatnonzero(np.diff(heads[0])))})
    return results


def claims(p: CoinParameters, results: Results) -> list[Claim]:
    share = float(results["tossed"].share.mean())
    return [
        Claim("heads", "Heads come up", "Fig. 0A", share, (0.01, None), unit="of tosses"),
        Claim("mostly", "Heads come up mostly", "Fig. 0A", share, (0.5, 1.0), unit="of tosses"),
    ]


def draw(parameters, results):
    from toys import coins_figures

    return coins_figures.draw(parameters, results)


EXPERIMENT = Experiment(
    name="coins",
    alias="fig000",
    title="Tossing coins",
    summary="Coins, to try ensembles.",
    parameters=CoinParameters,
    presets={"quick": CoinParameters(), "paper": CoinParameters(coins=10)},
    run=run,
    claims=claims,
    draw=draw,
    captions={"A": "Heads over time."},
    repeats=Repeats("coins", "coin"),
)
