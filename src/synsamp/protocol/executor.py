"""Runs a protocol: one step after the other, each branch where it stands, safe to stop.

Branches under way form a stack: the trunk waits below the branch that is running. A checkpoint
holds the state of each of them, so a run resumes bit-identically from any point between two rows.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.protocol.branch_state import BranchState
from synsamp.protocol.context import Context, ProgressBar
from synsamp.protocol.every import Every
from synsamp.protocol.saved import GROUP, state_dataset
from synsamp.protocol.step_log import NONE_REMOVED, as_log, as_text
from synsamp.protocol.steps import (
    TIMED,
    Act,
    AddNeurons,
    Branch,
    Change,
    Lesion,
    Mark,
    Save,
    has_lesions,
)
from synsamp.protocol.tables import Tables
from synsamp.seeds import named_seed
from synsamp.spiking import Simulation

SOONEST_S, LATEST_S = 0.05, 0.4
"""Wall time between two returns from compiled code: Ctrl-C works and progress bars move."""


class ProtocolRun:
    """A protocol under way, from the start or from the newest checkpoint."""

    def __init__(self, protocol: Any, seed: int, context: Context) -> None:
        # ``protocol`` is a `Protocol`, whose module imports this one.
        self._protocol, self._seed, self._context = protocol, seed, context
        self._chunk_s = protocol.sync_interval_s
        saved = context.checkpoint.load()
        self._tables = Tables(context, None if saved is None else saved["tables"])
        self._branches: list[BranchState] = []
        self.done_s = 0.0
        self._log: list[dict[str, Any]] = []
        self._saved: dict[str, Any] = {}
        if saved is None:
            self._start()
        else:
            self._restore(saved)

    def finish(self) -> None:
        """Run to the end."""
        with self._context.progress("simulating", self._protocol.seconds) as bar:
            bar.advance(self.done_s)
            if not self._begun:
                self._branches[-1].begin()
            while self._branches:
                self._continue(bar)
        # After a kill from here on, a resume finds nothing left to simulate.
        self._context.checkpoint.save(self.state())

    # -- beginning --------------------

    def _new_branch(self, name: str, steps: Any, record: Any) -> BranchState:
        interval_s, lesions = self._protocol.sync_interval_s, has_lesions(self._protocol.steps)
        return BranchState(name, steps, record, self._seed, interval_s, self._tables, lesions)

    def _start(self) -> None:
        p = self._protocol
        self._begun = False
        trunk = self._new_branch("", p.steps, p.record)
        if p.start is None:
            seed = named_seed(self._seed, "network")
            trunk.start_with(p.network, seed, drift_interval_s=p.drift_interval_s, theta=p.theta)
        else:
            trunk.continue_from(p.network, p.start, None)
        self._branches.append(trunk)

    def _restore(self, saved: Any) -> None:
        self._begun = True
        self.done_s = float(saved["done_s"])
        self._log = [dict(saved["log"][str(i)]) for i in range(len(saved["log"]))]
        self._saved = dict(saved["saved"])
        steps, record, name = self._protocol.steps, self._protocol.record, ""
        for i in range(len(saved["branches"])):
            content = saved["branches"][str(i)]
            branch = self._new_branch(name, steps, record)
            branch.index, branch.began_s = int(content["index"]), content["began_s"]
            branch.repeated = list(self._branches[-1].repeated) if self._branches else []
            branch.repeated += [s for s in branch.steps[: branch.index] if isinstance(s, Every)]
            self._branches.append(branch)
            acts = isinstance(branch.shown, Act)  # then its own state has the stimulus
            branch.restore(self._protocol.network, content, None if acts else self._stimulus())
            # A waiting branch's last step is the branch it waits for.
            if i + 1 < len(saved["branches"]):
                step = branch.steps[branch.index - 1]
                steps, name = step.steps, branch.path(step.name)
                record = branch.record if step.record is None else step.record

    def _stimulus(self) -> Any:
        """The stimulus of the last branch: its own, or that of the branch it came from."""
        for branch in reversed(self._branches):
            if isinstance(branch.shown, Act):
                return branch.simulation.stimulus
            if branch.shown is not None:
                return branch.shown.stimulus
        return None

    # -- running --------------------

    def _continue(self, bar: ProgressBar) -> None:
        """Do the next step, or a part of it."""
        branch = self._branches[-1]
        if branch.index == len(branch.steps):
            self._branches.pop()
            return
        step = branch.steps[branch.index]
        if isinstance(step, TIMED):
            self._spend_time(branch, step, bar)
            return
        branch.index += 1
        if isinstance(step, Branch):
            self._note(branch, step.describe())
            record = branch.record if step.record is None else step.record
            fork = self._new_branch(branch.path(step.name), step.steps, record)
            fork.fork(branch, self._protocol.network, self._stimulus())
            self._branches.append(fork)
            fork.begin()
        elif isinstance(step, Every):
            branch.repeated.append(step)
            assert isinstance(step.what, Change)  # a record is no step
            self._change(branch, step.what, f"from now on every {step.seconds:g} s: ")
        else:
            self._do(branch, step)

    def _spend_time(self, branch: BranchState, step: Any, bar: ProgressBar) -> None:
        simulation = branch.simulation
        if branch.began_s is None:
            branch.begin_step(step)
            self._note(branch, step.describe())
        assert branch.began_s is not None
        end_s = branch.began_s + step.duration_s
        due_s = min(branch.next_stop_s(), end_s)
        before_s, clock = simulation.time_s, time.perf_counter()
        branch.run_until(min(due_s, before_s + self._chunk_s))
        took_s = time.perf_counter() - clock
        if took_s > LATEST_S:
            self._chunk_s /= 2
        elif took_s < SOONEST_S:
            self._chunk_s *= 2
        point = round(simulation.time_s / self._protocol.sync_interval_s)
        if simulation.time_s == point * self._protocol.sync_interval_s:
            branch.take_rows(point)
            for each in branch.repeated:
                if point % branch.steps_of(each) == 0:
                    assert isinstance(each.what, Change)
                    self._change(branch, each.what, None)
        if abs(simulation.time_s - end_s) <= 1e-9 * self._protocol.sync_interval_s:
            branch.index, branch.began_s = branch.index + 1, None
        passed_s = simulation.time_s - before_s
        self.done_s += passed_s
        self._rest(bar, passed_s)

    def _rest(self, bar: ProgressBar, passed_s: float) -> None:
        """A point at which the run may be saved or stopped."""
        try:
            bar.advance(passed_s)
        except BaseException:
            self._context.checkpoint.save(self.state())
            raise
        if self._context.checkpoint.due():
            self._context.checkpoint.save(self.state())

    def _do(self, branch: BranchState, step: Any) -> None:
        if isinstance(step, Lesion):
            lesions = step.chosen(branch.view("step", str(branch.index)))
            before = branch.simulation.alive
            for lesion in lesions:
                branch.simulation.lesion(lesion)
            removed = np.flatnonzero(before & ~branch.simulation.alive)
            self._note(branch, step.describe(), as_text(lesions), removed)
            branch.take_rows(after_lesion=True)
        elif isinstance(step, AddNeurons):
            self._add_neurons(branch, step)
        elif isinstance(step, Change):
            self._change(branch, step, "")
        elif isinstance(step, Mark):
            branch.mark(step.name)
            self._note(branch, step.describe())
        elif isinstance(step, Save):
            state = self._without_stimulus(branch)
            content = state_dataset(state)["state"].values
            self._saved[branch.path(f"{GROUP}/{step.name}")] = content
            self._note(branch, step.describe())
        if callable(getattr(step, "what", None)):
            # A function of the state is evaluated once, also if the run is resumed.
            self._context.checkpoint.save(self.state())

    def _without_stimulus(self, branch: BranchState) -> dict[str, Any]:
        """The state of a copy without stimulus, which can continue with any other."""
        network, state = self._protocol.network, branch.simulation.state()
        copy = Simulation.from_state(network, state, self._stimulus())
        copy.stimulus = None
        return copy.state()

    def _change(self, branch: BranchState, change: Change, note: str | None) -> None:
        numbers = change.chosen(branch.view("step", str(branch.index)))
        if numbers:
            branch.simulation.change(numbers)
        if note is not None:
            self._note(branch, note + change.describe(), as_text(numbers))

    def _add_neurons(self, branch: BranchState, step: AddNeurons) -> None:
        chosen, now_s = (
            step.chosen(branch.view("step", str(branch.index))),
            branch.simulation.time_s,
        )
        # Branches that add the same neurons give them the same synapses.
        seed = named_seed(self._seed, "new neurons", step.population, now_s)
        branch.simulation.add_neurons(step.population, chosen, seed)
        self._note(branch, step.describe(), as_text(chosen))

    def _note(
        self,
        branch: BranchState,
        what: str,
        chosen: str = "",
        removed: NDArray[np.int64] = NONE_REMOVED,
    ) -> None:
        entry = {
            "time": branch.simulation.time_s,
            "branch": branch.name,
            "what": what,
            "chosen": chosen,
            "removed": removed,
        }
        self._log.append(entry)

    # -- what is kept --------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to continue."""
        return {
            "done_s": self.done_s,
            "tables": self._tables.state(),
            "log": {str(i): entry for i, entry in enumerate(self._log)},
            "saved": dict(self._saved),
            "branches": {str(i): branch.state() for i, branch in enumerate(self._branches)},
        }

    def results(self) -> dict[str, xr.Dataset]:
        """The log of steps, and saved states."""
        saved = {
            name: xr.Dataset({"state": ("byte", np.asarray(content))})
            for name, content in self._saved.items()
        }
        return {"steps": as_log(self._log, self._protocol.network), **saved}
