"""Messages that a broken or hostile page may send to the engine of the lab."""

from __future__ import annotations

import json
import random

ODD = (
    None, True, False, 0, -1, 1, 0.5, 1e308, -1e308, 2**53, 2**64, 10**30, "", " ", "z", "x->z",
    "digits", "../..", "\0", "\u202e", "a" * 2000, "é" * 300, "<script>", "__class__", [], [[]],
    [0], [-1], [0, 1], [None], ["a"], [1e308], list(range(1000)), {}, {"a": 1}, {"kind": "twin"},
    [{}], [[[[]]]], {"projection": "x->z", "post": 10**9, "pre": 0},
)  # fmt: skip
FIELDS = {
    "open": ("protocol", "scene", "seed", "settings", "actions", "join"),
    "play": ("speed", "view"),
    "pause": (),
    "step": ("ticks",),
    "view": ("want", "pointer", "max_fps"),
    "action": ("action",),
    "goto": ("tick",),
    "read": ("what",),
    "seen": ("tick",),
}
ACTIONS = {
    "set": ("name", "value"),
    "lesion": ("what", "population", "members", "projection", "regrow", "group"),
    "draw": ("picture",),
    "twin": ("on",),
    "probe": (),
}
GOOD = {
    "scene": ["digits"],
    "name": ["temperature", "stimuli", "learn_when_retracted", "prior.std", "clip"],
    "what": ["neurons", "synapses", "inputs", "settings", "log"],
    "population": ["z", None],
    "projection": ["x->z"],
    "group": ["x"],
    "protocol": [1],
}


def message(rng: random.Random):
    """One message: right in some fields, odd in others, sometimes with fields that do not exist."""
    kind = rng.choice([*FIELDS, *FIELDS, "action", "action", "exec"])
    found = {"type": kind, **_fields(rng, FIELDS.get(kind, ()))}
    if kind == "action" and rng.random() < 0.8:
        what = rng.choice([*ACTIONS, "delete"])
        found["action"] = {"kind": what, **_fields(rng, ACTIONS.get(what, ()))}
    if rng.random() < 0.1:
        found[rng.choice(["__class__", "arrays", "kind", ""])] = rng.choice(ODD)
    return found


def _fields(rng, names):
    return {
        name: rng.choice(GOOD.get(name, ODD)) if rng.random() < 0.6 else rng.choice(ODD)
        for name in names
        if rng.random() < 0.85
    }


def text(rng: random.Random) -> bytes:
    """The bytes of a message, sometimes damaged."""
    data = bytearray(json.dumps(message(rng)).encode())
    for _ in range(rng.choice((0, 0, 1, 5))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)
