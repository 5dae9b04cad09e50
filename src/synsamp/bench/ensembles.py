"""Twenty trials on one and on two worker processes, and on eight workers of one thread.

Workers are warmed up with two trials, so that starting processes and loading kernels, which
happen once per command, do not count. Overhead is what is left of the workers' wall time after the
trials themselves (as their folders recorded it): scheduling, sending, putting results in their
place. Bits are compared by the checksums of every trial and of the Dataset of all.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

from rich.console import Console

from synsamp.bench import Row, markdown_table
from synsamp.experiments import REGISTRY
from synsamp.runs.ensembles.run import execute_ensemble
from synsamp.runs.folder import RunFolder
from synsamp.runs.results import SEAL
from synsamp.runs.workers import Workers

TITLE = "Ensembles: 20 trials on one and on two workers"

TRIALS, ROUNDS = 20, 1
EXPERIMENTS = ("generalization", "adaptation")
SIMULATED = 8


def run() -> list[Row]:
    """Measure both experiments."""
    return [row for name in EXPERIMENTS for row in _measure(name)]


table = markdown_table


def _measure(name: str) -> list[Row]:
    walls: dict[int, list[float]] = {1: [], 2: []}
    overheads: dict[int, list[float]] = {1: [], 2: []}
    seals = []
    with Workers(count=1) as one, Workers(count=2) as two:
        for workers in (one, two):
            _run(name, workers, 2)
        for _ in range(ROUNDS):
            for count, workers in ((1, one), (2, two)):
                wall, own, seal = _run(name, workers, TRIALS)
                walls[count].append(wall)
                overheads[count].append(1 - own / (count * wall))
                seals.append(seal)
    with Workers(count=SIMULATED) as many:
        wall, _, seal = _run(name, many, TRIALS)
    seals.append(seal)
    rows: list[Row] = [
        {
            "experiment": name,
            "workers": count,
            "s": median(walls[count]),
            "times one worker": median(walls[1]) / median(walls[count]),
            "overhead, %": 100 * median(overheads[count]),
            "bits": "the same" if len(set(seals)) == 1 else "DIFFER",
        }
        for count in walls
    ]
    return [
        *rows,
        rows[-1]
        | {
            "workers": SIMULATED,
            "s": wall,
            "times one worker": median(walls[1]) / wall,
            "overhead, %": None,
        },
    ]


def _run(name: str, workers: Workers, trials: int) -> tuple[float, float, str]:
    """Wall time, time of the trials themselves, and all checksums."""
    experiment = REGISTRY.find(name).load()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run = execute_ensemble(
            experiment, Path(folder) / "run", trials, console=Console(quiet=True), workers=workers
        )
        wall = time.perf_counter() - began
        folders = sorted((run.path / "trials").iterdir())
        own = sum(RunFolder(path).status.elapsed_s for path in folders if path.is_dir())
        seal = "".join(path.read_text() for path in sorted(run.path.rglob(SEAL)))
    return wall, own, seal
