"""Limits on the size of a run: far above the paper, so that every run ends.

Each limit bounds a product of parameters that are harmless one by one. The limits follow from the
speed of the quick presets on one core: a run within them takes days, not years.
"""

from __future__ import annotations

MOST_STEPS = 1e11
"""Steps of all chains together."""
MOST_CYCLES = 1e12
"""Cycles of a Boltzmann machine, times hidden neurons, times images."""
MOST_STATES = 1e11
"""Hidden states that exact likelihoods sum over."""
MOST_EVENTS = 1e14
"""Spikes times synapses per spike."""
MOST_PRODUCTS = 1e14
"""Weights times images passed through them."""
MOST_NUMBERS = 1e9
"""Numbers in memory at once."""


def require_at_most(what: str, asked: float, most: float) -> None:
    """Raise an error, within a validator, if the product of parameters exceeds a limit."""
    if not asked <= most:
        raise ValueError(f"must together need at most {most:.0e} {what}, not {asked:.1e}")


def events(
    seconds: float,
    neurons: float,
    inputs: float,
    rate_hz: float,
    input_hz: float,
    segments_hz: float,
) -> float:
    """Upper bound on synapse updates by output spikes, input spikes and changes of input."""
    return seconds * inputs * (rate_hz + neurons * input_hz + segments_hz)
