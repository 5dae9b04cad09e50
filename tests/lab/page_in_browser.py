"""The lab's page in Chromium, with the native engine in this process behind its WebSocket."""

from __future__ import annotations

import functools
import http.server
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import synsamp.lab
from synsamp.lab.host import Host
from synsamp.lab.messages import decode, encode

STATIC = Path(synsamp.lab.__file__).parent / "static"
WAIT_S = 60.0
"""Long enough for a busy machine."""
PATIENCE_S = 0.4
"""How long the engine works for one message of the page, unless a frame comes before."""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path = STATIC) -> Iterator[str]:
    """A plain file server, as a docs site is one."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class Engine:
    """What the page sent, and a `Host` that answers; ``rewrite`` may change its messages."""

    def __init__(self, host: Host, rewrite: Callable[[dict[str, Any]], Any] | None = None) -> None:
        self.host, self.rewrite = host, rewrite
        self.received: list[dict[str, Any]] = []
        self.socket: Any = None

    def route(self, page: Any) -> None:
        """Answer the page's WebSocket."""
        page.route_web_socket(re.compile("/session"), self._opened)

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        """Messages of this type that the page sent."""
        return [message for message in self.received if message["type"] == kind]

    def newest(self, kind: str) -> dict[str, Any]:
        """The last message of this type; empty if there is none."""
        return next(iter(self.of_type(kind)[::-1]), {})

    @property
    def actions(self) -> list[dict[str, Any]]:
        """Actions that the page sent."""
        return [message["action"] for message in self.of_type("action")]

    def _opened(self, socket: Any) -> None:
        self.socket = socket
        socket.on_message(self._take)

    def _take(self, text: str) -> None:
        message = decode(text)
        self.received.append(message)
        self.host.take(message)
        end = time.monotonic() + PATIENCE_S
        frame = False
        while self.host.idle_s() is not None and not frame and time.monotonic() < end:
            for answer in self.host.work():
                frame |= answer["type"] == "frame"
                changed = answer if self.rewrite is None else self.rewrite(answer)
                self.socket.send(encode(changed))
            time.sleep(0.001)


class LabPage:
    """A page with an engine, and all that went wrong on it."""

    def __init__(self, context: Any, address: str, engine: Engine) -> None:
        self.page, self.address, self.engine = context.new_page(), address, engine
        self.page.set_default_timeout(1000 * WAIT_S)
        self.wrong: list[str] = []
        self.page.on("console", self._printed)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('CSP', e.blockedURI))"
        )
        engine.route(self.page)

    def open(self, state: str = "scene=digits&seed=3", *, ready: bool = True) -> LabPage:
        """Open the page with a state; wait for its first frame."""
        self.page.goto(f"{self.address}/index.html?token=none#{state}")
        if ready:
            self.until("lab.data !== null")
        return self

    def ask(self, expression: str) -> Any:
        """A JavaScript expression in which ``lab`` is the page's lab."""
        return self.page.evaluate(
            f"(() => {{ const lab = document.querySelector('.synsamp-lab')?.lab;"
            f" return {expression}; }})()"
        )

    def eventually(self, find: Callable[[], Any], expected: Any = True) -> None:
        """Wait until what is found is as expected."""
        end = time.monotonic() + WAIT_S
        while (found := find()) != expected:
            assert time.monotonic() < end, f"{found} is not {expected}; {self.wrong}"
            self.page.wait_for_timeout(30)

    def until(self, expression: str) -> None:
        """Wait until an expression holds."""
        end = time.monotonic() + WAIT_S
        while not self.ask(f"lab && ({expression})"):
            assert time.monotonic() < end, f"never became true: {expression}; {self.wrong}"
            self.page.wait_for_timeout(30)

    def read(self, what: str) -> Any:
        """Ask the engine through the page; all that the page sent before has arrived then."""
        return self.page.evaluate(
            "what => document.querySelector('.synsamp-lab').lab.session.read(what)", what
        )

    def setting(self, name: str, value: Any) -> None:
        """Wait until the engine itself reports this value of a setting."""
        self.eventually(lambda: self.settings()[name], value)

    def settings(self) -> dict[str, Any]:
        """Settings as the engine has them, or will have them at the next tick."""
        answer = self.read("settings")
        return {**answer["settings"], **answer.get("pending", {})}

    def acts(self, expected: dict[str, Any]) -> None:
        """Wait until this is the newest action that the page sent."""
        self.eventually(lambda: self.engine.actions[-1:], [expected])

    def _printed(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(message.text)
