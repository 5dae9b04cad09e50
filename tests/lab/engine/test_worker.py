"""The engine in a Web Worker: messages, pace, and what happens if something is missing."""

from __future__ import annotations

import pytest

from browser import needs_browser

pytestmark = needs_browser

CLIENT = """() => {
    const worker = new Worker("/engine/worker.js", { type: "module" });
    const inbox = [];
    let frames = 0;
    worker.onmessage = ({ data }) => {
        inbox.push(data);
        if (data.type === "frame") frames += 1;
        const seen = data.type === "frame" && globalThis.sees;
        if (seen) worker.postMessage({ type: "seen", tick: data.tick });
    };
    const until = async (test, ms = 60000) => {
        for (const end = performance.now() + ms; performance.now() < end; ) {
            const found = inbox.find(test);
            if (found) return found;
            await new Promise((go) => setTimeout(go, 5));
        }
        const got = inbox.map((m) => `${m.type} ${m.message ?? ""}`);
        throw new Error(`no such message; got ${got}`);
    };
    globalThis.sees = true;
    globalThis.lab = {
        inbox, until, frames: () => frames,
        send: (message) => worker.postMessage(message),
        ask: async (what) => {
            inbox.length = 0;
            worker.postMessage({ type: "read", what });
            return until((m) => m.type === "answer" && m.what === what);
        },
        close: () => worker.terminate(),
    };
}"""


@pytest.fixture
def client(engine_page):
    engine_page.evaluate(CLIENT)
    yield engine_page
    engine_page.evaluate("() => lab.close()")


def test_a_session_by_messages(client):
    found = client.evaluate("""async () => {
        const settings_ = { temperature: 2 };
        lab.send({ type: "open", protocol: 1, scene: "digits", seed: 5, settings: settings_ });
        const ready = await lab.until((m) => m.type === "ready");
        lab.send({ type: "play", speed: null, view: { want: ["spikes", "weights"], max_fps: 50 } });
        await lab.until((m) => m.type === "frame" && m.tick > 3 && m.arrays.spike_time.length > 0);
        const act = (action) => lab.send({ type: "action", action });
        act({ kind: "lesion", what: "neurons", population: "z", members: [2] });
        act({ kind: "set", name: "speed", value: 0.002 });
        const after = await lab.until((m) => m.type === "frame" && m.twin);
        lab.send({ type: "pause" });
        const { log } = await lab.ask("log");
        const { settings } = await lab.ask("settings");
        const { text } = await lab.ask("experiment");
        const theta = await lab.ask("theta");
        lab.send({ type: "goto", tick: 0 });
        const back = await lab.until((m) => m.type === "frame" && m.restarted);
        return {
            ready: [ready.engine, ready.scene.name, ready.seed, ready.settings.temperature],
            arrays: Object.keys(after.arrays), shapes: after.shapes, log: log.map((a) => a.kind),
            speed: settings.speed, text, theta: Object.keys(theta.arrays),
            back: [back.tick, back.twin],
        };
    }""")
    assert found["ready"] == ["wasm", "digits", 5, 2]
    assert {"spike_time", "weights.x->z", "twin.weights.x->z", "alive"} <= set(found["arrays"])
    assert "theta.x->z" not in found["arrays"]
    assert found["shapes"]["weights.x->z"] == [10, 784]
    assert found["log"] == ["lesion", "set"]
    assert found["speed"] == 0.002
    assert "saved_session" in found["text"]
    assert found["theta"] == ["x->z", "twin.x->z"]
    assert found["back"] == [0, False]


def test_one_frame_at_a_time_and_a_page_that_does_not_look(client):
    """The engine runs on while a frame is under way, and pauses if none is confirmed for long."""
    found = client.evaluate("""async () => {
        globalThis.sees = false;
        lab.send({ type: "open", scene: "landscape", seed: 1 });
        lab.send({ type: "play", speed: 50 });
        const first = await lab.until((m) => m.type === "frame");
        const tick = async () => (await lab.ask("settings")).tick;
        const running = [await tick()];
        while (running.length < 1000 && running.at(-1) === running[0]) running.push(await tick());
        const paused = [];
        for (const end = performance.now() + 60000; performance.now() < end; ) {
            paused.push(await tick());
            if (paused.at(-1) === paused.at(-4)) break;
            await new Promise((go) => setTimeout(go, 150));
        }
        const frames = lab.frames();
        lab.send({ type: "seen", tick: first.tick });
        const next = await lab.until((m) => m.type === "frame" && m.tick >= paused.at(-1));
        lab.send({ type: "seen", tick: next.tick });
        const again = await lab.until((m) => m.type === "frame" && m.tick > next.tick);
        const started = [running[0], running.at(-1)];
        return { frames, running: started, paused: paused.slice(-4), again: again.tick };
    }""")
    assert found["frames"] == 1
    assert found["running"][1] > found["running"][0]
    assert len(found["paused"]) == 4
    assert len(set(found["paused"])) == 1
    assert found["paused"][0] > found["running"][1]
    assert found["again"] > found["paused"][0]


