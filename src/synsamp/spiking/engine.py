"""`Engine.advance` simulates: it moves a state forward in time.

An engine holds the layout of a network, its compiled functions and working memory, but no state.
Runs advance their own state; probes advance a copy with plasticity off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import SynsampError, refuse
from synsamp.spiking.first_use import Entrance
from synsamp.spiking.input.schedule import InputFeed, most_within
from synsamp.spiking.kernel import event_by_event, loop
from synsamp.spiking.kernel.acting import BAD_ANSWER, OTHER_INPUTS, act
from synsamp.spiking.kernel.memory import (
    BOUND,
    BOUND_S,
    INPUT_DUE,
    INPUTS_UNTIL,
    LOOP,
    NEXT_EVENT,
    NEXT_INPUT,
    NOW_S,
    SWEEPS,
    Acting,
    EventBuffer,
    InputSchedule,
)
from synsamp.spiking.kernel.thinning import MOST_HZ
from synsamp.spiking.layout import Layout, build_layout, new_work
from synsamp.spiking.network import Network, default_drift_interval_s
from synsamp.spiking.projection import Projection
from synsamp.spiking.state import State, with_room

MOST_STEPS = 1e4
"""Euler steps between two grid points, so that the compiled loop returns within a second."""


class Engine:
    """A network that is ready to be simulated."""

    def __init__(
        self, network: Network, drift_interval_s: float | None, sync_interval_s: float | None
    ) -> None:
        arguments.instance("network", network, Network, "e.g. winner_take_all_network()")
        if not network.projections:
            raise refuse("projections", "must not be empty", 0, "add a Projection")
        if drift_interval_s is None:
            drift_interval_s = default_drift_interval_s(network)
        drift_interval_s = arguments.number(
            "drift_interval_s",
            drift_interval_s,
            at_least=0,
            at_most=1e9,
            remedy="0 is the exact mode",
        )
        if sync_interval_s is None:
            sync_interval_s = 10.0 * drift_interval_s if drift_interval_s > 0 else 10.0
        sync_interval_s = arguments.number(
            "sync_interval_s", sync_interval_s, at_least=1e-6, at_most=1e10
        )
        if sync_interval_s < drift_interval_s:
            raise refuse(
                "sync_interval_s",
                f"must be >= drift_interval_s = {drift_interval_s:g}",
                sync_interval_s,
            )
        for p in network.projections:
            self._require_few_steps(p, sync_interval_s, "sync_interval_s")
        self.network = network
        self.layout: Layout = build_layout(network, drift_interval_s, sync_interval_s)
        self._work = new_work(self.layout, network)
        self._loop = Entrance(
            event_by_event.run_event_by_event if network.needs_event_order else loop.run
        )
        self._act = Entrance(act)
        self._deliver = Entrance(loop.deliver)
        self._bring_eligibility_up = Entrance(loop.bring_eligibility_up)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are laid out again: addresses hold in one place of one process."""
        return Engine, (self.network, self.layout.drift_interval_s, self.layout.sync_interval_s)

    # -- moving a state --------------------

    def advance(
        self,
        state: State,
        feed: InputFeed,
        until_s: float,
        buffer: EventBuffer,
        on_events: Callable[[EventBuffer], None],
        on_inputs: Callable[[float], None] | None = None,
        learning: bool = True,
        keep_inputs: bool = False,
        acting: Acting | None = None,
    ) -> int:
        """Simulate up to ``until_s`` and pass recorded events to ``on_events``.

        ``on_inputs(time_s)`` is called before presentations that began before ``time_s`` are
        dropped; ``keep_inputs`` keeps them. With an environment (``acting``) the simulation may
        stop earlier; the returned status says why (`kernel.acting`).
        """
        try:
            return self._advance(
                state, feed, until_s, buffer, on_events, on_inputs, learning, keep_inputs, acting
            )
        except BaseException:
            # Interrupted: the state is that of the last event or grid point.
            activity = state.activity
            passed = [activity.clock[INPUTS_UNTIL]]
            if not self.network.needs_event_order:  # there, draws may be ahead of what has happened
                passed += list(activity.drawn_until_s)
            on_grid = activity.counters[SWEEPS] * self.layout.sync_interval_s
            state.time_s = min(until_s, max(state.time_s, *map(float, passed), float(on_grid)))
            if acting is not None:  # an answer may be ahead of the next event
                state.time_s = max(state.time_s, float(acting.terms[NOW_S]))
            raise

    def _advance(
        self,
        state: State,
        feed: InputFeed,
        until_s: float,
        buffer: EventBuffer,
        on_events: Callable[[EventBuffer], None],
        on_inputs: Callable[[float], None] | None,
        learning: bool,
        keep_inputs: bool,
        acting: Acting | None,
    ) -> int:
        input_wanted = feed.covered_s(state.inputs) <= state.time_s
        while True:
            if input_wanted:
                until = float(state.activity.clock[INPUTS_UNTIL])
                if on_inputs is not None:
                    on_inputs(until)
                feed.extend(state.inputs, until, keep_inputs)
            schedule = self._schedule(state, feed)
            status = self._run(
                acting,
                until_s,
                feed.covered_s(state.inputs),
                learning,
                self.layout.wiring,
                self.layout.numbers,
                state.synapses,
                state.activity,
                *state.random,
                schedule,
                buffer,
                self._work,
            )
            self._hand_over(state, schedule, buffer, on_events)
            if status in (OTHER_INPUTS, BAD_ANSWER) or (
                status == loop.DONE and feed.covered_s(state.inputs) >= until_s
            ):
                state.time_s = until_s if acting is None else float(acting.terms[NOW_S])
                return status
            # Also if no event needs them yet: the choice of presentations must not depend on how a
            # run is divided into calls.
            input_wanted = status in (loop.DONE, loop.INPUT_WANTED)
            if status == event_by_event.ROOM_WANTED:
                in_flight = state.activity.queue_s.shape[1] + 1
                state.activity = with_room(state.activity, self.layout, 0.0, in_flight)
            else:
                self._raise_if_broken(status, state)

    def _run(self, acting: Acting | None, *given: Any) -> int:
        """Call the event loop, directly or from the closed loop with an environment."""
        if acting is None:
            return int(self._loop(*given))
        acting.functions[LOOP] = self._loop.address_for(given)
        return int(self._act(acting, *given))

    def deliver(
        self,
        state: State,
        feed: InputFeed,
        buffer: EventBuffer,
        on_events: Callable[[EventBuffer], None],
    ) -> None:
        """Deliver inputs up to the present, before rates or weights change."""
        if self.network.needs_event_order:
            # All events up to the present have happened; later ones are drawn again.
            activity = state.activity
            activity.clock[INPUTS_UNTIL] = state.time_s
            for drawn in (NEXT_INPUT, INPUT_DUE, BOUND_S):
                activity.clock[drawn] = -1.0
            activity.drawn_until_s[:] = state.time_s
            return
        while feed.covered_s(state.inputs) < state.time_s:
            feed.extend(state.inputs, float(state.activity.clock[INPUTS_UNTIL]), keep=True)
        while state.activity.clock[INPUTS_UNTIL] < state.time_s:
            schedule = self._schedule(state, feed)
            status = self._deliver(
                state.time_s,
                self.layout.wiring,
                state.synapses,
                state.activity,
                state.random.events,
                state.random.inputs,
                schedule,
                buffer,
                self._work,
            )
            self._hand_over(state, schedule, buffer, on_events)
            self._raise_if_broken(status, state)

    def bring_up_to_date(
        self, state: State, buffer: EventBuffer, on_events: Callable[[EventBuffer], None]
    ) -> None:
        """Apply prior and noise to all synapses up to the present."""
        layout, done = self.layout, False
        while not done:
            done = loop.bring_up_to_date(
                state.time_s,
                layout.wiring,
                layout.numbers,
                state.synapses,
                state.activity,
                state.random.noise,
                buffer,
                self._work,
            )
            self._hand_over(state, None, buffer, on_events)
        state.synapses.refreshed_s[:] = state.time_s  # also of synapses with speed 0
        state.activity.clock[BOUND_S] = -1.0

    def bring_eligibility_up(self, state: State) -> None:
        """Update eligibility to the present, before it is read or a modulator changes."""
        layout = self.layout
        if layout.n_eligibility > 0:
            self._bring_eligibility_up(
                state.time_s,
                layout.wiring,
                layout.numbers,
                state.synapses,
                state.activity,
                self._work,
            )

    def recompute_potentials(self, state: State) -> None:
        """Write efficacies to the columns and recompute all potentials, after weights changed."""
        layout = self.layout
        state.activity.clock[BOUND_S] = -1.0
        loop.recompute_all_potentials(
            layout.wiring, layout.numbers, state.synapses, state.activity, self._work
        )

    def write_columns(self, state: State) -> None:
        """Write efficacies to the columns of a restored state, without recomputing potentials."""
        kept = ("clock", "sum_fall", "sum_rise")
        before = [getattr(state.activity, name).copy() for name in kept]
        self.recompute_potentials(state)
        for name, values in zip(kept, before, strict=True):
            getattr(state.activity, name)[:] = values

    def replay(
        self,
        state: State,
        times_s: NDArray[np.float64],
        sources: NDArray[np.int64],
        buffer: EventBuffer,
        on_events: Callable[[EventBuffer], None],
        learning: bool = True,
    ) -> None:
        """Simulate given spikes; drawn spikes continue after the last one."""
        gap_s = float(np.diff(times_s, prepend=state.time_s).max())
        for p in self.network.projections:
            self._require_few_steps(p, gap_s, "time_s")
        waiting = int(state.activity.queue_count.max(initial=0))
        longest_s = float(self.layout.wiring.delay_s.max(initial=0.0))
        at_once = waiting + most_within(times_s, longest_s)
        state.activity = with_room(state.activity, self.layout, 0.0, at_once)
        done = 0
        while done < times_s.size:
            count = loop.replay(
                times_s[done:],
                sources[done:],
                learning,
                self.layout.wiring,
                self.layout.numbers,
                state.synapses,
                state.activity,
                state.random.noise,
                buffer,
                self._work,
            )
            self._hand_over(state, None, buffer, on_events)
            if count < 0:
                self._raise_if_broken(loop.QUEUE_FULL, state)
            done += count
        state.time_s = float(times_s[-1])
        state.activity.clock[NEXT_EVENT:] = -1.0

    def potentials(self, state: State) -> NDArray[np.float64]:
        """u_k of all neurons (Eq. 28, membrane potential); inputs must have been delivered."""
        out = np.zeros(self.network.n_neurons)
        activity = state.activity.copy()
        loop.read_potentials(state.time_s, self.layout.wiring, activity, out)
        return out

    # -- helpers --------------------

    def _hand_over(
        self,
        state: State,
        schedule: InputSchedule | None,
        buffer: EventBuffer,
        on_events: Callable[[EventBuffer], None],
    ) -> None:
        """Pass recorded events on exactly once, even if ``on_events`` raises an error."""
        if schedule is not None:
            state.inputs.given = int(schedule.given_cursor[0])
        try:
            on_events(buffer)
        finally:
            buffer.written[:4] = 0  # the last one says how far a sweep has come

    @staticmethod
    def _require_few_steps(projection: Projection, interval_s: float, name: str) -> None:
        """Raise an error if a prior without an exact transition needs too many Euler steps."""
        model = projection.synapses
        if not projection.plastic or getattr(model.prior, "transition_of", None) is not None:
            return
        most_s = MOST_STEPS * model.max_euler_step / max(model.speed, 1e-300)
        if interval_s > most_s:
            raise refuse(
                name,
                f"must leave at most {most_s:g} s at once, since the prior of {projection.name!r} "
                "needs small steps",
                interval_s,
                "use shorter intervals, a lower speed or a larger max_euler_step",
            )

    def _schedule(self, state: State, feed: InputFeed) -> InputSchedule:
        schedule = feed.schedule(state.inputs, state.activity.drawn_until_s)
        state.activity = with_room(
            state.activity, self.layout, feed.peak_rate_hz, feed.given_at_once
        )
        return schedule

    def _raise_if_broken(self, status: int, state: State) -> None:
        if status == event_by_event.RUNAWAY:
            raise SynsampError(
                f"the total rate of stochastic neurons must stay below {MOST_HZ:g} Hz, got up to "
                f"{float(state.activity.clock[BOUND]):g} Hz at "
                f"{float(state.activity.clock[INPUTS_UNTIL]):.3f} s; use weaker or inhibitory "
                "weights, a lower rate_hz, or a max_rate_hz"
            )
        if status == loop.RAISED:
            raise SynsampError("compiled code raised an error: please report this bug")
        if status == event_by_event.LIMIT_PASSED:
            raise SynsampError("a rate exceeded its limit: please report this bug")
        if status == loop.QUEUE_FULL:
            raise SynsampError(
                "spikes in flight must fit their queue, got more; "
                "use a shorter delay_s or fewer given spikes"
            )
        if status != loop.BROKEN:
            return  # the buffer was full, or the loop returned to let Python handle signals
        bad = [
            p.name
            for i, p in enumerate(self.layout.projections)
            if not np.isfinite(self.layout.read(i, "synapse", state.synapses.weight)).all()
        ]
        where = f"; synapses of {', '.join(bad)} are no longer finite" if bad else ""
        raise SynsampError(
            f"the network's potentials must be finite, got NaN or overflow at "
            f"{float(state.activity.clock[INPUTS_UNTIL]):.3f} s{where}; "
            "the last checkpoint is kept; use a lower speed or data_size, or TermClip()"
        )
