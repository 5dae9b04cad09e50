"""What a protocol says, checked: a network, its steps, and what is recorded on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.protocol.every import Every
from synsamp.protocol.records import Traces, check_record
from synsamp.protocol.saved import GROUP
from synsamp.protocol.steps import TIMED, Branch, Save, Show, check_step, seconds_of
from synsamp.spiking import Network
from synsamp.spiking.input.stimulus import parse_stimulus

RESERVED = ("steps", GROUP)


class Plan:
    """A network, steps and records that fit together; see `synsamp.protocol.Protocol`."""

    def __init__(
        self,
        network: Network,
        steps: Sequence[Any],
        record: Mapping[str, Any],
        *,
        sync_interval_s: float = 10.0,
        drift_interval_s: float | None = None,
        theta: Mapping[str, ArrayLike] | None = None,
        start: Mapping[str, Any] | None = None,
    ) -> None:
        arguments.instance("network", network, Network, "e.g. winner_take_all_network()")
        self.network = network
        self.sync_interval_s = arguments.number(
            "sync_interval_s", sync_interval_s, above=0, at_most=1e10
        )
        self.drift_interval_s, self.theta, self.start = drift_interval_s, theta, start
        if start is not None and theta is not None:
            raise refuse("theta", "must be left out if start is given", "both")
        self.steps, self.record = tuple(steps), dict(record)
        self._check(self.steps, self.record)

    def _check(self, steps: Sequence[Any], record: Mapping[str, Any]) -> None:
        """Refuse before anything is run what would stop the run later."""
        for name, each in record.items():
            check_record(name, each, self.network)
            if name in RESERVED:
                raise refuse("name of a record", f"must not be {' or '.join(RESERVED)}", name)
            if isinstance(each, Every):
                self._check_on_grid(f"interval of record {name!r}", each.seconds)
        if sum(isinstance(each, Traces) for each in record.values()) > 1:
            rule = "must be one record at most"
            raise refuse("traces", rule, "several", "put all synapses into one traces({...})")
        names = {*record, *RESERVED}
        saved: set[str] = set()
        for step in steps:
            check_step(step, self.network)
            if isinstance(step, Every):
                self._check_on_grid("interval of a repeated Change", step.seconds)
            elif isinstance(step, TIMED):
                self._check_on_grid(f"duration_s of {type(step).__name__}", step.duration_s)
                if isinstance(step, Show):
                    parse_stimulus(step.stimulus, self.network)
            elif isinstance(step, Branch):
                if step.name in names:
                    rule = "must differ from those of records and other branches"
                    raise refuse("name of a Branch", rule, step.name)
                names.add(step.name)
                self._check(step.steps, record if step.record is None else step.record)
            elif isinstance(step, Save):
                if step.name in saved:
                    raise refuse("name of a Save", "must be used once in an arm", step.name)
                saved.add(step.name)

    def _check_on_grid(self, name: str, seconds: float) -> None:
        count = round(seconds / self.sync_interval_s)
        if count < 1 or abs(count * self.sync_interval_s - seconds) > 1e-9 * seconds:
            rule = f"must be a multiple of sync_interval_s = {self.sync_interval_s:g} s"
            raise refuse(name, rule, seconds, "change one of the two")

    @property
    def seconds(self) -> float:
        """Biological time of all steps, branches included."""
        return seconds_of(self.steps)
