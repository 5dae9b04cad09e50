"""The engine process of `synsamp lab`: a `Host` that reads and writes one pipe.

It ends when the pipe closes, that is when the page goes or the server stops.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from synsamp.errors import SynsampError
from synsamp.lab.messages import decode, encode

Scenes = Mapping[str, Callable[[], Any]]


def run_engine(pipe: Connection, load: Callable[[], Scenes], imports: Sequence[str]) -> None:
    """Serve one page until the pipe closes.

    An engine that waits for a page has the modules ``imports``; ``load`` returns the scenes when
    the first message comes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    for name in imports:
        import_module(name)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        _serve(pipe, load)


def _serve(pipe: Connection, load: Callable[[], Scenes]) -> None:
    from synsamp.lab.host import Host

    pipe.poll(None)
    try:
        host = Host(load())
    except SynsampError as error:
        pipe.send_bytes(encode({"type": "error", "message": str(error), "fatal": True}))
        return
    while True:
        if pipe.poll(host.idle_s()):
            text = pipe.recv_bytes()
            try:
                host.take(decode(text))
            except SynsampError as error:
                pipe.send_bytes(encode({"type": "error", "message": str(error), "fatal": False}))
        for message in host.work():
            pipe.send_bytes(encode(message))


def all_scenes() -> Scenes:
    """The scenes that come with synsamp."""
    from synsamp.lab.scenes import SCENES

    return SCENES
