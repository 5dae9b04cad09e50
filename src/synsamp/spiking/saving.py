"""The state of a simulation as a plain dictionary, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from synsamp.errors import refuse
from synsamp.spiking.activity import Activity
from synsamp.spiking.arrays import arrays, copies, digest
from synsamp.spiking.draws import Normals, Streams, Words
from synsamp.spiking.feed import Feed
from synsamp.spiking.lesions import Scheduled
from synsamp.spiking.looking import Looker
from synsamp.spiking.network import Network
from synsamp.spiking.recording import Recording
from synsamp.spiking.sinks import Sink
from synsamp.spiking.synapses import Synapses

if TYPE_CHECKING:
    from synsamp.spiking.simulation import Simulation

FORMAT = 3
"""Raised whenever a state of before could not be taken up any more."""


def save(sim: Simulation) -> dict[str, Any]:
    """Everything needed to go on bit for bit: arrays, numbers, strings and nested mappings."""
    streams = sim._streams
    return {
        "format": FORMAT,
        "network": digest(sim.layout),
        "time_s": sim.time_s,
        "refresh_grid_s": sim.layout.wiring.constants[-2:].copy(),
        "synapses": copies(sim._synapses),
        "activity": copies(sim._activity),
        "streams": {name: copies(getattr(streams, name)) for name in streams._fields},
        "feed": sim._feed.state(),
        "looker": sim._looker.state(),
        "recorder": sim._recorder.state(),
        "applied": sim._applied.copy(),
        "lesions": {str(i): {"time_s": t, "what": w} for i, (t, w) in enumerate(sim.lesion_log)},
    }


def restore(
    sim: Simulation,
    network: Network,
    state: Any,
    stimulus: Any,
    record: Recording,
    sink: Sink | None,
    lesions: Sequence[Scheduled],
) -> None:
    """Fill an empty simulation from what `save` gave."""
    if state.get("format") != FORMAT:
        raise refuse("state format", f"must be {FORMAT}", state.get("format"))
    refresh_s, grid_s = (float(v) for v in state["refresh_grid_s"])
    sim._set_up(network, refresh_s, grid_s, record, sink, lesions)
    if digest(sim.layout) != state["network"]:
        raise refuse("network", "must be the one the state was saved from", "another one")
    if len(state["applied"]) != len(lesions):
        raise refuse("lesions", f"must be the {len(state['applied'])} of before", len(lesions))
    sim.time_s = float(state["time_s"])
    saved = state["streams"]
    sim._streams = Streams(
        Words(**arrays(saved["events"])),
        Words(**arrays(saved["inputs"])),
        Normals(**arrays(saved["noise"])),
    )
    sim._synapses = Synapses(**arrays(state["synapses"]))
    sim._activity = Activity(**arrays(state["activity"]))
    sim._feed = Feed(network, stimulus, np.random.default_rng(0), 0.0)
    sim._feed.restore(state["feed"])
    sim._looker = Looker(np.random.default_rng(0))
    sim._looker.restore(state["looker"])
    sim._recorder.restore(state["recorder"])
    sim._applied = np.array(state["applied"], bool)
    entries = (state["lesions"][str(i)] for i in range(len(state["lesions"])))
    sim.lesion_log = [(float(e["time_s"]), str(e["what"])) for e in entries]
