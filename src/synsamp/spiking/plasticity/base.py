"""What a plasticity is: what spikes do to synapses, beside prior and noise.

A plasticity supplies a compiled function of a row of synapses (`SPIKE` in
`synsamp.spiking.kernel.compiling`) for a postsynaptic spike, may supply one for the arrival of a
presynaptic spike (`ARRIVAL`), and the numbers that these read. The kernel calls them through their
addresses. They may depend on the mapping θ → w. Traces of a synapse live in the state.

One that assigns eligibility (``assigns_eligibility``) is asked about all neurons of a circuit at each of its
spikes (`PASS`, `ELIGIBILITY`, `GATHER`); `synsamp.spiking.kernel.eligibility` says when.

To write one of your own, use `CustomPlasticity`: two functions of one synapse are enough.
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
    """Whether it is derived for winner-take-all circuits alone."""
    excitatory_only: ClassVar[bool] = False
    """Whether it is derived for synapses that raise the potential."""
    assigns_eligibility: ClassVar[bool] = False
    """Whether a spike concerns the synapses of all neurons of its circuit, not of one alone."""

    @property
    def n_traces(self) -> int:
        """Traces that each synapse has."""
        return 0

    @property
    def has_on_pre(self) -> bool:
        """Whether anything happens when a presynaptic spike arrives."""
        return False

    def arrival_function(self, mapping: Mapping) -> int:
        """The address of the compiled function for an arrival; 0 for none."""
        return 0

    def describe(self) -> str:
        """Everything about it in one line, so that a saved state knows its own."""
        return repr(self)

    @property
    @abstractmethod
    def kind(self) -> tuple[object, ...]:
        """All that a change in a run must leave alone."""

    @property
    @abstractmethod
    def settings(self) -> tuple[float, ...]:
        """The numbers that it may change."""

    @abstractmethod
    def with_settings(self, settings: Sequence[float]) -> Plasticity:
        """The same with other numbers."""

    @property
    @abstractmethod
    def numbers(self) -> tuple[float, ...]:
        """What the compiled function reads, in order."""

    def numbers_with(self, prior: Prior | PriorByGroup) -> tuple[float, ...]:
        """The same, where they depend on the prior; refuses one that it cannot go with."""
        return self.numbers

    @abstractmethod
    def spike_function(self, mapping: Mapping) -> int:
        """The address of the compiled function for synapses with this mapping."""

    def eligibility_functions(self, mapping: Mapping) -> tuple[int, int, int]:
        """The addresses of the functions `PASS`, `ELIGIBILITY` and `GATHER`; 0 for none."""
        return 0, 0, 0
