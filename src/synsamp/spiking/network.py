"""Description of a network: populations, and projections with a synapse model.

Everything here is frozen and has the paper's values as defaults. `synsamp.spiking.layout` turns the
description into arrays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.priors import PriorByGroup
from synsamp.spiking.available import require_memory
from synsamp.spiking.neurons import (
    DoubleExponential,
    InputGroup,
    StochasticNeurons,
    WinnerTakeAll,
)
from synsamp.spiking.potential import Ends, SynapseList, synapse_distances
from synsamp.spiking.projection import Projection
from synsamp.spiking.resolved import resolved
from synsamp.spiking.synapses import SynapseModel

MOST_SYNAPSES = 10**10
"""Potential synapses, about 26 bytes each in a matrix."""


@dataclass(frozen=True, eq=False)
class Network:
    """Populations and the projections between them.

    Parameters
    ----------
    inputs
        Input groups.
    neurons
        Populations that spike by themselves: `WinnerTakeAll`, `StochasticNeurons`.
    projections
        Synapses between populations.
    epsp
        Kernel of the EPSPs (Eq. 30).

    Examples
    --------
    >>> network = Network(
    ...     inputs=[InputGroup("x", 784)],
    ...     neurons=[WinnerTakeAll("z", 10)],
    ...     projections=[Projection("x", "z")],
    ... )
    >>> network.n_neurons
    10
    """

    inputs: tuple[InputGroup, ...]
    neurons: tuple[WinnerTakeAll | StochasticNeurons, ...]
    projections: tuple[Projection, ...]
    epsp: DoubleExponential = field(default=DoubleExponential())

    def __init__(
        self,
        inputs: Iterable[InputGroup] = (),
        neurons: Iterable[WinnerTakeAll | StochasticNeurons] = (),
        projections: Iterable[Projection] = (),
        epsp: DoubleExponential = DoubleExponential(),  # noqa: B008 (frozen)
    ) -> None:
        object.__setattr__(self, "inputs", _all_of("inputs", inputs, InputGroup))
        object.__setattr__(
            self, "neurons", _all_of("neurons", neurons, WinnerTakeAll, StochasticNeurons)
        )
        object.__setattr__(self, "projections", _all_of("projections", projections, Projection))
        object.__setattr__(self, "epsp", arguments.instance("epsp", epsp, DoubleExponential))
        self._check_names()
        listed = tuple(resolved(p, self._ends(p)) for p in self.projections)
        object.__setattr__(self, "projections", listed)
        self._check()

    def _check_names(self) -> None:
        names = [p.name for p in self.populations]
        if len(set(names)) != len(names):
            raise refuse("names of populations", "must differ", names)
        labels = [p.name for p in self.projections]
        if len(set(labels)) != len(labels):
            raise refuse("names of projections", "must differ", labels, "give them a name=")
        if not self.neurons:
            raise refuse("neurons", "must not be empty", 0, "add a WinnerTakeAll")
        for projection in self.projections:
            of = f"of projection {projection.name!r}"
            arguments.one_of(f"source {of}", projection.source, names)
            if projection.target not in {c.name for c in self.neurons}:
                arguments.one_of(f"target {of}", projection.target, names)
                raise refuse(f"target {of}", "must be neurons, not inputs", projection.target)

    def _ends(self, p: Projection) -> Ends:
        of = {x.name: x for x in self.populations}
        source, target = of[p.source], of[p.target]
        no_self = p.source == p.target and not p.allow_self
        return Ends(p.name, source.size, target.size, source.positions, target.positions, no_self)

    def _check(self) -> None:
        cells = sum(int(np.prod(self.shape_of(p))) for p in self.projections)
        if cells > MOST_SYNAPSES:
            raise refuse("potential synapses", f"must be at most {MOST_SYNAPSES:,}", cells)
        wanted = sum(int(np.prod(self.shape_of(p))) * p.bytes_per_synapse for p in self.projections)
        require_memory("potential synapses", cells, wanted / max(cells, 1))
        for projection in self.projections:
            self._check_projection(projection)
        self._check_overlap()

    def _check_projection(self, projection: Projection) -> None:
        of = f"of projection {projection.name!r}"
        shape = self.shape_of(projection)
        prior = projection.synapses.prior
        if projection.listed is None:
            self.mask_of(projection)  # raises an error for a mask of another shape
        elif isinstance(prior, PriorByGroup):
            rule, remedy = "must be one prior where synapses are listed", "use several projections"
            raise refuse(f"prior {of}", rule, "PriorByGroup", remedy)
        if isinstance(prior, PriorByGroup) and prior.group.shape != shape:
            raise refuse(
                f"labels of the prior {of}",
                f"must have shape [post, pre] = {shape}",
                prior.group.shape,
                f"use np.broadcast_to(labels, {shape})",
            )
        prior.parts(shape)  # raises an error for parameters of another shape
        free = any(
            isinstance(c, StochasticNeurons) and c.name == projection.target for c in self.neurons
        )
        plasticity = projection.synapses.plasticity
        if free and projection.plastic and plasticity.circuits_only:
            raise refuse(
                f"plasticity {of}",
                "must suit stochastic neurons",
                type(plasticity).__name__,
                "it is derived for WinnerTakeAll; use plastic=False or a CustomPlasticity",
            )

    def _check_overlap(self) -> None:
        seen: dict[tuple[Any, ...], NDArray[np.bool_]] = {}
        for p in self.projections:
            if p.listed is not None:  # its cells are separate
                continue
            key, mask = (p.source, p.target, p.delays_s, self.epsp_of(p)), self.mask_of(p)
            if key in seen and (seen[key] & mask).any():
                raise refuse(
                    f"mask of projection {p.name!r}",
                    "must not overlap another between the same populations",
                    int((seen[key] & mask).sum()),
                    "give each potential synapse to one projection",
                )
            seen[key] = seen.get(key, False) | mask

    @property
    def populations(self) -> tuple[InputGroup | WinnerTakeAll | StochasticNeurons, ...]:
        """Input groups, then neurons."""
        return (*self.inputs, *self.neurons)

    def size_of(self, population: str) -> int:
        """Number of neurons of a population."""
        sizes = {p.name: p.size for p in self.populations}
        return sizes[arguments.one_of("population", population, sizes)]

    def projection(self, name: str) -> Projection:
        """The projection of this name."""
        known = {p.name: p for p in self.projections}
        return known[arguments.one_of("projection", name, known)]

    def epsp_of(self, projection: Projection) -> DoubleExponential:
        """The kernel of a projection's EPSPs."""
        return self.epsp if projection.epsp is None else projection.epsp

    @property
    def needs_event_order(self) -> bool:
        """Whether events must be simulated one by one: on_pre functions, or stochastic neurons."""
        return any(isinstance(c, StochasticNeurons) for c in self.neurons) or any(
            p.plastic and p.synapses.plasticity.has_on_pre for p in self.projections
        )

    def index_of(self, circuit: str) -> int:
        """Position of a population in ``neurons``."""
        names = [c.name for c in self.neurons]
        return names.index(arguments.one_of("circuit", circuit, names))

    def neurons_of(self, circuit: str) -> NDArray[np.int64]:
        """Indices of a population's neurons in recorded spikes."""
        i = self.index_of(circuit)
        first = sum(c.size for c in self.neurons[:i])
        return np.arange(first, first + self.neurons[i].size)

    def shape_of(self, projection: Projection) -> tuple[int, ...]:
        """Shape of a projection's θ: [post, pre], or [synapse] if its synapses are listed."""
        if projection.listed is not None:
            return (projection.listed.size,)
        return self.size_of(projection.target), self.size_of(projection.source)

    def synapses_of(self, projection: str) -> SynapseList:
        """Potential synapses of a projection one by one: ``pre``, ``post``, ``contact``."""
        own = self.projection(projection)
        if own.listed is not None:
            return own.listed
        post, pre = np.nonzero(self.mask_of(own))
        counts = np.bincount(post, minlength=self.size_of(own.target))
        first = np.concatenate([[0], np.cumsum(counts)])
        return SynapseList(first, pre.astype(np.int32), delays_s=own.delays_s)

    def distances_of(self, projection: str) -> NDArray[np.float64]:
        """Distance between the two neurons of each potential synapse, [synapse]."""
        return synapse_distances(
            self.synapses_of(projection), self._ends(self.projection(projection))
        )

    def mask_of(self, projection: Projection) -> NDArray[np.bool_]:
        """Which synapses of a projection may exist, in the shape of θ."""
        shape = self.shape_of(projection)
        mask = np.ones(shape, bool)
        if projection.listed is not None:
            return mask
        if projection.mask is not None:
            what = f"mask of projection {projection.name!r}"
            given = arguments.array(what, projection.mask, "True and False")
            if given.shape != shape or given.dtype != bool:
                raise refuse(
                    what,
                    f"must be boolean with shape [post, pre] = {shape}",
                    f"{given.dtype}{given.shape}",
                )
            mask = given.copy()
        if projection.source == projection.target and not projection.allow_self:
            np.fill_diagonal(mask, False)
        return mask

    @property
    def n_inputs(self) -> int:
        """Number of inputs in all groups."""
        return sum(g.size for g in self.inputs)

    @property
    def n_neurons(self) -> int:
        """Number of neurons without inputs."""
        return sum(c.size for c in self.neurons)


