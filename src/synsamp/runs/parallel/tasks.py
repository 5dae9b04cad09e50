"""Run independent tasks on Dask workers: with progress, restarts after a death, and cancellation.

A task leaves what it finds on disk and returns only how it ended, so nothing large passes through
the client. A task whose worker dies is started again elsewhere by Dask and takes up its own
checkpoint. A task that was cancelled (Ctrl-C, a killed client) stops
when it next reports progress.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from synsamp.runs.storage import machine

REPORT_EVERY_S = 0.5
SCHEDULER_GONE_S = 10.0
"""How long a scheduler may be out of reach before it is taken for dead."""
NO_WORKER_S = 60.0

_log = logging.getLogger("synsamp")
_one_at_a_time = threading.Lock()


class StoppedError(Exception):
    """The task is no longer wanted; what it has saved can be taken up later."""


class SchedulerLostError(Exception):
    """The scheduler went away; what is on disk can be taken up later."""


class WorkersDiedError(Exception):
    """A task under which one worker process after the other died."""


class Report(Protocol):
    """What a task tells, often: the share of it that is done. Raises `StoppedError`."""

    def __call__(self, share: float) -> None:
        """Tell the share that is done."""


@dataclass(frozen=True)
class Task:
    """Some work in another process; ``function(report)`` is sent there with all it refers to."""

    name: str
    function: Callable[[Report], Any]
    label: str


class Lookahead:
    """The first task of the next list, begun before that list's turn.

    A first task compiles what the others of its list then load from disk. So workers compile for
    two lists at a time instead of the same twice.
    """

    def __init__(self) -> None:
        self.next_task: Task | None = None
        """The first task of the list after the one whose turn comes now."""
        self._client: Any = None
        self._future: Any = None
        self._topic = ""

    def begin(self, client: Any, accepted: frozenset[str] | None) -> None:
        """Begin ``next_task``, if there is one."""
        if self.next_task is not None:
            self._client, self._topic = client, f"synsamp-{uuid.uuid4().hex}"
            self._future = _submit(client, self.next_task, self._topic, accepted)

    def take(self) -> tuple[Any, str]:
        """The future that was begun, or None, and the topic of what it reports."""
        future, self._future = self._future, None
        return future, self._topic

    def cancel(self) -> None:
        """Stop what was begun and not taken."""
        future, _ = self.take()
        if future is not None and self._client.status == "running":
            self._client.cancel([future], force=True)


class Ended(NamedTuple):
    """A task that came to an end: what it returned, or what it raised."""

    name: str
    value: Any
    error: BaseException | None


class OtherProcessorError(Exception):
    """A worker that came later and is of a kind that was not asked for."""


def run_tasks(
    client: Any,
    tasks: Sequence[Task],
    on_progress: Callable[[str, float], None],
    accepted: frozenset[str] | None = None,
    meanwhile: Callable[[], None] = lambda: None,
    ahead: Lookahead | None = None,
) -> Iterator[Ended]:
    """Run all tasks; yields each as it ends, calls ``on_progress(name, share)`` in between.

    What a task warns of in its worker is said here too. Workers whose processor is not
    ``accepted`` (`Workers.accepted`) run none. ``meanwhile`` is called once in this process while
    the workers begin. ``ahead`` may have begun the first task, and begins its ``next_task``.
    Leaving the loop early cancels what is still running or waiting.
    """
    labels = {task.name: task.label for task in tasks}
    warned: set[str] = set()
    news: queue.Queue[tuple[str, Any]] = queue.Queue()
    ahead = ahead or Lookahead()
    begun, first_topic = ahead.take()
    topics = [f"synsamp-{uuid.uuid4().hex}"] + [first_topic] * (begun is not None)
    for topic in topics:
        client.subscribe_topic(topic, lambda event: news.put(("progress", event[1])))
    futures = {}
    try:
        if begun is not None:  # what it compiles will be on disk: the next list may begin as well
            ahead.begin(client, accepted)
        for i, task in enumerate(tasks):
            own = _submit(client, task, topics[0], accepted) if i or begun is None else begun
            futures[own.key] = (task.name, own)
            own.add_done_callback(lambda f: news.put(("ended", f)))
        if begun is None:
            ahead.begin(client, accepted)
        meanwhile()
        while futures:
            kind, content = _next(news, client, futures)
            if kind == "progress" and "warning" in content:
                text = content["warning"]  # shown once, however many tasks say it
                level = logging.INFO if text in warned else logging.WARNING
                _log.log(level, "%s: %s", labels[content["name"]], text)
                warned.add(text)
            elif kind == "progress":
                on_progress(content["name"], content["share"])
            elif kind == "ended" and content.key in futures:
                if content.status in ("lost", "pending"):
                    # The worker died before its word came through; Dask runs the task again.
                    content.add_done_callback(lambda f: news.put(("ended", f)))
                    continue
                name, future = futures.pop(content.key)
                yield _ended(name, future)
    finally:
        _let_go(client, topics, [future for _, future in futures.values()])


def _submit(client: Any, task: Task, topic: str, accepted: frozenset[str] | None) -> Any:
    key = f"{topic}-{task.name}"
    return client.submit(_in_worker, task, topic, accepted, key=key, pure=False)


def _next(
    news: queue.Queue[tuple[str, Any]], client: Any, futures: Mapping[str, tuple[str, Any]]
) -> tuple[str, Any]:
    """Wait for the next piece of news, or for the scheduler's death."""
    gone_since = None
    asked = time.monotonic()
    while True:
        try:
            return news.get(timeout=0.5)
        except queue.Empty:
            if client.status == "running":
                gone_since = None
                # Word of an end can get lost: who has ended is asked for as well.
                for _, future in futures.values():
                    if future.done():
                        return "ended", future
                if time.monotonic() - asked > NO_WORKER_S:
                    asked = time.monotonic()
                    if not client.scheduler_info()["workers"]:
                        _log.warning("no worker is left; waiting for one (Ctrl-C to stop)")
                continue
            gone_since = gone_since or time.monotonic()
            if client.status == "closed" or time.monotonic() - gone_since > SCHEDULER_GONE_S:
                raise SchedulerLostError("the Dask scheduler is gone") from None


