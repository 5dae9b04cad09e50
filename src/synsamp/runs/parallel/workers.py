"""Where tasks run: worker processes on this machine, or the workers of a running Dask cluster."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console

from synsamp.errors import SynsampError, refuse
from synsamp.runs.parallel.worker_info import kinds_of_processor
from synsamp.runs.storage import machine
from synsamp.runs.storage.machine import Processor

CONNECT_S = 20.0
"""How long a scheduler is waited for; a first worker as long as it takes, a queue may be slow."""
DASK: dict[str, Any] = {
    # A third death under one task: then the task itself is held to be the reason.
    "distributed.scheduler.allowed-failures": 2,
    # A worker is given no task before it can begin it, so a death hits only who was running.
    "distributed.scheduler.worker-saturation": 1.0,
    # Dask's own pages are not needed, and would show every user of the machine what runs.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # One thread per worker, as Dask has it. Left out is that freed memory goes back to the system
    # at once (MALLOC_TRIM_THRESHOLD_): each array of some size would be fetched page by page again.
    "distributed.nanny.pre-spawn-environ": dict.fromkeys(
        ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), 1
    ),
}
if sys.platform == "linux":
    # Workers are copies of one process that has loaded what they need: each starts in no time.
    DASK["distributed.worker.multiprocessing-method"] = "forkserver"
LOADED = ["distributed", "synsamp.runs.simulate", "synsamp.protocol"]
"""What that process loads: what nearly every task needs, and nothing that starts a thread."""
STARTS = 3
"""How often the local processes are started; one that dies while it starts ends Dask's attempt."""

_log = logging.getLogger("synsamp")


class Workers:
    """Dask workers, started or connected to when first asked for, closed by the ``with``.

    Workers with several kinds of processor raise an error unless ``mixed``.
    """

    def __init__(
        self, scheduler: str | None = None, count: int | None = None, mixed: bool = False
    ) -> None:
        if count is not None and count < 1:
            raise refuse("--workers", "must be >= 1", count, "leave it out to use all cores")
        if scheduler is not None and count is not None:
            raise SynsampError(
                f"--workers must not go with --scheduler, got {count}; "
                "a running cluster has the workers that it has"
            )
        self._scheduler = scheduler
        self._count = count
        self._mixed = mixed
        self.kinds: dict[str, Processor] = {}
        self._quieted = ExitStack()
        self._cluster: Any = None
        self._client: Any = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def are_local(self) -> bool:
        """Whether the workers are processes of this command."""
        return self._scheduler is None

    def client(self, console: Console) -> Any:
        """Return the Dask client; the first call starts or connects."""
        if self._client is None:
            import distributed  # noqa: F401 (its loggers must exist to be quieted)

            self._quieted.enter_context(_quiet())
            self._client = self._start_again() if self.are_local else self._connect(console)
        return self._client

    @property
    def accepted(self) -> frozenset[str] | None:
        """The kinds of processor that may run tasks, by digest; None if any may."""
        return None if self._mixed or self.are_local else frozenset(self.kinds)

    def close(self) -> None:
        """End the processes started here; a cluster of others is left running."""
        client, cluster, self._client, self._cluster = self._client, self._cluster, None, None
        with self._quieted as ending:
            if cluster is not None:
                ending.callback(_close, cluster)
            if client is not None:
                ending.callback(_close, client)

    def _start_again(self) -> Any:
        for attempt in range(1, STARTS + 1):
            try:
                return self._start()
            except Exception:
                cluster, self._cluster = self._cluster, None
                if cluster is not None:
                    _close(cluster)
                if attempt == STARTS:
                    raise
                _log.debug("the worker processes did not start", exc_info=True)
        raise AssertionError

    def _start(self) -> Any:
        import dask
        from distributed import Client, LocalCluster, Security
        from distributed.utils import get_mp_context

        environment = dict(os.environ)  # the present one, not that of the first start
        with dask.config.set(DASK), _children_deaf_to_ctrl_c(), _without_current_folder():
            if sys.platform == "linux":
                get_mp_context().set_forkserver_preload(LOADED)
            self._cluster = LocalCluster(
                n_workers=self._count or machine.threads(),
                threads_per_worker=1,
                host="127.0.0.1",
                # Dask runs any code that it is sent, and every user of this machine can reach
                # 127.0.0.1: only holders of a key that is made for this command are let in.
                protocol="tls://",
                security=Security.temporary(),
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                env=environment,
                memory_limit=0,  # results go to disk as they come, nothing piles up to be guarded
                silence_logs=logging.CRITICAL,
            )
            return Client(self._cluster, set_as_default=False)

    def _connect(self, console: Console) -> Any:
        from distributed import Client

        assert self._scheduler is not None
        path = Path(self._scheduler)
        where = {"scheduler_file": str(path)} if path.is_file() else {"address": self._scheduler}
        try:
            client = Client(**where, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise SynsampError(
                f"--scheduler must be the address or file of a running Dask scheduler, got "
                f"{self._scheduler!r} ({type(error).__name__}); start one with `dask scheduler`"
            ) from None
        try:
            _wait_for_a_worker(client, self._scheduler, console)
            self.kinds = kinds_of_processor(client, self._mixed)
        except BaseException:
            _close(client)
            raise
        return client


def _wait_for_a_worker(client: Any, scheduler: str, console: Console) -> None:
    told = False
    while not client.scheduler_info()["workers"]:
        if not told:
            console.print(
                f"waiting for a worker; start one with `dask worker {scheduler} --nthreads 1`",
                markup=False,
                soft_wrap=True,
            )
            told = True
        time.sleep(0.5)


def _close(of_dask: Any) -> None:
    """Take leave; on a busy machine the other side may be late, and what is done is on the disk."""
    try:
        of_dask.close(timeout=5)
    except TimeoutError:
        _log.debug("the worker processes did not end in time", exc_info=True)


@contextmanager
def _children_deaf_to_ctrl_c() -> Iterator[None]:
    """Start processes that ignore Ctrl-C: the terminal sends it to all, this one decides."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _without_current_folder() -> Iterator[None]:
    """Start processes that do not import from the current folder, which may be someone else's."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from telling at length of connections that end: the commands say it in a line."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
