"""Experiments on a spiking network as a list of steps and a list of what to record."""

from synsamp.protocol.every import Every, every
from synsamp.protocol.protocol import Protocol
from synsamp.protocol.records import (
    active,
    active_count,
    alive,
    at_marks,
    potentials,
    presentations,
    probe,
    rates,
    reward,
    spikes,
    theta,
    traces,
    turnover,
    weight,
)
from synsamp.protocol.saved import saved_state
from synsamp.protocol.steps import Act, Branch, Change, Lesion, Mark, Save, Show, Silence
from synsamp.protocol.view import View

__all__ = [
    "Act",
    "Branch",
    "Change",
    "Every",
    "Lesion",
    "Mark",
    "Protocol",
    "Save",
    "Show",
    "Silence",
    "View",
    "active",
    "active_count",
    "alive",
    "at_marks",
    "every",
    "potentials",
    "presentations",
    "probe",
    "rates",
    "reward",
    "saved_state",
    "spikes",
    "theta",
    "traces",
    "turnover",
    "weight",
]
