"""A protocol: a network, the steps it goes through, and what is recorded on the way."""

from __future__ import annotations

import xarray as xr

from synsamp import arguments
from synsamp.protocol.context import Context
from synsamp.protocol.executor import carry_out
from synsamp.protocol.memory import MemoryContext
from synsamp.protocol.plan import Plan


class Protocol(Plan):
    """An experiment on a spiking network.

    ``steps`` are those of `synsamp.protocol.steps`, ``record`` names what is looked at
    (`synsamp.protocol.records`). All durations and intervals are multiples of ``sync_interval_s``, the times
    at which the engine brings all synapses up to date; so arms of an experiment share their noise.
    ``theta`` gives start values by projection (others are drawn from their prior), ``start`` a
    state that an earlier protocol saved; ``drift_interval_s`` is that of `Simulation`.
    """

    def run(self, seed: int = 0) -> xr.DataTree:
        """Carry it out here and keep everything in memory: a group per record and branch."""
        context = MemoryContext()
        more = self.carry_out(arguments.seed("seed", seed), context)
        return xr.DataTree.from_dict({**context.results(), **more})

    def carry_out(self, seed: int, context: Context) -> dict[str, xr.Dataset]:
        """Carry it out, or go on, where ``context`` keeps records and checkpoints.

        Returns what is not kept as a growing table: the log of steps, and saved states.
        """
        return carry_out(self, seed, context)
