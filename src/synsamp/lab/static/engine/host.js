/* A session behind messages (docs/reference/lab-protocol.md), as `synsamp.lab.host`. No threads, no page. */

import { list, number, object, oneOf, refuse, whole } from "./arguments.js";
import { fileName } from "./experiment.js";
import { Engine } from "./memory.js";
import { MOST_TICKS, Session } from "./session.js";

const PROTOCOL = 1;
const MOST_FPS = 60;
const MOST_BYTES = 1e6;
const WANT = ["spikes", "theta", "weights", "active", "stimulus", "tuning", "curves"];
const READABLE = ["settings", "theta", "weights", "log", "marks", "experiment"];

const text = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

export class Host {
  /** ``read(name)`` returns the bytes of a file of the built engine. */
  constructor(read) {
    this.read = read;
    this.session = null;
    this.view = { want: new Set(WANT), pointer: null, max_fps: 30 };
    this.playing = false;
    this.speed = Infinity;
    this.until = MOST_TICKS;
    this.seen = true;
    this.due = 0;
    this.changed = false;
    this.out = [];
    this.kinds = {
      open: (message) => this.open(message),
      play: (message) => this.play(message),
      pause: () => this.pause(),
      step: (message) => this.step(message),
      view: (message) => this.lookAt(message),
      action: (message) => this.act(message.action),
      goto: (message) => this.goto(message.tick),
      read: (message) => this.answer(message.what),
      seen: () => (this.seen = true),
    };
    this.started();
  }

  // -- messages in --------------------

  /** Act on a message; a bad one becomes an ``error`` message. */
  async take(message) {
    try {
      object("message", message);
      const size = JSON.stringify(message).length;
      if (size > MOST_BYTES) throw refuse("message", `must be at most ${MOST_BYTES} bytes`, size);
      const kind = oneOf("type of message", message.type, Object.keys(this.kinds));
      if (kind !== "open" && !this.session) throw refuse("message", "must come after 'open'", kind);
      await this.kinds[kind](message);
    } catch (error) {
      const fatal = message?.type === "open" && !this.session;
      this.say({ type: "error", message: error.message, fatal });
    }
  }

  async open(message) {
    const protocol = message.protocol ?? PROTOCOL;
    if (protocol !== PROTOCOL) throw refuse("protocol", `must be ${PROTOCOL}`, protocol, "reload");
    if (typeof WebAssembly !== "object") {
      throw refuse("the browser", "must have WebAssembly to simulate", "none",
        "use a current browser, or synsamp lab");
    }
    const known = text(await this.read("engine.json"));
    const name = oneOf("scene", message.scene ?? known.scenes[0], known.scenes);
    const [code, scene, data] = await Promise.all([
      this.read("engine.wasm"),
      this.read(`scenes/${name}.json`).then(text),
      this.read(`scenes/${name}.bin`),
    ]);
    const engine = await Engine.create(code, known);
    this.session = new Session(
      engine, scene, data, message.seed ?? 0, message.settings ?? {}, message.actions ?? [],
    );
    this.playing = false;
    this.seen = true;
    this.changed = true;
    const { engine: built, ...described } = scene;
    this.say({
      type: "ready",
      protocol: PROTOCOL,
      engine: "wasm",
      scene: described,
      seed: this.session.seed,
      settings: this.session.settings,
      tick: this.session.tick,
    });
  }

  play(message) {
    const speed = message.speed ?? null;
    if (speed !== null) number("speed", speed, 0, 1e9, true);
    this.lookAt(message.view ?? {});
    this.speed = speed ?? Infinity;
    this.until = MOST_TICKS;
    this.playing = true;
    this.started();
  }

  pause() {
    this.playing = false;
    this.changed = true;
  }

  step(message) {
    const ticks = whole("ticks", message.ticks ?? 1, 1, 1e6);
    this.playing = true;
    this.speed = Infinity;
    this.until = this.session.tick + ticks;
    this.started();
  }

  lookAt(message) {
    object("view", message);
    const { view } = this;
    if (message.want !== undefined) {
      view.want = new Set(list("want", message.want, 50).filter((one) => WANT.includes(one)));
    }
    if (message.pointer !== undefined) view.pointer = pointer(message.pointer);
    if (message.max_fps !== undefined) {
      view.max_fps = Math.min(number("max_fps", message.max_fps, 0, 1e6, true), MOST_FPS);
    }
    this.changed = true;
  }

