"""What one simulation stored, sorted by kind: spikes, inputs, θ and weights, births and deaths.

Datasets of a branch of the protocol are called ``branch/record``. A branch is another future of the
same network: its times overlap with those of other branches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.experiments.base import Results
from synsamp.protocol.records.theta import Theta
from synsamp.protocol.records.weight import Weight
from synsamp.runs.storage.folder import ClaimRecord, Description, RunFolder

ALL_POST_PRE = ({"post", "pre"}, {"synapse"})


class Train(NamedTuple):
    """Spike times of one neuron or input."""

    kind: str
    population: str
    number: int
    times_s: NDArray[np.float64]


class TimeCourse(NamedTuple):
    """A record of θ or of weights over time: values [time, synapse], and the synapses' names."""

    record: str
    quantity: str
    times_s: NDArray[np.float64]
    values: NDArray[Any]
    synapses: dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Recorded:
    """The results of one run, or of one trial of an ensemble."""

    name: str
    description: Description
    results: Results

    @property
    def branches(self) -> list[str]:
        """Names of the branches; the trunk is ""."""
        return list(dict.fromkeys(_branch(name) for name in self.results))

    def trains(self, branch: str) -> Iterator[Train]:
        """Spike trains of all neurons and inputs that spiked."""
        for name, data in self._in(branch):
            record = name.rpartition("/")[2]
            if "spike" in data.dims and {"time", "neuron"} <= set(data.variables):
                names = _population_names(data)
                which = data["population"].values if "population" in data else None
                for number, times, first in _by_number(data["neuron"].values, data["time"].values):
                    population = record if which is None else names.get(int(which[first]), record)
                    yield Train("neuron", population, number, times)
            elif "input_spike" in data.dims and {"time", "input"} <= set(data.variables):
                for number, times, _ in _by_number(data["input"].values, data["time"].values):
                    yield Train("input", record, number, times)

    def states(self, branch: str) -> Iterator[TimeCourse]:
        """Records of θ and of weights."""
        for name, data in self._in(branch):
            for key, variable in data.data_vars.items():
                quantity = _quantity(variable)
                if quantity is None:
                    continue
                own = [str(dim) for dim in variable.dims[1:]]
                index = np.indices(variable.shape[1:]).reshape(len(own), -1)
                synapses = {dim: data[dim].values[at] for dim, at in zip(own, index, strict=True)}
                times = np.asarray(data["time"].values, float)
                values = variable.values.reshape(len(times), -1)
                record = name.rpartition("/")[2]
                full = record if record == key else f"{record}_{key}"
                yield TimeCourse(full, quantity, times, values, synapses)

    def events(self, branch: str) -> Iterator[tuple[str, xr.Dataset]]:
        """Births and deaths of synapses."""
        for name, data in self._in(branch):
            if {"time", "post", "pre", "born"} <= set(data.variables) and "event" in data.dims:
                yield name.rpartition("/")[2], data

    def last_s(self, branch: str) -> float:
        """The last time at which something was recorded."""
        times = [d["time"].values.max(initial=0.0) for _, d in self._in(branch) if "time" in d]
        return float(max(times, default=0.0))

    def _in(self, branch: str) -> Iterator[tuple[str, xr.Dataset]]:
        return ((name, data) for name, data in self.results.items() if _branch(name) == branch)


def recorded_in(folder: RunFolder) -> list[Recorded]:
    """The run itself, or the finished trials of an ensemble, checked against their checksums."""
    folder.require_finished()
    if folder.description.trials is None:
        return [Recorded("run", folder.description, folder.results())]
    return [
        Recorded(trial.path.name, trial.description, trial.results())
        for trial in folder.finished_trials()
    ]


def require_spikes(trials: list[Recorded], folder: RunFolder, to: str) -> None:
    """Raise an error if no trial has spikes."""
    for trial in trials:
        if any(next(trial.trains(branch), None) is not None for branch in trial.branches):
            return
    found = ", ".join(sorted({name for trial in trials for name in trial.results})) or "nothing"
    raise refuse(
        str(folder.path),
        f"must hold spikes to be written as {to}",
        found,
        'record them with {"spikes": spikes()}, or export --to csv',
    )


def claim_rows(claims: list[ClaimRecord]) -> list[dict[str, Any]]:
    """Claims as rows of plain values; a number that is missing is NaN."""
    rows = []
    for claim in claims:
        row = claim.model_dump(mode="python")
        for name in ("band", "interval", "null_interval"):
            ends = row.pop(name) or (None, None)
            row[f"{name}_low"], row[f"{name}_high"] = ends
        numbers = ("value", "null_value", "paper", "needed")
        for name in [*numbers, *(key for key in row if key.endswith(("_low", "_high")))]:
            row[name] = np.nan if row[name] is None else float(row[name])
        rows.append(row)
    return rows


def _branch(name: str) -> str:
    return name.rpartition("/")[0]


def _quantity(variable: xr.DataArray) -> str | None:
    """θ or weight, if the variable is a record of it over time."""
    said = {Theta.description: "theta", Weight.description: "weight"}
    quantity = said.get(str(variable.attrs.get("description", "")))
    over_time = variable.ndim > 1 and "time" in variable.coords
    return quantity if over_time and set(variable.dims[1:]) in ALL_POST_PRE else None


def _population_names(data: xr.Dataset) -> dict[int, str]:
    """The names of populations, which the record keeps in a description: ``…: 0 z, 1 y``."""
    text = str(data["population"].attrs.get("description", "")) if "population" in data else ""
    return {int(n): name for n, name in re.findall(r"(\d+) ([^,]+)", text)}


def _by_number(
    numbers: NDArray[Any], times: NDArray[Any]
) -> Iterator[tuple[int, NDArray[np.float64], int]]:
    """The times of each number, sorted, and the place of its first spike in the table."""
    order = np.lexsort((times, numbers))
    found, starts = np.unique(numbers[order], return_index=True)
    for number, places in zip(found, np.split(order, starts[1:]), strict=True):
        yield int(number), np.asarray(times[places], float), int(places[0])
