"""What a network is: input groups, circuits, and projections with a model of their synapses.

Everything here is a frozen description with the paper's values as defaults; no state.
`synsamp.spiking.layout` lays it out in memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.mappings import Exponential, Mapping
from synsamp.priors import Gaussian, Prior, PriorByGroup
from synsamp.spiking.plasticity import Plasticity, SpikeLikelihood

MOST_NEURONS = 10**7
"""More would not fit into the memory of any machine this runs on."""
MOST_SYNAPSES = 10**10
"""Potential ones; at 25 bytes each."""
FASTEST_HZ = 1e6
LONGEST_S = 1e6
HIGHEST_THETA = 20.0
"""Up to here a mapping is tried out; with w = exp(θ − 3) that is w = 2.4e7."""


def _keep(part: Any, **values: Any) -> None:
    """Put checked values into a frozen description: 100 and 100.0 are the same rate."""
    for name, value in values.items():
        object.__setattr__(part, name, value)


def check_name(what: str, name: str) -> None:
    """Names of populations and projections name recorded columns, too, and so files."""
    arguments.text(what, name)
    if name == "time_s" or name.startswith(".") or len(name) > 100 or not name.isprintable():
        raise refuse(what, "must be a plain word (not time_s)", name[:100], "use e.g. 'x'")
    if set(name) & set("/\\"):
        raise refuse(what, "must not have a slash", name, "use e.g. 'x'")


@dataclass(frozen=True)
class DoubleExponential:
    """ε(s) = exp(−s/fall) − exp(−s/rise) for s > 0 (Eq. double-exp-kernel)."""

    rise_s: float = 0.002
    fall_s: float = 0.020

    def __post_init__(self) -> None:
        rise_s = arguments.number("rise_s", self.rise_s, at_least=1e-6, at_most=LONGEST_S)
        fall_s = arguments.number("fall_s", self.fall_s, above=rise_s, at_most=LONGEST_S)
        _keep(self, rise_s=rise_s, fall_s=fall_s)


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
        check_name("name of a circuit", self.name)
        of = f"of circuit {self.name!r}"
        arguments.instance(f"adaptation {of}", self.adaptation, DoubleExponential)
        strength = self.adaptation_strength
        _keep(
            self,
            size=arguments.whole(f"size {of}", self.size, at_least=1, at_most=MOST_NEURONS),
            rate_hz=arguments.number(f"rate_hz {of}", self.rate_hz, above=0, at_most=FASTEST_HZ),
            adaptation_strength=arguments.number(
                f"adaptation_strength {of}", strength, at_least=-1e6, at_most=1e6
            ),
        )


@dataclass(frozen=True)
class InputGroup:
    """Input neurons: Poisson with the rates of the stimulus, or with given spike times."""

    name: str
    size: int

    def __post_init__(self) -> None:
        check_name("name of an input group", self.name)
        what = f"size of input group {self.name!r}"
        _keep(self, size=arguments.whole(what, self.size, at_least=1, at_most=MOST_NEURONS))


@dataclass(frozen=True, eq=False)
class SynapseModel:
    """How the synapses of a projection behave (structsamp-spiking, sign of the prior mended).

        dθ = b ( ∂log p_S(θ) + plasticity ) dt + sqrt(2 T b) dW,   θ >= ``floor``,   w = f(θ)

    ``speed`` is b (1/s), ``temperature`` T, ``mapping`` f. A prior with an exact transition over
    any interval (Gaussian, flat) uses it; for others ``splitting_step`` bounds b·Δt of one
    Euler–Maruyama step. Numbers of a prior may be single ones or arrays [pre] or [post, pre].
    """

    prior: Prior | PriorByGroup = Gaussian(0.5, 1.0)  # noqa: RUF009 (frozen, hence a safe default)
    mapping: Mapping = Exponential(3.0)  # noqa: RUF009
    plasticity: Plasticity = SpikeLikelihood()  # noqa: RUF009
    speed: float = 1e-4
    temperature: float = 1.0
    floor: float = -5.0
    splitting_step: float = 1e-3

    def __post_init__(self) -> None:
        step = self.splitting_step
        _keep(
            self,
            speed=arguments.number("speed", self.speed, at_least=0, at_most=1e3),
            temperature=arguments.number("temperature", self.temperature, at_least=0, at_most=1e6),
            floor=arguments.number("floor", self.floor, at_least=-1e6, at_most=0),
            splitting_step=arguments.number("splitting_step", step, at_least=1e-9, at_most=1),
        )
        arguments.instance("prior", self.prior, (Prior, PriorByGroup), "e.g. Gaussian(0.5, 1.0)")
        arguments.instance("mapping", self.mapping, Mapping, "e.g. Exponential(3.0)")
        arguments.instance(
            "plasticity", self.plasticity, Plasticity, "e.g. SpikeLikelihood(N=100.0)"
        )
        for name, part in (("prior", self.prior), ("mapping", self.mapping)):
            if not part.compiled:
                raise refuse(
                    name,
                    "must be compiled to run inside the engine",
                    type(part).__name__,
                    "decorate its functions with numba.njit",
                )
        check_mapping(self.mapping, self.floor)


def check_mapping(mapping: Mapping, floor: float) -> None:
    """Refuse mappings that the engine cannot serve.

    It counts on this: w grows with θ where θ > 0 and never exceeds f(0) >= 0 where θ <= 0, so that
    a synapse is functional (ŵ = max(0, w − f(0)) > 0) just if θ > 0; and the slope is dw/dθ.
    """
    name = f"mapping {type(mapping).__name__}"
    theta = np.concatenate([np.linspace(floor, 0.0, 101), np.linspace(0.0, HIGHEST_THETA, 401)])
    with np.errstate(all="ignore"):
        weight, slope = mapping.weight(theta), mapping.slope(theta)
    if not (np.isfinite(weight).all() and np.isfinite(slope).all()):
        bad = theta[~(np.isfinite(weight) & np.isfinite(slope))][0]
        raise refuse(name, f"must be finite for θ from {floor:g} to {HIGHEST_THETA:g}", float(bad))
    at_zero = float(weight[100])
    if not 0.0 <= at_zero < 1e30:
        raise refuse(name, "must have f(0) >= 0 (and below 1e30)", at_zero, "shift it")
    if not (np.diff(weight[101:]) > 0).all():
        bad = theta[101:-1][np.diff(weight[101:]) <= 0][0]
        raise refuse(name, "must grow with θ for θ > 0", f"none at {bad:g}", "use e.g. Exponential")
    if not (weight[:101] <= at_zero).all():
        bad = theta[:101][weight[:101] > at_zero][0]
        raise refuse(
            name, "must not exceed f(0) for θ <= 0", f"more at {bad:g}", "θ <= 0 is retracted"
        )
    step = 1e-4
    inner = theta[(theta > floor + step) & (np.abs(theta) > 2 * step) & (theta < 10.0)]
    expected = (mapping.weight(inner + step) - mapping.weight(inner - step)) / (2 * step)
    off = np.abs(mapping.slope(inner) - expected) > 1e-3 * (np.abs(expected) + 1e-3 * slope.max())
    if off.any():
        bad = float(inner[off][0])
        raise refuse(
            f"slope of {name}", "must be dw/dθ", f"{float(mapping.slope(bad)):g} at θ = {bad:g}"
        )


@dataclass(frozen=True, eq=False)
class Projection:
    """All potential synapses from one population to one circuit.

    ``mask[post, pre]`` says which may exist (default: all; no self-connections unless
    ``allow_self``). Two projections between the same populations must have disjoint masks.
    """

    source: str
    target: str
    synapses: SynapseModel = SynapseModel()
    delay_s: float = 0.0
    mask: NDArray[np.bool_] | None = None
    plastic: bool = True
    allow_self: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        arguments.text("source of a projection", self.source)
        arguments.text("target of a projection", self.target)
        of = f"of projection {self.source}->{self.target}"
        arguments.instance(f"synapses {of}", self.synapses, SynapseModel, "use SynapseModel(...)")
        delay_s = arguments.number(f"delay_s {of}", self.delay_s, at_least=0, at_most=1e3)
        _keep(self, delay_s=delay_s)
        arguments.flag(f"plastic {of}", self.plastic)
        arguments.flag(f"allow_self {of}", self.allow_self)
        if self.name != "":
            check_name(f"name {of}", self.name)
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
        inputs: Iterable[InputGroup] = (),
        circuits: Iterable[Circuit] = (),
        projections: Iterable[Projection] = (),
        epsp: DoubleExponential = DoubleExponential(),  # noqa: B008 (frozen)
    ) -> None:
        object.__setattr__(self, "inputs", _all_of("inputs", inputs, InputGroup))
        object.__setattr__(self, "circuits", _all_of("circuits", circuits, Circuit))
        object.__setattr__(self, "projections", _all_of("projections", projections, Projection))
        object.__setattr__(self, "epsp", arguments.instance("epsp", epsp, DoubleExponential))
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
            of = f"of projection {projection.name!r}"
            arguments.one_of(f"source {of}", projection.source, names)
            if projection.target not in {c.name for c in self.circuits}:
                arguments.one_of(f"target {of}", projection.target, names)
                raise refuse(f"target {of}", "must be a circuit", projection.target)
        cells = sum(self.size_of(p.source) * self.size_of(p.target) for p in self.projections)
        if cells > MOST_SYNAPSES:
            raise refuse("potential synapses", f"must be at most {MOST_SYNAPSES:,}", cells)
        for projection in self.projections:
            self._check_projection(projection)
        self._check_overlap()

    def _check_projection(self, projection: Projection) -> None:
        of = f"of projection {projection.name!r}"
        shape = self.mask_of(projection).shape
        prior = projection.synapses.prior
        if isinstance(prior, PriorByGroup) and prior.group.shape != shape:
            raise refuse(
                f"labels of the prior {of}",
                f"must have shape [post, pre] = {shape}",
                prior.group.shape,
                f"use np.broadcast_to(labels, {shape})",
            )
        prior.parts(shape)  # refuses numbers of another shape

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
        sizes = {p.name: p.size for p in self.populations}
        return sizes[arguments.one_of("population", population, sizes)]

    def projection(self, name: str) -> Projection:
        """The projection of this name."""
        known = {p.name: p for p in self.projections}
        return known[arguments.one_of("projection", name, known)]

    def neurons_of(self, circuit: str) -> NDArray[np.int64]:
        """Numbers of a circuit's neurons as they appear in recorded spikes."""
        names = [c.name for c in self.circuits]
        i = names.index(arguments.one_of("circuit", circuit, names))
        first = sum(c.size for c in self.circuits[:i])
        return np.arange(first, first + self.circuits[i].size)

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


def _all_of(name: str, given: Any, kind: type) -> tuple[Any, ...]:
    if isinstance(given, (kind, str)) or not isinstance(given, Iterable):
        raise refuse(
            name, f"must be a list of {kind.__name__}", type(given), f"use [{kind.__name__}(...)]"
        )
    return tuple(arguments.instance(f"each of {name}", part, kind) for part in given)


def winner_take_all(
    n_inputs: int = 784,
    n_neurons: int = 10,
    synapses: SynapseModel = SynapseModel(),  # noqa: B008 (frozen)
    **circuit: Any,
) -> Network:
    """The paper's single circuit: inputs ``x`` project to one circuit ``z`` (Figs. 3 and 4).

    Further arguments are those of `Circuit`, such as ``rate_hz``.
    """
    known = set(Circuit.__dataclass_fields__) - {"name", "size"}
    for name in circuit:
        arguments.one_of("argument of winner_take_all", name, sorted(known))
    return Network(
        inputs=[InputGroup("x", n_inputs)],
        circuits=[Circuit("z", n_neurons, **circuit)],
        projections=[Projection("x", "z", synapses)],
    )
