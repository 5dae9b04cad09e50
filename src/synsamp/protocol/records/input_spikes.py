"""Spikes of inputs."""

from __future__ import annotations

from dataclasses import dataclass

from synsamp import arguments
from synsamp.columns import Column, Table
from synsamp.protocol.records.base import TIME, ColumnArrays, EventRecord
from synsamp.protocol.records.spikes import checked_window, within
from synsamp.spiking import Network


@dataclass(frozen=True)
class InputSpikes(EventRecord):
    """Spikes of an input group, or those with between_s[0] <= time < between_s[1].

    Columns: ``time`` (s) and ``input`` (index within the group).

    Parameters
    ----------
    group : str
        Input group.
    between_s : tuple of two floats, optional
        Start and end of the record (s); default: the whole run.
    """

    group: str
    between_s: tuple[float, float] | None = None
    event = "input_spikes"

    def __post_init__(self) -> None:
        object.__setattr__(self, "between_s", checked_window(self.between_s))

    def check(self, network: Network) -> None:
        """Raise an error if the group does not exist."""
        arguments.one_of("input group", self.group, [g.name for g in network.inputs])

    def table(self, network: Network) -> Table:
        """Time and input."""
        source = Column("<i4", description=f"index of the input within {self.group}")
        return Table("input_spike", {"time": TIME, "input": source})

    def rows(self, events: ColumnArrays, network: Network) -> ColumnArrays:
        """Spikes of the group within the window."""
        names = [g.name for g in network.inputs]
        first = sum(g.size for g in network.inputs[: names.index(self.group)])
        source = events["input"] - first
        own = (source >= 0) & (source < network.size_of(self.group))
        time, source = events["time_s"][own], source[own]
        use = within(time, self.between_s)
        return {"time": time[use], "input": source[use]}


input_spikes = InputSpikes
