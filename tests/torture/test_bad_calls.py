"""Careless and hostile calls: one line, exit code 2, nothing made, nothing left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from synsamp.runs import execute
from torture.bad_calls import calls
from torture.scale import many
from toys import stroll

CALLER = Path(__file__).with_name("call_all.py")


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    """A folder with what calls may name: good things, and things that only look so."""
    root = tmp_path_factory.mktemp("calls") / "here"
    root.mkdir()
    execute(stroll.EXPERIMENT, root / "good")
    (root / "file").write_text("x")
    (root / "full").mkdir()
    (root / "full" / "thesis.tex").write_text("x")
    (root / "empty").mkdir()
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to("loop")
    rows = "".join(f"{i},{t},{int(t < i)}\n" for i in range(6) for t in range(6))
    (root / "table.csv").write_text("spine,time,present\n" + rows)
    (root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (root / "broken.json").write_text("{")
    (root / "list.json").write_text("[1]")
    (root / "noaddress.json").write_text("{}")
    (root / "badaddress.json").write_text('{"address": 7}')
    return root


def make(sandbox, wanted):
    environment = os.environ | {
        "SYNSAMP_DATA": str(sandbox / "no-data-here"),
        "OPENBLAS_NUM_THREADS": "1",  # children of a process with threads are not safe
    }
    done = subprocess.run(
        [sys.executable, str(CALLER)],
        input="".join(json.dumps(words) + "\n" for words in wanted),
        capture_output=True,
        text=True,
        cwd=sandbox,
        env=environment,
        timeout=3000,
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(wanted), done.stderr[-2000:]
    return told


def has_clear_error(found):
    lines = found["errors"].splitlines()
    return (
        found["code"] == 2
        and len(lines) == 1
        and len(lines[0]) < 1500
        and lines[0].startswith("synsamp: ")
        and "Traceback" not in found["errors"]
        and found["output"] == ""
        and found["changed"] == []
    )


def test_a_bad_call_gets_one_line_and_leaves_nothing(sandbox, tally):
    everything = list(calls())
    wanted = everything[:: len(everything) // many(60, len(everything))]
    told = make(sandbox, wanted)
    wrong = [
        ([word[:60] for word in words], found)
        for words, found in zip(wanted, told, strict=True)
        if not has_clear_error(found)
    ]
    assert wrong == []
    tally("bad calls of the command line", len(wanted))


def test_good_calls_raise_no_error(sandbox):
    """The other side: what is bad above is so for the reason that is meant."""
    wanted = [
        ["list"],
        ["list", "walk"],
        ["data", "list"],
        ["report", "good"],
        ["resume", "good"],
        ["spines", "table.csv", "--out", "drawn.png"],
        ["run", "walk", "--out", "new", "--set", "blocks=2", "--seed", "3", "--preset", "quick"],
        ["run", "stroll", "--set", "blocks=2", "--workers", "1"],
    ]
    assert [found["code"] for found in make(sandbox, wanted)] == [0] * len(wanted)
