// What a lesion did and how far the network has recovered, compared with its unlesioned twin.

import { h } from "./dom.js";
import { duration, number, percent } from "./format.js";

const EVERY_MS = 500;

export class Gap {
  constructor(lab) {
    this.lab = lab;
    this.element = h("p", { class: "lead gap", hidden: true });
    this.forget();
  }

  forget() {
    this.first = {}; // what was so just after the lesion, by name
    this.tests = null;
    this.element.hidden = true;
  }

  /** A test of both networks. */
  probed({ time_s: time, values = {} }) {
    const lesion = this.#lesion();
    if (lesion === null || time < lesion || !values.twin?.trials) return;
    const shares = Object.entries(values).map(([name, { correct, trials }]) => [name, correct / trials]);
    this.tests = { time, ...Object.fromEntries(shares) };
  }

  update(frame) {
    const { session } = this.lab;
    const last = session.log.findLast(({ kind }) => kind === "lesion");
    if (!frame.twin || !last) {
      this.element.hidden = true;
      return;
    }
    // While it plays, the engine acts later than the page: until the log is known, this frame may show what was before.
    if (frame.tick <= last.tick || (session.unsure && session.playing)) return;
    this.element.hidden = false;
    const lesions = session.log.filter(({ kind }) => kind === "lesion").length;
    if (lesions !== this.lesions) this.first = {};
    this.lesions = lesions;
    const now = performance.now();
    if (frame.playing && now - (this.shown ?? 0) < EVERY_MS && Object.keys(this.first).length) return;
    this.shown = now;
    const parts = [this.#connections(frame), this.#test(), ...this.#tuned(frame)].filter(Boolean);
    const since = Math.max(0, frame.time_s - this.#lesion());
    this.element.replaceChildren(h("b", { text: `${duration(since)} after the lesion` }), ...parts.map((part) => h("span", {}, ...part)));
  }

  /** Time of the last lesion, or null. */
  #lesion() {
    const { log, scene } = this.lab.session;
    const last = log.findLast(({ kind }) => kind === "lesion");
    return last ? last.tick * scene.tick_s : null;
  }

  /** The network's value with what it was just after the lesion, and the twin's. */
  #row(name, words, own, twin, text) {
    const first = (this.first[name] ??= own);
    const from = text(first) === text(own) ? [] : [`${text(first)} → `];
    return [`${words} `, ...from, h("b", { class: "network", text: text(own) }), ", twin ", h("b", { class: "twin", text: text(twin) })];
  }

  #connections({ arrays }) {
    const { scene } = this.lab.session;
    const name = (scene.projections.find(({ kind }) => kind === "lateral") ?? scene.projections[0])?.name;
    const [own, twin] = [arrays[`active.${name}`]?.[0], arrays[`twin.active.${name}`]?.[0]];
    return own === undefined || twin === undefined ? null : this.#row("active", this.lab.composed.noun, own, twin, number);
  }

  #test() {
    return this.tests && this.tests.time >= this.#lesion() && this.#row("test", "test", this.tests.network, this.tests.twin, percent);
  }

  /** Neurons tuned to each label, unless the lesion was of connections alone. */
  #tuned({ arrays }) {
    const labels = this.lab.session.scene.labels ?? [];
    const { tuning, "twin.tuning": other, alive } = arrays;
    if (!tuning || !other || alive.every(Boolean)) return [];
    return labels.map((label, k) => {
      const own = this.lab.lesions.tunedIn(tuning, k, alive).length;
      return this.#row(`tuned ${label}`, `tuned to ${label}:`, own, this.lab.lesions.tunedIn(other, k).length, number);
    });
  }
}
