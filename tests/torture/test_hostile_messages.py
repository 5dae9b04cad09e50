"""Whatever a page sends, the engine answers with a sentence and its session continues."""

from __future__ import annotations

import random

import numpy as np

from synsamp.errors import SynsampError
from synsamp.lab.host import Host
from synsamp.lab.messages import decode, encode
from synsamp.lab.scenes import SCENES
from torture import hostile_messages
from torture.scale import many


def test_messages_end_in_an_answer_and_leave_a_session_that_repeats(tally):
    """θ of a session that was sent anything equals θ of its log, run again."""
    count, rng = many(300, 6000), random.Random(20)
    host = Host({"digits": SCENES["digits"]})
    host.take({"type": "open", "seed": 2})
    for _ in range(count):
        try:
            given = decode(hostile_messages.text(rng))
        except SynsampError:
            continue
        if given.get("type") == "open" and rng.random() < 0.9:
            continue  # each opens another network
        if given.get("type") == "step":
            given["ticks"] = min(given["ticks"], 20) if _whole(given.get("ticks")) else "many"
        host.take(given)
        for answer in host.work():
            encode(answer)
            if answer["type"] == "error":
                assert "\n" not in answer["message"]
                assert len(answer["message"]) < 5000
        host.take({"type": "pause"})
    session = host.session
    assert session.tick > 0
    assert session.log
    again = Host({"digits": SCENES["digits"]})
    again.take(
        {
            "type": "open",
            "seed": session.seed,
            "settings": session.opened_with,
            "actions": session.log,
        }
    )
    again.session.advance(session.tick)
    theta, expected = again.session.theta(), session.theta()
    assert theta.keys() == expected.keys()
    for name, values in theta.items():
        np.testing.assert_array_equal(values, expected[name])
    tally("hostile messages to the lab", count)


def _whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