def _ended(name: str, future: Any) -> Ended:
    from distributed import KilledWorker

    try:
        if future.status == "finished":
            return Ended(name, future.result(), None)
        error = None if future.status == "cancelled" else future.exception()
    except CancelledError:
        error = None
    except OSError:  # the result of a finished task is fetched through the scheduler
        raise SchedulerLostError("the Dask scheduler is gone") from None
    if error is None:  # only a scheduler that goes away lets go of what is still wanted
        raise SchedulerLostError("the Dask scheduler is gone")
    _log.debug("task %s failed in its worker", name, exc_info=error)
    if isinstance(error, KilledWorker):
        error = WorkersDiedError(
            "the processes that ran it died again and again; is there enough memory?"
        )
    return Ended(name, None, error)


def _let_go(client: Any, topics: Sequence[str], futures: Sequence[Any]) -> None:
    if client.status == "running":
        for topic in topics:
            client.unsubscribe_topic(topic)
        if futures:
            client.cancel(list(futures), force=True)


def _in_worker(task: Task, topic: str, accepted: frozenset[str] | None) -> Any:
    """Carry out one task; a worker with several threads still does one at a time."""
    if accepted is not None and (here := machine.processor()).digest not in accepted:
        raise OtherProcessorError(
            f"a worker came that compiles for {here}, unlike the others; bits would depend on who "
            "ran what: stop it, or give --mixed-processors"
        )
    with _one_at_a_time:
        reporter = _Reporter(task.name, topic)
        telling = _Telling(reporter)
        _log.addHandler(telling)
        try:
            return task.function(reporter)
        finally:
            _log.removeHandler(telling)


class _Telling(logging.Handler):
    """Sends warnings to the client: the output of a worker is not shown."""

    def __init__(self, reporter: _Reporter) -> None:
        super().__init__(logging.WARNING)
        self._reporter = reporter

    def emit(self, record: logging.LogRecord) -> None:
        self._reporter.warn(record.getMessage())


class _Reporter:
    def __init__(self, name: str, topic: str) -> None:
        from distributed import get_worker

        self._name, self._topic = name, topic
        self._worker = get_worker()
        self._key = self._worker.get_current_task()
        self._last = 0.0

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if now - self._last < REPORT_EVERY_S:
            return
        self._last = now
        # The worker keeps a running task whose result is no longer wanted, marked as cancelled.
        known = self._worker.state.tasks.get(self._key)
        if known is None or known.state == "cancelled":
            raise StoppedError(self._name)
        self._worker.log_event(self._topic, {"name": self._name, "share": float(share)})

    def warn(self, text: str) -> None:
        """Tell of something that the user should know."""
        self._worker.log_event(self._topic, {"name": self._name, "warning": text})
