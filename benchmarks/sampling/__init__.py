"""Effective samples per second on four posteriors: inertia and MALA, against blackjax.

Every method runs four chains on one thread. Time is the processor's, without compilation, and
contains what a user waits for: the pilot here, the warm-up of NUTS there. SGLD and SGHMC of
blackjax have no adaptation and get steps from the pilot. ESS is the smallest bulk ESS of all
parameters. The bias is the largest error of a parameter's mean or standard deviation, as a share of
its standard deviation. It includes Monte-Carlo errors of this run and of the reference (a long run
of MALA; exact for the last two posteriors); the last column has their size for a single mean, and
the largest of many is about three times that.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import Row, markdown_table, missing_peer, peer_python, peers_folder
from benchmarks.sampling.targets import TARGETS, Floats, Target
from synsamp.rule import MALA, Method, Overdamped, Underdamped, sample
from synsamp.rule.diagnostics import diagnose

TITLE = "Samplers: effective samples per second, against NUTS, SGLD and SGHMC of blackjax"

_STEPS = 40_000
_WITHOUT_INERTIA = 4
"""Times as many steps for the paper's dynamics and SGLD, one draw kept of so many."""
_NUTS_STEPS = 2500
_REFERENCE_ESS = 10_000.0


def run() -> list[Row]:
    """Measure every method on every posterior."""
    return [row for name in TARGETS for row in rows_of(name)]


def rows_of(name: str) -> list[Row]:
    """Measure every method on one posterior."""
    target = TARGETS[name]
    right = _reference(target)
    methods: dict[str, Method] = {
        "synsamp, Underdamped": Underdamped(),
        "synsamp, MALA": MALA(target.log_likelihood),
        "synsamp, Overdamped": Overdamped(),
    }
    rows: list[Row] = []
    steps: dict[str, float] = {}
    for label, method in methods.items():
        draws, seconds, steps[label] = _own(target, method)
        rows.append(_row(name, label, draws, seconds, right))
    peers = _peers(target, steps["synsamp, Overdamped"], steps["synsamp, Underdamped"]).items()
    return rows + [_row(name, label, draws, used, right) for label, (draws, used) in peers]


def table(rows: list[Row]) -> str:
    """The rows, how to read them, and on how many posteriors synsamp is ahead."""
    return "\n\n".join([markdown_table(rows), LEGEND, *_ahead(rows)])


LEGEND = (
    "Four chains on one thread; processor time, without compilation, with the pilot here and the "
    "warm-up of NUTS there. The bias is the largest error of a mean or standard deviation of a "
    "parameter; it includes Monte Carlo errors, whose size for one mean is the last column (the "
    "largest of many is about three times that). MALA and NUTS use a metric, the others do not. "
    "SGLD and SGHMC of blackjax have no adaptation: their steps follow from ours. SGHMC draws a "
    "momentum every 50 gradients."
)


