"""Many simulations on all cores, each of which can be stopped and taken up again.

A *job* is one simulation that goes on in short steps and can give away all it needs to continue.
Jobs share nothing but the code, so results are the same bits on any number of threads and after
any stop. Used by the experiments `adaptation` and `motility`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol

from synsamp.experiments.protocol import ProgressBar, RunContext, State

PUBLISH_EVERY_S = 8.0
"""Wall time between two states that a job gives away; a kill loses this and a checkpoint's 20 s."""


class Job(Protocol):
    """One simulation."""

    @property
    def work(self) -> float:
        """What all its steps add up to."""

    @property
    def done(self) -> float:
        """How much of it is done."""

    def step(self) -> None:
        """Go on for a second of wall time or less."""

    def state(self) -> dict[str, Any]:
        """A copy of all that is needed to go on, results so far included."""


Maker = Callable[[State | None], Job]
"""Makes a job from the start (None) or from a state."""


class _Stopped(Exception):  # noqa: N818 (an order, not an error)
    """The run is ending."""


def run_jobs(context: RunContext, what: str, makers: Sequence[Maker], work: float) -> list[Any]:
    """Run all jobs to their end and return their last states, in order.

    ``work`` is that of all jobs together.
    """
    states: dict[str, Any] = dict(context.checkpoint.load() or {})
    stop = threading.Event()
    # Threads would each compile for themselves; so one step of a job is taken and thrown away.
    makers[0](None).step()
    with (
        context.progress(what, total=work) as bar,
        ThreadPoolExecutor(context.threads) as pool,
    ):
        waiting: set[Future[None]] = {
            pool.submit(_carry_out, name, maker, states, bar, stop)
            for name, maker in ((str(i), maker) for i, maker in enumerate(makers))
        }
        try:
            while waiting:
                ended, waiting = wait(waiting, timeout=1.0, return_when=FIRST_COMPLETED)
                for future in ended:
                    future.result()
                if context.checkpoint.due():
                    context.checkpoint.save(dict(states))
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [states[str(i)] for i in range(len(makers))]


def _carry_out(
    name: str, maker: Maker, states: dict[str, Any], bar: ProgressBar, stop: threading.Event
) -> None:
    job = maker(states.get(name))
    bar.advance(job.done)
    published = time.monotonic()
    while job.done < job.work:
        if stop.is_set():
            raise _Stopped
        before = job.done
        job.step()
        bar.advance(job.done - before)
        if time.monotonic() - published > PUBLISH_EVERY_S:
            states[name] = job.state()
            published = time.monotonic()
    states[name] = job.state()
