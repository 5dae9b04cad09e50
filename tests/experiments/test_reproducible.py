"""Every experiment is bit-identical when the command is repeated in a new process."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from synsamp.experiments.registry import REGISTRY
from synsamp.runs import execute

TINY = {
    "landscape": ["chains=4", "chain_time=10", "path_time=1", "ml_time=1", "ml_paths=2"],
    "theorem1": ["copies=100", "relaxations=1"],
    "generalisation": ["learning.updates=100", "evaluations=4", "test_images=5"],
    "prior_comparison": [
        "learning.updates=100",
        "evaluations=4",
        "test_images=5",
        "priors=uniform,bimodal",
        "temperatures=0,1",
    ],
    "motility": [
        "circuit.neurons=4",
        "settle_s=400",
        "slow_settle_s=200",
        "slow.speed=1e-5",
        "fast.tracked_s=1000",
        "fast.record_every_s=20",
        "fast.session_every_s=40",
        "fast.new_within_s=200",
        "slow.tracked_s=2000",
        "slow.record_every_s=200",
        "slow.session_every_s=200",
        "slow.new_within_s=400",
    ],
    "adaptation": [
        "phase_s=100",
        "snapshot_every_s=100",
        "probe_s=5",
        "circuit.neurons=4",
    ],
    "bandit": ["relaxations=5"],
    "reward_patterns": ["learning_s=50", "record_every_s=10", "population=2", "task.period_s=0.1"],
    "lever": [
        *(f"schedule.{part}_s=50" for part in ("learning", "same", "changed", "lesion")),
        "schedule.random_s=0",
        "schedule.record_every_s=10",
        "task.period_s=0.1",
    ],
    "sheet": [
        "network.excitatory=200",
        "network.inhibitory=20",
        "schedule.settle_s=50",
        "schedule.after_s=50",
        "schedule.record_every_s=10",
        "network.width_mm=0.5",
    ],
    "compensation": [
        "schedule.learning_s=100",
        "schedule.after_lesion_1_s=200",
        "schedule.frozen_1_s=100",
        "test.every_s=100",
        "test.blocks=4",
        "test.block_s=20",
        "test.burn_in_s=5",
        "test.tuning_s=20",
    ],
    "rewiring_mnist": [
        "digits.training=20",
        "digits.test=20",
        "hidden=4,3",
        "epochs=2",
        "second_task_epochs=1",
    ],
    "ensemble_mnist": [
        "digits.training=20",
        "digits.test=20",
        "out_of_distribution=10",
        "hidden=4",
        "settling=2",
        "samples=2",
        "steps_between=2",
    ],
}

RUN = """
import json, sys
from pathlib import Path
from synsamp.experiments.registry import REGISTRY
from synsamp.runs import execute
for name, settings in json.loads(sys.argv[2]).items():
    execute(REGISTRY.find(name).load(), Path(sys.argv[1]) / name, settings=settings)
"""


def checksums_in_a_new_process(names, out, **variables):
    """Run experiments one after the other in a new process."""
    settings = json.dumps({name: TINY[name] for name in names})
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(out), settings],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | variables,
    )
    assert done.returncode == 0, done.stderr
    return {name: (out / name / "results.manifest").read_text() for name in names}


def test_every_experiment_is_tried():
    assert set(TINY) == {entry.name for entry in REGISTRY}


def test_the_same_commands_are_bit_identical(tmp_path):
    """In this process, after other tests, and in a new process."""
    here = {
        name: (folder.path / "results.manifest").read_text()
        for name in TINY
        for folder in [
            execute(REGISTRY.find(name).load(), tmp_path / "here" / name, settings=TINY[name])
        ]
    }
    there = checksums_in_a_new_process([*reversed(TINY)], tmp_path / "there")
    assert {name for name in TINY if here[name] != there[name]} == set()
    assert all("results.zarr/" in each for each in here.values())


def test_the_first_run_after_compiling_is_identical_to_later_ones(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    names = ["generalisation"]
    first, later = (checksums_in_a_new_process(names, tmp_path / p, **cache) for p in "ab")
    assert first == later
