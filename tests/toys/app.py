"""The command line over the toy experiments, as a program: tests kill it for real."""

from __future__ import annotations

import sys
from pathlib import Path

from synsamp.experiments import Entry, Registry

TOYS = Registry(
    [
        Entry("walk", "fig0", "A walk", "toys.walk", "toys.walk_figures"),
        Entry("stroll", "fig00", "A short walk", "toys.stroll", "toys.walk_figures"),
    ]
)
WITH_COINS = Registry(
    [*TOYS, Entry("coins", "fig000", "Tossing coins", "toys.coins", "toys.coins_figures")]
)

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from synsamp.cli import run_command_line

    sys.exit(run_command_line(sys.argv[1:], WITH_COINS))
