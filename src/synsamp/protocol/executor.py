"""Carries out a protocol: one step after the other, branches where they stand, safe to stop.

The arms under way are a stack: the trunk, and the branches within which it waits. A checkpoint
holds the state of each of them, so a run goes on bit for bit from any point between two rows.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import xarray as xr

from synsamp.protocol.arm import Arm
from synsamp.protocol.chosen import as_text
from synsamp.protocol.context import Context, ProgressBar
from synsamp.protocol.every import Every
from synsamp.protocol.plan import Plan
from synsamp.protocol.saved import GROUP, as_dataset
from synsamp.protocol.steps import TIMED, Act, Branch, Change, Lesion, Mark, Save
from synsamp.protocol.tables import Tables
from synsamp.seeds import named_seed
from synsamp.spiking import Simulation

SOONEST_S, LATEST_S = 0.05, 0.4
"""Wall time between two returns from compiled code: Ctrl-C is heard, bars move."""


def carry_out(plan: Plan, seed: int, context: Context) -> dict[str, xr.Dataset]:
    """Carry out a protocol from the start or from the newest checkpoint."""
    saved = context.checkpoint.load()
    run = _Run(plan, seed, context, saved)
    with context.progress("simulating", plan.seconds) as bar:
        bar.advance(run.done_s)
        if saved is None:
            run.arms[-1].begin()
        while run.arms:
            run.go_on(bar)
    # Whoever comes back after a kill from here on finds nothing left to simulate.
    context.checkpoint.save(run.state())
    return run.results()


class _Run:
    """All that is under way."""

    def __init__(self, plan: Plan, seed: int, context: Context, saved: Any) -> None:
        self._plan, self._seed, self._context = plan, seed, context
        self._chunk_s = plan.sync_interval_s
        self._tables = Tables(context, None if saved is None else saved["tables"])
        self.arms: list[Arm] = []
        self.done_s = 0.0
        self._log: list[dict[str, Any]] = []
        self._saved: dict[str, Any] = {}
        if saved is None:
            self._start()
        else:
            self._restore(saved)

    # -- beginning --------------------

    def _new_arm(self, name: str, steps: Any, record: Any) -> Arm:
        return Arm(name, steps, record, self._seed, self._plan.sync_interval_s, self._tables)

    def _start(self) -> None:
        p = self._plan
        trunk = self._new_arm("", p.steps, p.record)
        if p.start is None:
            seed = named_seed(self._seed, "network")
            trunk.start_with(p.network, seed, drift_interval_s=p.drift_interval_s, theta=p.theta)
        else:
            trunk.go_on_from(p.network, p.start, None)
        self.arms.append(trunk)

    def _restore(self, saved: Any) -> None:
        self.done_s = float(saved["done_s"])
        self._log = [dict(saved["log"][str(i)]) for i in range(len(saved["log"]))]
        self._saved = dict(saved["saved"])
        steps, record, name = self._plan.steps, self._plan.record, ""
        for i in range(len(saved["arms"])):
            content = saved["arms"][str(i)]
            arm = self._new_arm(name, steps, record)
            arm.index, arm.began_s = int(content["index"]), content["began_s"]
            arm.repeated = list(self.arms[-1].repeated) if self.arms else []
            arm.repeated += [s for s in arm.steps[: arm.index] if isinstance(s, Every)]
            self.arms.append(arm)
            acts = isinstance(arm.shown, Act)  # then it knows itself what it is shown
            arm.restore(self._plan.network, content, None if acts else self._stimulus())
            # The step before a waiting arm's next one is the branch it waits for.
            if i + 1 < len(saved["arms"]):
                branch = arm.steps[arm.index - 1]
                steps, name = branch.steps, arm.path(branch.name)
                record = arm.record if branch.record is None else branch.record

    def _stimulus(self) -> Any:
        """What the last of the arms is shown: by itself, or as the arm it came from."""
        for arm in reversed(self.arms):
            if isinstance(arm.shown, Act):
                return arm.simulation.stimulus
            if arm.shown is not None:
                return arm.shown.stimulus
        return None

    # -- going on --------------------

    def go_on(self, bar: ProgressBar) -> None:
        """Do the next step, or a part of it."""
        arm = self.arms[-1]
        if arm.index == len(arm.steps):
            self.arms.pop()
            return
        step = arm.steps[arm.index]
        if isinstance(step, TIMED):
            self._spend_time(arm, step, bar)
            return
        arm.index += 1
        if isinstance(step, Branch):
            self._note(arm, step.describe())
            record = arm.record if step.record is None else step.record
            branch = self._new_arm(arm.path(step.name), step.steps, record)
            branch.fork(arm, self._plan.network, self._stimulus())
            self.arms.append(branch)
            branch.begin()
        elif isinstance(step, Every):
            arm.repeated.append(step)
            self._change(arm, step.what, f"from now on every {step.seconds:g} s: ")
        else:
            self._do(arm, step)

    def _spend_time(self, arm: Arm, step: Any, bar: ProgressBar) -> None:
        simulation = arm.simulation
        if arm.began_s is None:
            arm.begin_step(step)
            self._note(arm, step.describe())
        assert arm.began_s is not None
        end_s = arm.began_s + step.duration_s
        due_s = min(arm.next_stop_s(), end_s)
        before_s, clock = simulation.time_s, time.perf_counter()
        arm.run_until(min(due_s, before_s + self._chunk_s))
        took_s = time.perf_counter() - clock
        if took_s > LATEST_S:
            self._chunk_s /= 2
        elif took_s < SOONEST_S:
            self._chunk_s *= 2
        point = round(simulation.time_s / self._plan.sync_interval_s)
        if simulation.time_s == point * self._plan.sync_interval_s:
            arm.take_rows(point)
            for each in arm.repeated:
                if point % arm.steps_of(each) == 0:
                    self._change(arm, each.what, None)
        if abs(simulation.time_s - end_s) <= 1e-9 * self._plan.sync_interval_s:
            arm.index, arm.began_s = arm.index + 1, None
        passed_s = simulation.time_s - before_s
        self.done_s += passed_s
        self._rest(bar, passed_s)

    def _rest(self, bar: ProgressBar, passed_s: float) -> None:
        """A point at which the state is all there is: the run may be saved, or stopped."""
        try:
            bar.advance(passed_s)
        except BaseException:
            self._context.checkpoint.save(self.state())
            raise
        if self._context.checkpoint.due():
            self._context.checkpoint.save(self.state())

    def _do(self, arm: Arm, step: Any) -> None:
        if isinstance(step, Lesion):
            lesions = step.chosen(arm.view("step", str(arm.index)))
            for lesion in lesions:
                arm.simulation.lesion(lesion)
            self._note(arm, step.describe(), as_text(lesions))
            arm.take_rows()
        elif isinstance(step, Change):
            self._change(arm, step, "")
        elif isinstance(step, Mark):
            arm.mark(step.name)
            self._note(arm, step.describe())
        elif isinstance(step, Save):
            state = self._without_stimulus(arm)
            content = as_dataset(state)["state"].values
            self._saved[arm.path(f"{GROUP}/{step.name}")] = content
            self._note(arm, step.describe())
        if callable(getattr(step, "what", None)):
            # What was chosen from the state is never asked for again, not even by a resume.
            self._context.checkpoint.save(self.state())

    def _without_stimulus(self, arm: Arm) -> dict[str, Any]:
        """The state of a copy that is shown nothing: it can go on with whatever comes next."""
        network, state = self._plan.network, arm.simulation.state()
        copy = Simulation.from_state(network, state, self._stimulus())
        copy.stimulus = None
        return copy.state()

    def _change(self, arm: Arm, change: Change, note: str | None) -> None:
        numbers = change.chosen(arm.view("step", str(arm.index)))
        if numbers:
            arm.simulation.change(numbers)
        if note is not None:
            self._note(arm, note + change.describe(), as_text(numbers))

    def _note(self, arm: Arm, what: str, chosen: str = "") -> None:
        entry = {"time": arm.simulation.time_s, "branch": arm.name, "what": what, "chosen": chosen}
        self._log.append(entry)

    # -- what is kept --------------------

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        return {
            "done_s": self.done_s,
            "tables": self._tables.state(),
            "log": {str(i): entry for i, entry in enumerate(self._log)},
            "saved": dict(self._saved),
            "arms": {str(i): arm.state() for i, arm in enumerate(self.arms)},
        }

    def results(self) -> dict[str, xr.Dataset]:
        """The log of steps, and saved states."""
        texts = {
            key: np.array([e[key] for e in self._log], str) for key in ("branch", "what", "chosen")
        }
        log = xr.Dataset(
            {key: ("step", values) for key, values in texts.items()},
            coords={"time": ("step", [e["time"] for e in self._log], {"units": "s"})},
        )
        saved = {
            name: xr.Dataset({"state": ("byte", np.asarray(content))})
            for name, content in self._saved.items()
        }
        return {"steps": log, **saved}