def _ahead(rows: list[Row]) -> list[str]:
    """Sentences that compare both methods of synsamp with NUTS; none without NUTS."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(str(row["posterior"]), {})[str(row["method"])] = row
    if not all("blackjax NUTS" in own for own in found.values()):
        return []
    sentences = []
    for name in ("Underdamped", "MALA"):
        wins = [
            posterior
            for posterior, own in found.items()
            if _number(own[f"synsamp, {name}"], "ESS per s")
            > _number(own["blackjax NUTS"], "ESS per s")
        ]
        worst = max(_number(own[f"synsamp, {name}"], _BIAS) for own in found.values())
        sentences.append(
            f"`{name}` yields more effective samples per second than NUTS on {len(wins)} of "
            f"{len(found)} posteriors ({', '.join(wins) or 'none'}), at a bias of at most "
            f"{worst:.1f} % of the posterior width on all."
        )
    return sentences


def _number(row: Row, column: str) -> float:
    value = row[column]
    assert isinstance(value, float)
    return value


def _row(
    name: str, label: str, draws: Floats | None, seconds: float, right: tuple[Floats, Floats]
) -> Row:
    if draws is None:
        return dict.fromkeys(_COLUMNS) | {"posterior": name, "method": missing_peer("blackjax")}
    found = diagnose(lambda columns: draws[:, :, columns], draws.shape)
    mean, std = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1))
    bias = max(np.max(np.abs(mean - right[0]) / right[1]), np.max(np.abs(std / right[1] - 1)))
    ess, r_hat = float(np.min(found["ess_bulk"])), float(np.max(found["r_hat"]))
    error = np.sqrt(1 / ess + (1 / _REFERENCE_ESS if name in _MEASURED else 0.0))
    values = (name, label, ess / seconds, ess, r_hat, 100 * float(bias), 100 * float(error))
    return dict(zip(_COLUMNS, values, strict=True))


_BIAS = "bias, % of the width"
_COLUMNS = ("posterior", "method", "ESS per s", "ESS", "R-hat", _BIAS, "± %")
_MEASURED = ("logistic", "hierarchical")


def _reference(target: Target) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each parameter."""
    if target.name == "Gaussian":
        return np.zeros(10), np.sqrt(np.diag(np.linalg.inv(target.data[0])))
    if target.name == "two modes":
        return np.zeros(2), np.sqrt(target.data[0] ** 2 + target.data[1] ** 2)
    start = np.zeros(target.size)
    found = sample(
        target.rule, start, method=MALA(target.log_likelihood), ess=_REFERENCE_ESS, seed=99
    ).theta.values
    return found.mean(axis=(0, 1)), found.std(axis=(0, 1))


def _own(target: Target, method: Method) -> tuple[Floats, float, float]:
    settings: Any = dict(start=np.zeros(target.size), method=method, threads=1, progress=False)
    sample(target.rule, steps=100, **settings)  # compile
    thin = _WITHOUT_INERTIA if isinstance(method, Overdamped) else 1
    began = time.process_time()
    result = sample(
        target.rule, steps=_STEPS * thin, thin=thin, seed=1, diagnostics=False, **settings
    )
    seconds = time.process_time() - began
    # With inertia, the step for unit masses: 1/sqrt(λ) for the largest curvature λ.
    dt = result.attrs["dt"] / result.attrs.get("tau", 1.0) ** 0.5
    return result.theta.values, seconds, float(dt)


def _peers(
    target: Target, sgld_dt: float, inertia_dt: float
) -> dict[str, tuple[Floats | None, float]]:
    """NUTS, SGLD and SGHMC of blackjax, with the steps of our two dynamics."""
    python = peer_python("blackjax")
    labels = {"nuts": "blackjax NUTS", "sgld": "blackjax SGLD", "sghmc": "blackjax SGHMC"}
    if python is None:
        return {labels["nuts"]: (None, 0.0)}
    found: dict[str, tuple[Floats | None, float]] = {}
    settings = {
        "nuts": (_NUTS_STEPS, 1, 0.0),
        "sgld": (_WITHOUT_INERTIA * _STEPS, _WITHOUT_INERTIA, sgld_dt),
        "sghmc": (_STEPS // 5, 1, inertia_dt / 50),  # a momentum for 50 gradients turns by 1 rad
    }
    with tempfile.TemporaryDirectory() as folder:
        given: dict[str, Any] = {f"data/{k}": array for k, array in enumerate(target.data)}
        given["start"] = 0.1 * np.random.default_rng(0).normal(size=(4, target.size))
        np.savez(Path(folder) / "target.npz", **given)
        out = Path(folder) / "out.npz"
        script = peers_folder() / "blackjax" / "sampling.py"
        words = [target.name, Path(folder) / "target.npz", out, json.dumps(settings)]
        command = [str(python), str(script), *map(str, words)]
        subprocess.run(command, check=True, env={**os.environ, **_ONE_THREAD})
        with np.load(out) as stored:
            for method, label in labels.items():
                draws, seconds = stored[method].astype(float), float(stored[f"{method}_seconds"])
                found[label] = (draws, seconds)
    return found


_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "NPROC": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
