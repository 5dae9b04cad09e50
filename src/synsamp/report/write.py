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


class ReportPage:
    """A page that grows: a run is drawn once, when it is added, and the page is written again.

    Parameters
    ----------
    out : Path
        The page to write.
    registry : Registry
        Where the experiments of the runs are found.
    expected : sequence of str
        Names of the experiments that will be added; the page lists those that are missing.
    """

    def __init__(self, out: Path, registry: Registry, expected: Sequence[str] = ()) -> None:
        self.out = out
        self._registry = registry
        self._expected = list(expected)
        self._pages: list[RunPage] = []

    @property
    def is_written(self) -> bool:
        """Whether there is a run on the page."""
        return bool(self._pages)

    def add(self, folder: RunFolder) -> None:
        """Draw a finished run, whose lock is held, and write the page with it."""
        self.draw(folder)
        self.write()

    def draw(self, folder: RunFolder) -> None:
        """Draw a finished run, whose lock is held."""
        name = folder.description.experiment
        if name in self._expected:
            self._expected.remove(name)
        self._pages.append(_collect(folder, self._registry))

    def write(self) -> None:
        """Write the page with the runs drawn so far."""
        check_target(self.out)
        aliases = {entry.name: entry.alias or entry.name for entry in self._registry}
        content = page(self._pages, [aliases.get(name, name) for name in self._expected])
        with replacing(self.out) as file:
            file.write(content.encode())


def write_report(folders: Sequence[Path], registry: Registry, out: Path) -> Path:
    """Draw the figures of finished runs and write one page of them all to ``out``."""
    check_target(out)
    report = ReportPage(out, registry)
    with progress_bar("drawing", len(folders)) as advance:
        for path in folders:
            with RunFolder.reopen(path) as folder:
                report.draw(folder)
            advance(1)
    report.write()
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


def _collect(folder: RunFolder, registry: Registry) -> RunPage:
    experiment = registry.of(folder.description.experiment, folder.description.source).load()
    claims = folder.claims()
    drawings = draw_figures(experiment, folder)
    if folder.description.trials is not None:
        experiment = replace(experiment, captions={**experiment.captions, **CAPTIONS})
    return RunPage(experiment, folder.description, folder.status, claims, drawings)