  act(action) {
    this.session.act(action);
    this.changed = true;
  }

  goto(tick) {
    this.playing = false;
    this.changed = true;
    this.session.goto(tick);
    this.started();
    this.restarted = true;
  }

  answer(asked) {
    const { session } = this;
    const what = oneOf("what", asked, READABLE);
    const answer = { type: "answer", what, tick: session.tick };
    if (what === "theta") answer.arrays = session.both((model) => model.theta());
    if (what === "weights") answer.arrays = session.both((model) => model.weights());
    if (what === "settings") Object.assign(answer, { settings: session.settings, pending: session.pending });
    if (what === "log") Object.assign(answer, { log: session.log, waiting: session.waiting });
    if (what === "marks") answer.ticks = session.marks.ticks;
    if (what === "experiment") {
      Object.assign(answer, { text: session.experiment(), file: fileName(session.scene.name) });
    }
    this.say(answer);
  }

  // -- running, messages out --------------------

  /** How long (ms) `work` has nothing to do unless a message comes. */
  idle(now) {
    if (this.out.length || this.session?.events.length || this.playing) return 0;
    if (!this.session || !this.changed || !this.seen) return Infinity;
    return Math.max(this.due - now, 0);
  }

  /** Run until ``end`` (ms) if playing; the messages to send, at most one frame among them. */
  work(end) {
    const { session } = this;
    if (session) {
      if (this.playing && performance.now() < end) this.runUntil(end);
      this.out.push(...session.events);
      session.events = [];
      const now = performance.now();
      if (this.seen && now >= this.due && (this.playing || this.changed)) {
        this.out.push(this.frame());
        this.seen = false;
        this.changed = false;
        this.due = now + 1000 / this.view.max_fps;
      }
    }
    const { out } = this;
    this.out = [];
    return out;
  }

  /** An engine that cannot go on pauses, and says why. */
  runUntil(end) {
    try {
      this.run(end);
    } catch (error) {
      this.playing = false;
      this.changed = true;
      const message = `${error.message} (the run has paused; go back to a mark)`;
      this.say({ type: "error", message, fatal: false });
    }
  }

  run(end) {
    const { session } = this;
    let allowed = this.until;
    if (this.speed !== Infinity) {
      const passed = (performance.now() - this.startedAt) / 1000;
      const due = this.startedTick + Math.floor((passed * this.speed) / session.scene.tick_s);
      allowed = Math.min(allowed, due);
    }
    do {
      if (session.tick >= allowed) break;
      session.advance(1);
    } while (performance.now() < end);
    if (session.tick >= this.until) {
      this.playing = false;
      this.changed = true;
    }
  }

  /** Whether it only waits for its time to come. */
  get isAhead() {
    if (!this.playing || this.speed === Infinity) return false;
    const passed = (performance.now() - this.startedAt) / 1000;
    const due = Math.floor((passed * this.speed) / this.session.scene.tick_s);
    return this.session.tick >= Math.min(this.until, this.startedTick + due);
  }

  started() {
    this.startedAt = performance.now();
    this.startedTick = this.session?.tick ?? 0;
    this.measured = [this.startedAt, this.startedTick, this.session?.network.nSpikes ?? 0];
    this.restarted = false;
  }

  frame() {
    const { session } = this;
    const { arrays, values } = session.look(this.view);
    const [before, beforeTick, beforeSpikes] = this.measured;
    const [now, spikes] = [performance.now(), session.network.nSpikes];
    this.measured = [now, session.tick, spikes];
    const passed = Math.max(now - before, 1e-6) / 1000;
    const frame = {
      type: "frame",
      speed: (Math.max(session.tick - beforeTick, 0) * session.scene.tick_s) / passed,
      spikes_per_s: Math.max(spikes - beforeSpikes, 0) / passed,
      playing: this.playing,
      ...values,
      arrays,
    };
    if (this.restarted) frame.restarted = true;
    this.restarted = false;
    return frame;
  }

  say(message) {
    this.out.push(message);
  }
}

function pointer(given) {
  if (given === null) return null;
  object("pointer", given);
  const { projection, post, pre } = given;
  return {
    projection: String(projection),
    post: whole("post of the pointer", post, 0, 1e9),
    pre: whole("pre of the pointer", pre, 0, 1e9),
  };
}
