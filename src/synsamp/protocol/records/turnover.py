"""Births and deaths of synapses, counted from snapshots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synsamp.protocol.named_array import NamedArray
from synsamp.protocol.records.base import IntervalRecord, RecordMemory
from synsamp.protocol.view import View
from synsamp.spiking import Network


@dataclass(frozen=True)
class Turnover(IntervalRecord):
    """Number of synapses of each neuron that were born and died since the previous row.

    The counts come from comparing two snapshots, so they **depend on the interval**: a synapse that
    appears and disappears between two rows is not counted. Use `births_deaths` for single births
    and deaths at the resolution of ``sync_interval_s``. The first row is 0.

    Parameters
    ----------
    projection : str
        Name of the projection, such as "x->z".
    """

    projection: str

    def check(self, network: Network) -> None:
        """Raise an error if the projection does not exist."""
        network.projection(self.projection)

    def begin(self, view: View) -> RecordMemory:
        """Remember which synapses are functional."""
        return {"active": np.packbits(view.active(self.projection))}

    def row(self, view: View, memory: RecordMemory) -> dict[str, NamedArray]:
        """Counts per postsynaptic neuron."""
        now = view.active(self.projection)
        before = unpacked(memory["active"], now.shape)
        where = {"post": np.arange(now.shape[0])}
        born = (now & ~before).sum(axis=1, dtype=np.int32)
        died = (before & ~now).sum(axis=1, dtype=np.int32)
        return {
            "born": NamedArray(born, ("post",), {}, where),
            "died": NamedArray(died, ("post",), {}, where),
        }


def unpacked(bits: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A boolean matrix from `numpy.packbits`."""
    return np.unpackbits(np.asarray(bits), count=int(np.prod(shape))).astype(bool).reshape(shape)


turnover = Turnover
