"""Probes: what would the network answer now? Asked of a copy, with plasticity off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.spiking.engine import Engine
from synsamp.spiking.input.position import InputState
from synsamp.spiking.input.schedule import InputFeed
from synsamp.spiking.input.stimulus import parse_stimulus
from synsamp.spiking.kernel.memory import INPUTS_UNTIL, NEXT_EVENT, EventBuffer
from synsamp.spiking.kernel.random import new_streams
from synsamp.spiking.recorder import new_event_buffer, nothing_traced
from synsamp.spiking.state import State, at_rest, fresh_seed

BUFFER_SPIKES = 2**12


@dataclass(frozen=True, eq=False)
class Probe:
    """Spikes of a probe and what was shown; times start at 0 after the burn-in.

    Parameters
    ----------
    time_s : ndarray of float, shape (spikes,)
        Times of the spikes (s).
    neuron : ndarray of int, shape (spikes,)
        Neuron of each spike, populations in order.
    shown_at_s : ndarray of float, shape (presentations,)
        Start of each presentation (s).
    shown : ndarray of int, shape (presentations,)
        Index of each presentation in the library of the stimulus.
    duration_s : float
        Duration without the burn-in (s).
    """

    time_s: NDArray[np.float64]
    neuron: NDArray[np.int32]
    shown_at_s: NDArray[np.float64]
    shown: NDArray[np.int64]  # [presentation, input group]: index in the library
    duration_s: float

    def __repr__(self) -> str:
        return (
            f"Probe({self.time_s.size:,} spikes, {self.shown_at_s.size:,} presentations "
            f"in {self.duration_s:g} s)"
        )

    def counts(self, n_neurons: int) -> NDArray[np.int64]:
        """Spikes per presentation and neuron, [presentation, neuron]."""
        least = int(self.neuron.max(initial=-1)) + 1
        n_neurons = arguments.whole("n_neurons", n_neurons, at_least=max(least, 1))
        which = np.searchsorted(self.shown_at_s, self.time_s, side="right") - 1
        table = np.zeros((self.shown_at_s.size, n_neurons), np.int64)
        inside = which >= 0
        np.add.at(table, (which[inside], self.neuron[inside]), 1)
        return table


def run_probe(
    engine: Engine,
    state: State,
    stimulus: Any,
    duration_s: float,
    *,
    seed: int | np.random.SeedSequence = 0,
    start: str = "running",
    burn_in_s: float = 0.0,
    burn_in: Any = None,
) -> Probe:
    """Show ``stimulus`` for ``duration_s`` to a copy of ``state`` with plasticity off.

    ``start="running"`` takes traces and adaptation as they are now, ``"rest"`` sets them to zero.
    For ``burn_in_s`` before the probe ``burn_in`` (default: the stimulus itself) is shown and not
    recorded. All draws come from ``seed``; the state is not changed.
    """
    arguments.one_of("start", start, ("running", "rest"))
    duration_s = arguments.number("duration_s", duration_s, at_least=0, at_most=1e12)
    burn_in_s = arguments.number("burn_in_s", burn_in_s, at_least=0, at_most=1e12)
    draws, order, burn_order = fresh_seed(seed).spawn(3)
    activity = state.activity.copy()
    if start == "rest":
        activity = at_rest(engine.layout, engine.network)
        activity.bias[:] = state.activity.bias
    activity.clock[NEXT_EVENT:] = -1.0  # to be drawn from the probe's own stream
    began = float(activity.clock[INPUTS_UNTIL])
    activity.drawn_until_s[:] = began
    copy = State(began, state.synapses, activity, new_streams(draws, 1), state.inputs.copy())
    if burn_in_s > 0:
        first = stimulus if burn_in is None else burn_in
        _show(engine, copy, first, began + burn_in_s, np.random.default_rng(burn_order))
    start_s = began + burn_in_s
    end_s = start_s + duration_s
    feed, spikes = _show(engine, copy, stimulus, end_s, np.random.default_rng(order))
    shown = feed.shown_before(copy.inputs, end_s)
    return Probe(
        np.concatenate([s for s, _ in spikes]) - start_s,
        np.concatenate([n for _, n in spikes]),
        shown["start_s"] - start_s,
        shown["index"],
        duration_s,
    )


def _show(
    engine: Engine, state: State, stimulus: Any, until_s: float, rng: np.random.Generator
) -> tuple[InputFeed, list[tuple[Any, Any]]]:
    """Advance a state under another stimulus, without learning; what was shown, who spiked."""
    silenced = state.inputs.silenced
    state.inputs = InputState.new(engine.network, rng, state.time_s)
    state.inputs.silenced = silenced
    feed = InputFeed(engine.network, parse_stimulus(stimulus, engine.network))
    spikes: list[tuple[Any, Any]] = []

    def take(buffer: EventBuffer) -> None:
        n = int(buffer.written[0])
        spikes.append((buffer.spike_s[:n].copy(), buffer.spike_neuron[:n].copy()))

    buffer = new_event_buffer(nothing_traced(engine.layout), BUFFER_SPIKES)
    engine.advance(state, feed, until_s, buffer, take, learning=False, keep_inputs=True)
    engine.deliver(state, feed, buffer, take)
    return feed, spikes
