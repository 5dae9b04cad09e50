"""Sessions that both engines run: every kind of action, in every scene."""

from __future__ import annotations

from typing import Any

PICTURE = [round(0.5 + 0.5 * ((7 * i) % 11 - 5) / 5, 3) for i in range(784)]


def _set(tick: int, name: str, value: Any) -> dict[str, Any]:
    return {"tick": tick, "kind": "set", "name": name, "value": value}


def _lesion(tick: int, **what: Any) -> dict[str, Any]:
    return {"tick": tick, "kind": "lesion", **what}


DIGITS = {
    "scene": "digits",
    "seed": 3,
    "ticks": 90,
    "look_every": 13,
    "actions": [
        _set(10, "temperature", 1.5),
        _set(15, "prior.mean", 0.25),
        _set(20, "stimuli", [2]),
        {"tick": 25, "kind": "probe"},
        _lesion(30, what="neurons", population="z", members=[1, 4]),
        _lesion(36, what="inputs", group="x", members=[404, 405, 406]),
        _lesion(42, what="synapses", projection="x->z", regrow=True),
        _set(48, "stimuli", [1, 2]),
        _set(54, "speed", 0.0005),
        _set(60, "prior.std", 0.75),
        {"tick": 66, "kind": "draw", "picture": PICTURE},
        _lesion(70, what="neurons", population=None, members=[9, 42]),  # an error
        _set(72, "data_size", 80.0),
        _set(74, "clip", 20.0),
        {"tick": 78, "kind": "draw", "picture": None},
        {"tick": 84, "kind": "twin", "on": False},
    ],
}
SENSES = {
    "scene": "senses",
    "seed": 11,
    "settings": {"stimuli": [1]},
    "ticks": 40,
    "look_every": 7,
    "actions": [
        _lesion(10, what="neurons", population=None, members=[3, 12, 47, 55]),
        _set(15, "stimuli", [1, 2]),
        _set(20, "temperature", 2.0),
        _lesion(25, what="synapses", projection="lateral", regrow=False),
        _lesion(30, what="inputs", group="x_A", members=list(range(100, 140))),
    ],
}
SPINES = {
    "scene": "spines",
    "seed": 5,
    "ticks": 6,
    "look_every": 2,
    "actions": [
        _set(2, "data_size", 100.0),
        _set(3, "speed", 0.0002),
        _lesion(4, what="synapses", projection="dendrite", regrow=True),
    ],
}
REWARD = {
    "scene": "reward",
    "seed": 2,
    "ticks": 120,
    "look_every": 17,
    "actions": [
        _set(30, "temperature", 0.5),
        {"tick": 40, "kind": "twin", "on": True},
        _set(60, "prior.std", 0.9),
        _set(80, "speed", 0.3),
    ],
}
LANDSCAPE = {
    "scene": "landscape",
    "seed": 7,
    "ticks": 2000,
    "look_every": 190,
    "actions": [
        _set(300, "temperature", 0.5),
        {"tick": 500, "kind": "twin", "on": True},
        _set(900, "peaks", [[1.0, -1.0, 0.5, 1.0], [-1.5, 0.5, 0.4, 2.0]]),
        _set(1200, "prior.mean", 0.5),
        _set(1500, "data_size", 2.0),
    ],
}
SHORT = {one["scene"]: one for one in (DIGITS, SENSES, SPINES, REWARD, LANDSCAPE)}


def longer(session: dict[str, Any], times: int) -> dict[str, Any]:
    """The same session, drawn out in time."""
    actions = [{**action, "tick": times * action["tick"]} for action in session["actions"]]
    return {**session, "ticks": times * session["ticks"], "actions": actions}
