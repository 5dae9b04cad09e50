"""Write a run in the format of another tool: CSV, Neo, NWB or ArviZ."""

from __future__ import annotations

import os
import secrets
import shutil
from importlib import import_module
from pathlib import Path

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.extras import require_extra
from synsamp.interchange.recorded import recorded_in
from synsamp.progress import progress_bar
from synsamp.runs.storage.folder import RunFolder, find_runs

FORMATS = ("csv", "neo", "nwb", "arviz")
"""Each is a module ``to_NAME`` with ``SUFFIX`` and ``write(folder, trials, target, advance)``."""
EXTRAS = ("neo", "nwb")
"""Formats that need packages beyond those of synsamp."""


def export(run: str | Path, to: str, out: str | Path | None = None) -> Path:
    """Write the results of a run or ensemble in the format of another tool.

    Parameters
    ----------
    run : str or Path
        Folder of one finished run or of one ensemble.
    to : {"csv", "neo", "nwb", "arviz"}
        ``csv``: a folder of tables with everything. ``neo``: a NIX file with spikes, inputs, θ,
        weights, births and deaths. ``nwb``: the same in a file of Neurodata Without Borders, for
        an ensemble a folder with a file per trial. ``arviz``: draws of θ as a Zarr store. Claims
        are in all of them.
    out : str or Path, optional
        What to write; it must not exist. Default: the folder's name with the format's suffix.

    Returns
    -------
    Path
        The file or folder that was written.

    Examples
    --------
    ::

        synsamp.export("runs/hot", to="nwb")
    """
    arguments.one_of("to", to, FORMATS)
    if to in EXTRAS:
        require_extra(f"export to {to}", to)
    path = Path(run)
    if find_runs(path) != [path]:
        raise refuse("run", "must be one run", str(path), "export one of the folders in it")
    folder = RunFolder(path)
    form = import_module(f"synsamp.interchange.to_{to}")
    target = Path(out) if out is not None else _next_to(path, form.SUFFIX)
    if os.path.lexists(target):
        raise refuse("out", "must not exist yet", str(target), "name another, or remove it")
    if not target.absolute().parent.is_dir():
        raise refuse("out", "must be in an existing folder", str(target), "make the folder first")
    trials = recorded_in(folder)
    part = target.absolute().parent / f".synsamp-{secrets.token_hex(8)}.part{target.suffix}"
    try:
        with progress_bar(f"exporting to {to}", len(trials)) as advance:
            form.write(folder, trials, part, advance)
        part.replace(target)
    finally:
        _remove(part)
    return target


def _next_to(path: Path, suffix: str) -> Path:
    whole = path.resolve()
    return (
        path.parent / f"{whole.name}{suffix}"
        if path.name
        else whole.with_name(f"{whole.name}{suffix}")
    )


def _remove(part: Path) -> None:
    """Remove what was begun and not finished."""
    if part.is_dir() and not part.is_symlink():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)
