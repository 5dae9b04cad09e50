/* A session: one network simulated for one viewer, as `synsamp.lab.session`.
 *
 * Actions wait until the next tick begins and are logged with its number, so that (scene, seed,
 * settings, log) determines every spike.
 */

import { flag, list, number, object, oneOf, refuse, whole } from "./arguments.js";
import { experimentText } from "./experiment.js";
import { LandscapeScene } from "./landscape.js";
import { RewardScene } from "./reward.js";
import { SpikingScene } from "./spiking.js";
import { SpinesScene } from "./spines.js";

const ACTIONS = ["set", "lesion", "draw", "twin", "probe"];
const MOST_ACTIONS = 10000;
export const MOST_TICKS = 1e9;
const MOST_MARKS = 48;
const MOST_MARK_BYTES = 2 ** 27;
const PIXELS = 784;
const SCENES = {
  spiking: SpikingScene,
  spines: SpinesScene,
  reward: RewardScene,
  landscape: LandscapeScene,
};

/** Snapshots at equal intervals, which grow so that their number and size stay bounded. */
class Marks {
  constructor(every) {
    this.kept = new Map();
    this.every = every;
  }

  get ticks() {
    return [...this.kept.keys()].sort((a, b) => a - b);
  }

  due(tick) {
    return tick % this.every === 0;
  }

  add(tick, moment) {
    this.kept.set(tick, moment);
    const most = Math.min(MOST_MARKS, Math.max(4, Math.floor(MOST_MARK_BYTES / moment.bytes)));
    if (this.kept.size > most) {
      this.every *= 2;
      for (const t of this.ticks) if (t % this.every !== 0) this.kept.delete(t);
    }
  }

  lastBefore(tick) {
    const found = Math.max(...this.ticks.filter((t) => t <= tick));
    return [found, this.kept.get(found)];
  }

  forgetAfter(tick) {
    for (const t of this.ticks) if (t > tick) this.kept.delete(t);
  }
}

/** All settings: the scene's values, replaced by those given. */
export function settingsOf(scene, given = {}) {
  const found = Object.fromEntries(scene.knobs.map((knob) => [knob.name, knob.value]));
  for (const [name, value] of Object.entries(object("settings", given))) {
    found[name] = checked(knobOf(scene, name), value);
  }
  return found;
}

function knobOf(scene, name) {
  const names = scene.knobs.map((knob) => knob.name);
  return scene.knobs[names.indexOf(oneOf("setting", name, names))];
}

function checked(knob, given) {
  if (knob.kind === "number") return number(knob.name, given, knob.min, knob.max);
  if (knob.kind === "switch") return flag(knob.name, given);
  if (knob.kind === "digits") {
    const fits = list(knob.name, given, knob.choices.length).every((d) => knob.choices.includes(d));
    if (!fits || given.length === 0) {
      throw refuse(knob.name, `must be a list of some of ${knob.choices.join(", ")}`, given);
    }
    return [...new Set(given)].sort((a, b) => a - b);
  }
  if (list(knob.name, given, 8).length === 0) throw refuse(knob.name, "must have a peak", given);
  return given.map((peak) => {
    if (list("a peak", peak).length !== 4) throw refuse("a peak", "must be [x, y, width, height]", peak);
    const [x, y, width, height] = peak;
    return [
      number("x of a peak", x, -3, 3),
      number("y of a peak", y, -3, 3),
      number("width of a peak", width, 0.3, 2),
      number("height of a peak", height, 0.01, 100),
    ];
  });
}

export class Session {
  /** ``scene``: the description with its engine part; ``data``: the binary part. */
  constructor(engine, scene, data, seed = 0, settings = {}, actions = []) {
    this.scene = scene;
    this.seed = whole("seed", seed, 0, 2 ** 32 - 1);
    this.settings = settingsOf(scene, settings);
    this.opened = { ...this.settings };
    this.coming = logged(actions).map((action) => this.check(action));
    this.waiting = [];
    this.builder = new SCENES[scene.engine.kind](engine, scene, data);
    this.network = this.builder.model(this.seed, this.settings);
    this.twin = null;
    this.log = [];
    this.events = [];
    this.marks = new Marks(scene.engine.mark_every);
    this.marks.add(0, this.save());
  }

  get tick() {
    return this.network.tick;
  }

  get time() {
    return this.tick * this.scene.tick_s;
  }

  get models() {
    return this.twin ? [this.network, this.twin] : [this.network];
  }

  get pending() {
    const sets = this.waiting.filter((action) => action.kind === "set");
    return Object.fromEntries(sets.map((action) => [action.name, action.value]));
  }

  // -- time --------------------

  advance(ticks = 1) {
    const end = this.tick + ticks;
    while (this.tick < end) {
      this.applyDue();
      const often = this.scene.probe_every_ticks ?? 0;
      if (often && this.tick && this.tick % often === 0) this.probe();
      const next = (every) => (Math.floor(this.tick / every) + 1) * every;
      const stops = [end, next(this.marks.every), this.coming[0]?.tick ?? Infinity];
      if (often) stops.push(next(often));
      const together = Math.min(...stops) - this.tick;
      for (const model of this.models) model.advance(together);
      if (this.marks.due(this.tick)) {
        this.marks.add(this.tick, this.save());
        this.events.push({ type: "marks", ticks: this.marks.ticks });
      }
    }
  }

