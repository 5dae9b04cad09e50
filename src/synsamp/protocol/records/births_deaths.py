"""Single births and deaths of synapses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synsamp.columns import Column, Table
from synsamp.protocol.records.base import TIME, ColumnArrays, RecordMemory, SyncRecord
from synsamp.protocol.records.turnover import unpacked
from synsamp.protocol.view import View
from synsamp.spiking import Network


@dataclass(frozen=True)
class BirthsDeaths(SyncRecord):
    """Each birth (θ rises above 0) and death (θ falls to 0 or below) of a synapse.

    Columns: ``time`` (s), ``post``, ``pre``, ``born`` (True for a birth, False for a death) and
    ``age`` at death (s; NaN for births, and for synapses that were functional when the record
    began).

    **Resolution**: the record compares θ with its previous value at each multiple of the protocol's
    ``sync_interval_s``, when the engine brings all synapses up to date, and after each lesion. So
    an event is noted up to one interval late, ages are exact to within one interval, and a synapse
    that appears and disappears within one interval is missed. Use a shorter ``sync_interval_s`` for
    a finer record. A branch continues with the ages of the trunk if both use the same record.

    Parameters
    ----------
    projection : str
        Name of the projection, such as "x->z".
    """

    projection: str

    def check(self, network: Network) -> None:
        """Raise an error if the projection does not exist."""
        network.projection(self.projection)

    def table(self, network: Network) -> Table:
        """Time, synapse, kind of event and age."""
        columns = {
            "time": TIME,
            "post": Column("<i4", description="postsynaptic neuron"),
            "pre": Column("<i4", description="presynaptic neuron or input"),
            "born": Column("|b1", description="birth (True) or death (False)"),
            "age": Column("<f8", unit="s", description="age at death"),
        }
        return Table("event", columns)

    def begin(self, view: View) -> RecordMemory:
        """Remember which synapses are functional; their births are unknown."""
        active = view.active(self.projection)
        return {"active": np.packbits(active), "born_s": np.full(active.shape, np.nan)}

    def rows(self, view: View, memory: RecordMemory) -> tuple[ColumnArrays, RecordMemory]:
        """Synapses that have changed, ordered by post and pre."""
        now = view.active(self.projection)
        post, pre = np.nonzero(now != unpacked(memory["active"], now.shape))
        born, born_s = now[post, pre], np.array(memory["born_s"])
        age = np.where(born, np.nan, view.time_s - born_s[post, pre])
        born_s[post, pre] = np.where(born, view.time_s, np.nan)
        columns = {
            "time": np.full(post.size, view.time_s),
            "post": post.astype(np.int32),
            "pre": pre.astype(np.int32),
            "born": born,
            "age": age,
        }
        return columns, {"active": np.packbits(now), "born_s": born_s}


births_deaths = BirthsDeaths
