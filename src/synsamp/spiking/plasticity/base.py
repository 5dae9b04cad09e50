"""What a plasticity is: what a postsynaptic spike does to the synapses of its neuron.

A plasticity supplies one compiled function of a row of synapses (`SPIKE` in
`synsamp.spiking.kernel.compiling`), which the kernel calls through its address, and the numbers
that the function reads. It may depend on the mapping θ → w; prior and noise act apart from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from synsamp.mappings import Mapping


class Plasticity(ABC):
    """Base of all plasticities; subclasses are frozen dataclasses."""

    @property
    @abstractmethod
    def numbers(self) -> tuple[float, ...]:
        """What the compiled function reads, in order."""

    @abstractmethod
    def at_spike(self, mapping: Mapping) -> int:
        """The address of the compiled function for synapses with this mapping."""