  /** Return to a tick up to now; what comes after it is a new continuation. */
  goto(tick) {
    whole("tick", tick, 0, this.tick);
    const { log } = this;
    const [start, saved] = this.marks.lastBefore(tick);
    this.restore(saved);
    this.marks.forgetAfter(tick);
    this.waiting = [];
    this.coming = log.filter((action) => action.tick >= start && action.tick < tick);
    this.log = log.filter((action) => action.tick < start);
    const before = this.events;
    while (this.tick < tick) this.advance();
    for (const model of this.models) model.forgetViews(); // what was simulated on the way
    this.events = [...before, { type: "marks", ticks: this.marks.ticks }];
  }

  save() {
    const network = this.network.save();
    const twin = this.twin?.save() ?? null;
    const bytes = network.bytes + (twin?.bytes ?? 0);
    return { network, twin, settings: { ...this.settings }, bytes };
  }

  restore(saved) {
    this.settings = { ...saved.settings };
    this.builder.restore(this.settings);
    this.network.restore(saved.network);
    if (saved.twin) {
      this.twin ??= this.network.copy();
      this.twin.restore(saved.twin);
    } else {
      this.dropTwin();
    }
  }

  dropTwin() {
    this.twin?.free();
    this.twin = null;
  }

  // -- actions --------------------

  act(action) {
    if (this.log.length + this.waiting.length >= MOST_ACTIONS) {
      throw refuse("actions", `must be at most ${MOST_ACTIONS} in a session`, MOST_ACTIONS,
        "open a new session");
    }
    this.waiting.push({ ...this.check(action), tick: this.tick });
  }

  check(action) {
    object("action", action);
    const kind = oneOf("kind of action", action.kind, ACTIONS);
    const found = { kind };
    if (action.tick !== undefined) found.tick = whole("tick of an action", action.tick, 0, MOST_TICKS);
    if (kind === "set") {
      const knob = knobOf(this.scene, action.name);
      if (knob.restart) {
        throw refuse(knob.name, "must be set when a session opens", action.value,
          "open a new session with it");
      }
      return { ...found, name: knob.name, value: checked(knob, action.value) };
    }
    if (kind === "twin") return { ...found, on: flag("on", action.on) };
    if (kind === "draw") return { ...found, picture: picture(action.picture ?? null) };
    if (kind === "lesion") {
      for (const name of ["what", "population", "members", "projection", "regrow", "group"]) {
        if (action[name] !== undefined) found[name] = action[name];
      }
    }
    return found;
  }

  applyDue() {
    const due = this.coming.filter((action) => action.tick <= this.tick);
    this.coming = this.coming.filter((action) => action.tick > this.tick);
    const { waiting } = this;
    this.waiting = [];
    for (const given of [...due, ...waiting]) {
      const action = { ...given, tick: this.tick };
      try {
        this.apply(action);
        this.log.push(action);
      } catch (error) {
        this.events.push({ type: "error", message: error.message, fatal: false });
      }
    }
  }

  apply(action) {
    if (action.kind === "set") {
      const settings = { ...this.settings, [action.name]: action.value };
      this.builder.set(this.models, settings, action.name);
      this.settings = settings;
    } else if (action.kind === "draw") {
      for (const model of this.models) model.draw(action.picture);
    } else if (action.kind === "twin") {
      if (action.on) this.twin ??= this.network.copy();
      else this.dropTwin();
    } else if (action.kind === "lesion") {
      const had = this.twin !== null;
      this.twin ??= this.network.copy();
      try {
        this.network.lesion(action);
      } catch (error) {
        if (!had) this.dropTwin();
        throw error;
      }
      if (this.scene.probe) this.probe(); // what the lesion did, before anything recovers
    } else {
      this.probe();
    }
  }

  probe() {
    const values = {};
    for (const [name, model] of [["network", this.network], ["twin", this.twin]]) {
      const found = model?.probe?.(this.tick);
      if (found) values[name] = found;
    }
    if (Object.keys(values).length === 0) {
      throw refuse("probe", "must be one that the scene offers", this.scene.name);
    }
    const kind = this.scene.probe;
    this.events.push({ type: "probe", tick: this.tick, time_s: this.time, kind, values });
  }

  // -- looking --------------------

  /** The Python file of an experiment that repeats the session up to now. */
  experiment() {
    const { scene, seed, opened: settings, log: actions, tick: ticks } = this;
    const { name, tick_s } = scene;
    return experimentText(scene.experiment_template, {
      scene: name, tick_s, seed, settings, actions, ticks,
    });
  }

  look({ want, pointer }) {
    const { arrays, values } = this.network.look(want, pointer);
    const of = { tick: this.tick, time_s: this.time, twin: this.twin !== null };
    if (this.twin) {
      const other = this.twin.look(want, pointer);
      for (const [name, array] of Object.entries(other.arrays)) arrays[`twin.${name}`] = array;
      of.twin_values = other.values;
    }
    return { arrays, values: { ...values, ...of } };
  }

  both(read) {
    const found = read(this.network);
    if (this.twin) {
      for (const [name, values] of Object.entries(read(this.twin))) found[`twin.${name}`] = values;
    }
    return found;
  }
}

function logged(actions) {
  for (const action of list("actions", actions, MOST_ACTIONS)) {
    whole("tick of an action", object("action", action).tick, 0, MOST_TICKS);
  }
  return [...actions].sort((a, b) => a.tick - b.tick);
}

function picture(given) {
  if (given === null) return null;
  if (list("picture", given).length !== PIXELS) {
    throw refuse("picture", `must have ${PIXELS} values`, given);
  }
  return given.map((value) => number("value of the picture", value, 0, 1));
}
