"""Ask the workers about themselves, whoever of them dies meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from synsamp.errors import SynsampError
from synsamp.runs.parallel.tasks import SchedulerLostError
from synsamp.runs.storage import machine
from synsamp.runs.storage.machine import Processor


def ask_workers(client: Any, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Return what each worker answers; one that dies instead is left out, for others follow.

    ``function`` must handle the `OSError`s that it expects: one that comes back here is taken for
    a connection that broke.
    """
    while True:
        try:
            found = client.run(function, *arguments, on_error="return")
        except OSError:
            if client.status != "running":
                raise SchedulerLostError("the Dask scheduler is gone") from None
            found = {}
        answers = {w: answer for w, answer in found.items() if not isinstance(answer, OSError)}
        for worker, answer in answers.items():
            if isinstance(answer, BaseException):
                raise SynsampError(
                    f"worker {worker} must be able to run synsamp, got "
                    f"{type(answer).__name__}: {answer}; install the same version there"
                ) from answer
        if answers:
            return answers
        time.sleep(0.2)


def kinds_of_processor(client: Any, mixed: bool) -> dict[str, Processor]:
    """Return what the workers compile for, by digest; several kinds must have been asked for."""
    found: dict[str, Processor] = {}
    for processor in ask_workers(client, machine.processor).values():
        found.setdefault(processor.digest, processor)
    if len(found) > 1 and not mixed:
        names = " and ".join(map(str, found.values()))
        raise SynsampError(
            f"workers must be of one kind of processor, got {names}; bits would depend on who ran "
            "what: start workers on machines of one kind, or give --mixed-processors"
        )
    return found
