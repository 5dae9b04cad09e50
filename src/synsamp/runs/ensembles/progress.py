"""How far an ensemble is, and how far all of several are: bars with the time left.

Where there is no terminal, a line now and then. Everything that ends is also a line of the
ensemble's log.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping, Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from synsamp.progress import bars
from synsamp.runs.ensembles.plan import Trial

LINE_EVERY_S = 60.0
LEAST_SHARE, LEAST_S = 0.1, 5.0
"""Of one trial, and of time: with less done no estimate of the time left is given."""

_log = logging.getLogger("synsamp")


def _bars(console: Console) -> Progress:
    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}"))
    return bars(console, *columns)


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


class Whole:
    """How far several ensembles are together; ``weights``: what each is worth, as in seconds."""

    def __init__(
        self, console: Console, weights: Mapping[str, float], done: Mapping[str, float]
    ) -> None:
        self.bars = _bars(console)
        self._weights, self._done = dict(weights), dict(done)
        self._begun, self._before = time.monotonic(), self._worth
        self._task = self.bars.add_task(
            "all", total=sum(weights.values()), completed=int(self._before), left=""
        )

    def __enter__(self) -> Whole:
        self.bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bars.stop()

    @property
    def _worth(self) -> float:
        return sum(self._weights[name] * share for name, share in self._done.items())

    def report(self, name: str, share: float) -> None:
        """So much of one of them is done."""
        self._done[name] = share
        self.bars.update(self._task, completed=self._worth, left=self._left)

    @property
    def text(self) -> str:
        """The same in words."""
        share = self._worth / sum(self._weights.values())
        return ", ".join(filter(None, [f"{100 * share:.0f} % of all", self._left]))

    @property
    def _left(self) -> str:
        total, gained = sum(self._weights.values()), self._worth - self._before
        if gained <= 0:
            return ""
        left = (time.monotonic() - self._begun) * (total - self._worth) / gained
        return f"about {_time(left)} left"


class EnsembleProgress:
    """Counts trials, and parts of those that are running; ``whole``: under a name, among others."""

    def __init__(
        self,
        console: Console,
        trials: Sequence[Trial],
        finished: Collection[str] = (),
        whole: tuple[Whole, str] | None = None,
    ) -> None:
        self._whole = whole
        self._labels = {trial.name: trial.label for trial in trials}
        self._shares = {name: float(name in finished) for name in self._labels}
        self._done = sum(self._shares.values())
        self._open = set(self._labels)
        self._failed = 0
        self._console = console
        self._last_line = time.monotonic()
        # The pace counts from the first progress: what earlier commands finished, and the time in
        # which a trial compiles, say nothing about it.
        self._first: tuple[float, float] | None = None
        self._bar = _bars(console) if whole is None else whole[0].bars
        self._task = self._bar.add_task(
            self._text(), total=float(len(trials)), completed=int(self._done), left=""
        )

    def __enter__(self) -> EnsembleProgress:
        if self._whole is None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._whole is None:
            self._bar.stop()
        else:
            self._bar.remove_task(self._task)

    def report(self, name: str, share: float) -> None:
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
        now = time.monotonic()
        if self._first is None:
            self._first = now, self._done
        left = self._left(now)
        self._bar.update(self._task, completed=self._done, description=self._text(), left=left)
        if self._whole is not None:
            self._whole[0].report(self._whole[1], self._done / len(self._shares))
        if not self._console.is_terminal and now - self._last_line > LINE_EVERY_S:
            self._last_line = now
            said = [self._text(), left]
            text = ", ".join(filter(None, said))
            self._console.print(
                text if self._whole is None else f"{text}; {self._whole[0].text}", markup=False
            )

    def _left(self, now: float) -> str:
        """The time left in words, at the pace since the first progress; nothing if it is short.

        Nothing either if all is computed and only storing is left, of which the pace says nothing.
        """
        assert self._first is not None
        seconds, gained = now - self._first[0], self._done - self._first[1]
        to_do = len(self._shares) - self._done
        if seconds < LEAST_S or gained < LEAST_SHARE or to_do < LEAST_SHARE:
            return ""
        return f"about {_time(seconds * to_do / gained)} left"

    def _text(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        ended = len(self._shares) - len(self._open)
        return f"{ended} of {len(self._shares)} trials{failed}"
