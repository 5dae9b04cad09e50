"""Parameter updates per second: the rule under a bimodal prior, against blackjax and NumPy.

All three do the same work: Langevin steps under ½N(1, 0.15²) + ½N(0, 0.15²) with η = 1e-4, many
chains at once, nothing kept. Rounds alternate between the three, so that a busy minute hits all;
the table gives medians.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np

from benchmarks import Row, markdown_table, missing_peer, peer_python, peers_folder
from synsamp.priors import GaussianMixture
from synsamp.rule import Chains, Rule
from synsamp.runs.storage import machine

TITLE = "The rule: parameter updates against blackjax's SGLD and plain NumPy"

SIZES = ((64, 10), (64, 784), (64, 10_000), (1, 100_000))
"""(chains, parameters)."""
_UPDATES = 20_000_000
_ROUNDS = 3


def run() -> list[Row]:
    """Measure every size with every sampler, in alternating rounds."""
    rows: list[Row] = []
    for chains, parameters in SIZES:
        steps = max(20, _UPDATES // (chains * parameters))
        measured = _alternate(
            {
                "synsamp": partial(_own, chains, parameters, steps),
                "blackjax SGLD": partial(_blackjax, chains, parameters, steps),
                "NumPy": partial(_numpy, chains, parameters, max(5, steps // 10)),
            }
        )
        own = median(measured["synsamp"])
        for name, times in measured.items():
            ns = median(times) if times else None
            rows.append(
                {
                    "sampler": name if times else missing_peer("blackjax"),
                    "chains": chains,
                    "parameters": parameters,
                    "numbers": "float32" if name.startswith("blackjax") else "float64",
                    "ns per update": ns,
                    "time / synsamp": ns / own if ns else None,
                }
            )
    return rows


table = markdown_table


def _alternate(samplers: dict[str, Callable[[], list[float]]]) -> dict[str, list[float]]:
    measured: dict[str, list[float]] = {name: [] for name in samplers}
    for _ in range(_ROUNDS):
        for name, sampler in samplers.items():
            measured[name] += sampler()
    return measured


def _own(chains: int, parameters: int, steps: int) -> list[float]:
    moving = Chains(
        Rule(prior=GaussianMixture(), speed=1.0),
        np.zeros((chains, parameters)),
        1e-4,
        np.random.SeedSequence(1),
        machine.threads(),
    )
    moving.burn_in(2)  # compile, or load what was compiled before
    times = []
    for _ in range(3):
        began = time.perf_counter()
        moving.burn_in(steps)
        times.append((time.perf_counter() - began) / (steps * chains * parameters) * 1e9)
    return times


def _numpy(chains: int, parameters: int, steps: int) -> list[float]:
    rng = np.random.default_rng(1)
    theta = np.zeros((chains, parameters))
    eta = 1e-4
    began = time.perf_counter()
    for _ in range(steps):
        # Responsibility of the mode at 1 against the mode at 0 for equal widths.
        r = 1.0 / (1.0 + np.exp((0.5 - theta) / 0.15**2))
        theta += eta * (r - theta) / 0.15**2
        theta += np.sqrt(2 * eta) * rng.standard_normal(theta.shape)
    return [(time.perf_counter() - began) / (steps * chains * parameters) * 1e9]


def _blackjax(chains: int, parameters: int, steps: int) -> list[float]:
    python = peer_python("blackjax")
    if python is None:
        return []
    script = peers_folder() / "blackjax" / "sgld.py"
    command = [str(python), str(script), *map(str, (chains, parameters, steps, 3))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    times: list[float] = json.loads(done.stdout.splitlines()[-1])["ns"]
    return times
