"""Base class of plasticities: how spikes change synapses, in addition to prior and noise.

A plasticity provides a compiled function of a `SpikeRow` for postsynaptic spikes, optionally one of
an `ArrivalColumn` for presynaptic spikes (`synsamp.spiking.kernel.rows`), and their parameters. The
kernel calls them by address. They may depend on the mapping θ → w. Traces are part of the state.

A plasticity with ``assigns_eligibility`` is applied to all neurons of a circuit at each of its
spikes (`synsamp.spiking.kernel.eligibility`).

To write one, use `CustomPlasticity`: two functions of one synapse are enough.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from synsamp.mappings import Mapping
from synsamp.priors import Prior, PriorByGroup


class Plasticity(ABC):
    """Base of all plasticities; subclasses are frozen dataclasses."""

    circuits_only: ClassVar[bool] = False
    """Whether it is derived only for winner-take-all circuits."""
    excitatory_only: ClassVar[bool] = False
    """Whether it is derived only for excitatory synapses."""
    assigns_eligibility: ClassVar[bool] = False
    """Whether a spike changes the synapses of all neurons of its circuit."""

    @property
    def n_traces(self) -> int:
        """Number of traces per synapse."""
        return 0

    @property
    def has_on_pre(self) -> bool:
        """Whether presynaptic spikes change synapses."""
        return False

    def arrival_function(self, mapping: Mapping) -> int:
        """The address of the compiled function for an arrival; 0 for none."""
        return 0

    def describe(self) -> str:
        """All properties in one line, to compare with those of a saved state."""
        return repr(self)

    @property
    @abstractmethod
    def kind(self) -> tuple[object, ...]:
        """Properties that `Simulation.change` cannot change."""

    @property
    @abstractmethod
    def settings(self) -> tuple[float, ...]:
        """Numbers that `Simulation.change` may change."""

    @abstractmethod
    def with_settings(self, settings: Sequence[float]) -> Plasticity:
        """A copy with other settings."""

    @property
    @abstractmethod
    def numbers(self) -> tuple[float, ...]:
        """Parameters of the compiled function, in order."""

    def numbers_with(self, prior: Prior | PriorByGroup) -> tuple[float, ...]:
        """``numbers`` for a given prior; raises an error if the plasticity needs another prior."""
        return self.numbers

    @abstractmethod
    def spike_function(self, mapping: Mapping) -> int:
        """The address of the compiled function for synapses with this mapping."""

    def eligibility_functions(self, mapping: Mapping) -> tuple[int, int, int]:
        """The addresses of the functions `PASS`, `ELIGIBILITY` and `GATHER`; 0 for none."""
        return 0, 0, 0
