"""The browser's engine in headless Chromium, and the same sessions in Python."""

from __future__ import annotations

import base64
import contextlib
import functools
import http.server
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import CHROMIUM
from synsamp.lab.scenes import SCENES
from synsamp.lab.session import FrameView, Session

STATIC = Path(__file__).parents[3] / "src" / "synsamp" / "lab" / "static"
TYPES = {"Float64Array": "f8", "Float32Array": "f4", "Int32Array": "i4", "Uint8Array": "u1"}
OWN = Path(__file__).parent
"""Scripts of the tests, served along with those of the engine."""


class _Files(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        name = path.partition("?")[0].rpartition("/")[2]
        own = OWN / name
        return str(own) if own.suffix == ".mjs" else super().translate_path(path)

    def log_message(self, *given):
        pass


@contextlib.contextmanager
def served():
    """The lab's static files on a port of this machine, as any file server gives them."""
    handler = functools.partial(_Files, directory=str(STATIC))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextlib.contextmanager
def opened():
    """A page of Chromium from that server."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with served() as address, api.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{address}/icon.svg")  # a page of this origin in which nothing runs
        yield page
        browser.close()


def in_browser(page, **request) -> dict[str, Any]:
    """Run a session in the browser (`record.mjs`)."""
    script = """async request => {
        const { record, plain } = await import("/record.mjs");
        return plain(await record(request));
    }"""
    return unpacked(page.evaluate(script, request))


def unpacked(value):
    """Typed arrays come as base64."""
    if isinstance(value, dict):
        if value.keys() == {"dtype", "shape", "data"}:
            data = base64.b64decode(value["data"])
            return np.frombuffer(data, TYPES[value["dtype"]]).reshape(value["shape"])
        return {name: unpacked(one) for name, one in value.items()}
    return [unpacked(one) for one in value] if isinstance(value, list) else value


def packed(value):
    """The inverse of `unpacked`."""
    if isinstance(value, np.ndarray):
        kinds = {np.dtype(code): name for name, code in TYPES.items()}
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"dtype": kinds[value.dtype], "shape": list(value.shape), "data": data}
    if isinstance(value, dict):
        return {name: packed(one) for name, one in value.items()}
    return [packed(one) for one in value] if isinstance(value, list) else value


def in_python(*, scene, seed, ticks, settings=None, actions=(), look_every=40, **_) -> dict:
    """Run the same session with the native engine."""
    session = Session(SCENES[scene](), seed, settings, actions)
    view, spikes = FrameView(want=frozenset({"spikes"})), {}
    kept: list[Any] = []
    while session.tick < ticks:
        session.advance(min(look_every, ticks - session.tick))
        look = session.look(view)
        assert not look.values.get("dropped")
        kept.append(look)
        for name in ("", "twin."):
            if f"{name}spike_time" in look.arrays:
                own = spikes.setdefault(f"{name}network", {"time": [], "neuron": []})
                own["time"].append(look.arrays[f"{name}spike_time"])
                own["neuron"].append(look.arrays[f"{name}spike_neuron"])
    return {
        "spikes": {
            name: {column: np.concatenate(parts) for column, parts in own.items()}
            for name, own in spikes.items()
        },
        "events": session.events,
        "log": session.log,
        "marks": session.marks,
        "experiment": session.experiment_text(),
        "theta": session.theta(),
        "weights": session.weights(),
        "values": kept[-1].values,
        "arrays": kept[-1].arrays,
    }


def compare(found, expected, theta_within) -> int:
    """Every spike is the same, and θ within a tolerance; returns how many spikes there were."""
    count = 0
    assert found["spikes"].keys() == expected["spikes"].keys()
    for name, own in expected["spikes"].items():
        times, neurons = (np.asarray(found["spikes"][name][c]) for c in ("time", "neuron"))
        assert times.shape == own["time"].shape, name
        np.testing.assert_array_equal(neurons, own["neuron"], err_msg=name)
        np.testing.assert_allclose(times, own["time"], rtol=0, atol=1e-9, err_msg=name)
        count += times.size
    assert found["theta"].keys() == expected["theta"].keys()
    for name, theta in expected["theta"].items():
        np.testing.assert_allclose(
            found["theta"][name], theta, rtol=0, atol=theta_within, err_msg=name
        )
    assert found["log"] == expected["log"]
    assert found["experiment"] == expected["experiment"]
    assert found["marks"] == expected["marks"]
    return count
