"""Runs are killed at any moment between their first checkpoint and their end, and resumed."""

from __future__ import annotations

import random
import shutil
import signal

import pytest

from synsamp.runs import RunFolder
from synsamp.runs.storage.check import integrity_problems
from torture.ground import command, moments_of, processes
from torture.scale import many

WALK = ("run", "walk", "--set", "blocks=9", "--out")
"""A run with a table and checkpoints."""


@pytest.fixture(scope="module")
def ground():
    return processes()


def test_a_killed_run_continues_from_its_checkpoint_bit_identical(ground, tmp_path, tally):
    log = tmp_path / "log"
    assert command(ground, [*WALK, tmp_path / "whole"], log)[0] == 0
    reference = (tmp_path / "whole" / "results.manifest").read_text()
    claims = (tmp_path / "whole" / "claims.json").read_text()
    window = moments_of(log)
    rng = random.Random("kills of walk")  # the choice of moments; every one must do
    counted, wanted = 0, many(4, 120)
    while counted < wanted:
        out = tmp_path / "run"
        moment = rng.randint(window["first"] + 1, window["last"])
        code, _ = command(ground, [*WALK, out], log, moment)
        kills = 0
        while code == -signal.SIGKILL:
            # What comes before the first checkpoint is a start, and after the end there is nothing
            # to resume: neither counts.
            saved = any(out.rglob("*.checkpoint"))
            kills += saved and RunFolder(out).status.state != "finished"
            again = rng.randint(1, window["last"]) if rng.random() < 0.3 else None
            code, said = command(ground, ["resume", out], log, again)
        assert code == 0, (moment, said)
        assert "Traceback" not in said
        assert (out / "results.manifest").read_text() == reference, moment
        assert (out / "claims.json").read_text() == claims
        assert integrity_problems(out) == []
        assert not list(out.rglob("*.part*"))
        assert "passed over" not in (out / "run.log").read_text()
        counted += kills
        shutil.rmtree(out)
    tally("kills", counted)
