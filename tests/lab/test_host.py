"""The engine behind the messages: what it answers, and that bad messages leave it as it was."""

from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest

from synsamp.errors import SynsampError
from synsamp.lab.host import Host
from synsamp.lab.messages import MOST_BYTES, decode, encode, finite
from synsamp.lab.scenes import SCENES

BAD = (
    {},
    {"type": None},
    {"type": "exec"},
    {"type": ["play"]},
    {"type": "open", "protocol": 2},
    {"type": "open", "scene": "../digits"},
    {"type": "open", "scene": {"a": 1}},
    {"type": "open", "seed": -1},
    {"type": "open", "seed": 1.5},
    {"type": "open", "seed": 2**32},
    {"type": "open", "settings": [1]},
    {"type": "open", "settings": {"temperature": 1e9}},
    {"type": "open", "settings": {"__class__": 1}},
    {"type": "open", "actions": [{"kind": "twin", "on": True}]},
    {"type": "open", "actions": [{"kind": "set", "name": "peaks", "value": [], "tick": 1}]},
    {"type": "open", "actions": [[]] * 3},
    {"type": "play", "speed": -1},
    {"type": "play", "speed": "fast"},
    {"type": "play", "view": 3},
    {"type": "step", "ticks": 0},
    {"type": "step", "ticks": 10**9},
    {"type": "view", "want": "theta"},
    {"type": "view", "pointer": {"projection": "theta", "post": -1, "pre": 0}},
    {"type": "view", "max_fps": 0},
    {"type": "action"},
    {"type": "action", "action": {"kind": "delete"}},
    {"type": "action", "action": {"kind": "set", "name": "temperature", "value": "1"}},
    {"type": "action", "action": {"kind": "set", "name": "temperature", "value": True}},
    {"type": "action", "action": {"kind": "set", "name": "peaks", "value": [[0, 0, 0, 0]]}},
    {"type": "action", "action": {"kind": "set", "name": "peaks", "value": [[0, 0, 1]] * 99}},
    {"type": "action", "action": {"kind": "draw", "picture": [1, 2, 3]}},
    {"type": "action", "action": {"kind": "draw", "picture": [9.0] * 784}},
    {"type": "goto"},
    {"type": "goto", "tick": 10**6},
    {"type": "goto", "tick": -1},
    {"type": "read", "what": "/etc/passwd"},
)


@pytest.fixture
def host():
    host = Host(SCENES)
    host.take({"type": "open", "protocol": 1, "scene": "landscape", "seed": 3})
    assert [message["type"] for message in host.work()] == ["ready", "frame"]
    return host


@pytest.mark.parametrize("message", BAD, ids=lambda message: json.dumps(message)[:60])
def test_a_bad_message_is_an_error_and_changes_nothing(host, message):
    before = host.session
    host.take(message)
    found = host.work()
    errors = [one for one in found if one["type"] == "error"]
    assert len(errors) == 1
    assert errors[0]["fatal"] is False
    assert "\n" not in errors[0]["message"]
    assert host.session is before
    assert (host.session.tick, host.session.log, host.session.pending) == (0, [], {})


@pytest.mark.parametrize("message", [None, 3, "play", ["play"], {"type": "play"}])
def test_nothing_runs_before_a_session_is_open(message):
    host = Host(SCENES)
    host.take(message)
    assert [one["type"] for one in host.work()] == ["error"]
    assert host.idle_s() is None


def test_one_frame_at_a_time_is_under_way(host):
    host.take({"type": "seen", "tick": 0})
    host.take({"type": "play", "speed": None, "view": {"max_fps": 60}})
    found = [one for _ in range(30) for one in host.work()]
    assert [one["type"] for one in found].count("frame") == 1
    assert host.session.tick > found[0].get("tick", 0)  # the run continues meanwhile
    host.take({"type": "seen", "tick": 0})
    frames = [one for _ in range(5) for one in host.work() if one["type"] == "frame"]
    assert len(frames) == 1
    assert frames[0]["speed"] > 0


