"""The measures of every trial of an ensemble, as the table of measures takes them."""

from __future__ import annotations

from synsamp.claims import Value
from synsamp.claims.measures import MEASURES, values_of
from synsamp.runs.storage.contents import TRIALS, trials_in
from synsamp.runs.storage.folder import RunFolder
from synsamp.runs.storage.results import open_dataset


def measures_by_trial(folder: RunFolder) -> dict[str, list[Value | None]]:
    """One value per finished trial of each measure; None where a trial does not have it."""
    folder.require_finished()
    found: list[dict[str, Value]] = []
    for path in trials_in(folder.path / TRIALS):
        if RunFolder(path).status.state == "finished":
            measured = open_dataset(path, MEASURES)
            values = {} if measured is None else values_of(measured)
            found.append({name: value for name, (value,) in values.items()})
    names = dict.fromkeys(name for trial in found for name in trial)
    return {name: [trial.get(name) for trial in found] for name in names}
