"""The lab in a browser: speed of the WebAssembly engine and of the page, against the native engine.

Everything runs in headless Chromium on this machine, in turn: native and browser, with and without
drawing; medians. *No drawing* is the engine in its worker without frames; *page* is the lab as it
opens, at full speed.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import shutil
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import synsamp.lab
from benchmarks import Row, markdown_table
from synsamp.errors import refuse
from synsamp.lab.scenes import SCENES
from synsamp.lab.session import Session

TITLE = "The lab in a browser"
STATIC = Path(synsamp.lab.__file__).parent / "static"
REPEATS = 3
WARM_UP = 100
TICKS = {"digits": 400, "senses": 60}
PAGE_S = 10.0
"""How long (s) the page is watched."""

BROWSER = """async ([scene, warmUp, ticks]) => {
    const { Engine } = await import("/engine/memory.js");
    const { Session } = await import("/engine/session.js");
    const bytes = async (name) => (await fetch(`/engine/${name}`)).arrayBuffer();
    const json = async (name) => (await fetch(`/engine/${name}`)).json();
    const engine = await Engine.create(await bytes("engine.wasm"), await json("engine.json"));
    const described = await json(`scenes/${scene}.json`);
    const session = new Session(engine, described, await bytes(`scenes/${scene}.bin`), 1);
    session.advance(warmUp);
    const [before, began] = [session.network.nSpikes, performance.now()];
    session.advance(ticks);
    return (session.network.nSpikes - before) / (performance.now() - began) * 1000;
}"""

WATCH = """
const Plain = Worker;
globalThis.Worker = class extends Plain {
    constructor(...given) {
        super(...given);
        this.addEventListener("message", ({ data }) => {
            if (data.type !== "frame") return;
            const seen = globalThis.watched ??= { frames: 0 };
            const now = performance.now();
            if (data.arrays.spike_time?.length) seen.first ??= now;
            seen.frames += 1;
            [seen.tick, seen.at] = [data.tick, now];
        });
    }
};
"""

SILENT = """([scene]) => new Promise((done, fail) => {
    const worker = new Worker("/engine/worker.js", { type: "module" });
    const ticks = [];
    worker.onmessage = ({ data }) => {
        if (data.type === "error") fail(new Error(data.message));
        if (data.type === "frame") worker.postMessage({ type: "seen", tick: data.tick });
        if (data.type === "ready") {
            const view = { want: [], max_fps: 1 };
            worker.postMessage({ type: "play", speed: null, view });
            for (const wait of [3000, 13000]) {
                setTimeout(() => worker.postMessage({ type: "read", what: "settings" }), wait);
            }
        }
        if (data.type === "answer") {
            ticks.push([data.tick, performance.now()]);
            if (ticks.length === 2) {
                worker.terminate();
                done((ticks[1][0] - ticks[0][0]) / (ticks[1][1] - ticks[0][1]) * 1000);
            }
        }
    };
    worker.postMessage({ type: "open", scene, seed: 1 });
})"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *given: Any) -> None:
        pass


@contextlib.contextmanager
def _opened() -> Iterator[tuple[Any, str]]:
    """Chromium, and the address of a file server."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise refuse(
            "playwright", "must be installed", "nothing", "pip install playwright"
        ) from None
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise refuse("chromium", "must be installed", "nothing", "apt install chromium")
    handler = functools.partial(_Quiet, directory=str(STATIC))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as player:
            browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            yield browser, f"http://127.0.0.1:{server.server_port}"
            browser.close()
        server.shutdown()


def _native(scene: str) -> float:
    """Spikes per second of the native engine."""
    session = Session(SCENES[scene](), 1)
    session.advance(WARM_UP)
    network: Any = session.network
    before, began = network.simulation.n_spikes, time.perf_counter()
    session.advance(TICKS[scene])
    return float((network.simulation.n_spikes - before) / (time.perf_counter() - began))


def _in_turn(browser: Any, address: str, scene: str) -> tuple[float, float]:
    """Medians of spikes per second, native and in the browser."""
    page = browser.new_page()
    page.goto(f"{address}/icon.svg")
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEATS):
        found[0].append(_native(scene))
        found[1].append(page.evaluate(BROWSER, [scene, WARM_UP, TICKS[scene]]))
    page.close()
    return statistics.median(found[0]), statistics.median(found[1])


def _watched(context: Any, address: str, scene: str) -> tuple[float, float, float]:
    """First spike (s); then frames and ticks per second of the page."""
    page = context.new_page()
    page.goto(f"{address}/index.html#scene={scene}")
    page.wait_for_function("() => globalThis.watched?.first", timeout=120_000)
    first = page.evaluate("() => watched.first / 1000")
    before = page.evaluate("() => ({ ...watched })")
    page.wait_for_timeout(1000 * PAGE_S)
    after = page.evaluate("() => ({ ...watched })")
    page.close()
    seconds = (after["at"] - before["at"]) / 1000
    frames, ticks = (after[name] - before[name] for name in ("frames", "tick"))
    return first, frames / seconds, ticks / seconds


def _silent(browser: Any, address: str, scene: str) -> float:
    """Ticks per second of the worker without drawing."""
    page = browser.new_page()
    page.goto(f"{address}/icon.svg")
    found = page.evaluate(SILENT, [scene])
    page.close()
    return float(found)


def run() -> list[Row]:
    """Measure."""
    rows: list[Row] = []
    with _opened() as (browser, address):
        for scene in TICKS:
            native, inside = _in_turn(browser, address, scene)
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            context.add_init_script(WATCH)
            silent, watched = [], []
            for _ in range(REPEATS):
                silent.append(_silent(browser, address, scene))
                watched.append(_watched(context, address, scene))
            context.close()
            cold, *warm = (first for first, _, _ in watched)
            slowed = [
                1.0 - drawn / quiet for (_, _, drawn), quiet in zip(watched, silent, strict=True)
            ]
            rows.append(
                {
                    "scene": scene,
                    "native, spikes/s": native,
                    "browser, spikes/s": inside,
                    "native / browser": native / inside,
                    "page, frames/s": statistics.median(frames for _, frames, _ in watched),
                    "slowed by drawing, %": 100.0 * statistics.median(slowed),
                    "first spike cold, s": cold,
                    "first spike warm, s": statistics.median(warm),
                }
            )
    return rows


def table(rows: list[Row]) -> str:
    """Format the rows as a Markdown table."""
    return markdown_table(rows)
