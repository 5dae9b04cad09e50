"""``synsamp new``: write the start of a user's own experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from synsamp.errors import refuse
from synsamp.experiments.registry import Registry


def add_new(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp new``."""
    app.command("new")(new_command)


def new_command(
    file: Annotated[Path, typer.Argument(metavar="FILE.py", help="The file to write.")],
) -> None:
    """Write a commented template of an experiment, ready to run.

    Then: `synsamp run FILE.py`, `synsamp list FILE.py`, and change it.
    """
    from importlib import resources

    if file.suffix != ".py" or not file.stem.isidentifier():
        rule = "must be a Python file named with letters, digits and _"
        raise refuse("FILE.py", rule, str(file), "for example my_experiment.py")
    if not file.parent.is_dir():
        raise refuse("FILE.py", "must be in an existing folder", str(file), "make it first")
    text = (resources.files("synsamp.examples") / "new_experiment.py").read_text(encoding="utf-8")
    text = text.replace('"new_experiment"', f'"{file.stem}"').replace(
        "new_experiment.py", file.name
    )
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise refuse("FILE.py", "must not exist yet", str(file), "choose another name") from None
    typer.echo(f"wrote {file}; try it: synsamp run {file}")
