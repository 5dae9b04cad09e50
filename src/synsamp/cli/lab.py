"""``synsamp lab``: open the lab in a browser, with the native engine behind it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated

import typer

from synsamp.experiments.registry import Registry

HERE = "127.0.0.1"


def add_lab(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp lab``."""
    app.command("lab")(lab)


def lab(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE.py]", help="Your own network; see docs/start/lab.md."),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen at; 0: any free one.")
    ] = 0,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen at. Another than 127.0.0.1 lets other machines that know "
            "the token open the page and run networks on this one; nothing is encrypted."
        ),
    ] = HERE,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address without opening it.")
    ] = False,
) -> None:
    """Watch a network learn: change it, lesion it, go back and try again."""
    import asyncio
    import webbrowser

    from synsamp.lab.engine import all_scenes
    from synsamp.lab.server import LabServer

    load, imports = all_scenes, "synsamp.lab.scenes.digits"
    if file is not None:
        from synsamp.experiments.loading import read_file
        from synsamp.lab.own import scenes_of_file

        read_file(str(file))  # must be there; each page executes what it holds then
        load = functools.partial(scenes_of_file, str(file.resolve()))
        imports = "synsamp.lab.own"
    server = LabServer(load, host, port, [imports])
    typer.echo(f"The lab is at {server.address}")
    if host not in (HERE, "localhost", "::1"):
        typer.echo(
            f"Listening at {host}: whoever knows this address can run networks on this machine; "
            "the connection is not encrypted, so use it in a network you trust.",
            err=True,
        )
    typer.echo("Press Ctrl-C to stop.")
    if not no_browser:
        webbrowser.open(server.address)
    asyncio.run(server.serve(asyncio.Event()))
