"""θ of single synapses at each update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from synsamp import arguments
from synsamp.columns import Column, Table
from synsamp.protocol.records.base import TIME, ColumnArrays, EventRecord
from synsamp.spiking import Network


@dataclass(frozen=True, eq=False)
class Traces(EventRecord):
    """State monitor: θ of chosen synapses ``{projection: [(post, pre), …]}`` at each update.

    Columns: ``time`` (s), ``synapse`` (place in the given list) and ``theta``.

    Parameters
    ----------
    synapses : mapping of str to list of (post, pre)
        Synapses of each projection.
    """

    synapses: Mapping[str, Sequence[tuple[int, int]]]
    event = "traces"

    def __post_init__(self) -> None:
        arguments.instance("synapses", self.synapses, Mapping, "use {'x->z': [(0, 5)]}")

    def check(self, network: Network) -> None:
        """Raise an error if a synapse does not exist."""
        for name, pairs in self.synapses.items():
            n_post, n_pre = network.mask_of(network.projection(name)).shape
            found = arguments.wholes(f"traces of {name!r}", pairs, shape=(None, 2), at_least=0)
            for post, pre in found:
                what = f"traced synapse of {name!r}"
                arguments.whole(what, post, at_least=0, at_most=n_post - 1)
                arguments.whole(what, pre, at_least=0, at_most=n_pre - 1)

    def table(self, network: Network) -> Table:
        """Time, synapse and θ."""
        pairs = [f"{name} {tuple(pair)}" for name, row in self.synapses.items() for pair in row]
        listed = "; ".join(pairs[:20]) + ("; …" if len(pairs) > 20 else "")
        which = Column("<i4", description=f"place in this list of (post, pre): {listed}")
        after = Column("<f8", description="θ after the update")
        return Table("update", {"time": TIME, "synapse": which, "theta": after})

    def rows(self, events: ColumnArrays, network: Network) -> ColumnArrays:
        """All of them."""
        return {"time": events["time_s"], **{k: events[k] for k in ("synapse", "theta")}}


traces = Traces
