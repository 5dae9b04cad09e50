"""Every experiment is bit-identical when the command is repeated in a new process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
import sys
from pathlib import Path
from synsamp.experiments.registry import REGISTRY
from synsamp.runs import execute
execute(REGISTRY.find(sys.argv[1]).load(), Path(sys.argv[2]), settings=sys.argv[3:])
"""


def checksums_of(name, out, **variables):
    """Run an experiment in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, name, str(out), *TINY[name]],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | variables,
    )
    assert done.returncode == 0, done.stderr
    return (out / "results.manifest").read_text()


def test_every_experiment_is_tried():
    assert set(TINY) == {entry.name for entry in REGISTRY}


@pytest.mark.parametrize("name", TINY)
def test_the_same_command_is_bit_identical(name, tmp_path):
    """In this process, after other tests, and in a new process."""
    execute(REGISTRY.find(name).load(), tmp_path / "here", settings=TINY[name])
    here = (tmp_path / "here" / "results.manifest").read_text()
    assert here == checksums_of(name, tmp_path / "there")
    assert "results.zarr/" in here


def test_the_first_run_after_compiling_is_identical_to_later_ones(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first, later = (checksums_of("generalisation", tmp_path / place, **cache) for place in "ab")
    assert first == later
