"""``synsamp data`` and ``doctor``, which are loaded when they are called."""

from __future__ import annotations

from typing import Any

import typer
from rich.console import Console

from synsamp.cli.arguments import guard
from synsamp.experiments.registry import Registry


def add_data(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp data``, a group of commands."""

    @app.command(
        "data",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    def data_command(context: typer.Context) -> Any:
        """Show, fetch and check the data sets (`synsamp data --help`)."""
        from synsamp.cli.data import app as data_app

        return guard(data_app)(
            context.args or ["--help"], prog_name="synsamp data", standalone_mode=False
        )


def add_doctor(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp doctor``."""

    @app.command("doctor")
    def doctor_command() -> int:
        """Show versions, threads, data and caches, and report problems."""
        from synsamp.cli.doctor import examine

        return examine(Console())
