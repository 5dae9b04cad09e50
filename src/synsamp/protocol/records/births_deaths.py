"""Single births and deaths of synapses."""

from __future__ import annotations

from dataclasses import dataclass

from synsamp.columns import Column, Table
from synsamp.protocol.records.base import TIME, ColumnArrays, EventRecord
from synsamp.spiking import Network


@dataclass(frozen=True)
class BirthsDeaths(EventRecord):
    """Each birth (θ rises above 0) and death (θ falls to 0 or below) of a synapse.

    Columns: ``time`` (s), ``post``, ``pre``, ``contact``, ``born`` (True for a birth, False for a
    death) and ``age`` at death (s; NaN for births, and for synapses that were functional when the
    record began).

    **Resolution**: an event has the time of the update at which θ crossed 0. Prior and noise are
    applied to a neuron's synapses at its first spike after ``drift_interval_s``, and to all at
    multiples of ``sync_interval_s``; plasticity acts at spikes. Between two updates θ is not
    computed, so a synapse that would appear and disappear there is not seen. Lesions count as
    deaths. A branch continues with the ages of the trunk.

    Parameters
    ----------
    projection : str
        Name of the projection, such as "x->z".
    """

    projection: str
    event = "births_deaths"

    def check(self, network: Network) -> None:
        """Raise an error if the projection does not exist."""
        network.projection(self.projection)

    def table(self, network: Network) -> Table:
        """Time, synapse, kind of event and age."""
        columns = {
            "time": TIME,
            "post": Column("<i4", description="postsynaptic neuron"),
            "pre": Column("<i4", description="presynaptic neuron or input"),
            "contact": Column("<i4", description="which of several contacts of the pair"),
            "born": Column("|b1", description="birth (True) or death (False)"),
            "age": Column("<f8", unit="s", description="age at death"),
        }
        return Table("event", columns)

    def rows(self, events: ColumnArrays, network: Network) -> ColumnArrays:
        """Those of the projection."""
        names = [p.name for p in network.projections]
        own = events["projection"] == names.index(self.projection)
        found = {name: events[name][own] for name in ("post", "pre", "contact", "born")}
        return {"time": events["time_s"][own], **found, "age": events["age_s"][own]}


births_deaths = BirthsDeaths
