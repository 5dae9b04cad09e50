"""What was shown when."""

from __future__ import annotations

from dataclasses import dataclass

from synsamp.columns import Column, Table
from synsamp.protocol.records.base import TIME, ColumnArrays, EventRecord
from synsamp.spiking import Network


@dataclass(frozen=True)
class Presentations(EventRecord):
    """Start of each presentation, and its index in the library of each input group (−1: none)."""

    event = "presentations"

    def table(self, network: Network) -> Table:
        """Time and index [group]."""
        groups = ", ".join(g.name for g in network.inputs)
        about = f"index in the library of {groups}; −1 for none"
        index = Column("<i8", {"group": len(network.inputs)}, description=about)
        return Table("presentation", {"time": TIME, "index": index})

    def rows(self, events: ColumnArrays, network: Network) -> ColumnArrays:
        """All of them."""
        return {"time": events["time_s"], "index": events["index"]}


presentations = Presentations
