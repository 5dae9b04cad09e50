"""How much an experiment may be asked to do: far more than the paper, and no setting for ever.

Each limit bounds a product of parameters that are harmless one by one. They were set from the speed
of the quick presets on one core: what they let through takes days, not years.
"""

from __future__ import annotations

MOST_STEPS = 1e11
"""Steps of single chains, all together."""
MOST_CYCLES = 1e12
"""Cycles of a Boltzmann machine, times hidden neurons and images, all together."""
MOST_STATES = 1e11
"""Hidden states summed over by exact likelihoods, all together."""
MOST_EVENTS = 1e14
"""Spikes times the synapses that each of them reaches, all together."""
MOST_PRODUCTS = 1e14
"""Weights times images that went through them, all together."""
MOST_NUMBERS = 1e9
"""Numbers that are kept in memory at once."""


def require_at_most(what: str, asked: float, most: float) -> None:
    """Refuse, within a validator, parameters whose product is beyond a limit."""
    if not asked <= most:
        raise ValueError(f"must together ask for at most {most:.0e} {what}, not {asked:.1e}")


def events(
    seconds: float,
    neurons: float,
    inputs: float,
    rate_hz: float,
    input_hz: float,
    segments_hz: float,
) -> float:
    """At most so many synapses are touched: by output spikes, input spikes and changes of input."""
    return seconds * inputs * (rate_hz + neurons * input_hz + segments_hz)