def _all_of(name: str, given: Any, *kinds: type) -> tuple[Any, ...]:
    if isinstance(given, (*kinds, str)) or not isinstance(given, Iterable):
        kind = kinds[0].__name__
        raise refuse(name, f"must be a list of {kind}", type(given), f"use [{kind}(...)]")
    return tuple(arguments.instance(f"each of {name}", part, kinds) for part in given)


def winner_take_all_network(
    n_inputs: int = 784,
    n_neurons: int = 10,
    synapses: SynapseModel | None = None,
    **circuit: Any,
) -> Network:
    """The paper's network of Figs. 3 and 4: inputs ``x`` project to one circuit ``z``.

    Parameters
    ----------
    n_inputs, n_neurons
        Sizes of ``x`` and ``z``.
    synapses
        Model of the synapses; default: the paper's.
    **circuit
        Further arguments of `WinnerTakeAll`, such as ``rate_hz``.

    Returns
    -------
    Network
        Network with one projection ``x->z``.
    """
    known = set(WinnerTakeAll.__dataclass_fields__) - {"name", "size"}
    for name in circuit:
        arguments.one_of("argument of winner_take_all_network", name, sorted(known))
    return Network(
        inputs=[InputGroup("x", n_inputs)],
        neurons=[WinnerTakeAll("z", n_neurons, **circuit)],
        projections=[Projection("x", "z", SynapseModel() if synapses is None else synapses)],
    )


def default_drift_interval_s(network: Network) -> float:
    """1e-4/b of the fastest synapses: noise then moves θ by 0.014 between two refreshes."""
    fastest = max((p.synapses.speed for p in network.projections if p.plastic), default=0.0)
    return min(1e-4 / fastest, 1e6) if fastest > 0 else 1.0
