"""The local server in a thread, for tests."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

from lab.toy_scene import toy_scenes
from synsamp.lab.server import LabServer


def wait_until(holds, seconds=60.0):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


class Running:
    """A server in a thread."""

    def __init__(self, load=toy_scenes, host="127.0.0.1"):
        ready = threading.Event()

        def serve():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
            self.server = LabServer(load, host)
            self.stop = asyncio.Event()
            ready.set()
            self.loop.run_until_complete(self.server.serve(self.stop))

        self.thread = threading.Thread(target=serve)
        self.thread.start()
        ready.wait(30)
        self.own = f"127.0.0.1:{self.server.port}"

    def end(self):
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join(30)
        assert not self.thread.is_alive()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.server.port), timeout=120)

    def ask(self, target, host=None, method="GET", more=""):
        """Status line and whole answer of one request."""
        with self.connect() as line:
            host = self.own if host is None else host
            head = f"{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
            line.sendall(f"{head}{more}\r\n".encode())
            parts = []
            while part := line.recv(65536):
                parts.append(part)
        answer = b"".join(parts).decode("utf-8", "replace")
        return int(answer.split()[1]), answer

    def page(self, token=None, **given):
        return self.ask(f"/?token={self.server.token if token is None else token}", **given)
