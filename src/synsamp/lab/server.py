"""The local server of `synsamp lab`: the page, and a WebSocket per engine process.

Only this machine can connect unless ``host`` says otherwise. Every request must name the server by
its own address in ``Host`` (so that no other name can be pointed at it), and the session also
needs the random token of the address and an ``Origin`` of the server itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import multiprocessing
import secrets
import socket
import threading
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import tornado.httpserver
import tornado.netutil
import tornado.web
import tornado.websocket

from synsamp.errors import refuse
from synsamp.lab.engine import Scenes, run_engine
from synsamp.lab.messages import MOST_BYTES, encode

MOST_SESSIONS = 8
"""Pages that can have an engine at the same time."""
STATIC = str(files("synsamp.lab") / "static")
POLICY = (
    "default-src 'self'; connect-src 'self' ws: blob: data:; img-src 'self' data: blob:; "
    "style-src 'self' 'unsafe-inline'; script-src 'self' 'wasm-unsafe-eval'; "
    "worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


class EngineProcess:
    """One engine in a separate process."""

    def __init__(self, load: Callable[[], Scenes], imports: Sequence[str]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(
            target=run_engine, args=(other, load, imports), name="synsamp lab engine", daemon=True
        )
        self._process.start()
        other.close()

    @property
    def process_id(self) -> int:
        """Its process id."""
        return int(self._process.pid or 0)

    def listen(self, on_message: Callable[[bytes | None], object]) -> None:
        """Call ``on_message`` from a thread for each message, and with None at the end."""

        def read() -> None:
            with contextlib.suppress(EOFError, OSError):
                while True:
                    on_message(self._pipe.recv_bytes())
            on_message(None)

        threading.Thread(target=read, daemon=True).start()

    def send(self, text: bytes) -> None:
        """Pass a message on; one to an engine that has ended is dropped."""
        with contextlib.suppress(OSError):
            self._pipe.send_bytes(text)

    def end(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError):
            self._process.terminate()
        self._process.join(5.0)
        self._pipe.close()


class LabServer:
    """The server: where it listens, its token, and its engines.

    Parameters
    ----------
    load
        Returns the scenes, in the engine process; must be picklable.
    host
        Address to listen at.
    port
        Port; 0 picks a free one.
    imports
        Modules that an engine imports while it waits for a page.
    """

    def __init__(
        self,
        load: Callable[[], Scenes],
        host: str = "127.0.0.1",
        port: int = 0,
        imports: Sequence[str] = (),
    ) -> None:
        self._load, self._imports = load, tuple(imports)
        self.host, self.token = host, secrets.token_urlsafe(24)
        self._engines: set[EngineProcess] = set()
        self._spare: EngineProcess | None = None
        self.pages: set[_Session] = set()
        try:
            self._sockets = tornado.netutil.bind_sockets(port, host)
        except OSError as error:
            reason = error.strerror or str(error)
            raise refuse(
                "host and port", "must be free to listen at", f"{host}:{port} ({reason})",
                "use --port 0 for any free port",
            ) from None  # fmt: skip
        self.port = self._sockets[0].getsockname()[1]

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        anywhere = self.host in ("0.0.0.0", "::", "")
        name = socket.gethostname() if anywhere else self.host
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.port}/?token={self.token}"

    @property
    def sessions(self) -> int:
        """Pages that have an engine now."""
        return len(self._engines)

    @property
    def process_ids(self) -> list[int]:
        """Process ids of all engines."""
        spare = [self._spare] if self._spare else []
        return [engine.process_id for engine in (*self._engines, *spare)]

    def is_own(self, netloc: str) -> bool:
        """Whether ``host:port`` of a header names this server."""
        try:
            parts = urlsplit(f"//{netloc}")
            name, port = parts.hostname or "", parts.port
        except ValueError:
            return False
        if port != self.port or parts.username is not None:
            return False
        if self.host in ("127.0.0.1", "::1", "localhost"):
            return name in ("127.0.0.1", "::1", "localhost")
        if self.host not in ("0.0.0.0", "::", ""):
            return name == self.host.lower()
        try:  # numbers cannot be pointed elsewhere, other names can
            ipaddress.ip_address(name)
        except ValueError:
            return name in ("localhost", socket.gethostname().lower())
        return True

    def take_engine(self) -> EngineProcess | None:
        """An engine for one page, usually started in advance; None if there are too many."""
        if len(self._engines) >= MOST_SESSIONS:
            return None
        engine = self._spare or EngineProcess(self._load, self._imports)
        self._spare = None
        self._engines.add(engine)
        return engine

    def return_engine(self, engine: EngineProcess) -> None:
        """End the engine of a page that has gone."""
        self._engines.discard(engine)
        asyncio.get_running_loop().run_in_executor(None, engine.end)

    def prepare_spare(self) -> None:
        """Start an engine in advance, so that the next page need not wait for imports."""
        if self._spare is None and len(self._engines) < MOST_SESSIONS:
            self._spare = EngineProcess(self._load, self._imports)

    def application(self) -> tornado.web.Application:
        """The pages and the session, as a Tornado application."""
        given = {"server": self}
        return tornado.web.Application(
            [
                (r"/", _Page, given),
                (r"/session", _Session, given),
                (r"/(.+)", _File, {**given, "path": STATIC}),
            ],
            log_function=lambda handler: None,  # addresses contain the token
            websocket_max_message_size=4 * MOST_BYTES,
            websocket_ping_interval=20,
        )

    async def serve(self, stop: asyncio.Event) -> None:
        """Serve until ``stop`` is set; then end all engines."""
        server = tornado.httpserver.HTTPServer(
            self.application(), max_body_size=MOST_BYTES, max_header_size=65536
        )
        server.add_sockets(self._sockets)
        try:
            self.prepare_spare()
            await stop.wait()
        finally:
            server.stop()
            for page in tuple(self.pages):
                page.end("the server has stopped; start it again with: synsamp lab")
            await asyncio.sleep(0.05)  # so that pages get to know it
            spare = [self._spare] if self._spare else []
            for engine in (*self._engines, *spare):
                engine.end()


class _Guarded(tornado.web.RequestHandler):
    """Checks that come before any answer."""

    def initialize(self, server: LabServer) -> None:
        self.lab = server

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        for name, value in {
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        if not self.lab.is_own(self.request.headers.get("Host", "")):
            raise tornado.web.HTTPError(403, reason="Host is not this server")

    def require_token(self) -> None:
        given = self.get_query_argument("token", "")
        if not hmac.compare_digest(given.encode(), self.lab.token.encode()):
            raise tornado.web.HTTPError(403, reason="Token is missing or wrong")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        advice = "; open the address that synsamp lab printed" if status_code == 403 else ""
        self.finish(f"{self._reason}{advice}\n")

    def log_exception(self, *args: Any) -> None:
        """Bad requests are not logged."""


class _Page(_Guarded):
    def get(self) -> None:
        self.require_token()
        page = files("synsamp.lab") / "static" / "index.html"
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(page.read_bytes())


class _File(_Guarded, tornado.web.StaticFileHandler):
    def initialize(self, server: LabServer, path: str) -> None:  # type: ignore[override]
        self.lab = server
        tornado.web.StaticFileHandler.initialize(self, path)

    def prepare(self) -> None:
        _Guarded.prepare(self)
        if "\0" in (self.path_args or [""])[0]:
            raise tornado.web.HTTPError(404)

    def set_extra_headers(self, path: str) -> None:
        if path.endswith((".js", ".mjs")):
            self.set_header("Content-Type", "text/javascript; charset=utf-8")
        elif path.endswith(".wasm"):
            self.set_header("Content-Type", "application/wasm")


class _Session(_Guarded, tornado.websocket.WebSocketHandler):
    """One page with its engine."""

    engine: EngineProcess | None = None

    def prepare(self) -> None:
        _Guarded.prepare(self)
        self.require_token()
        # Browsers always name the origin; checked here, since Tornado lets a missing one pass.
        if not self.check_origin(self.request.headers.get("Origin", "")):
            raise tornado.web.HTTPError(403, reason="Origin is not this server")

    def check_origin(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme == "http" and self.lab.is_own(parts.netloc)

    def open(self, *args: str, **kwargs: str) -> None:
        self.set_nodelay(True)
        self.lab.pages.add(self)
        engine = self.engine = self.lab.take_engine()
        if engine is None:
            self.end(f"at most {MOST_SESSIONS} pages can run at once; close another one first")
            return
        loop = asyncio.get_running_loop()
        engine.listen(lambda message: loop.call_soon_threadsafe(self._pass_on, message))
        loop.call_later(1.0, self.lab.prepare_spare)

    def on_message(self, message: str | bytes) -> None:
        text = message.encode() if isinstance(message, str) else message
        if len(text) > MOST_BYTES:
            self._say(f"message must be at most {MOST_BYTES:,} bytes, got {len(text):,}", False)
        elif self.engine is not None:
            self.engine.send(text)

    def on_close(self) -> None:
        self.lab.pages.discard(self)
        engine, self.engine = self.engine, None
        if engine is not None:
            self.lab.return_engine(engine)

    def _pass_on(self, message: bytes | None) -> None:
        if self.engine is None:
            return
        if message is None:
            self.end("the engine has stopped; reload the page to start another session")
        else:
            self._write(message)

    def end(self, reason: str) -> None:
        """Tell the page why, and close the connection."""
        self._say(reason, True)
        self.close(1011, "no engine")

    def _say(self, text: str, fatal: bool) -> None:
        self._write(encode({"type": "error", "message": text, "fatal": fatal}))

    def _write(self, message: bytes) -> None:
        with contextlib.suppress(tornado.websocket.WebSocketClosedError):
            task = asyncio.ensure_future(self.write_message(message, binary=True))
            task.add_done_callback(lambda done: done.exception())
