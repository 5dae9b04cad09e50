"""Twenty trials on one and on two worker processes, and on eight workers of one thread.

Workers are warmed up with a trial each, so that starting processes and loading kernels, which
happen once per command, do not count. Overhead is what is left of the workers' wall time after the
trials themselves (as their folders recorded it): scheduling, sending, putting results in their
place. Bits are compared by the checksums of every trial and of the Dataset of all.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rich.console import Console

from benchmarks import Row, markdown_table
from synsamp.experiments.registry import REGISTRY
from synsamp.runs.ensembles.run import execute_ensemble
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage.contents import RESULTS_MANIFEST
from synsamp.runs.storage.folder import RunFolder

TITLE = "Ensembles: 20 trials on one and on two workers"

TRIALS = 20
COUNTS = (1, 2, 8)
EXPERIMENTS = ("generalisation", "adaptation")


def run() -> list[Row]:
    """Measure both experiments."""
    return [row for name in EXPERIMENTS for row in _measure(name)]


table = markdown_table


def _measure(name: str) -> list[Row]:
    measured = {}
    for count in COUNTS:
        with Workers(count=count) as workers:
            _run(name, workers, count)
            measured[count] = _run(name, workers, TRIALS)
    same = len({seal for _, _, seal in measured.values()}) == 1
    return [
        {
            "experiment": name,
            "workers": count,
            "s": wall,
            "times one worker": measured[1][0] / wall,
            # Where workers share cores, a trial's time is no measure of its work.
            "overhead, %": 100 * (1 - own / (count * wall)) if count <= 2 else None,
            "bits": "the same" if same else "DIFFER",
        }
        for count, (wall, own, _) in measured.items()
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
        manifests = "".join(path.read_text() for path in sorted(run.path.rglob(RESULTS_MANIFEST)))
    return wall, own, manifests
