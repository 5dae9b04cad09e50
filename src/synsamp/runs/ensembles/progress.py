"""How far an ensemble is: one bar with the time left, or a line now and then where there is none.

Everything that ends is also a line of the ensemble's log.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from synsamp.runs.ensembles.plan import Trial

LINE_EVERY_S = 60.0

_log = logging.getLogger("synsamp")


class EnsembleProgress:
    """Counts trials, and parts of those that are running."""

    def __init__(
        self, console: Console, trials: Sequence[Trial], finished: Collection[str] = ()
    ) -> None:
        self._labels = {trial.name: trial.label for trial in trials}
        # What earlier commands finished says nothing about how fast this one is.
        self._shares = {name: float(name in finished) for name in self._labels}
        self._done = self._before = sum(self._shares.values())
        self._open = set(self._labels)
        self._failed = 0
        self._console = console
        self._begun = self._last_line = time.monotonic()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            speed_estimate_period=600.0,
        )
        self._task = self._bar.add_task(
            self._text(), total=float(len(trials)), completed=int(self._before)
        )

    def __enter__(self) -> EnsembleProgress:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def told(self, name: str, share: float) -> None:
        """A running trial has come so far."""
        if name in self._open:
            self._set(name, share)

    def ended(self, name: str, state: str, message: str) -> None:
        """A trial has come to its end."""
        self._open.discard(name)
        count = f"{len(self._shares) - len(self._open)} of {len(self._shares)}"
        if state == "finished":
            _log.info("%s finished (%s)", self._labels[name], count)
        else:
            self._failed += 1
            _log.warning("%s %s: %s", self._labels[name], state, message)
        self._set(name, 1.0)

    def _set(self, name: str, share: float) -> None:
        self._done += share - self._shares[name]
        self._shares[name] = share
        self._bar.update(self._task, completed=self._done, description=self._text())
        now, gained = time.monotonic(), self._done - self._before
        if not self._console.is_terminal and now - self._last_line > LINE_EVERY_S and gained > 0:
            self._last_line = now
            left = (now - self._begun) * (len(self._shares) - self._done) / gained
            said = f"{left / 60:.0f} min" if left >= 90 else f"{left:.0f} s"
            self._console.print(f"{self._text()}, about {said} left", markup=False)

    def _text(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        ended = len(self._shares) - len(self._open)
        return f"{ended} of {len(self._shares)} trials{failed}"
