"""What a protocol can record. One file per record.

Give `StateRecord` and `IntervalRecord`, or any function of a `View`, as ``every(seconds, what)`` or
``at_marks(what)``. `EventRecord` and `SyncRecord` need no interval.
"""

from synsamp.protocol.records.active import active
from synsamp.protocol.records.active_count import active_count
from synsamp.protocol.records.alive import alive
from synsamp.protocol.records.at_marks import at_marks
from synsamp.protocol.records.base import EventRecord, IntervalRecord, StateRecord, SyncRecord
from synsamp.protocol.records.births_deaths import births_deaths
from synsamp.protocol.records.input_spikes import input_spikes
from synsamp.protocol.records.potentials import potentials
from synsamp.protocol.records.presentations import presentations
from synsamp.protocol.records.probe import probe
from synsamp.protocol.records.rates import rates
from synsamp.protocol.records.reward import reward
from synsamp.protocol.records.spikes import spikes
from synsamp.protocol.records.theta import theta
from synsamp.protocol.records.traces import traces
from synsamp.protocol.records.turnover import turnover
from synsamp.protocol.records.weight import weight

__all__ = [
    "EventRecord",
    "IntervalRecord",
    "StateRecord",
    "SyncRecord",
    "active",
    "active_count",
    "alive",
    "at_marks",
    "births_deaths",
    "input_spikes",
    "potentials",
    "presentations",
    "probe",
    "rates",
    "reward",
    "spikes",
    "theta",
    "traces",
    "turnover",
    "weight",
]
