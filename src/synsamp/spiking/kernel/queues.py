"""Spikes under way: one queue per delay, sorted by arrival."""

from __future__ import annotations

from typing import Any

import numpy as np

from synsamp.spiking.kernel.compiling import separate
from synsamp.spiking.kernel.memory import Activity, Wiring
from synsamp.spiking.kernel.potentials import arrival


@separate
def enqueue(group: int, axon: int, time: float, activity: Activity) -> bool:
    """Put a spike in the ring of its group, sorted by arrival; False if the ring is full."""
    times, axons = activity.queue_s[group], activity.queue_axon[group]
    count = activity.queue_count[group]
    if count == times.size:
        return False
    place = (activity.queue_head[group] + count) % times.size
    for _ in range(count):  # network spikes come in order; input spikes of one gap may not
        before = (place - 1) % times.size
        if times[before] <= time:
            break
        times[place], axons[place] = times[before], axons[before]
        place = before
    times[place], axons[place] = time, axon
    activity.queue_count[group] = count + 1
    return True


@separate
def deliver_due(now: float, wiring: Wiring, column: Any, activity: Activity) -> None:
    """Let all waiting spikes arrive whose time has come."""
    for group in range(wiring.delay_s.size):
        times, axons = activity.queue_s[group], activity.queue_axon[group]
        while activity.queue_count[group] > 0 and times[activity.queue_head[group]] <= now:
            head = activity.queue_head[group]
            arrival(axons[head], times[head], wiring, column, activity)
            activity.queue_head[group] = (head + 1) % times.size
            activity.queue_count[group] -= 1


@separate
def earliest_delayed(activity: Activity) -> Any:
    """The family whose waiting spike arrives first, or −1."""
    found, first_s = -1, np.inf
    for family in range(activity.queue_count.size):
        if activity.queue_count[family] > 0:
            time = activity.queue_s[family, activity.queue_head[family]]
            if time < first_s:
                found, first_s = family, time
    return found


@separate
def take_delayed(now: float, activity: Activity) -> tuple[int, float]:
    """Axon and time of the first waiting spike, taken from its queue; −1 if none is due."""
    family = earliest_delayed(activity)
    if family < 0:
        return -1, np.inf
    head = activity.queue_head[family]
    time = activity.queue_s[family, head]
    if time > now:
        return -1, time
    activity.queue_head[family] = (head + 1) % activity.queue_s.shape[1]
    activity.queue_count[family] -= 1
    return activity.queue_axon[family, head], time
