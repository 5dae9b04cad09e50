"""Processor time of an import and of the command line, compared with importing NumPy.

Every command runs in a new process, all of them in turn, and the best of several runs counts: what
other programs do to a machine only adds time.
"""

from __future__ import annotations

import subprocess
import sys

from benchmarks import Row, markdown_table

TITLE = "Start: importing synsamp and `synsamp --help`"

REPEATS = 7
BASE = "import numpy"
COMMANDS = {
    BASE: "import numpy",
    "import synsamp": "import synsamp",
    "synsamp --help": "from synsamp.cli import main; main()",
    "synsamp list": "from synsamp.cli import main; main()",
}
# The child reports its own time, so that no other child of this process is counted.
REPORT = (
    "import atexit, sys, time; atexit.register(lambda: print(time.process_time(), file=sys.stderr))"
)


def run() -> list[Row]:
    """Measure all commands in turn."""
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(REPEATS):
        for name in COMMANDS:
            best[name] = min(best[name], _processor_s(name))
    return [
        {"command": name, "processor time, s": s, "times NumPy": s / best[BASE]}
        for name, s in best.items()
    ]


table = markdown_table


def _processor_s(name: str) -> float:
    words = name.split()[1:] if name.startswith("synsamp") else []
    done = subprocess.run(
        [sys.executable, "-c", f"{REPORT}; {COMMANDS[name]}", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stderr.split()[-1])
