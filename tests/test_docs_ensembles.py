"""The commands printed in the guides on ensembles, clusters and runs are valid."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from synsamp.experiments.registry import REGISTRY
from synsamp.runs.ensembles.plan import describe_ensemble, one_at_a_time, trials_of

ROOT = Path(__file__).parents[1]
FLAG = "--one-at-a-time"
PAGES = ("docs/howto/ensembles.md", "docs/howto/cluster.md", "docs/howto/runs.md")


def commands():
    for page in PAGES:
        for line in (ROOT / page).read_text().splitlines():
            if re.match(r"    synsamp (run|sweep) (?!all).*--trials", line):
                yield line.split("   #")[0].split("    #")[0].strip()


@pytest.mark.parametrize("line", sorted(set(commands())))
def test_a_printed_command_is_valid(line):
    given = shlex.split(line, comments=True)[2:]
    words = iter([word for word in given if word != FLAG])
    experiment = REGISTRY.find(next(words)).load()
    options: dict[str, list[str]] = {}
    for word in words:
        options.setdefault(word, []).append(next(words))
    assert set(options) <= {"--trials", "--vary", "--preset", "--scheduler", "--set"}
    vary = options.get("--vary", [])
    whole = describe_ensemble(
        experiment,
        int(options["--trials"][0]),
        [] if FLAG in given else vary,
        options.get("--preset", ["quick"])[0],
        options.get("--set", []),
        changes=one_at_a_time(vary) if FLAG in given else None,
    )
    assert trials_of(experiment, whole)


def test_there_are_commands_to_check():
    assert len(list(commands())) >= 5
