"""The native engine behind the messages of the lab (``docs/reference/lab-protocol.md``).

A `Host` has no threads and no sockets: a message goes in by `take`, and `work` runs the session for
a moment and returns messages to send. The server's engine process and the notebook widget use it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from synsamp import arguments
from synsamp.errors import SynsampError, refuse
from synsamp.lab.experiment_text import file_name
from synsamp.lab.messages import Message
from synsamp.lab.scene import Scene
from synsamp.lab.session import MOST_TICKS, WANT, FrameView, Session

PROTOCOL = 1
MOST_FPS = 60.0
SLICE_S = 0.03
"""Real time of a run between two checks of what came in."""
READABLE = ("settings", "theta", "weights", "log", "marks", "experiment")


class Host:
    """A session behind messages.

    Parameters
    ----------
    scenes
        Scenes that may be opened, by name. If there is one, it opens whatever is asked for.
    session
        A session that has been opened already.
    """

    def __init__(
        self, scenes: Mapping[str, Callable[[], Scene]], session: Session | None = None
    ) -> None:
        self._scenes = scenes
        self.session = session
        self._view = FrameView()
        self._playing, self._speed = False, 0.0
        self._until = MOST_TICKS
        self._seen, self._frame_due = True, 0.0
        self._dirty = False
        self._out: list[Message] = []
        self._started()

    # -- messages in --------------------

    def take(self, message: Any) -> None:
        """Act on a message; a bad one becomes an ``error`` message."""
        try:
            arguments.instance("message", message, Mapping, "send a JSON object")
            kinds = {
                "open": self._open,
                "play": self._play,
                "pause": self._pause,
                "step": self._step,
                "view": self._set_view,
                "action": self._act,
                "goto": self._goto,
                "read": self._read,
                "seen": self._frame_seen,
            }
            kind = arguments.one_of("type of message", message.get("type"), kinds)
            if kind != "open" and self.session is None:
                raise refuse("message", "must come after 'open'", kind)
            kinds[kind](message)
        except ValueError as error:
            self._say({"type": "error", "message": str(error), "fatal": False})

    def _open(self, message: Mapping[str, Any]) -> None:
        protocol = message.get("protocol", PROTOCOL)
        if protocol != PROTOCOL:
            raise refuse("protocol", f"must be {PROTOCOL}", protocol, "reload the page")
        if self.session is not None and message.get("join") is True:
            self._welcome(self.session)
            return
        name = message.get("scene")
        if name is None or len(self._scenes) == 1:
            name = next(iter(self._scenes))
        scene = self._scenes[arguments.one_of("scene", name, self._scenes)]()
        settings = arguments.instance("settings", message.get("settings") or {}, Mapping)
        actions = arguments.instance("actions", message.get("actions") or [], list)
        session = Session(scene, message.get("seed", 0), settings, actions)
        self.session = session
        self._playing = False
        self._welcome(session)

    def _welcome(self, session: Session) -> None:
        self._seen, self._dirty = True, True
        self._say(
            {
                "type": "ready",
                "protocol": PROTOCOL,
                "engine": "native",
                "scene": session.scene.describe(),
                "seed": session.seed,
                "settings": session.settings,
                "tick": session.tick,
            }
        )

    def _play(self, message: Mapping[str, Any]) -> None:
        speed = message.get("speed")
        if speed is not None:
            speed = arguments.number("speed", speed, above=0, at_most=1e9)
        self._set_view(message.get("view") or {})
        self._speed = np.inf if speed is None else speed
        self._until = MOST_TICKS
        self._playing = True
        self._started()

    def _pause(self, message: Mapping[str, Any]) -> None:
        self._playing, self._dirty = False, True

    def _step(self, message: Mapping[str, Any]) -> None:
        assert self.session is not None
        ticks = arguments.whole("ticks", message.get("ticks", 1), at_least=1, at_most=10**6)
        self._playing, self._speed, self._until = True, np.inf, self.session.tick + ticks
        self._started()

    def _set_view(self, message: Mapping[str, Any]) -> None:
        arguments.instance("view", message, Mapping)
        view = self._view
        if "want" in message:
            want = arguments.instance("want", message["want"], list)
            view = replace(view, want=frozenset(str(one) for one in want[:50]) & set(WANT))
        if "pointer" in message:
            view = replace(view, pointer=_pointer(message["pointer"]))
        if "max_fps" in message:
            fps = arguments.number("max_fps", message["max_fps"], above=0, at_most=1e6)
            view = replace(view, max_fps=min(fps, MOST_FPS))
        self._view, self._dirty = view, True

    def _act(self, message: Mapping[str, Any]) -> None:
        assert self.session is not None
        self.session.act(arguments.instance("action", message.get("action"), Mapping))
        self._dirty = True

    def _goto(self, message: Mapping[str, Any]) -> None:
        assert self.session is not None
        self._playing, self._dirty = False, True
        self.session.goto(message.get("tick"))  # type: ignore[arg-type]
        self._restarted = True

    def _read(self, message: Mapping[str, Any]) -> None:
        session = self.session
        assert session is not None
        what = arguments.one_of("what", message.get("what"), READABLE)
        answer: Message = {"type": "answer", "what": what, "tick": session.tick}
        if what in ("theta", "weights"):
            answer["arrays"] = session.theta() if what == "theta" else session.weights()
        elif what == "settings":
            answer |= {"settings": session.settings, "pending": session.pending}
        elif what == "log":
            answer |= {"log": session.log, "waiting": session.waiting}
        elif what == "marks":
            answer["ticks"] = session.marks
        else:
            answer |= {"text": session.experiment_text(), "file": file_name(session.scene.name)}
        self._say(answer)

    def _frame_seen(self, message: Mapping[str, Any]) -> None:
        self._seen = True

    # -- running, messages out --------------------

    def idle_s(self) -> float | None:
        """How long `work` has nothing to do unless a message comes in; None: for ever."""
        if self._out or self._playing:
            return 0.0
        if self.session is None or not (self._dirty and self._seen):
            return None
        return max(self._frame_due - time.perf_counter(), 0.0)

    def work(self) -> list[Message]:
        """Run for a moment if playing; return messages to send, at most one frame among them."""
        session = self.session
        if session is not None:
            if self._playing:
                try:
                    self._run(session)
                except SynsampError as error:  # such as weights beyond all bounds
                    self._playing = False
                    self._say(
                        {
                            "type": "error",
                            "message": f"{error} (the run has paused; go back to a mark)",
                            "fatal": False,
                        }
                    )
            self._out += session.events
            session.events = []
            now = time.perf_counter()
            if self._seen and now >= self._frame_due and (self._playing or self._dirty):
                self._out.append(self._frame(session))
                self._seen, self._dirty = False, False
                self._frame_due = now + 1.0 / self._view.max_fps
        out, self._out = self._out, []
        return out

    def _run(self, session: Session) -> None:
        allowed = self._until
        if np.isfinite(self._speed):
            elapsed_s = time.perf_counter() - self._started_at
            due = self._started_tick + int(elapsed_s * self._speed / session.scene.tick_s)
            allowed = min(allowed, due)
        if session.tick < allowed:
            session.run_for(SLICE_S, allowed)
        else:
            time.sleep(min(0.005, SLICE_S))
        if session.tick >= self._until:
            self._playing, self._dirty = False, True

    def _started(self) -> None:
        self._started_at = time.perf_counter()
        self._started_tick = 0 if self.session is None else self.session.tick
        self._measured = (self._started_at, self._started_tick, 0)
        self._restarted = False

    def _frame(self, session: Session) -> Message:
        look = session.look(self._view)
        now, spikes = time.perf_counter(), look.values.pop("n_spikes", 0)
        before_s, before_tick, before_spikes = self._measured
        passed_s = max(now - before_s, 1e-9)
        self._measured = now, session.tick, spikes
        ticks = max(session.tick - before_tick, 0)
        frame: Message = {
            "type": "frame",
            "speed": ticks * session.scene.tick_s / passed_s,
            "spikes_per_s": max(spikes - before_spikes, 0) / passed_s,
            "playing": self._playing,
            **look.values,
            "arrays": look.arrays,
        }
        if self._restarted:
            frame["restarted"], self._restarted = True, False
        return frame

    def _say(self, message: Message) -> None:
        self._out.append(message)


def _pointer(given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    arguments.instance("pointer", given, Mapping)
    places = {
        name: arguments.whole(f"{name} of the pointer", given.get(name), at_least=0, at_most=10**9)
        for name in ("post", "pre")
    }
    return {"projection": arguments.text("projection", given.get("projection")), **places}
