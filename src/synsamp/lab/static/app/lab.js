// The whole page: one session, the pictures of its scene, and everything that acts on it.

import { AddressBar } from "./address_bar.js";
import { Controls } from "./controls.js";
import { reducedMotion } from "./dom.js";
import { Exports } from "./export.js";
import { Gap } from "./gap.js";
import { History } from "./history.js";
import { listenToKeys } from "./keys.js";
import { Knobs } from "./knobs.js";
import { LesionPanel } from "./lesion.js";
import { Selection } from "./selection.js";
import { Session } from "./session.js";
import { buildShell } from "./shell.js";
import { readTheme } from "./theme.js";
import { TimeLine } from "./timeline.js";
import { Tour } from "./tour.js";
import { recording } from "./connect.js";
import { readAddress, writeAddress } from "./address.js";
import { sceneOf } from "../scenes/scenes.js";

const SET_EVERY_MS = 120;
const DESCRIBE_EVERY_MS = 2000;

export class Lab {
  constructor(element, { model, connect }) {
    this.host = element;
    this.model = model;
    this.connect = connect;
    this.session = null;
    this.pictures = [];
    this.history = new History();
    this.selection = new Selection(this);
    this.data = null; // the newest frame
    this.exports = new Exports(this);
    this.knobs = new Knobs(this);
    this.lesions = new LesionPanel(this);
    this.gap = new Gap(this);
    this.controls = new Controls(this);
    this.timeline = new TimeLine(this);
    this.tour = new Tour(this);
    this.addressBar = new AddressBar(this);
    this.waiting = new Map();
    this.shell = buildShell(this);
    this.root = this.shell.root;
    this.root.lab = this; // for tests, and for the console of a curious reader
    element.replaceChildren(this.root);
    this.ends = [listenToKeys(this), this.#listen(document, "visibilitychange", () => this.#visibility())];
    const dark = matchMedia("(prefers-color-scheme: dark)");
    this.ends.push(this.#listen(dark, "change", () => this.recolour()));
    if (!model) this.ends.push(this.#listen(window, "hashchange", () => this.#address()));
    this.recolour();
  }

  /** Open a session with a state as an address describes it. */
  async start(state) {
    this.addressBar.stop();
    this.session?.close();
    if (this.compact === undefined) {
      this.compact = Boolean(state.compact);
      if (this.compact) this.#watchView();
      if (state.theme) this.exports.turnTheme(state.theme);
    }
    this.state = { ...state, scene: state.scene || this.#first };
    this.data = null;
    this.#drop();
    this.history.clear();
    this.gap.forget();
    this.selection.clear();
    this.shell.say("");
    this.shell.wait("Building the network …");
    this.root.classList.add("loading");
    const opening = (this.opening = {});
    try {
      const connected = await this.connect();
      if (this.opening === opening) this.#use(connected);
    } catch (error) {
      this.shell.say(`The session could not be opened: ${error.message}`, "bad");
    }
  }

  dispose() {
    this.session?.close();
    this.#drop();
    this.timeline.dispose();
    this.addressBar.stop();
    this.ends.forEach((end) => end());
    cancelAnimationFrame(this.waking);
    this.root.remove();
  }

  // -- what one can do --------------------

  toggle() {
    if (!this.session || this.session.ended) return;
    if (this.session.playing) this.session.pause();
    else this.session.play();
  }

  /** Set a knob; while a slider moves, at most a few times a second. */
  set(knob, value) {
    this.knobs.show({ [knob.name]: value });
    if (knob.restart) {
      this.restart({ settings: { ...this.session.settings, [knob.name]: value } });
      return;
    }
    const waiting = this.waiting.get(knob.name);
    if (waiting) {
      waiting.value = value;
      waiting.more = true;
      return;
    }
    this.session.act({ kind: "set", name: knob.name, value });
    const entry = { value, more: false };
    this.waiting.set(knob.name, entry);
    setTimeout(() => {
      this.waiting.delete(knob.name);
      if (entry.more) this.set(knob, entry.value);
    }, SET_EVERY_MS);
  }

  goto(tick) {
    this.session.goto(tick);
  }

  /** A new session: another seed, or a setting that holds from the start. */
  restart({ seed = this.session.seed, settings = this.session.settings } = {}) {
    this.start({ scene: this.state.scene, seed, settings, actions: [] });
  }

  openScene(name) {
    if (!this.model) history.pushState(null, "", writeAddress({ scene: name, seed: this.session?.seed ?? 1 }));
    this.start({ scene: name, seed: this.session?.seed ?? 1 });
  }

  /** Which synapse is followed; null follows none. */
  point(pointer) {
    if (!this.session?.scene || JSON.stringify(pointer) === JSON.stringify(this.session.pointer)) return;
    this.session.view({ pointer });
  }

  /** The address of what was done until now. */
  async address() {
    const tick = (await this.session.askForLog()) ?? this.session.tick;
    return this.addressOf({ tick });
  }

  /** The address as the page knows it, with more parts or others; null if it would be too long. */
  addressOf(parts = {}) {
    const { seed, log: actions } = this.session;
    const { scene, settings = {}, tick } = this.state;
    return writeAddress({ scene, seed, settings, actions, tick, step: this.tour.step, ...parts });
  }

  recolour() {
    this.theme = readTheme(this.root);
    this.pictures.forEach((picture) => (picture.stale = true));
    this.timeline.stale = true;
    this.wake();
  }

  /** Draw what is stale in the next frame of the screen. */
  wake() {
    this.waking ??= requestAnimationFrame((now) => {
      this.waking = null;
      for (const picture of this.pictures) picture.paint(this.theme);
      this.timeline.paint(this.theme);
      if (now - (this.described ?? -Infinity) > DESCRIBE_EVERY_MS) {
        this.described = now;
        this.pictures.forEach((picture) => picture.describe());
      }
      if (this.unseen !== undefined && this.unseen !== null) {
        this.session.seen(this.unseen);
        this.unseen = null;
      }
    });
  }

  // -- what the engine says --------------------

  #use({ transport, why = "", spare = false }) {
    const session = new Session(transport, this.state);
    this.session = session;
    session.maxFps = reducedMotion() ? 4 : 60;
    const on = (type, act) => session.addEventListener(type, (event) => this.session === session && act(event.detail));
    on("ready", () => this.#ready(why));
    on("frame", (frame) => this.#frame(frame));
    on("probe", (probe) => [this.gap, ...this.pictures].forEach((one) => one.probed?.(probe)));
    on("marks", ({ ticks }) => this.timeline.setMarks(ticks));
    on("settings", () => this.knobs.show(session.settings));
    on("log", () => {
      this.timeline.redraw();
      this.addressBar.changed();
    });
    on("state", () => this.controls.show());
    on("pointer", () => this.pictures.forEach((picture) => picture.pointed?.()));
    on("trouble", (trouble) => this.#trouble(trouble, spare));
    session.open({ join: Boolean(this.model) && !this.joined });
    this.joined = true;
  }

  #ready(why) {
    const { session } = this;
    this.state.scene = session.scene.name;
    const composed = (this.composed = sceneOf(session.scene));
    this.#drop();
    this.pictures = composed.pictures(this, session.scene);
    this.shell.compose(composed, session, this.pictures);
    this.knobs.build(session.scene.knobs ?? []);
    this.knobs.show(session.settings);
    this.lesions.build(session.scene);
    this.timeline.setMarks([0]);
    this.tour.open(composed.tour ?? [], this.state.step ?? 0);
    this.controls.offer(composed.speeds);
    this.addressBar.changed();
    this.controls.show();
    this.root.classList.remove("loading");
    this.root.dataset.engine = session.engine;
    if (why) this.shell.say(`${why} You see a recorded run of Digits: knobs and lesions have no effect.`);
    session.view({ want: composed.want, pointer: composed.pointer ?? null });
    session.speed ??= session.scene.suggested_speed ?? null;
    if (this.state.tick) session.step(this.state.tick);
    else if (document.hidden || this.outOfView) this.resume = true;
    else session.play();
    this.recolour();
  }

  #frame(frame) {
    if (frame.restarted) {
      this.history.cut(frame.time_s);
      this.gap.forget();
      this.pictures.forEach((picture) => picture.rewind(frame.time_s));
    }
    this.data = frame;
    this.#remember(frame);
    for (const picture of this.pictures) {
      picture.update(frame);
      picture.stale = true;
    }
    this.timeline.stale = true;
    this.lesions.update(frame);
    this.gap.update(frame);
    this.controls.tell(frame);
    this.unseen = frame.tick;
    this.wake();
  }

  #remember(frame) {
    const values = { ...numbers(frame) };
    for (const [name, value] of Object.entries(numbers(frame.twin_values ?? {}))) values[`twin.${name}`] = value;
    for (const [name, array] of Object.entries(frame.arrays)) {
      if (/^(twin\.)?active\./.test(name)) values[name] = array[0];
    }
    for (const [name, counts] of Object.entries(frame.turnover ?? {})) {
      values[`formed.${name}`] = counts.formed;
      values[`lost.${name}`] = counts.lost;
    }
    this.history.add(frame.time_s, values);
  }

  #trouble({ message, fatal }, spare) {
    const words = String(message);
    if (fatal && spare && !this.session.scene) {
      recording(words).then((connected) => this.#use(connected), () => this.shell.say(words, "bad"));
      return;
    }
    if (!this.session.scene) this.shell.wait("This session could not be opened.");
    this.shell.say(words, fatal || !this.session.scene ? "bad" : "");
  }

  #drop() {
    this.pictures.forEach((picture) => picture.dispose());
    this.pictures = [];
    this.unseen = null;
  }

  /** The scene of an address that names none; a server may have one of its own. */
  get #first() {
    return this.model || new URLSearchParams(location.search).has("token") ? "" : "digits";
  }

  /** Pause while nobody can see the page: a tab in the background, or an embedded page scrolled away. */
  #visibility() {
    if (document.hidden || this.outOfView) {
      this.resume ||= Boolean(this.session?.playing);
      if (this.session?.playing) this.session.pause();
    } else if (this.resume) {
      this.resume = false;
      this.session.play();
    }
  }

  #watchView() {
    const watcher = new IntersectionObserver(([entry]) => {
      this.outOfView = !entry.isIntersecting;
      this.#visibility();
    });
    watcher.observe(this.root);
    this.ends.push(() => watcher.disconnect());
  }

  #address() {
    this.start(readAddress(location.hash));
  }

  #listen(target, type, act) {
    target.addEventListener(type, act);
    return () => target.removeEventListener(type, act);
  }
}

/** Small numbers that came with a frame. */
function numbers(frame) {
  return Object.fromEntries(Object.entries({ ...frame, ...(frame.stats ?? {}) }).filter(([, value]) => typeof value === "number"));
}
