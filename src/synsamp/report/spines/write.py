"""Write the folder of a spine table: page, figures, CSV, NetCDF, Methods."""

from __future__ import annotations

from pathlib import Path

from synsamp.errors import refuse
from synsamp.report.spines.figures import draw
from synsamp.report.spines.frames import as_csv, as_dataset, frames_of
from synsamp.report.spines.page import GENERATOR, page
from synsamp.runs.atomic import replacing
from synsamp.spines.analysis import Analysis
from synsamp.spines.curves import curves_of
from synsamp.spines.methods import methods

MARK = f'<meta name="generator" content="{GENERATOR}">'.encode()
PAGE = "report.html"


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds something else than an earlier report of this kind."""
    if not folder.parent.is_dir():
        raise refuse("--out", "must stand in an existing folder", str(folder), "name another")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise refuse("--out", "must be a folder", str(folder), "name another")
    old = folder / PAGE
    ours = old.is_file() and MARK in old.read_bytes()[:1000]
    if any(folder.iterdir()) and not ours:
        raise refuse(
            "--out", "must be new, empty or an earlier report", str(folder), "name another"
        )


def write_spines(found: Analysis, folder: Path, version: str) -> Path:
    """Write everything and return the page."""
    check_folder(folder)
    curves = curves_of(found.table, found.fitted, found.simulated, found.seed)
    drawings = draw(found, curves)
    frames = frames_of(found, curves)
    text = methods(found, version)
    folder.mkdir(exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    content = page(found, drawings, text, version)
    with replacing(folder / PAGE) as file:  # first: it marks the folder as ours
        file.write(content.encode())
    with replacing(folder / "results.csv") as file:
        file.write(as_csv(frames).encode("utf-8-sig"))  # with the mark by which Excel knows UTF-8
    with replacing(folder / "results.nc") as file:
        file.write(bytes(as_dataset(found, frames).to_netcdf(engine="scipy")))
    with replacing(folder / "methods.txt") as file:
        file.write(f"{text}\n".encode())
    for name, drawing in drawings.items():
        for suffix, picture in ((".png", drawing.png), (".svg", drawing.svg)):
            with replacing(folder / "figures" / f"{name}{suffix}") as file:
                file.write(picture)
    return folder / PAGE