def test_pace(client):
    found = client.evaluate("""async () => {
        lab.send({ type: "open", scene: "digits", seed: 1 });
        await lab.until((m) => m.type === "ready");
        lab.send({ type: "play", speed: 20 });  // 80 ticks per second
        const began = performance.now();
        let [tick, passed] = [0, 0];
        while (passed < 1.5 || (tick < 20 && passed < 60)) {
            await new Promise((go) => setTimeout(go, 100));
            ({ tick } = await lab.ask("settings"));
            passed = (performance.now() - began) / 1000;
        }
        lab.send({ type: "step", ticks: 7 });
        const at = await lab.until((m) => m.type === "frame" && !m.playing);
        return { tick, passed, stepped: at.tick };
    }""")
    assert found["tick"] <= 80 * found["passed"] + 1
    assert found["tick"] >= 20


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "nonsense"}, "type of message must be one of"),
        ({"type": "step", "ticks": -1}, "ticks must be a whole number"),
        ({"type": "goto", "tick": 10**9}, "tick must be a whole number"),
        ({"type": "view", "pointer": {"projection": "x->z", "post": -1}}, "post of the pointer"),
        ({"type": "play", "speed": 0}, "speed must be a number"),
        ({"type": "read", "what": "minds"}, "what must be one of"),
        ({"type": "action", "action": {"kind": "set", "name": "speed", "value": 9}}, "speed must"),
        ({"type": "action", "action": {"kind": "draw", "picture": [2]}}, "picture must have"),
        ({"type": "action", "action": None}, "action must be an object"),
        ({"type": "view", "want": ["x" * 2_000_000]}, "message must be at most"),
        (7, "message must be an object"),
    ],
)
def test_bad_messages_are_errors_and_the_session_continues(client, message, words):
    found = client.evaluate(
        """async (message) => {
            lab.send({ type: "open", scene: "landscape", seed: 1 });
            await lab.until((m) => m.type === "ready");
            lab.send(message);
            const error = await lab.until((m) => m.type === "error");
            return [error.message, error.fatal, (await lab.ask("settings")).tick];
        }""",
        message,
    )
    assert words in found[0]
    assert found[1:] == [False, 0]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        ("delete globalThis.WebAssembly", "must have WebAssembly"),
        ("globalThis.fetch = async () => new Response('', {status: 404})", "could not be loaded"),
        (
            "WebAssembly.Memory.prototype.grow = () => { throw new RangeError(); }",
            "MB of memory",
        ),
    ],
)
def test_what_is_missing_is_said(engine_page, spoil, words):
    found = engine_page.evaluate(
        """async (spoil) => {
            const url = `/engine/spoilt.mjs?${encodeURIComponent(spoil)}`;
            const worker = new Worker(url, { type: "module" });
            return new Promise((done) => {
                worker.onmessage = ({ data }) => {
                    if (data !== "up") done([data.type, data.message, data.fatal]);
                    else worker.postMessage({ type: "open", scene: "senses", seed: 1 });
                };
            });
        }""",
        spoil,
    )
    assert found[0] == "error"
    assert words in found[1]
    assert found[2] is True


def test_it_needs_nothing_but_files(client):
    """Nothing of the engine is requested from elsewhere."""
    asked = []
    client.on("request", lambda request: asked.append(request.url))
    client.evaluate("""async () => {
        lab.send({ type: "open", scene: "reward", seed: 1 });
        await lab.until((m) => m.type === "ready");
    }""")
    origin = client.evaluate("() => location.origin")
    assert all(url.startswith(origin) for url in asked)
