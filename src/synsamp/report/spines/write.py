"""Write the report of a spine table: page, figures, CSV, NetCDF, Methods."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synsamp.errors import refuse
from synsamp.report.spines.figures import draw
from synsamp.report.spines.frames import as_csv, frames_dataset, frames_of
from synsamp.report.spines.page import GENERATOR, page
from synsamp.runs.storage.atomic import replacing
from synsamp.spines.analysis import Analysis
from synsamp.spines.curves import curves_of
from synsamp.spines.methods import methods

MARK = f'<meta name="generator" content="{GENERATOR}">'.encode()
PAGE = "report.html"


def check_folder(folder: Path) -> None:
    """Raise an error for a folder that holds anything but an earlier report of this kind."""
    if not folder.parent.is_dir():
        raise refuse("--out", "must be in an existing folder", str(folder), "create it first")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise refuse("--out", "must be a folder", str(folder), "choose another")
    old = folder / PAGE
    ours = old.is_file() and MARK in old.read_bytes()[:1000]
    if any(folder.iterdir()) and not ours:
        raise refuse(
            "--out", "must be new, empty or an earlier report", str(folder), "choose another"
        )


def write_spines(found: Analysis, folder: Path, version: str) -> Path:
    """Write the report and return the path of the page.

    Everything is computed before anything is written, and Ctrl-C is delayed while writing, so the
    folder holds either the old report or the new one.
    """
    check_folder(folder)
    curves = curves_of(found.table, found.fitted, found.simulated, found.seed)
    drawings = draw(found, curves)
    frames = frames_of(found, curves)
    text = methods(found, version)
    files = {
        PAGE: page(
            found, drawings, text, version
        ).encode(),  # first: it marks the folder as a report
        "results.csv": as_csv(frames).encode(
            "utf-8-sig"
        ),  # with the byte-order mark that Excel needs
        "results.nc": bytes(frames_dataset(found, frames).to_netcdf(engine="scipy")),
        "methods.txt": f"{text}\n".encode(),
    }
    for name, drawing in drawings.items():
        files[f"figures/{name}.png"], files[f"figures/{name}.svg"] = drawing.png, drawing.svg
    with _uninterrupted():
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            with replacing(folder / name) as file:
                file.write(content)
    return folder / PAGE


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the end; only the main thread receives it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
