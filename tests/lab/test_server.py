"""The local server: who may connect, and what it survives. Requests go over plain sockets."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import struct

import pytest

from lab.running_server import Running, wait_until
from lab.toy_scene import crashing, toy_scenes, without_scene
from synsamp.errors import SynsampError
from synsamp.lab.messages import MOST_BYTES
from synsamp.lab.server import LabServer


class Socket:
    """A WebSocket by hand."""

    def __init__(self, running, token=None, origin="own", host=None):
        token = running.server.token if token is None else token
        origin = f"http://{running.own}" if origin == "own" else origin
        key = base64.b64encode(os.urandom(16)).decode()
        self.line = running.connect()
        self.line.sendall(
            (
                f"GET /session?token={token} HTTP/1.1\r\nHost: {host or running.own}\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: {key}\r\n"
                + (f"Origin: {origin}\r\n" if origin is not None else "")
                + "\r\n"
            ).encode()
        )
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.line.recv(1)
        self.status = int(head.split()[1])

    def send(self, text, opcode=1):
        data = text if isinstance(text, bytes) else text.encode()
        size = len(data)
        if size < 126:
            length = bytes([0x80 | size])
        elif size < 65536:
            length = bytes([0xFE]) + struct.pack(">H", size)
        else:
            length = bytes([0xFF]) + struct.pack(">Q", size)
        self.line.sendall(bytes([0x80 | opcode]) + length + bytes(4) + data)  # mask 0

    def say(self, **message):
        self.send(json.dumps(message))

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.line.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def receive(self):
        """The next message without its arrays; None at the end."""
        while True:
            try:
                first, second = self._exactly(2)
            except (EOFError, ConnectionError):
                return None
            size = second & 0x7F
            if size == 126:
                size = struct.unpack(">H", self._exactly(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._exactly(8))[0]
            data = self._exactly(size)
            if first & 0xF == 8:
                return None
            if first & 0xF == 9:
                self.send(data, opcode=10)
            if first & 0xF in (1, 2):
                return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])

    def until(self, kind):
        """The next message of a type."""
        while (message := self.receive()) is not None:
            if message["type"] == kind:
                return message
        raise AssertionError(f"the connection ended without {kind}")

    def close(self):
        self.line.close()


@pytest.fixture(scope="module")
def running():
    running = Running()
    yield running
    running.end()


def test_the_page_needs_the_token_and_files_do_not_leave_their_folder(running):
    status, answer = running.page()
    assert status == 200
    assert "no-referrer" in answer
    assert "frame-ancestors 'none'" in answer
    assert "\r\nServer:" not in answer
    for wrong in ("", "x", running.server.token[:-1], running.server.token + "x", "%00", "%ff"):
        status, answer = running.page(token=wrong)
        assert status == 403 or (wrong == "%ff" and status == 400)
        assert running.server.token not in answer
    assert running.ask("/page.js")[0] == 200
    for path in (
        "/../server.py", "/..%2fserver.py", "/%2e%2e/server.py", "/....//server.py",
        "//etc/passwd", "/%2fetc%2fpasswd", "/..\\server.py", "/app/../../server.py",
        "/app/..%2f..%2f..%2f__init__.py", "/\0", "/%00", "/page.js%00.html", "/.", "/app",
        "/nothing.js", "/" + "a" * 5000,
    ):  # fmt: skip
        status, answer = running.ask(path)
        assert status in (400, 403, 404), path
        assert "import" not in answer
        assert "root:" not in answer


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "127.0.0.1.evil:{port}",
     "evil@127.0.0.1:{port}", "[::1", "localhost.:{port}", "127.0.0.1:{port}.evil", "0:{port}",
     "127.1:{port}", "{port}"],
)  # fmt: skip
def test_a__x__gets_nothing(running, host):
    host = host.format(port=running.server.port)
    for target in (f"/?token={running.server.token}", "/page.js"):
        status, answer = running.ask(target, host=host)
        assert status in (400, 403)
        assert "<html" not in answer
        assert "import" not in answer
    assert Socket(running, host=host or "x").status in (400, 403)


def test_own_names_are_accepted(running):
    for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        assert running.page(host=f"{name}:{running.server.port}")[0] == 200


@pytest.mark.parametrize(
    "origin",
    [None, "null", "", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1",
     "http://127.0.0.1:1", "file://", "http://evil.example:{port}", "http://[::1",
     "http://127.0.0.1:{port}@evil.example"],
)  # fmt: skip
def test_another_origin_opens_no_session(running, origin):
    origin = origin.format(port=running.server.port) if origin else origin
    assert Socket(running, origin=origin).status == 403


def test_a_session_needs_the_token(running):
    assert Socket(running, token="").status == 403
    assert Socket(running, token="x" * 32).status == 403


def test_methods_without_meaning_are_turned_away(running):
    for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE"):
        status, _ = running.page(method=method, more="Content-Length: 0\r\n")
        assert status in (403, 405)


def test_a_session_survives_bad_messages(running):
    line = Socket(running)
    assert line.status == 101
    line.say(type="open", scene="toy", seed=1)
    assert line.until("ready")["engine"] == "native"
    for bad in ("", "{", "[]", "null", '{"type": 7}', "\x00", "[" * 10_000, b"\xff" * 10):
        line.send(bad, opcode=2 if isinstance(bad, bytes) else 1)
        assert "must" in line.until("error")["message"]
    line.send(" " * (MOST_BYTES + 1))
    assert "1,000,000 bytes" in line.until("error")["message"]
    line.say(type="step", ticks=3)
    line.say(type="read", what="log")
    assert line.until("answer")["log"] == []
    line.close()


def test_a_message_beyond_all_bounds_ends_only_its_own_connection(running):
    line = Socket(running)
    with contextlib.suppress(OSError):  # the server closes while we still write
        line.send(" " * (5 * MOST_BYTES))
    assert line.receive() is None
    assert running.page()[0] == 200


def test_two_tabs_have_two_sessions_and_a_page_that_goes_ends_its_engine(running):
    first, second = Socket(running), Socket(running)
    for line, seed in ((first, 1), (second, 2)):
        line.say(type="open", scene="toy", seed=seed)
        assert line.until("ready")["seed"] == seed
    first.say(type="step", ticks=5)
    while first.until("frame")["tick"] < 5:
        first.say(type="seen")
    second.say(type="read", what="marks")
    assert second.until("answer")["tick"] == 0
    first.close()
    second.close()
    wait_until(lambda: not running.server.sessions)


@pytest.mark.parametrize(
    ("load", "words"),
    [(crashing, "the engine has stopped"), (without_scene, "must define network")],
)
def test_an_engine_that_cannot_start_says_so_on_the_page(load, words):
    running = Running(load)
    try:
        line = Socket(running)
        line.say(type="open")
        found = line.until("error")
        assert found["fatal"]
        assert words in found["message"]
        line.close()
    finally:
        running.end()


def test_stopping_the_server_ends_all_engines():
    running = Running()
    lines = [Socket(running) for _ in range(2)]
    wait_until(lambda: running.server.sessions == 2)
    children = running.server.process_ids
    running.end()
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)
    for line in lines:
        assert "start it again" in line.until("error")["message"]
        assert line.receive() is None


def test_a_port_in_use_is_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SynsampError, match="must be free to listen at"):
            LabServer(toy_scenes, port=taken.getsockname()[1])
