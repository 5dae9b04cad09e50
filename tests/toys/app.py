"""The command line over the toy experiments, as a program: tests kill it for real."""

from __future__ import annotations

import sys
from pathlib import Path

from synsamp.experiments.registry import Entry, Registry


def _walk():
    from toys.walk import EXPERIMENT

    return EXPERIMENT


def _stroll():
    from toys.stroll import EXPERIMENT

    return EXPERIMENT


def _coins():
    from toys.coins import EXPERIMENT

    return EXPERIMENT


TOYS = Registry(
    [
        Entry("walk", "fig0", "A walk", _walk),
        Entry("stroll", "fig00", "A short walk", _stroll),
    ]
)
WITH_COINS = Registry([*TOYS, Entry("coins", "fig000", "Tossing coins", _coins)])

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from synsamp.cli import run_command_line

    sys.exit(run_command_line(sys.argv[1:], WITH_COINS))
