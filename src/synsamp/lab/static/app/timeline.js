// The time line: what was done when, and every moment to which one can return.

import { h } from "./dom.js";
import { CanvasPen } from "./pen.js";
import { ticks } from "./axes.js";
import { duration, number, timeUnit } from "./format.js";

const PAD = 14;
const SNAP_PX = 5;

export class TimeLine {
  constructor(lab) {
    this.lab = lab;
    this.marks = [];
    this.chosen = null;
    this.canvas = h("canvas", {});
    this.element = h("div", {
      class: "timeline", tabindex: 0, role: "slider", "aria-label": "Time line: choose a moment, press Enter to return to it",
      "aria-valuemin": 0, onkeydown: (event) => this.#key(event), onpointermove: (event) => this.#choose(this.#at(event)),
      onpointerleave: () => this.#choose(null), onclick: (event) => this.#go(this.#at(event)),
    }, this.canvas);
    this.watcher = new ResizeObserver(([entry]) => this.#resize(entry.contentRect));
    this.watcher.observe(this.element);
  }

  setMarks(ticks_) {
    this.marks = [...ticks_].sort((a, b) => a - b);
    this.redraw();
  }

  redraw() {
    this.stale = true;
    this.lab.wake();
  }

  paint(theme) {
    const { session } = this.lab;
    if (!this.stale || !this.size || !session?.scene) return;
    this.stale = false;
    const context = this.canvas.getContext("2d");
    const ratio = this.canvas.width / this.size.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.size.width, this.size.height);
    const pen = new CanvasPen(context, theme.font);
    const middle = 22;
    const end = this.size.width - PAD;
    const now = this.#x(session.time);
    pen.line(PAD, middle, end, middle, { stroke: theme.rule, width: 3 });
    pen.line(PAD, middle, now, middle, { stroke: theme.network, width: 3 });
    for (const tick of this.marks) {
      const x = this.#x(tick * this.#tick);
      pen.line(x, middle - 4, x, middle + 4, { stroke: theme.muted, width: 1 });
    }
    const unit = timeUnit(this.#span);
    for (const t of ticks(0, this.#span / unit.seconds, this.size.width / 110)) {
      const x = this.#x(t * unit.seconds);
      const anchor = x > end - 24 ? "end" : t === 0 ? "start" : "middle";
      pen.text(anchor === "end" ? end + PAD : t === 0 ? 0 : x, this.size.height - 4, `${number(t)} ${unit.name}`, { fill: theme.muted, size: 10.5, anchor });
    }
    let free = -Infinity;
    for (const action of session.log) {
      const x = this.#x(action.tick * this.#tick);
      const lesion = action.kind === "lesion";
      pen.circle(x, middle, lesion ? 5 : 3.5, { fill: lesion ? theme.twin : theme.ink, stroke: theme.surface, width: 1.5 });
      const words = describe(action);
      if (x > free && x < end - 40) {
        pen.text(x, 11, words, { fill: lesion ? theme.twin : theme.ink, size: 10.5, weight: lesion ? 600 : 400 });
        free = x + pen.widthOf(words, 10.5, 600) + 8;
      }
    }
    pen.circle(now, middle, 6, { fill: theme.network, stroke: theme.surface, width: 2 });
    if (this.chosen !== null) {
      const x = this.#x(this.chosen * this.#tick);
      pen.circle(x, middle, 7, { stroke: theme.ink, width: 1.5 });
      const words = `Return to ${duration(this.chosen * this.#tick)}`;
      const right = x > this.size.width / 2;
      const width = pen.widthOf(words, 11, 600);
      pen.rect(right ? x - width - 18 : x + 10, middle - 10, width + 8, 18, { fill: theme.surface, alpha: 0.95 }, 4);
      pen.text(right ? x - 14 : x + 14, middle + 3.5, words, { fill: theme.ink, size: 11, weight: 600, anchor: right ? "end" : "start" });
    }
    this.element.setAttribute("aria-valuemax", String(Math.round(session.time)));
    this.element.setAttribute("aria-valuenow", String(Math.round((this.chosen ?? session.tick) * this.#tick)));
    this.element.setAttribute("aria-valuetext", this.chosen === null ? `now, ${duration(session.time)}` : duration(this.chosen * this.#tick));
  }

  dispose() {
    this.watcher.disconnect();
  }

  get #tick() {
    return this.lab.session.scene.tick_s;
  }

  /** The end of the line grows in leaps, so that the marks stand still in between. */
  get #span() {
    const time = Math.max(this.lab.session.time, 240 * this.#tick);
    return 1.5 ** Math.ceil(Math.log(time * 1.02) / Math.log(1.5));
  }

  #x(time) {
    return PAD + ((this.size.width - 2 * PAD) * time) / this.#span;
  }

  #at(event) {
    if (!this.size || this.marks.length === 0 || !this.lab.session?.scene) return null;
    const time = ((event.clientX - this.element.getBoundingClientRect().left - PAD) / (this.size.width - 2 * PAD)) * this.#span;
    if (time > this.lab.session.time * 1.02 + this.#tick) return null;
    const near = (a, b) => (Math.abs(b * this.#tick - time) < Math.abs(a * this.#tick - time) ? b : a);
    const mark = this.marks.reduce(near);
    if (Math.abs(this.#x(mark * this.#tick) - this.#x(time)) <= SNAP_PX) return mark;
    return Math.max(0, Math.min(this.lab.session.tick, Math.round(time / this.#tick)));
  }

  #choose(tick) {
    if (tick === this.chosen) return;
    this.chosen = tick;
    this.redraw();
  }

  #go(tick) {
    if (tick !== null) this.lab.goto(Math.min(tick, this.lab.session.tick));
    this.#choose(null);
  }

  #key(event) {
    const { key } = event;
    if (key === "Enter" || (key === " " && this.chosen !== null)) this.#go(this.chosen);
    else if (key === "Escape") this.#choose(null);
    else if (key === "ArrowLeft" || key === "ArrowRight" || key === "Home" || key === "End") {
      const from = this.chosen ?? this.lab.session.tick + 1;
      const before = this.marks.filter((tick) => tick < from);
      const after = this.marks.filter((tick) => tick > from);
      const next = { ArrowLeft: before.at(-1), ArrowRight: after[0], Home: this.marks[0], End: this.marks.at(-1) }[key];
      if (next !== undefined) this.#choose(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #resize({ width, height }) {
    this.size = { width, height };
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.redraw();
  }
}

/** An action in a few words. */
export function describe(action) {
  if (action.kind === "set") return `${action.name} = ${Array.isArray(action.value) ? action.value.length > 3 ? "…" : action.value.join(",") : typeof action.value === "number" ? number(action.value) : String(action.value)}`;
  if (action.kind === "draw") return "drawing";
  if (action.kind === "probe") return "test";
  if (action.kind === "twin") return action.on === false ? "twin removed" : "twin";
  const members = action.members?.length;
  if (action.what === "neurons") return `lesion: ${members} neuron${members === 1 ? "" : "s"}`;
  if (action.what === "synapses") return `lesion: ${action.projection}`;
  return `lesion: ${members} input${members === 1 ? "" : "s"}`;
}
