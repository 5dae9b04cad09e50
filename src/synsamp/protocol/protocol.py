"""A protocol: a network, the steps it goes through, and what is recorded."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import xarray as xr
from numpy.typing import ArrayLike

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.protocol.context import Context
from synsamp.protocol.every import Every
from synsamp.protocol.executor import ProtocolRun
from synsamp.protocol.memory import MemoryContext
from synsamp.protocol.records.at_marks import AtMarks
from synsamp.protocol.records.base import EventRecord, IntervalRecord, Record, SyncRecord
from synsamp.protocol.records.traces import Traces
from synsamp.protocol.saved import GROUP
from synsamp.protocol.steps import (
    TIMED,
    Branch,
    ProtocolStep,
    Save,
    check_step_name,
    checked_step,
    seconds_of,
)
from synsamp.spiking import Network

RESERVED = ("steps", GROUP, "measures")
"""Names in a run folder: the log, saved states, and the measures of an experiment."""


class Protocol:
    """An experiment on a spiking network.

    Parameters
    ----------
    network
        The network.
    steps
        Steps in order: `Show`, `Silence`, `Act`, `Lesion`, `AddNeurons`, `Change`, `Mark`, `Save`,
        `Branch`.
    record
        Records by name (one file each in `synsamp.protocol.records`).
    sync_interval_s
        Interval (s) at which the engine brings all synapses up to date. Durations and intervals
        are multiples of it, so that branches share their noise.
    drift_interval_s
        As in `Simulation`.
    theta
        Initial θ by projection; others are drawn from their prior.
    start
        A state saved by an earlier protocol (`saved_state`), instead of ``theta``.
    """

    def __init__(
        self,
        network: Network,
        steps: Sequence[ProtocolStep],
        record: Mapping[str, object],
        *,
        sync_interval_s: float = 10.0,
        drift_interval_s: float | None = None,
        theta: Mapping[str, ArrayLike] | None = None,
        start: Mapping[str, object] | None = None,
    ) -> None:
        arguments.instance("network", network, Network, "e.g. winner_take_all_network()")
        self.network = network
        self.sync_interval_s = arguments.number(
            "sync_interval_s", sync_interval_s, above=0, at_most=1e10
        )
        self.drift_interval_s, self.theta, self.start = drift_interval_s, theta, start
        if start is not None and theta is not None:
            raise refuse("theta", "must be left out if start is given", "both")
        if isinstance(steps, (str, Mapping)) or not isinstance(steps, Sequence):
            raise refuse("steps", "must be a list of steps", type(steps))
        self.record = dict(arguments.instance("record", record, Mapping, "use {name: record}"))
        if start is not None:
            arguments.instance("start", start, Mapping, "use saved_state(results, name)")
        self.steps = self._checked(steps, self.record)

    def _checked(
        self, steps: Sequence[ProtocolStep], record: Mapping[str, object]
    ) -> tuple[ProtocolStep, ...]:
        """Return the steps with checked stimuli; raise an error for what would stop the run."""
        for name, each in record.items():
            check_record(name, each, self.network)
            if name in RESERVED:
                raise refuse("name of a record", f"must not be {' or '.join(RESERVED)}", name)
            if isinstance(each, Every):
                self._check_multiple(f"interval of record {name!r}", each.seconds)
        if sum(isinstance(each, Traces) for each in record.values()) > 1:
            rule = "must be one record at most"
            raise refuse("traces", rule, "several", "put all synapses into one traces({...})")
        names = {name.lower() for name in (*record, *RESERVED)}
        if len(names) < len(record) + len(RESERVED):
            rule = "must differ in more than capital letters"  # folders on macOS and Windows
            raise refuse("names of records", rule, ", ".join(record))
        saved: set[str] = set()
        found: list[ProtocolStep] = []
        for given in steps:
            step = checked_step(given, self.network)
            if isinstance(step, Every):
                self._check_multiple("interval of a repeated Change", step.seconds)
            elif isinstance(step, TIMED):
                self._check_multiple(f"duration_s of {type(step).__name__}", step.duration_s)
            elif isinstance(step, Branch):
                if step.name.lower() in names:
                    rule = "must differ from those of records and other branches"
                    raise refuse("name of a Branch", rule, step.name)
                names.add(step.name.lower())
                own = record if step.record is None else step.record
                step = replace(step, steps=self._checked(step.steps, own))
            elif isinstance(step, Save):
                if step.name in saved:
                    raise refuse("name of a Save", "must be used once in a branch", step.name)
                saved.add(step.name)
            found.append(step)
        return tuple(found)

    def _check_multiple(self, name: str, seconds: float) -> None:
        count = round(seconds / self.sync_interval_s)
        if count < 1 or abs(count * self.sync_interval_s - seconds) > 1e-9 * seconds:
            rule = f"must be a multiple of sync_interval_s = {self.sync_interval_s:g} s"
            raise refuse(name, rule, seconds, "change one of the two")

    @property
    def seconds(self) -> float:
        """Biological time of all steps, branches included."""
        return seconds_of(self.steps)

    def run(self, seed: int = 0) -> xr.DataTree:
        """Run in memory.

        Parameters
        ----------
        seed
            Seed of all random numbers.

        Returns
        -------
        xarray.DataTree
            A group per record and branch, the log ``steps``, and saved states. If you press Ctrl-C
            the run stops with a warning and returns everything recorded so far.
        """
        context = MemoryContext()
        run = ProtocolRun(self, arguments.seed("seed", seed), context)
        try:
            run.finish()
        except KeyboardInterrupt:
            done = f"{run.done_s:g} of {self.seconds:g} s"
            warnings.warn(f"interrupted after {done}; results are incomplete", stacklevel=2)
        return xr.DataTree.from_dict({**context.results(), **run.results()})

    def carry_out(self, seed: int, context: Context) -> dict[str, xr.Dataset]:
        """Run or resume where ``context`` keeps tables and checkpoints.

        Returns the log of steps and the saved states; everything else is in the tables.
        """
        run = ProtocolRun(self, seed, context)
        run.finish()
        return run.results()


def check_record(name: str, record: Any, network: Network) -> None:
    """Raise an error for what is not a record, or names what the network does not have."""
    check_step_name("name of a record", name)
    if isinstance(record, (Every, AtMarks)):
        record = record.what
        if isinstance(record, (EventRecord, SyncRecord)):
            remedy = "record it without every() or at_marks()"
            raise refuse(f"record {name!r}", "must not have an interval", type(record), remedy)
        if not callable(record) and not isinstance(record, IntervalRecord):
            raise refuse(f"record {name!r}", "must be a function of a View", type(record))
    elif not isinstance(record, (EventRecord, SyncRecord)):
        remedy = "use every(seconds, what), at_marks(what), spikes(), traces() or presentations()"
        raise refuse(f"record {name!r}", "must say when it is taken", type(record), remedy)
    if isinstance(record, Record):
        record.check(network)
    if isinstance(record, (EventRecord, SyncRecord)):
        table = record.table(network)
        for column in (table.dimension, *table.columns):
            check_step_name(f"a column of record {name!r}", column)
