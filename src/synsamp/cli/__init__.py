"""The command line: a thin shell, one file per group of commands. Start reading at `app`."""

from synsamp.cli.app import main, run_command_line

__all__ = ["main", "run_command_line"]
