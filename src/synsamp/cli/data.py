"""The commands ``synsamp data list``, ``fetch`` and ``show``."""

from __future__ import annotations

import os
import secrets
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

from synsamp.data import fetch as fetching
from synsamp.data.digits import MNIST, load_digits
from synsamp.data.inventory import inventory
from synsamp.data.speech import EmbeddedVoices, FreeSpokenDigits, load_speech
from synsamp.errors import refuse
from synsamp.progress import bars, waiting

app = typer.Typer(
    name="data",
    help="List, download and plot the handwritten and spoken digits.",
    no_args_is_help=True,
    add_completion=False,
)


class Fetchable(StrEnum):
    """Data sets to download."""

    mnist = "mnist"
    fsdd = "fsdd"


class Showable(StrEnum):
    """Data sets to plot."""

    digits = "digits"
    speech = "speech"
    voices = "voices"
    mnist = "mnist"
    fsdd = "fsdd"


@app.command("list")
def list_data() -> None:
    """List the data sets, their size, location and origin."""
    for holding in inventory():
        typer.echo(f"{holding.name:<7} {holding.amount}")
        typer.echo(f"{'':7} {holding.place}")
        typer.echo(f"{'':7} {holding.origin}")


@app.command("fetch")
def fetch_data(
    name: Annotated[Fetchable, typer.Argument(help="The data set to download.")],
    from_folder: Annotated[
        Path | None,
        typer.Option("--from", help="Copy the files from this folder instead of the network."),
    ] = None,
) -> None:
    """Download a full data set, or copy it from a folder, and verify its checksums."""
    if from_folder is not None:
        take = {
            Fetchable.mnist: fetching.take_mnist_from,
            Fetchable.fsdd: fetching.take_fsdd_from,
        }[name]
        folder = take(from_folder)
    else:
        download = {Fetchable.mnist: fetching.fetch_mnist, Fetchable.fsdd: fetching.fetch_fsdd}[
            name
        ]
        columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn())
        with bars(Console(stderr=True), *columns, transient=False) as progress:
            folder = download(_report_to(progress))
    holding = next(held for held in inventory() if held.name == name)
    typer.echo(f"{name}: {holding.amount} in {folder}")


@app.command("show")
def show_data(
    name: Annotated[Showable, typer.Argument(help="The data to plot.")],
    out: Annotated[
        Path | None, typer.Option(help="PNG file to write [default: <name>.png here].")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Plot examples: digits, or speech as waveform, cochleagram and spikes."""
    target = out if out is not None else Path(f"{name}.png")
    if target.suffix.lower() != ".png":
        raise refuse("--out", "must end in .png", str(target), f"for example --out {name}.png")
    if target.is_dir():
        raise refuse("--out", "must be a file", str(target), "choose another name")
    if target.exists() and not force:
        raise refuse("--out", "must not exist yet", str(target), "use --force to replace it")
    if not target.absolute().parent.is_dir():
        raise refuse("--out", "must be in an existing folder", str(target), "create it first")
    with waiting(f"drawing {name}"):
        _draw(name, target)
    typer.echo(f"wrote {target}")


def _draw(name: Showable, target: Path) -> None:
    # Imported here: slow, and the other commands do not need it.
    from synsamp.data.pictures import draw_digits, draw_speech

    match name:
        case Showable.digits:
            figure = draw_digits(load_digits().train, "Embedded digits (MNIST training set)")
        case Showable.mnist:
            figure = draw_digits(load_digits(MNIST()).train, "MNIST training set")
        case Showable.speech:
            figure = draw_speech(load_speech(), "Embedded speech (synthetic)")
        case Showable.voices:
            figure = draw_speech(load_speech(EmbeddedVoices()), "Embedded voices (FSDD)")
        case Showable.fsdd:
            recordings = load_speech(FreeSpokenDigits(), digits=(1, 2))
            figure = draw_speech(recordings, "Free Spoken Digit Dataset")
    # A new file with a random name: an existing one might be a link to another file.
    beside = target.with_name(f".synsamp-{secrets.token_hex(8)}.part")
    try:
        with beside.open("xb") as file:
            figure.savefig(file, dpi=150, format="png")
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)  # also after an error


def _report_to(progress: Progress) -> fetching.ProgressCallback:
    bars: dict[str, int] = {}

    def report(name: str, here: int, total: int) -> None:
        if name not in bars:
            bars[name] = progress.add_task(name, total=None)
        progress.update(bars[name], completed=here, total=total or None)  # type: ignore[arg-type]

    return report
