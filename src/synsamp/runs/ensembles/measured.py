"""The measures of every trial of an ensemble, as the table of measures takes them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from synsamp.claims import Value
from synsamp.claims.measures import MEASURES, values_of
from synsamp.runs.storage.contents import TRIALS, trials_in
from synsamp.runs.storage.folder import RunFolder
from synsamp.runs.storage.results import open_dataset


def measures_by_trial(folder: RunFolder) -> dict[str, list[Value | None]]:
    """One value per finished trial of each measure; None where a trial does not have it."""
    folder.require_finished()
    return _together(trials_in(folder.path / TRIALS))


def measures_by_change(folder: RunFolder) -> dict[str, dict[str, list[Value | None]]]:
    """The same for each change of a sweep that changes one thing at a time."""
    folder.require_finished()
    known = list(folder.description.changes)
    found: dict[str, list[Path]] = {change: [] for change in known}
    for path in trials_in(folder.path / TRIALS):
        found[known[int(path.name.partition("-")[0])]].append(path)
    return {change: _together(paths) for change, paths in found.items()}


def _together(paths: Iterable[Path]) -> dict[str, list[Value | None]]:
    found: list[dict[str, Value]] = []
    for path in paths:
        if RunFolder(path).status.state == "finished":
            measured = open_dataset(path, MEASURES)
            values = {} if measured is None else values_of(measured)
            found.append({name: value for name, (value,) in values.items()})
    names = dict.fromkeys(name for trial in found for name in trial)
    return {name: [trial.get(name) for trial in found] for name in names}
