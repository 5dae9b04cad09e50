"""The lab in a notebook: an anywidget with the same page; the engine runs in a thread."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from importlib.resources import as_file, files
from typing import Any

import numpy as np

from synsamp.extras import require_extra

require_extra("synsamp.lab.Lab", "notebook")

import anywidget  # noqa: E402
import traitlets  # noqa: E402

from synsamp import arguments  # noqa: E402
from synsamp.lab.bundle import bundle  # noqa: E402
from synsamp.lab.host import Host  # noqa: E402
from synsamp.lab.messages import Message, finite  # noqa: E402
from synsamp.lab.own import OwnNetwork  # noqa: E402
from synsamp.lab.scene import Arrays, KnobValues, Scene  # noqa: E402
from synsamp.lab.scenes import SCENES  # noqa: E402
from synsamp.lab.session import Session  # noqa: E402
from synsamp.spiking import Network  # noqa: E402


def _page() -> tuple[str, str]:
    """The page as one script, and its style."""
    with as_file(files("synsamp.lab") / "static") as static:
        return bundle(static / "widget.js"), (static / "lab.css").read_text(encoding="utf-8")


class Lab(anywidget.AnyWidget):
    """A network that learns while you watch, in a notebook.

    Parameters
    ----------
    network
        A `synsamp.spiking.Network`, or the name of a scene: ``digits``, ``landscape``, ``spines``,
        ``senses`` or ``reward``.
    stimulus
        What a network is shown, as for `synsamp.spiking.Simulation`.
    seed
        Seed of the session.
    settings
        Values of knobs that differ from the scene's.

    Examples
    --------
    >>> from synsamp.lab import Lab
    >>> lab = Lab("digits")  # doctest: +SKIP
    >>> lab  # in the last line of a cell  # doctest: +SKIP
    >>> lab.theta["x->z"]  # doctest: +SKIP
    """

    _esm, _css = _page()
    state = traitlets.Dict({}).tag(sync=True)

    def __init__(
        self,
        network: Network | str = "digits",
        stimulus: Any = None,
        *,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        scene = _scene(network, stimulus)
        session = Session(scene, seed, settings)
        super().__init__(
            state={"scene": scene.name, "seed": session.seed, "settings": dict(settings or {})}
        )
        self._lock, self._wake = threading.Lock(), threading.Event()
        self._host = Host({scene.name: lambda: scene}, session)
        self.on_msg(self._receive)
        threading.Thread(target=_run, args=(weakref.ref(self), self._wake), daemon=True).start()

    # -- reading --------------------

    @property
    def theta(self) -> Arrays:
        """θ by projection, with prefix ``twin.`` of the twin without lesions."""
        return self._read(lambda session: session.theta())

    @property
    def weights(self) -> Arrays:
        """Efficacies by projection, likewise."""
        return self._read(lambda session: session.weights())

    @property
    def settings(self) -> KnobValues:
        """Values of all knobs."""
        return self._read(lambda session: session.settings)

    @property
    def time_s(self) -> float:
        """Biological time (s)."""
        return self._read(lambda session: session.time_s)

    @property
    def protocol(self) -> list[dict[str, Any]]:
        """What was done so far: actions with their ticks and times."""
        return self._read(
            lambda session: [
                {"time_s": action["tick"] * session.scene.tick_s, **action}
                for action in session.log
            ]
        )

    @property
    def experiment(self) -> str:
        """The Python file of an experiment that repeats the session."""
        return self._read(lambda session: session.experiment_text())

    def _read(self, read: Callable[[Session], Any]) -> Any:
        with self._lock:
            session = self._host.session
            assert session is not None
            return read(session)

    # -- the page --------------------

    def _receive(self, widget: Any, message: Any, buffers: Any) -> None:
        """Take a message of the page."""
        with self._lock:
            self._host.take(message)
        self._wake.set()

    def work(self) -> float | None:
        """Run for a moment; how long there is nothing to do afterwards (None: for ever)."""
        with self._lock:
            messages, idle_s = self._host.work(), self._host.idle_s()
        for message in messages:
            self._tell(message)
        return idle_s

    def _tell(self, message: Message) -> None:
        arrays = {k: np.ascontiguousarray(v) for k, v in message.get("arrays", {}).items()}
        names = [
            {"name": name, "dtype": values.dtype.name, "shape": list(values.shape)}
            for name, values in arrays.items()
        ]
        buffers = [values.tobytes() for values in arrays.values()]
        self.send(finite({**message, "arrays": names}), buffers)


def _run(lab: weakref.ref[Lab], wake: threading.Event) -> None:
    """Run the session of a widget until the widget is gone."""
    while True:
        one = lab()
        if one is None or one.comm is None:
            return
        wake.clear()
        idle_s = one.work()
        del one
        if idle_s != 0.0:
            wake.wait(60.0 if idle_s is None else idle_s)


def _scene(network: Any, stimulus: Any) -> Scene:
    if isinstance(network, str):
        return SCENES[arguments.one_of("network", network, SCENES)]()
    return OwnNetwork(network, stimulus)
