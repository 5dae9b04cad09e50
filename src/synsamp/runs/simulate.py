"""Simulate one seed of an experiment: whatever its ``run`` gives becomes datasets in the folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import xarray as xr

from synsamp.errors import refuse
from synsamp.experiments.base import Experiment, Parameters, Results
from synsamp.protocol import Protocol
from synsamp.runs.context import FolderContext, Parts
from synsamp.runs.storage.results import check_result_names

ALONE = "results"
"""What a dataset is called that is all a run gives."""


def run_seed(
    experiment: Experiment, parameters: Parameters, seed: int, context: FolderContext
) -> Results:
    """Run one seed; what is not in the context's tables already is returned."""
    more = (context,) if experiment.takes_context else ()
    given: object = experiment.run(parameters, seed, *more)
    if isinstance(given, Protocol):
        return given.carry_out(seed, context)
    if isinstance(given, xr.Dataset):
        return {ALONE: given}
    if isinstance(given, xr.DataTree):
        nodes = [node for node in given.subtree if node.has_data]
        return {node.path.strip("/") or ALONE: node.to_dataset() for node in nodes}
    if not isinstance(given, Mapping):
        rule = "must give a Protocol, a Dataset or a mapping of these"
        raise refuse(f"run of {experiment.name}", rule, type(given).__name__)
    return _of_parts(experiment, given, seed, context)


def _of_parts(
    experiment: Experiment, given: Mapping[str, Any], seed: int, context: FolderContext
) -> Results:
    """Protocols first, since they leave checkpoints; then what is computed at a stretch."""
    check_result_names(given)
    found: dict[str, xr.Dataset] = {}
    protocols = {name: part for name, part in given.items() if isinstance(part, Protocol)}
    if protocols:
        parts = Parts(context)
        for name, protocol in protocols.items():
            rest = protocol.carry_out(seed, parts.context_of(name))
            found |= {f"{name}/{key}": dataset for key, dataset in rest.items()}
    for name, part in given.items():
        if name in protocols:
            continue
        dataset = part() if callable(part) else part
        if not isinstance(dataset, xr.Dataset):
            rule = "must be a Protocol, a Dataset or a function that gives one"
            what = f"{name!r} from run of {experiment.name}"
            raise refuse(what, rule, type(dataset).__name__)
        found[name] = dataset
    return found
