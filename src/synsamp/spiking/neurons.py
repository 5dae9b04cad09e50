"""Populations of a network: input groups, winner-take-all circuits and stochastic neurons."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.space import Space, check_positions

MOST_NEURONS = 10**7
"""More would not fit into the memory of any machine this runs on."""
FASTEST_HZ = 1e6
LONGEST_S = 1e6


def keep(part: Any, **values: Any) -> None:
    """Set checked values in a frozen dataclass, so that 100 and 100.0 are the same rate."""
    for name, value in values.items():
        object.__setattr__(part, name, value)


def check_population_name(what: str, name: str) -> None:
    """Check a name that recorded columns and files will have as well."""
    arguments.text(what, name)
    if name == "time_s" or name.startswith(".") or len(name) > 100 or not name.isprintable():
        raise refuse(what, "must be a plain word (not time_s)", name[:100], "use e.g. 'x'")
    if set(name) & set("/\\"):
        raise refuse(what, "must not have a slash", name, "use e.g. 'x'")


@dataclass(frozen=True)
class DoubleExponential:
    """Kernel of an EPSP or of adaptation (Eq. 30, double exponential kernel).

    ε(s) = exp(−s/fall) − exp(−s/rise) for s > 0.

    Parameters
    ----------
    rise_s, fall_s
        Time constants in seconds, ``rise_s < fall_s``.
    """

    rise_s: float = 0.002
    fall_s: float = 0.020

    def __post_init__(self) -> None:
        rise_s = arguments.number("rise_s", self.rise_s, at_least=1e-6, at_most=LONGEST_S)
        fall_s = arguments.number("fall_s", self.fall_s, above=rise_s, at_most=LONGEST_S)
        keep(self, rise_s=rise_s, fall_s=fall_s)

    @property
    def peak(self) -> float:
        """The largest value of ε, at s = log(fall/rise)/(1/rise − 1/fall)."""
        ratio = self.fall_s / self.rise_s
        at_s = math.log(ratio) / (1.0 / self.rise_s - 1.0 / self.fall_s)
        return math.exp(-at_s / self.fall_s) - math.exp(-at_s / self.rise_s)


@dataclass(frozen=True)
class WinnerTakeAll:
    """A winner-take-all circuit: divisive inhibition keeps the total rate constant (Eq. 31).

    Neuron k spikes at the rate ``rate_hz`` · exp(u_k) / Σ_l exp(u_l).

    Parameters
    ----------
    name
        Name of the population, e.g. ``"z"``.
    size
        Number of neurons.
    rate_hz
        ρ_net, the rate of all neurons together.
    adaptation
        Kernel κ of the adaptation current (Eq. 32).
    adaptation_strength
        γ: each spike of a neuron adds γ κ to its own potential.
    positions
        Where the neurons lie, e.g. ``Plane(1.0, 1.0)``; None for nowhere.

    Examples
    --------
    >>> WinnerTakeAll("z", 10).rate_hz
    100.0
    """

    name: str
    size: int
    rate_hz: float = 100.0
    adaptation: DoubleExponential = DoubleExponential(rise_s=12.0, fall_s=30.0)
    adaptation_strength: float = -8.0
    positions: Space | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_population_name("name of a circuit", self.name)
        of = f"of circuit {self.name!r}"
        arguments.instance(f"adaptation {of}", self.adaptation, DoubleExponential)
        strength = self.adaptation_strength
        keep(
            self,
            size=arguments.whole(f"size {of}", self.size, at_least=1, at_most=MOST_NEURONS),
            rate_hz=arguments.number(f"rate_hz {of}", self.rate_hz, above=0, at_most=FASTEST_HZ),
            adaptation_strength=arguments.number(
                f"adaptation_strength {of}", strength, at_least=-1e6, at_most=1e6
            ),
        )
        check_positions(of, self.positions, self.size)


@dataclass(frozen=True)
class Homeostasis:
    """A bias β that keeps the mean rate of each neuron constant (Kappel et al. 2018).

    dβ/dt = (``rate_hz`` − spikes) / ``time_s``.

    Parameters
    ----------
    rate_hz
        Target rate of each neuron.
    time_s
        Time constant τ.
    start
        β at time 0.
    """

    rate_hz: float = 5.0
    time_s: float = 50.0
    start: float = 0.0

    def __post_init__(self) -> None:
        of = "of homeostasis"
        keep(
            self,
            rate_hz=arguments.number(f"rate_hz {of}", self.rate_hz, above=0, at_most=FASTEST_HZ),
            time_s=arguments.number(f"time_s {of}", self.time_s, at_least=1e-3, at_most=1e12),
            start=arguments.number(f"start {of}", self.start, at_least=-100, at_most=100),
        )


@dataclass(frozen=True)
class StochasticNeurons:
    """Neurons that spike independently, each with the escape rate ρ_0 exp(u).

    Parameters
    ----------
    name
        Name of the population.
    size
        Number of neurons.
    rate_hz
        ρ_0, the rate at u = 0.
    refractory_s
        Absolute refractory period.
    adaptation, adaptation_strength
        Kernel and strength of the adaptation current; by default the strength is 0.
    homeostasis
        Bias that keeps the mean rate constant; None for no bias.
    max_rate_hz
        Upper bound of each neuron's rate.
    positions
        Where the neurons lie, e.g. ``Plane(1.0, 1.0)``; None for nowhere.
    """

    name: str
    size: int
    rate_hz: float = 1.0
    refractory_s: float = 0.0
    adaptation: DoubleExponential = DoubleExponential(rise_s=12.0, fall_s=30.0)
    adaptation_strength: float = 0.0
    homeostasis: Homeostasis | None = None
    max_rate_hz: float = math.inf
    positions: Space | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_population_name("name of stochastic neurons", self.name)
        of = f"of stochastic neurons {self.name!r}"
        if self.homeostasis is not None:
            arguments.instance(
                f"homeostasis {of}", self.homeostasis, Homeostasis, "e.g. Homeostasis(5.0, 50.0)"
            )
        arguments.instance(f"adaptation {of}", self.adaptation, DoubleExponential)
        strength, refractory_s = self.adaptation_strength, self.refractory_s
        if self.max_rate_hz != math.inf:
            most = arguments.number(
                f"max_rate_hz {of}", self.max_rate_hz, above=0, at_most=FASTEST_HZ, remedy="or inf"
            )
            highest = 1.0 / (self.refractory_s + 1.0 / most)
            if self.homeostasis is not None and not self.homeostasis.rate_hz < highest:
                rule = f"must be below what neurons can reach, {highest:g} Hz"
                raise refuse(
                    f"rate_hz of the homeostasis {of}",
                    rule,
                    self.homeostasis.rate_hz,
                    "use a higher max_rate_hz or a shorter refractory_s",
                )
            keep(self, max_rate_hz=most)
        keep(
            self,
            size=arguments.whole(f"size {of}", self.size, at_least=1, at_most=MOST_NEURONS),
            rate_hz=arguments.number(f"rate_hz {of}", self.rate_hz, above=0, at_most=FASTEST_HZ),
            refractory_s=arguments.number(
                f"refractory_s {of}", refractory_s, at_least=0, at_most=LONGEST_S
            ),
            adaptation_strength=arguments.number(
                f"adaptation_strength {of}", strength, at_least=-1e6, at_most=1e6
            ),
        )
        check_positions(of, self.positions, self.size)


@dataclass(frozen=True)
class InputGroup:
    """Input neurons: Poisson spikes with the rates of the stimulus, or given spike times.

    Parameters
    ----------
    name
        Name of the population, e.g. ``"x"``.
    size
        Number of input neurons.
    positions
        Where they lie, e.g. ``Plane(1.0, 1.0)``; None for nowhere.
    """

    name: str
    size: int
    positions: Space | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_population_name("name of an input group", self.name)
        what = f"size of input group {self.name!r}"
        keep(self, size=arguments.whole(what, self.size, at_least=1, at_most=MOST_NEURONS))
        check_positions(f"of input group {self.name!r}", self.positions, self.size)
