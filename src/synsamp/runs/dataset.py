"""A finished run or ensemble as one Dataset, for a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import xarray as xr

from synsamp.errors import refuse
from synsamp.runs.storage.folder import RunFolder, find_runs
from synsamp.runs.storage.stack import ENSEMBLE, flatten


def open(folder: str | Path) -> xr.Dataset:
    """Open the results of a folder made by `synsamp run` or `synsamp sweep`.

    Variable ``v`` of the experiment's dataset ``d`` is called ``d_v``. Values are read from disk
    when they are used, after the files have been checked against their checksums.

    Parameters
    ----------
    folder : str or Path
        Folder of one run or of one ensemble.

    Returns
    -------
    xarray.Dataset
        All results. An ensemble has the parameters that vary and ``trial`` as first dimensions,
        and also holds the measures, ``claim_verdict``, ``trial_seed`` and ``finished``.

    Examples
    --------
    ::

        data = synsamp.open("runs/hot")
        cold = data.learning_test_log_likelihood.sel({"rule.temperature": 0.0})
        cold.median("trial").plot(hue="branch")
    """
    path = Path(folder)
    if len(find_runs(path)) != 1 or not (path / "run.json").exists():
        raise refuse("folder", "must be one run", str(path), "open one of the folders in it")
    run = RunFolder(path)
    results = run.results()
    whole = results[ENSEMBLE] if run.description.trials is not None else flatten(results)
    return whole.assign_attrs(_about(run))


def _about(run: RunFolder) -> dict[str, Any]:
    description = run.description
    return {
        "experiment": description.experiment,
        "preset": description.preset,
        "settings": list(description.given),
        "seed": description.seed,
        "folder": str(run.path),
    }
