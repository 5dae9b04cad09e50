"""``synsamp doctor``."""

from __future__ import annotations

from rich.console import Console


def doctor_command() -> int:
    """Show versions, threads, data and caches, and report problems."""
    from synsamp.cli.doctor import examine

    return examine(Console())
