"""Projections: potential synapses from one population to another."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.kernel.eligibility import DEPTH
from synsamp.spiking.neurons import DoubleExponential, check_population_name, keep
from synsamp.spiking.potential import Potential, Rule, SynapseList, as_potential
from synsamp.spiking.synapses import SynapseModel

MATRIX, LISTED, PRIOR_BY_DISTANCE = (26, 34), (37, 52), 24
"""Bytes of a potential synapse in a matrix and in a list: while a network runs, and while it is
created; and of a prior by distance."""


@dataclass(frozen=True, eq=False)
class Projection:
    """All potential synapses from one population to another.

    By default every pair of neurons has one, and the synapses form a matrix [post, pre]. With
    ``potential`` only the listed pairs do. Memory and time then follow their number, and θ has
    shape [synapse], in the order of `Network.synapses_of`.

    Parameters
    ----------
    source, target
        Names of the populations; ``target`` must not be an input group.
    synapses
        How the synapses change.
    delay_s
        Axonal delay, or a function of distance; that needs ``potential``.
    mask
        bool[post, pre], which synapses may exist; default: all. Two projections between the same
        populations must have disjoint masks.
    plastic
        Whether θ changes.
    allow_self
        Whether a neuron may connect to itself.
    name
        Default ``"source->target"``.
    sign
        −1 for inhibition: ŵ lowers the potential.
    epsp
        Kernel of its EPSPs; default: that of the network.
    potential
        Which pairs may connect: `EdgeList`, `RandomPairs`, `DistanceRule` or bool[post, pre].
    contacts
        Synapses per pair, each with its own θ and noise; several need ``potential``.
    prior_mean
        Function of distance for the mean of the prior; needs ``potential``.
    delay_resolution_s
        Delays by distance are multiples of it.
    """

    source: str
    target: str
    synapses: SynapseModel = field(default_factory=SynapseModel)
    delay_s: float | Rule = 0.0
    mask: NDArray[np.bool_] | None = None
    plastic: bool = True
    allow_self: bool = False
    name: str = ""
    sign: int = 1
    epsp: DoubleExponential | None = None
    potential: Potential | SynapseList | NDArray[np.bool_] | None = None
    contacts: int = 1
    prior_mean: Rule | None = None
    delay_resolution_s: float = 1e-3

    def __post_init__(self) -> None:
        arguments.text("source of a projection", self.source)
        arguments.text("target of a projection", self.target)
        of = f"of projection {self.source}->{self.target}"
        arguments.instance(f"synapses {of}", self.synapses, SynapseModel, "use SynapseModel(...)")
        if not callable(self.delay_s):
            delay_s = arguments.number(f"delay_s {of}", self.delay_s, at_least=0, at_most=1e3)
            keep(self, delay_s=delay_s)
        self._check_potential(of)
        arguments.flag(f"plastic {of}", self.plastic)
        arguments.flag(f"allow_self {of}", self.allow_self)
        if self.epsp is not None:
            arguments.instance(f"epsp {of}", self.epsp, DoubleExponential)
        if isinstance(self.sign, bool) or self.sign not in (1, -1):
            raise refuse(f"sign {of}", "must be 1 or -1", self.sign)
        object.__setattr__(self, "sign", int(self.sign))
        if self.sign < 0 and self.plastic and self.synapses.plasticity.excitatory_only:
            raise refuse(
                f"plasticity {of}",
                "must suit an inhibitory projection",
                type(self.synapses.plasticity).__name__,
                "it is derived for excitatory synapses; use plastic=False or a CustomPlasticity",
            )
        if self.name != "":
            check_population_name(f"name {of}", self.name)
        object.__setattr__(self, "name", self.name or f"{self.source}->{self.target}")

    def _check_potential(self, of: str) -> None:
        keep(
            self,
            potential=as_potential(f"potential {of}", self.potential),
            contacts=arguments.whole(f"contacts {of}", self.contacts, at_least=1, at_most=1000),
            delay_resolution_s=arguments.number(
                f"delay_resolution_s {of}", self.delay_resolution_s, at_least=1e-6, at_most=1e3
            ),
        )
        if self.prior_mean is not None:
            arguments.function(f"prior_mean {of}", self.prior_mean)
        by_pair = self.contacts > 1 or self.prior_mean is not None or callable(self.delay_s)
        if by_pair and self.potential is None:
            rule = "must be given for several contacts and for rules of distance"
            raise refuse(f"potential {of}", rule, None, "e.g. RandomPairs(1.0) for all pairs")
        if self.mask is not None and self.potential is not None:
            rule = "must not be given with potential"
            raise refuse(f"mask {of}", rule, "both", "pass the matrix as potential=")

    @property
    def listed(self) -> SynapseList | None:
        """Potential synapses one by one, once a `Network` has listed them; None for a matrix."""
        return self.potential if isinstance(self.potential, SynapseList) else None

    @property
    def delays_s(self) -> tuple[float, ...]:
        """Distinct delays of a projection of a network."""
        return (float(self.delay_s),) if self.listed is None else self.listed.delays_s  # type: ignore[arg-type]

    @property
    def bytes_per_synapse(self) -> int:
        """Memory (bytes) that a potential synapse needs, when it is created or later."""
        rule, listed = self.synapses.plasticity, self.potential is not None
        own, created = LISTED if listed else MATRIX
        if self.plastic:
            own += 8 * DEPTH * rule.assigns_eligibility
            own += 8 * rule.n_traces + 8 * (rule.n_traces > 0)
            own += 4 * (listed and rule.has_on_pre)
        return max(own, created) + PRIOR_BY_DISTANCE * (self.prior_mean is not None)
