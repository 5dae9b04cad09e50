"""Probes: what would the network answer now? Asked of a copy, with plasticity off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.spiking.activity import INPUTS_UNTIL, NEXT_EVENT, REFERENCE, Activity
from synsamp.spiking.arrays import copies, rest, with_room
from synsamp.spiking.draws import new_streams
from synsamp.spiking.events import DONE, INPUT_WANTED, TAPE_FULL
from synsamp.spiking.feed import Feed

if TYPE_CHECKING:
    from synsamp.spiking.simulation import Simulation


@dataclass(frozen=True, eq=False)
class Probe:
    """Spikes of a probe and what was shown; times start at 0 after the burn-in."""

    time_s: NDArray[np.float64]
    neuron: NDArray[np.int32]
    shown_at_s: NDArray[np.float64]
    shown: NDArray[np.int64]  # [presentation, input group]: index in the library
    duration_s: float

    def counts(self, n_neurons: int) -> NDArray[np.int64]:
        """Spikes per presentation and neuron, [presentation, neuron]."""
        which = np.searchsorted(self.shown_at_s, self.time_s, side="right") - 1
        table = np.zeros((self.shown_at_s.size, n_neurons), np.int64)
        inside = which >= 0
        np.add.at(table, (which[inside], self.neuron[inside]), 1)
        return table


def run_probe(
    sim: Simulation,
    stimulus: Any,
    duration_s: float,
    *,
    seed: int | np.random.SeedSequence = 0,
    start: str = "running",
    burn_in_s: float = 0.0,
    burn_in: Any = None,
) -> Probe:
    """Show ``stimulus`` for ``duration_s`` to a copy of ``sim`` with b = 0.

    ``start="running"`` takes traces and adaptation as they are now, ``"rest"`` sets them to zero.
    For ``burn_in_s`` before the probe ``burn_in`` (default: the stimulus itself) is shown and not
    recorded. All draws come from ``seed``; the simulation is left as it was, to the bit.
    """
    if start not in ("running", "rest"):
        raise refuse("start", "must be 'running' or 'rest'", start)
    for name, value in (("duration_s", duration_s), ("burn_in_s", burn_in_s)):
        if not (np.isfinite(value) and value >= 0):
            raise refuse(name, "must be >= 0 and finite", value)
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    draws, order, burn_order = root.spawn(3)
    streams = new_streams(draws, 1)
    activity = _copy(sim, start)
    activity.clock[NEXT_EVENT] = -1.0  # to be drawn from the probe's own stream
    began = float(activity.clock[INPUTS_UNTIL])

    def show(what: Any, rng_seed: Any, from_s: float, until_s: float, activity: Activity) -> Any:
        feed = Feed(sim.network, what, np.random.default_rng(rng_seed), from_s)
        feed.silence_as(sim._feed)
        tape = sim._recorder.new_tape(sim.network.n_neurons, 2**12)
        spikes: list[Any] = []
        schedule = feed.schedule(from_s)
        while True:
            activity = with_room(activity, sim.layout, feed.peak_rate_hz)
            status = sim._kernel.run(
                until_s,
                feed.covered_s,
                False,
                sim.layout.wiring,
                sim.layout.rules,
                sim.layout.retracted_weight,
                sim._synapses,
                activity,
                streams,
                schedule,
                tape,
                sim._work,
            )
            n = int(tape.written[0])
            spikes.append((tape.spike_s[:n].copy(), tape.spike_neuron[:n].copy()))
            tape.written[:] = 0
            if status == DONE:
                break
            if status == INPUT_WANTED:
                feed.extend(float(activity.clock[INPUTS_UNTIL]), keep=True)
                schedule = feed.schedule(float(activity.clock[INPUTS_UNTIL]))
            elif status != TAPE_FULL:
                raise sim._broken()
        while feed.covered_s < until_s:
            feed.extend(float(activity.clock[INPUTS_UNTIL]), keep=True)
        schedule = feed.schedule(float(activity.clock[INPUTS_UNTIL]))
        sim._kernel.flush(
            until_s, sim.layout.wiring, sim._synapses, activity, streams, schedule, sim._work
        )
        return feed, spikes, activity

    start_s = began + burn_in_s
    if burn_in_s > 0:
        shown = stimulus if burn_in is None else burn_in
        _, _, activity = show(shown, burn_order, began, start_s, activity)
    feed, spikes, _ = show(stimulus, order, start_s, start_s + duration_s, activity)
    log = feed.shown_before(start_s + duration_s)
    return Probe(
        np.concatenate([s for s, _ in spikes]) - start_s,
        np.concatenate([n for _, n in spikes]),
        log["start_s"] - start_s,
        log["index"],
        duration_s,
    )


def _copy(sim: Simulation, start: str) -> Activity:
    """The network's fast state now, or at rest; weights are shared, nobody moves them."""
    if start == "rest":
        activity = rest(sim.layout, sim.network)
        activity.clock[[INPUTS_UNTIL, REFERENCE]] = 0.0
        activity.bias[:] = sim._activity.bias
        return activity
    return Activity(**copies(sim._activity))
