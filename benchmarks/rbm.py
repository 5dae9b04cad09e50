"""Updates of the Boltzmann machine of Fig. 2, against plain NumPy and scikit-learn.

An update of ours shows one image, does five cycles of reconstruction and moves 7,849 parameters by
the rule with prior and noise. NumPy does the same with whole-array operations. scikit-learn's
``BernoulliRBM.partial_fit`` does one cycle, without prior or noise. Times are processor time, so
that waiting for other programs does not count; rounds alternate, so that what they do to the
caches hits all alike. The table gives the median and the best of many short batches.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import Row, markdown_table, missing_peer, peer_python, peers_folder
from synsamp.data import rbm_split
from synsamp.models.rbm import RBM
from synsamp.priors import Flat, GaussianMixture, Prior
from synsamp.rule import Chains, Rule

TITLE = "The Boltzmann machine: updates at 784–9 against plain NumPy and scikit-learn"

N_VISIBLE, N_HIDDEN, CYCLES, ETA, N_INPUTS = 784, 9, 5, 1e-4, 100.0
_BATCH, _BATCHES, _ROUNDS = 400, 5, 6


def run() -> list[Row]:
    """Measure all in alternating rounds."""
    images = rbm_split(0).train.reshape(-1, N_VISIBLE).astype(float)
    samplers: dict[tuple[str, str], Callable[[], list[float]]] = {
        ("synsamp", "CD-5, bimodal prior, noise"): _own(images, GaussianMixture()),
        ("synsamp", "CD-5, uniform prior, noise"): _own(images, Flat()),
        ("NumPy", "CD-5, bimodal prior, noise"): _numpy(images),
        ("scikit-learn", "PCD-1, no prior, no noise"): _scikit_learn(images),
    }
    times: dict[tuple[str, str], list[float]] = {key: [] for key in samplers}
    for _ in range(_ROUNDS):
        for key, sampler in samplers.items():
            times[key] += sampler()
    own = median(times["synsamp", "CD-5, bimodal prior, noise"])
    return [
        {
            "by": name if found else missing_peer(name),
            "an update is": work,
            "µs, median": median(found) if found else None,
            "µs, best": min(found) if found else None,
            "time / synsamp": median(found) / own if found else None,
        }
        for (name, work), found in times.items()
    ]


table = markdown_table


def _own(images: NDArray[Any], prior: Prior) -> Callable[[], list[float]]:
    machine = RBM(N_VISIBLE, N_HIDDEN)
    rule = Rule(machine.likelihood(images, CYCLES, data_size=N_INPUTS), machine.prior(prior))
    seed = np.random.SeedSequence(1)
    chains = Chains(rule, machine.start(seed)[None], ETA, seed)
    chains.burn_in(50)  # compile, or load what was compiled before
    return lambda: [_time(lambda: chains.burn_in(_BATCH)) for _ in range(_BATCHES)]


def _time(batch: Callable[[], None]) -> float:
    began = time.process_time()
    batch()
    return (time.process_time() - began) / _BATCH * 1e6


def _numpy(images: NDArray[Any]) -> Callable[[], list[float]]:
    """The update as one would write it by hand: a second copy of the rule, to be slower than."""
    rng = np.random.default_rng(1)
    w = rng.normal(0.0, 0.25, (N_HIDDEN, N_VISIBLE))
    b_hid, b_vis = rng.normal(-1.0, 0.25, N_HIDDEN), rng.normal(-1.0, 0.25, N_VISIBLE)
    precision, noise = 1 / 0.15**2, np.sqrt(2 * ETA)

    def fire(a: NDArray[Any]) -> NDArray[Any]:
        return (rng.random(a.size) * (1.0 + np.exp(-a)) < 1.0).astype(float)

    def update() -> None:
        x = (rng.random(N_VISIBLE) < images[rng.integers(len(images))]).astype(float)
        z = z_hat = fire(w @ x + b_hid)
        for _ in range(CYCLES):
            x_hat = fire(z_hat @ w + b_vis)
            z_hat = fire(w @ x_hat + b_hid)
        at_one = 1.0 / (1.0 + np.exp((0.5 - w) * precision))  # share of the mode at 1
        pull = (at_one - w) * precision
        w[:] += ETA * (pull + N_INPUTS * (np.outer(z, x) - np.outer(z_hat, x_hat)))
        b_hid[:] += ETA * N_INPUTS * (z - z_hat)
        b_vis[:] += ETA * N_INPUTS * (x - x_hat)
        for part in (w, b_hid, b_vis):
            part[:] += noise * rng.standard_normal(part.shape, np.float32)

    def batch() -> None:
        for _ in range(_BATCH):
            update()

    batch()
    return lambda: [_time(batch) for _ in range(_BATCHES)]


def _scikit_learn(images: NDArray[Any]) -> Callable[[], list[float]]:
    """Empty if its environment was not made."""

    def measure() -> list[float]:
        python = peer_python("scikit-learn")
        if python is None:
            return []
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "images.npy"
            np.save(file, images, allow_pickle=False)
            command = [
                str(python),
                str(peers_folder() / "scikit-learn" / "rbm.py"),
                *map(str, (file, N_HIDDEN, _BATCH, _BATCHES)),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        found: list[float] = json.loads(done.stdout)["us"]
        return found

    return measure
