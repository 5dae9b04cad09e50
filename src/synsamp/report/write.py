"""Make the report of one or several run folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from synsamp.errors import refuse
from synsamp.experiments.registry import Registry
from synsamp.progress import progress_bar
from synsamp.report.draw import draw_figures
from synsamp.report.over_seeds import CAPTIONS
from synsamp.report.page import GENERATOR, RunPage, page
from synsamp.runs.storage.atomic import replacing
from synsamp.runs.storage.folder import RunFolder

MARK = f'<meta name="generator" content="{GENERATOR}">'.encode()


def write_report(folders: Sequence[Path], registry: Registry, out: Path) -> Path:
    """Draw the figures of finished runs and write one page of them all to ``out``."""
    check_target(out)
    pages = []
    with progress_bar("drawing", len(folders)) as advance:
        for folder in folders:
            pages.append(_collect(folder, registry))
            advance(1)
    content = page(pages)
    with replacing(out) as file:
        file.write(content.encode())
    return out


def check_target(out: Path) -> None:
    """Refuse to write over anything but a report."""
    if out.is_dir() or not out.parent.is_dir():
        raise refuse("report", "must be a file in an existing folder", str(out), "name another")
    if not os.access(out.parent, os.W_OK):
        raise refuse("report", "must be in a folder you may write to", str(out), "name another")
    if out.exists() and not _is_report(out):
        raise refuse("report", "must not replace another file", str(out), "name another --out")


def _is_report(path: Path) -> bool:
    if not path.is_file():  # a device might be read for ever, and would be replaced
        return False
    with path.open("rb") as file:
        return MARK in file.read(1000)


def _collect(path: Path, registry: Registry) -> RunPage:
    with RunFolder.reopen(path) as folder:
        experiment = registry.of(folder.description.experiment, folder.description.source).load()
        claims = folder.claims()
        drawings = draw_figures(experiment, folder)
        if folder.description.trials is not None:
            experiment = replace(experiment, captions={**experiment.captions, **CAPTIONS})
        return RunPage(experiment, folder.description, folder.status, claims, drawings)