def test_speed_step_and_pause(host):
    host.take({"type": "step", "ticks": 7})
    while host.idle_s() == 0.0:
        host.work()
    assert host.session.tick == 7
    host.take({"type": "play", "speed": 20.0})
    began = time.perf_counter()
    while time.perf_counter() - began < 0.5:
        host.work()
    host.take({"type": "pause"})
    passed_s = time.perf_counter() - began
    ran_s = host.session.time_s - 0.7
    assert ran_s <= 20.0 * passed_s
    ticks = host.session.tick
    host.work()
    assert host.session.tick == ticks


def test_goto_pauses_and_the_next_frame_says_so(host):
    host.take({"type": "step", "ticks": 30})
    while host.session.tick < 30:
        host.work()
    host.take({"type": "seen", "tick": 30})
    host.take({"type": "goto", "tick": 10})
    time.sleep(0.04)
    found = host.work()
    assert host.session.tick == 10
    assert next(one for one in found if one["type"] == "frame")["restarted"] is True


@pytest.mark.parametrize("what", ["settings", "theta", "weights", "log", "marks", "experiment"])
def test_what_can_be_read(host, what):
    host.take({"type": "action", "action": {"kind": "set", "name": "temperature", "value": 2}})
    host.take({"type": "read", "what": what})
    (answer,) = [one for one in host.work() if one["type"] == "answer"]
    assert answer["what"] == what
    if what == "settings":
        assert (answer["settings"]["temperature"], answer["pending"]) == (1.0, {"temperature": 2})
    if what == "theta":
        np.testing.assert_array_equal(answer["arrays"]["theta"], [0.0, 0.0])
    if what == "experiment":
        compile(answer["text"], answer["file"], "exec")


def test_an_engine_error_pauses_the_run_and_the_session_can_go_back(host, monkeypatch):
    def overflow(model, ticks):
        raise SynsampError("potentials must be finite, got NaN")

    with monkeypatch.context() as patch:
        patch.setattr(type(host.session.network), "advance", overflow)
        host.take({"type": "play", "speed": None})
        (error,) = [one for one in host.work() if one["type"] == "error"]
    assert "must be finite" in error["message"]
    assert "go back to a mark" in error["message"]
    host.take({"type": "goto", "tick": 0})
    host.take({"type": "step", "ticks": 2})
    host.work()
    assert host.session.tick == 2


# -- bytes --------------------


def test_messages_survive_their_bytes():
    arrays = {
        "a": np.arange(3, dtype=np.int32),
        "b": np.linspace(0, 1, 6).reshape(2, 3),
        "none": np.zeros((0, 4), np.float32),
    }
    data = encode({"type": "frame", "x": math.inf, "y": np.float64(2.0), "arrays": arrays})
    length = int.from_bytes(data[:4], "little")
    head = json.loads(data[4 : 4 + length])
    assert (head["x"], head["y"]) == (None, 2.0)
    at = 4 + length
    for said in head["arrays"]:
        at += -at % 8
        values = arrays[said["name"]]
        count = int(np.prod(said["shape"]))
        found = np.frombuffer(data, said["dtype"], count, at).reshape(said["shape"])
        np.testing.assert_array_equal(found, values)
        at += values.nbytes
    assert at == len(data)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"3", b"null", b'{"a": NaN}', b"\xff\xfe", b"[" * 100_000,
     b'{"a": ' * 5000, b"{" + b" " * MOST_BYTES + b"}"],
    ids=lambda text: str(text[:12]),
)  # fmt: skip
def test_what_is_no_json_object_raises_an_error(text):
    with pytest.raises(SynsampError, match="message must be"):
        decode(text)


def test_numbers_that_json_lacks_become_null():
    assert finite({"a": [math.nan, (1, -math.inf)]}) == {"a": [None, [1, None]]}
