"""Responses to a stimulus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from synsamp import arguments
from synsamp.protocol.records.base import StateRecord
from synsamp.protocol.view import View
from synsamp.spiking import Network, Probe
from synsamp.spiking.input.stimulus import StimulusLike, parse_stimulus


class ProbeRecord(StateRecord):
    """A function of the spikes evoked by a stimulus, computed on a copy with plasticity off.

    Parameters
    ----------
    stimulus
        The stimulus to show.
    duration_s
        For how long.
    of
        Function of a `Probe` (``time_s``, ``neuron``, ``shown``, ``counts``) that returns the row.
    **options
        ``start``, ``burn_in_s``, ``burn_in`` of `Simulation.probe`.
    """

    def __init__(
        self,
        stimulus: StimulusLike,
        duration_s: float,
        of: Callable[[Probe], object],
        **options: float | int | str,
    ) -> None:
        self.stimulus, self.options = stimulus, options  # checked by `check`
        self.duration_s = arguments.number("duration_s", duration_s, above=0, at_most=1e12)
        self.of = arguments.function("of", of, "row = of(probe)")
        for name in options:
            arguments.one_of("option of probe", name, ("start", "burn_in_s", "burn_in"))

    def check(self, network: Network) -> None:
        """Raise an error if the stimulus does not fit the network."""
        self.stimulus = parse_stimulus(self.stimulus, network)

    def __call__(self, view: View) -> Any:
        """The row."""
        return self.of(view.probe(self.stimulus, self.duration_s, **self.options))


probe = ProbeRecord
