"""A session: one network simulated for one viewer, with a log from which it can be repeated.

Time advances in ticks. Actions wait until the next tick begins and are logged with its number, so
that (scene, seed, settings, log) determines every spike. Frames, the pace at which ticks follow one
another, and snapshots never change the run.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.lab.experiment_text import experiment_text
from synsamp.lab.marks import Marks
from synsamp.lab.scene import Arrays, KnobValues, Look, Scene, SceneModel

ACTIONS = ("set", "lesion", "draw", "twin", "probe")
MOST_ACTIONS = 10_000
LARGEST_SEED = 2**32 - 1
MOST_TICKS = 10**9
MOST_AT_ONCE = 1000
"""Ticks in one call of the engine."""
WANT = ("spikes", "theta", "weights", "active", "stimulus", "tuning", "curves")
"""What a view may ask for."""


@dataclass
class FrameView:
    """What the next frames contain."""

    want: frozenset[str] = frozenset(WANT)
    pointer: Mapping[str, Any] | None = None
    max_fps: float = 30.0


@dataclass
class SessionMoment:
    """The state of a session at a tick."""

    network: SceneModel
    twin: SceneModel | None
    settings: KnobValues
    log: list[dict[str, Any]] = field(default_factory=list)

    def save(self) -> dict[str, Any]:
        """The whole state, as a snapshot."""
        return {
            "network": self.network.save(),
            "twin": None if self.twin is None else self.twin.save(),
            "settings": dict(self.settings),
            "log": list(self.log),
        }

    def restored(self, saved: Mapping[str, Any]) -> SessionMoment:
        """A moment that continues from a snapshot."""
        network, twin = saved["network"], saved["twin"]
        return SessionMoment(
            self.network.restored(network),
            None if twin is None else self.network.restored(twin),
            dict(saved["settings"]),
            list(saved["log"]),
        )


class Session:
    """One network, its twin without lesions, and the log of what was done to it.

    Parameters
    ----------
    scene
        What is simulated.
    seed
        Seed of all random numbers.
    settings
        Values of knobs that differ from the scene's.
    actions
        Actions of an earlier session to be repeated: dictionaries with ``tick`` and ``kind``.
    """

    def __init__(
        self,
        scene: Scene,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        actions: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.scene = scene
        self.seed = arguments.whole("seed", seed, at_least=0, at_most=LARGEST_SEED)
        self.opened_with = scene.settings(settings)
        self._now = SessionMoment(
            scene.model(self.seed, self.opened_with), None, dict(self.opened_with)
        )
        self._coming = [self._checked(action) for action in _logged(actions)]
        self._waiting: list[dict[str, Any]] = []
        self._marks = Marks(scene.mark_every)
        described = scene.describe()
        self._probe_kind: str | None = described["probe"]
        self._probe_every = described.get("probe_every_ticks", 0)
        self._ticks_at_once = 1
        self._marks.add(0, self._now.save())
        self.events: list[dict[str, Any]] = []
        """Messages about what happened since they were last taken (probes, marks, errors)."""

    # -- time --------------------

    @property
    def tick(self) -> int:
        """Ticks so far."""
        return self._now.network.tick

    @property
    def time_s(self) -> float:
        """Biological time (s)."""
        return self.tick * self.scene.tick_s

    @property
    def network(self) -> SceneModel:
        """The network with lesions."""
        return self._now.network

    @property
    def twin(self) -> SceneModel | None:
        """The network without lesions."""
        return self._now.twin

    @property
    def settings(self) -> KnobValues:
        """Values of all knobs."""
        return dict(self._now.settings)

    @property
    def pending(self) -> KnobValues:
        """KnobValues that the next tick applies."""
        return {a["name"]: a["value"] for a in self._waiting if a["kind"] == "set"}

    @property
    def log(self) -> list[dict[str, Any]]:
        """Actions so far, with their ticks."""
        return [dict(action) for action in self._now.log]

    @property
    def waiting(self) -> list[dict[str, Any]]:
        """Actions that the next tick applies."""
        return [dict(action) for action in self._waiting]

    @property
    def marks(self) -> list[int]:
        """Ticks that `goto` reaches without simulating again."""
        return self._marks.ticks

    def advance(self, ticks: int = 1) -> None:
        """Simulate some ticks; actions are applied before the first one."""
        end = self.tick + arguments.whole("ticks", ticks, at_least=0, at_most=MOST_TICKS)
        while self.tick < end:
            self._apply_due()
            self._probe_if_due()
            stops = [end, self._marks.next_after(self.tick), self.tick + MOST_AT_ONCE]
            stops += [self._next_probe()] if self._probe_every else []
            together = min(stops + [action["tick"] for action in self._coming[:1]]) - self.tick
            self._now.network.advance(together)
            if self._now.twin is not None:
                self._now.twin.advance(together)
            if self._marks.due(self.tick):
                self._marks.add(self.tick, self._now.save())
                self.events.append({"type": "marks", "ticks": self.marks})

    def _next_probe(self) -> int:
        return (self.tick // self._probe_every + 1) * self._probe_every

    def _probe_if_due(self) -> None:
        if self._probe_every and self.tick and self.tick % self._probe_every == 0:
            self._probe()

    def run_for(self, seconds: float, until_tick: int) -> None:
        """Simulate for about ``seconds`` of real time, at most to a tick."""
        end = time.perf_counter() + seconds
        while self.tick < until_tick and time.perf_counter() < end:
            began = time.perf_counter()
            ticks = min(self._ticks_at_once, until_tick - self.tick)
            self.advance(ticks)
            took = time.perf_counter() - began
            fit = max(1, min(int(ticks * 0.5 * seconds / max(took, 1e-6)), MOST_AT_ONCE))
            self._ticks_at_once = min(fit, 2 * self._ticks_at_once)

    def goto(self, tick: int) -> None:
        """Return to a tick up to now; what comes after it is a new continuation."""
        tick = arguments.whole("tick", tick, at_least=0, at_most=self.tick, remedy="use a mark")
        log = self._now.log
        start, saved = self._marks.last_before(tick)
        self._now = self._now.restored(saved)
        self._marks.forget_after(tick)
        self._waiting = []
        self._coming = [action for action in log if start <= action["tick"] < tick]
        self._now.log = [action for action in self._now.log if action["tick"] < start]
        before = list(self.events)
        while self.tick < tick:
            self.advance()
        self._now = self._now.restored(self._now.save())  # frames show nothing older
        self.events = [*before, {"type": "marks", "ticks": self.marks}]

    # -- actions --------------------

    def act(self, action: Mapping[str, Any]) -> None:
        """Apply an action when the next tick begins."""
        if len(self._now.log) + len(self._waiting) >= MOST_ACTIONS:
            raise refuse("actions", f"must be at most {MOST_ACTIONS} in a session", MOST_ACTIONS,
                         "open a new session")  # fmt: skip
        self._waiting.append({**self._checked(action), "tick": self.tick})

    def _checked(self, action: Any) -> dict[str, Any]:
        """Check an action as far as possible without a network."""
        arguments.instance("action", action, Mapping, "e.g. {'kind': 'twin', 'on': True}")
        kind = arguments.one_of("kind of action", action.get("kind"), ACTIONS)
        found: dict[str, Any] = {"kind": kind}
        if "tick" in action:
            found["tick"] = arguments.whole(
                "tick of an action", action["tick"], at_least=0, at_most=MOST_TICKS
            )
        if kind == "set":
            knob = self.scene.knob(action.get("name"))
            if knob.restart:
                raise refuse(knob.name, "must be set when a session opens", action.get("value"),
                             "open a new session with it")  # fmt: skip
            return {**found, "name": knob.name, "value": knob.check(action.get("value"))}
        if kind == "twin":
            return {**found, "on": arguments.flag("on", action.get("on"))}
        if kind == "draw":
            return {**found, "picture": _picture(action.get("picture"))}
        if kind == "lesion":
            names = ("what", "population", "members", "projection", "regrow", "group")
            return {**found, **{name: action[name] for name in names if name in action}}
        return found

    def _apply_due(self) -> None:
        """Apply what was logged for this tick, then what waits."""
        due = [action for action in self._coming if action["tick"] <= self.tick]
        self._coming = [action for action in self._coming if action["tick"] > self.tick]
        waiting, self._waiting = self._waiting, []
        for action in (*due, *waiting):
            action = {**action, "tick": self.tick}
            try:
                self._apply(action)
            except ValueError as error:
                self.events.append({"type": "error", "message": str(error), "fatal": False})
            else:
                self._now.log.append(action)

    def _apply(self, action: Mapping[str, Any]) -> None:
        now, kind = self._now, action["kind"]
        both = [one for one in (now.network, now.twin) if one is not None]
        if kind == "set":
            settings = {**now.settings, action["name"]: action["value"]}
            for one in both:
                one.set(settings, action["name"])
            now.settings = settings
        elif kind == "draw":
            picture = action["picture"]
            for one in both:
                one.draw(None if picture is None else np.array(picture, float))
        elif kind == "twin":
            now.twin = (now.twin or now.network.copy()) if action["on"] else None
        elif kind == "lesion":
            twin = now.twin or now.network.copy()
            now.network.lesion(action)
            now.twin = twin
            if self._probe_kind is not None:  # what the lesion did, before anything recovers
                self._probe()
        else:
            self._probe()

    def _probe(self) -> None:
        values = {}
        for name, one in (("network", self._now.network), ("twin", self._now.twin)):
            found = None if one is None else one.probe(self.tick)
            if found is not None:
                values[name] = found
        if not values:
            raise refuse("probe", "must be one that the scene offers", self.scene.name)
        found = {"tick": self.tick, "time_s": self.time_s, "kind": self._probe_kind}
        self.events.append({"type": "probe", **found, "values": values})

    def experiment_text(self) -> str:
        """The Python file of an experiment that repeats the session up to now."""
        scene = self.scene
        return experiment_text(
            scene.name, scene.tick_s, self.seed, self.opened_with, self.log, self.tick
        )

    # -- looking --------------------

    def look(self, view: FrameView) -> Look:
        """Return arrays and numbers of the network, and of its twin with prefix ``twin.``."""
        found = self._now.network.look(view.want, view.pointer)
        found.values |= {"tick": self.tick, "time_s": self.time_s, "twin": self.twin is not None}
        if self._now.twin is not None:
            other = self._now.twin.look(view.want, view.pointer)
            found.arrays |= {f"twin.{name}": array for name, array in other.arrays.items()}
            found.values["twin_values"] = other.values
        return found

    def theta(self) -> Arrays:
        """θ by projection, of the network and with prefix ``twin.`` of its twin."""
        return self._both(lambda model: model.theta())

    def weights(self) -> Arrays:
        """Efficacies by projection, likewise."""
        return self._both(lambda model: model.weights())

    def _both(self, read: Any) -> Arrays:
        found: Arrays = dict(read(self._now.network))
        if self._now.twin is not None:
            found |= {f"twin.{name}": array for name, array in read(self._now.twin).items()}
        return found


def _logged(actions: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Actions of a log in the order of their ticks."""
    found = list(actions)
    if len(found) > MOST_ACTIONS:
        raise refuse("actions", f"must be at most {MOST_ACTIONS}", len(found))
    for action in found:
        arguments.instance("action", action, Mapping)
        arguments.whole("tick of an action", action.get("tick"), at_least=0, at_most=MOST_TICKS)
    return sorted(found, key=lambda action: action["tick"])


def _picture(given: Any) -> list[float] | None:
    """Values of a drawn picture, from 0 to 1."""
    if given is None:
        return None
    values = arguments.numbers("picture", given, shape=(28 * 28,), at_least=0, at_most=1)
    return [float(one) for one in values]
