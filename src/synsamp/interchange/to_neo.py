"""A Neo block in a NIX file: a segment per trial and branch.

Spike trains of neurons and inputs carry their population and index, births and deaths of synapses
are events, and θ and weights are irregularly sampled signals with a channel per synapse. Read it
with ``neo.NixIO(path, "ro").read_block()``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from synsamp.interchange.recorded import Recorded, claim_rows, require_spikes
from synsamp.runs.storage.folder import RunFolder

SUFFIX = ".nix"


def write(
    folder: RunFolder, trials: list[Recorded], target: Path, advance: Callable[[float], None]
) -> None:
    """Write the file."""
    import neo

    require_spikes(trials, folder, "neo")
    about = folder.description
    claims = json.dumps(claim_rows(folder.claims()), ensure_ascii=False)
    block = neo.Block(
        name=about.experiment,
        description="a simulation by synsamp",
        rec_datetime=about.created.replace(tzinfo=None),
        preset=about.preset,
        claims=claims,
        parameters=json.dumps(about.resolved, ensure_ascii=False),
    )
    for trial in trials:
        for branch in trial.branches:
            segment = _segment(trial, branch)
            if segment is not None:
                block.segments.append(segment)
        advance(1)
    block.check_relationships()
    with neo.NixIO(str(target), "ow") as file:
        file.write_block(block, use_obj_names=False)


def _segment(trial: Recorded, branch: str) -> Any:
    """What was recorded in one branch of one trial; None if none of it is for Neo."""
    import neo

    name = "/".join(filter(None, [trial.name, branch]))
    segment = neo.Segment(name=name, seed=str(trial.description.seed), branch=branch)
    last_s = trial.last_s(branch)
    for train in trial.trains(branch):
        spikes = neo.SpikeTrain(
            train.times_s,
            units="s",
            t_stop=max(last_s, float(train.times_s[-1])),
            name=f"{train.population} {train.number}",
            kind=train.kind,
            population=train.population,
            index=train.number,
        )
        segment.spiketrains.append(spikes)
    for state in trial.states(branch):
        signal = neo.IrregularlySampledSignal(
            state.times_s,
            np.asarray(state.values, float),
            units="dimensionless",
            time_units="s",
            name=state.record,
            quantity=state.quantity,
            array_annotations={key: np.asarray(at) for key, at in state.synapses.items()},
        )
        segment.irregularlysampledsignals.append(signal)
    for record, events in trial.events(branch):
        born = events["born"].values.astype(bool)
        event = neo.Event(
            events["time"].values,
            labels=np.where(born, "birth", "death"),
            units="s",
            name=record,
            array_annotations={
                key: events[key].values for key in ("post", "pre", "contact") if key in events
            },
        )
        segment.events.append(event)
    full = segment.spiketrains or segment.irregularlysampledsignals or segment.events
    return segment if full else None
