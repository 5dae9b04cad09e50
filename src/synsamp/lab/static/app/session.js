// What the page knows of its engine, and what it tells it.
//
// Events: `ready`, `frame`, `probe`, `marks`, `log`, `settings`, `state`, `trouble`.

export class Session extends EventTarget {
  constructor(transport, state) {
    super();
    this.transport = transport;
    this.scene = null;
    this.engine = "";
    this.settings = {};
    this.log = [];
    this.tick = 0;
    this.time = 0;
    this.playing = false;
    this.ended = false;
    this.speed = state.speed ?? null;
    this.want = [];
    this.pointer = null;
    this.maxFps = 60;
    this.seed = state.seed ?? 1;
    this.opening = state;
    this.answers = new Map();
    transport.onmessage = (message) => this.#receive(message);
    transport.onclose = (words) => this.#end(words);
  }

  /** Open a session; `join` takes part in the one that a notebook already has. */
  open({ join = false } = {}) {
    const { scene, settings = {}, actions = [] } = this.opening;
    const { seed } = this;
    this.transport.send({ type: "open", protocol: 1, scene: scene || undefined, seed, settings, actions, ...(join ? { join } : {}) });
  }

  play() {
    if (this.ended) return;
    this.playing = true;
    this.transport.send({ type: "play", speed: this.speed, view: this.#view() });
    this.#say("state");
  }

  pause() {
    this.playing = false;
    this.transport.send({ type: "pause" });
    this.#say("state");
  }

  step(ticks = 1) {
    this.playing = false;
    this.transport.send({ type: "step", ticks });
    this.#say("state");
  }

  /** Biological seconds per second; null is as fast as possible. */
  setSpeed(speed) {
    this.speed = speed;
    if (this.playing) this.play();
    else this.#say("state");
  }

  /** Which arrays frames contain, and the synapse that is followed. */
  view({ want = this.want, pointer = this.pointer } = {}) {
    this.want = want;
    this.pointer = pointer;
    if (this.scene) this.transport.send({ type: "view", ...this.#view() });
    this.#say("pointer");
  }

  act(action) {
    this.transport.send({ type: "action", action });
    this.log.push({ tick: this.tick, ...action });
    this.unsure = true;
    if (action.kind === "set") {
      this.settings = { ...this.settings, [action.name]: action.value };
      this.#say("settings");
    }
    this.#say("log");
  }

  goto(tick) {
    this.transport.send({ type: "goto", tick });
    this.playing = false; // the engine stops there
    this.log = this.log.filter((action) => action.tick < tick);
    this.tick = tick;
    this.#say("log");
    this.#say("state");
  }

  /** Ask the engine; the answer arrives as a promise. */
  read(what) {
    return new Promise((resolve) => {
      const waiting = this.answers.get(what) ?? [];
      this.answers.set(what, [...waiting, resolve]);
      this.transport.send({ type: "read", what });
    });
  }

  /** The log as the engine keeps it: an action is applied later than the frame one saw when one acted. */
  async askForLog() {
    this.unsure = false;
    const { log = [], waiting = [], tick } = await this.read("log");
    this.log = [...log, ...waiting];
    this.unsure ||= waiting.length > 0;
    this.#say("log");
    return tick;
  }

  seen(tick) {
    this.transport.send({ type: "seen", tick });
  }

  close() {
    this.transport.close();
    this.ended = true;
  }

  #view() {
    return { want: this.want, pointer: this.pointer, max_fps: this.maxFps };
  }

  #receive(message) {
    if (this.ended) return;
    const handler = { ready: "#ready", frame: "#frame" }[message.type];
    if (handler === "#ready") this.#ready(message);
    else if (handler === "#frame") this.#frame(message);
    else if (message.type === "answer") (this.answers.get(message.what) ?? []).splice(0).forEach((f) => f(message));
    else if (message.type === "error") this.#trouble(message);
    else if (message.type === "marks" || message.type === "probe") this.#say(message.type, message);
  }

  #ready(message) {
    this.scene = message.scene;
    this.engine = message.engine;
    this.settings = { ...message.settings };
    this.tick = message.tick ?? 0;
    this.time = this.tick * (this.scene.tick_s ?? 0);
    this.log = [...(this.opening.actions ?? [])];
    this.#say("ready", message);
  }

  #frame(message) {
    this.tick = message.tick;
    this.time = message.time_s;
    if (this.unsure && this.playing) this.askForLog();
    this.#say("frame", message);
  }

  #trouble(message) {
    this.#say("trouble", message);
    if (message.fatal) this.#end(String(message.message));
  }

  #end(words) {
    if (this.ended) return;
    this.ended = true;
    this.playing = false;
    this.#say("trouble", { message: words, fatal: true });
    this.#say("state");
  }

  #say(type, detail = null) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
