"""Membrane potentials."""

from __future__ import annotations

from dataclasses import dataclass

from synsamp.protocol.named_array import NamedArray
from synsamp.protocol.records.base import StateRecord
from synsamp.protocol.view import View
from synsamp.spiking import Network


@dataclass(frozen=True)
class Potentials(StateRecord):
    """Membrane potentials u_k of a circuit's neurons at the time of the row.

    Parameters
    ----------
    circuit : str
        Name of the circuit.
    """

    circuit: str

    def check(self, network: Network) -> None:
        """Raise an error if the circuit does not exist."""
        network.neurons_of(self.circuit)

    def __call__(self, view: View) -> NamedArray:
        """The row."""
        values, where = view.potentials(self.circuit), {"neuron": view.neurons_of(self.circuit)}
        return NamedArray(values, ("neuron",), {"description": "potential u"}, where)


potentials = Potentials
