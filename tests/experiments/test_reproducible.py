"""Every experiment gives the same bits when the same command is given again, in a fresh process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from synsamp.experiments import REGISTRY

TINY = {
    "landscape": ["chains=4", "chain_time=10", "path_time=1", "ml_time=1", "ml_paths=2"],
    "generalization": ["trials=1", "learning.updates=100", "evaluations=4", "test_images=5"],
    "prior_comparison": [
        "trials=1",
        "learning.updates=100",
        "evaluations=4",
        "test_images=5",
        "priors=uniform,bimodal",
        "temperatures=0,1",
    ],
    "motility": [
        "seeds=1",
        "circuit.neurons=4",
        "settle_s=300",
        "slow.b=1e-5",
        "fast.tracked_s=1000",
        "fast.grid_s=20",
        "fast.look_every_s=40",
        "fast.new_within_s=200",
        "slow.tracked_s=2000",
        "slow.grid_s=200",
        "slow.look_every_s=200",
        "slow.new_within_s=400",
    ],
    "adaptation": [
        "phase_s=100",
        "snapshot_every_s=100",
        "seeds=1",
        "probe_s=5",
        "circuit.neurons=4",
    ],
    "compensation": [
        "seeds=1",
        "schedule.learning_s=100",
        "schedule.after_lesion_1_s=200",
        "schedule.frozen_tests=1",
        "test.every_s=100",
        "test.blocks=2",
        "test.block_s=20",
        "test.burn_in_s=5",
        "test.rest_trials=4",
        "test.tuning_s=20",
    ],
}

RUN = """
import sys
from pathlib import Path
from synsamp.experiments import REGISTRY
from synsamp.runs import execute
execute(REGISTRY.find(sys.argv[1]).load(), Path(sys.argv[2]), settings=sys.argv[3:])
"""


def test_every_experiment_is_tried():
    assert set(TINY) == {entry.name for entry in REGISTRY}


@pytest.mark.parametrize("name", TINY)
def test_the_same_command_gives_the_same_bits(name, tmp_path):
    seals = []
    for place in ("once", "again"):
        arguments = [name, str(tmp_path / place), *TINY[name]]
        done = subprocess.run(
            [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        seals.append((tmp_path / place / "results.sha256").read_text())
    assert seals[0] == seals[1]
    assert seals[0]
