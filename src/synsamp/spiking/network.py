"""What a network is: circuits, input groups, projections and the rule of their synapses.

Everything here is a frozen description with the paper's values as defaults; no arrays, no state.
`synsamp.spiking.layout` turns it into the flat arrays of the kernel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.mappings import Exponential, Mapping
from synsamp.priors import Gaussian, Prior


def _require(name: str, value: float, rule: str, holds: bool) -> None:
    if not (math.isfinite(value) and holds):
        raise refuse(name, f"must be {rule} and finite", value)


@dataclass(frozen=True)
class DoubleExponential:
    """ε(s) = exp(−s/fall) − exp(−s/rise) for s > 0 (Eq. double-exp-kernel)."""

    rise_s: float = 0.002
    fall_s: float = 0.020

    def __post_init__(self) -> None:
        _require("rise_s", self.rise_s, "> 0", self.rise_s > 0)
        _require("fall_s", self.fall_s, "> rise_s", self.fall_s > self.rise_s)


@dataclass(frozen=True)
class Circuit:
    """A winner-take-all circuit: its neurons share ``rate_hz`` (ρ_net) through divisive inhibition.

    Every spike of a neuron adds ``adaptation_strength`` (γ) × its kernel to its own potential.
    """

    name: str
    size: int
    rate_hz: float = 100.0
    adaptation: DoubleExponential = DoubleExponential(rise_s=12.0, fall_s=30.0)
    adaptation_strength: float = -8.0

    def __post_init__(self) -> None:
        if self.size < 1:
            raise refuse(f"size of circuit {self.name!r}", "must be >= 1", self.size)
        _require(f"rate_hz of circuit {self.name!r}", self.rate_hz, "> 0", self.rate_hz > 0)
        _require("adaptation_strength", self.adaptation_strength, "a number", True)


@dataclass(frozen=True)
class InputGroup:
    """Poisson neurons whose rates come from the stimulus."""

    name: str
    size: int

    def __post_init__(self) -> None:
        if self.size < 1:
            raise refuse(f"size of input group {self.name!r}", "must be >= 1", self.size)


@dataclass(frozen=True)
class TermClip:
    """Clip only the term α e^w at ``limit`` and leave the change alone (the default)."""

    limit: float = 5.0

    def __post_init__(self) -> None:
        if not self.limit > 0:
            raise refuse("limit", "must be > 0", self.limit, "use inf for no clip")


@dataclass(frozen=True)
class ChangeClip:
    """Clip the whole instantaneous change Δθ at ±``limit``·b (the paper's literal words)."""

    limit: float = 5.0

    def __post_init__(self) -> None:
        if not self.limit > 0:
            raise refuse("limit", "must be > 0", self.limit, "use inf for no clip")


@dataclass(frozen=True)
class Rule:
    """The rule of a projection's synapses (structsamp-spiking, with the sign of the prior mended).

    dθ = b ( ∂log p_S(θ) + N w S(t) (x(t) − α e^w) ) dt + sqrt(2 T b) dW,  θ >= ``floor``

    ``splitting_step`` bounds b·Δt of one Euler–Maruyama step for priors that are not Gaussian.
    """

    prior: Prior = Gaussian(0.5, 1.0)  # noqa: RUF009 (frozen, hence a safe default)
    mapping: Mapping = Exponential(3.0)  # noqa: RUF009
    b: float = 1e-4
    T: float = 1.0
    N: float = 100.0
    alpha: float = math.exp(-2.0)
    clip: TermClip | ChangeClip = TermClip()
    floor: float = -5.0
    splitting_step: float = 1e-3

    def __post_init__(self) -> None:
        _require("b", self.b, ">= 0", self.b >= 0)
        _require("T", self.T, ">= 0", self.T >= 0)
        _require("N", self.N, ">= 0", self.N >= 0)
        _require("alpha", self.alpha, "> 0", self.alpha > 0)
        _require("floor", self.floor, "a number", True)
        _require("splitting_step", self.splitting_step, "> 0", self.splitting_step > 0)
        for name, part in (("prior", self.prior), ("mapping", self.mapping)):
            if not part.compiled:
                raise refuse(
                    name,
                    "must be compiled to run inside the engine",
                    type(part).__name__,
                    "decorate its functions with numba.njit",
                )


@dataclass(frozen=True, eq=False)
class Projection:
    """All potential synapses from one population to one circuit.

    ``mask[post, pre]`` says which may exist (default: all; no self-connections unless
    ``allow_self``). Two projections between the same populations must have disjoint masks.
    """

    source: str
    target: str
    rule: Rule = Rule()
    delay_s: float = 0.0
    mask: NDArray[np.bool_] | None = None
    plastic: bool = True
    allow_self: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        _require("delay_s", self.delay_s, ">= 0", self.delay_s >= 0)
        object.__setattr__(self, "name", self.name or f"{self.source}->{self.target}")


@dataclass(frozen=True, eq=False)
class Network:
    """Populations and the projections between them, checked as a whole."""

    inputs: tuple[InputGroup, ...]
    circuits: tuple[Circuit, ...]
    projections: tuple[Projection, ...]
    epsp: DoubleExponential = field(default=DoubleExponential())

    def __init__(
        self,
        inputs: Any = (),
        circuits: Any = (),
        projections: Any = (),
        epsp: DoubleExponential = DoubleExponential(),  # noqa: B008 (frozen)
    ) -> None:
        object.__setattr__(self, "inputs", tuple(inputs))
        object.__setattr__(self, "circuits", tuple(circuits))
        object.__setattr__(self, "projections", tuple(projections))
        object.__setattr__(self, "epsp", epsp)
        self._check()

    def _check(self) -> None:
        names = [p.name for p in self.populations]
        if len(set(names)) != len(names):
            raise refuse("names of populations", "must differ", names)
        labels = [p.name for p in self.projections]
        if len(set(labels)) != len(labels):
            raise refuse("names of projections", "must differ", labels, "give them a name=")
        if not self.circuits:
            raise refuse("circuits", "must not be empty", 0, "add a Circuit")
        for projection in self.projections:
            for role, population in (("source", projection.source), ("target", projection.target)):
                if population not in names:
                    raise refuse(
                        f"{role} of projection {projection.name!r}",
                        f"must be one of {', '.join(names)}",
                        population,
                    )
            if projection.target not in {c.name for c in self.circuits}:
                raise refuse(
                    f"target of projection {projection.name!r}",
                    "must be a circuit",
                    projection.target,
                )
            self.mask_of(projection)
        self._check_overlap()

    def _check_overlap(self) -> None:
        seen: dict[tuple[str, str, float], NDArray[np.bool_]] = {}
        for p in self.projections:
            key, mask = (p.source, p.target, p.delay_s), self.mask_of(p)
            if key in seen and (seen[key] & mask).any():
                raise refuse(
                    f"mask of projection {p.name!r}",
                    "must not overlap another between the same populations",
                    int((seen[key] & mask).sum()),
                    "give each potential synapse to one projection",
                )
            seen[key] = seen.get(key, False) | mask

    @property
    def populations(self) -> tuple[InputGroup | Circuit, ...]:
        """Input groups, then circuits."""
        return (*self.inputs, *self.circuits)

    def size_of(self, population: str) -> int:
        """How many neurons a population has."""
        return {p.name: p.size for p in self.populations}[population]

    def mask_of(self, projection: Projection) -> NDArray[np.bool_]:
        """Which synapses of a projection may exist, as bool[post, pre]."""
        shape = (self.size_of(projection.target), self.size_of(projection.source))
        mask = np.ones(shape, bool)
        if projection.mask is not None:
            given = np.asarray(projection.mask)
            if given.shape != shape or given.dtype != bool:
                raise refuse(
                    f"mask of projection {projection.name!r}",
                    f"must be boolean with shape [post, pre] = {shape}",
                    f"{given.dtype}{given.shape}",
                )
            mask = given.copy()
        if projection.source == projection.target and not projection.allow_self:
            np.fill_diagonal(mask, False)
        return mask

    @property
    def n_inputs(self) -> int:
        """Inputs of all groups together."""
        return sum(g.size for g in self.inputs)

    @property
    def n_neurons(self) -> int:
        """Neurons of all circuits together."""
        return sum(c.size for c in self.circuits)


def winner_take_all(
    n_inputs: int = 784,
    n_neurons: int = 10,
    rule: Rule = Rule(),  # noqa: B008 (frozen)
    **circuit: Any,
) -> Network:
    """The paper's single circuit: inputs ``x`` project to one circuit ``z`` (Figs. 3 and 4)."""
    return Network(
        inputs=[InputGroup("x", n_inputs)],
        circuits=[Circuit("z", n_neurons, **circuit)],
        projections=[Projection("x", "z", rule)],
    )
