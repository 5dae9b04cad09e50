"""Neurodata Without Borders: a file per run or trial.

NWB stores the output of a simulation like a recording. It has no field for "no animal". The archive
DANDI lists data that belong to no organism under the species "unidentified" of the NCBI taxonomy;
so does this file, and its description says that a network was simulated.

Spike trains of neurons and inputs are rows of ``units``. θ, weights, births and deaths are tables
of the processing module ``ecephys``. Claims are a table in ``analysis``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from synsamp.interchange.recorded import Recorded, claim_rows, require_spikes
from synsamp.runs.storage.folder import RunFolder

SUFFIX = ".nwb"
NO_ORGANISM = "http://purl.obolibrary.org/obo/NCBITaxon_32644"
"""The species "unidentified"."""
NO_AGE = "P0D/"
"""An unknown age: from zero days, without an upper end."""


def write(
    folder: RunFolder, trials: list[Recorded], target: Path, advance: Callable[[float], None]
) -> None:
    """Write the file of a run, or the folder of an ensemble."""
    require_spikes(trials, folder, "nwb")
    ensemble = folder.description.trials is not None
    if ensemble:
        target.mkdir()
    for trial in trials:
        _write_one(folder, trial, target / f"{trial.name}.nwb" if ensemble else target)
        advance(1)


def _write_one(folder: RunFolder, trial: Recorded, path: Path) -> None:
    from pynwb import NWBHDF5IO, NWBFile
    from pynwb.file import Subject

    about = trial.description
    nwb = NWBFile(
        session_description=f"Simulation of a spiking network, experiment {about.experiment}, "
        f"preset {about.preset}, seed {about.seed}. No animal was involved.",
        identifier=f"{about.digest[:32]}-{trial.name}",
        session_start_time=about.created,
        session_id=f"{about.experiment}-{trial.name}",
        experiment_description="Synaptic sampling: network plasticity as Bayesian inference, "
        "simulated with synsamp.",
        keywords=["simulation", "spiking network", "synaptic plasticity"],
        subject=Subject(
            subject_id=f"simulation-{about.experiment}-{about.seed}",
            description="A simulated network, no animal.",
            species=NO_ORGANISM,
            sex="U",
            age=NO_AGE,
        ),
    )
    for name, text in (
        ("kind", "neuron, or input whose spikes were generated"),
        ("population", "population of the neuron, or record of the inputs"),
        ("index", "number within the population or group, from 0"),
        ("branch", "branch of the protocol; a branch is another future of the same network"),
    ):
        nwb.add_unit_column(name, text)
    module = nwb.create_processing_module("ecephys", "synapses of the simulated network")
    for branch in trial.branches:
        for train in trial.trains(branch):
            nwb.add_unit(
                spike_times=train.times_s,
                kind=train.kind,
                population=train.population,
                index=train.number,
                branch=branch or "trunk",
            )
        for table in _synapse_tables(trial, branch):
            module.add(table)
    nwb.add_analysis(_claims(folder))
    with NWBHDF5IO(str(path), "w") as file:
        file.write(nwb)


def _synapse_tables(trial: Recorded, branch: str) -> Any:
    """A table per record: rows are synapses with their time course, or births and deaths."""
    place = f"{branch.replace('/', '_')}_" if branch else ""
    for state in trial.states(branch):
        yield _table(
            f"{place}{state.record}",
            f"{state.quantity} of synapses: a row per synapse, its values at the times in "
            f"{place}{state.record}_times",
            {
                **{key: (at, f"index {key}") for key, at in state.synapses.items()},
                state.quantity: (np.ascontiguousarray(state.values.T), state.quantity),
            },
        )
        yield _table(
            f"{place}{state.record}_times",
            f"times of {place}{state.record}",
            {"time": (state.times_s, "biological time in seconds")},
        )
    for record, events in trial.events(branch):
        columns = {
            key: (events[key].values, str(events[key].attrs.get("description") or key))
            for key in ("time", "post", "pre", "contact", "born", "age")
            if key in events.variables
        }
        yield _table(f"{place}{record}", "births and deaths of synapses, times in s", columns)


def _claims(folder: RunFolder) -> Any:
    # In a table of NWB, "id" is the number of the row.
    rows = [{"claim": row.pop("id"), **row} for row in claim_rows(folder.claims())]
    keys = list(rows[0]) if rows else ["claim"]
    columns = {
        key: (
            np.array([row[key] for row in rows]) if rows else np.array([], str),
            f"{key} of the claim",
        )
        for key in keys
    }
    text = "what was claimed of the experiment, what was measured over seeds, and the verdict"
    return _table("claims", text, columns)


def _table(name: str, description: str, columns: dict[str, tuple[Any, str]]) -> Any:
    from hdmf.common import DynamicTable, VectorData

    return DynamicTable(
        name=name,
        description=description,
        columns=[
            VectorData(
                name=key,
                description=text,
                data=values.tolist() if values.dtype.kind in "UO" else values,
            )
            for key, (values, text) in columns.items()
        ],
    )
