"""``synsamp bench`` and ``synsamp doctor``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from synsamp.progress import progress_bar


def bench_command(
    name: Annotated[str | None, typer.Argument(help="One benchmark. \\[default: all]")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the rows here.")
    ] = None,
) -> None:
    """Measure speed against other tools, all in one run on this machine.

    Peers that clash with the pinned versions live in their own virtual environments; where
    one is missing the table says which command makes it.
    """
    from synsamp import bench

    bench.check_target(json_file)
    measured = {}
    wanted = [name] if name is not None else bench.names()
    for number, each in enumerate(wanted):
        benchmark = bench.load(each)
        with progress_bar(f"measuring {each}", len(wanted)) as advance:
            advance(number)
            measured[each] = rows = benchmark.run()
        typer.echo(f"\n{benchmark.TITLE}\n\n{benchmark.table(rows)}")
    bench.save(json_file, measured)


def doctor_command() -> int:
    """Show versions, threads, data and caches, and whether anything stands in the way."""
    from synsamp.cli.doctor import examine

    return examine(Console())
