// What the network receives now; one may draw an own image, or mark inputs to silence.

import { h } from "../app/dom.js";
import { percent } from "../app/format.js";
import { Picture } from "../app/picture.js";
import { paint, ramp } from "../app/theme.js";

const FIRST_S = 5; // how long answers to a drawing count: later the neurons that answer have adapted
const SLOW = 10; // times as fast as life: one sees the answer before the network has learned the drawing

export class Stimulus extends Picture {
  constructor(lab, options, { group, shape,  drawable = false, markable = true }) {
    super(lab, options);
    Object.assign(this, { group, shape, drawable, markable });
    this.highest = 1;
    this.drawing = null; // values 0 … 255 while one draws
    this.mode = drawable ? "draw" : "mark";
    this.sheet.classList.add("paper");
    const surface = this.canvas;
    surface.addEventListener("pointerdown", (event) => this.#down(event));
    surface.addEventListener("pointermove", (event) => this.#move(event));
    surface.addEventListener("pointerup", () => this.#up());
    this.choices = ["draw", "mark"].map((mode) =>
      h("button", { type: "button", class: "scale", "aria-pressed": String(mode === this.mode), onclick: () => this.#choose(mode) }, mode === "draw" ? "Draw" : "Mark inputs"));
    this.back = h("button", { type: "button", class: "act", hidden: true, onclick: () => this.#release() }, "Back to the digits");
    if (drawable && markable) this.element.append(h("div", { class: "line modes" }, h("div", { class: "scales", role: "group", "aria-label": "What the mouse does" }, ...this.choices), this.back));
  }

  update(frame) {
    this.rates = frame.arrays[`stimulus.${this.group}`] ?? frame.arrays.stimulus ?? this.rates;
    for (const rate of this.rates ?? []) if (rate > this.highest) this.highest = rate;
    const label = frame.label ?? null;
    const words = this.drawing ? "your drawing" : label === null ? "" : `now: ${label}`;
    if (words !== this.words) this.heading.textContent = words ? `${this.title}, ${words}` : this.title;
    this.words = words;
    if (this.votes && label === null) this.#answer(frame);
  }

  /** What the network takes the drawing for: the share of spikes from neurons tuned to each label. */
  #answer({ time_s: now, arrays: { spike_time: times = [], spike_neuron: neurons = [] } }) {
    const { labels = [] } = this.lab.session.scene;
    if (this.drawnAt === null) {
      this.drawnAt = now; // the engine shows the drawing since this frame at the latest
      return;
    }
    for (let k = 0; k < neurons.length; k++) {
      const label = this.lab.lesions.preferred(neurons[k]);
      const counts = times[k] >= this.drawnAt && times[k] < this.drawnAt + FIRST_S;
      if (counts && label >= 0) this.votes[label] += 1;
    }
    const all = this.votes.reduce((a, b) => a + b, 0);
    const best = this.votes.indexOf(Math.max(...this.votes));
    if (all > 0) this.note.textContent = `At first ${percent(this.votes[best] / all)} of the spikes came from neurons tuned to ${labels[best]}.`;
  }

  draw(pen, width, height, theme) {
    const [rows, columns] = this.shape;
    const box = this.#box(width, height);
    const table = ramp(theme.dark ? "#10141c" : "#ffffff", theme.dark ? "#e8ecf4" : "#1f2430");
    const values = this.drawing ?? this.rates;
    if (values) {
      pen.image(box.x, box.y, box.width, box.height, paint(values, table, 0, this.drawing ? 255 : this.highest), columns, rows);
    }
    pen.rect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1, { stroke: theme.rule });
    const px = box.width / columns;
    const py = box.height / rows;
    for (const k of this.lab.selection.inputsOf(this.group)) {
      pen.rect(box.x + (k % columns) * px, box.y + Math.floor(k / columns) * py, px, py, { fill: theme.select, alpha: 0.45 });
    }
    if (this.band) {
      const { from, to } = this.band;
      pen.rect(box.x + from[0] * px, box.y + from[1] * py, (to[0] - from[0]) * px, (to[1] - from[1]) * py, { stroke: theme.select, width: 2 });
    }
  }

  table() {
    if (!this.rates) return null;
    return { header: ["input", "rate_hz"], rows: Array.from(this.rates, (rate, k) => [k, rate]) };
  }

  summary() {
    return `${this.label}${this.words ? `, ${this.words}` : ""}.`;
  }

  #box(width, height) {
    const [rows, columns] = this.shape;
    const scale = rows === columns ? Math.min(width / columns, height / rows) : 0;
    const [w, v] = scale ? [columns * scale, rows * scale] : [width, height];
    return { x: (width - w) / 2, y: 0, width: w, height: v };
  }

  #pixel(event) {
    const at = this.canvas.getBoundingClientRect();
    const box = this.#box(at.width, at.height);
    const [rows, columns] = this.shape;
    return [((event.clientX - at.left - box.x) / box.width) * columns, ((event.clientY - at.top - box.y) / box.height) * rows];
  }

  #down(event) {
    if (!this.drawable && !this.markable) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.down = this.#pixel(event);
    if (this.mode === "draw") {
      if (!this.drawing) this.drawing = new Uint8ClampedArray(this.shape[0] * this.shape[1]);
      this.#ink(this.down);
    }
    this.redraw();
  }

  #move(event) {
    if (!this.down) return;
    const at = this.#pixel(event);
    if (this.mode === "draw") {
      const steps = Math.max(1, Math.ceil(2 * Math.hypot(at[0] - this.down[0], at[1] - this.down[1])));
      for (let k = 1; k <= steps; k++) this.#ink([0, 1].map((c) => this.down[c] + ((at[c] - this.down[c]) * k) / steps));
      this.down = at;
    } else this.#mark(at);
    this.redraw();
  }

  #up() {
    if (!this.down) return;
    this.down = null;
    this.band = null;
    if (this.mode === "draw" && this.drawing) {
      const { session } = this.lab;
      if ((session.speed ?? Infinity) > SLOW) {
        this.speedBefore = session.speed;
        session.setSpeed(SLOW);
      }
      session.act({ kind: "draw", picture: Array.from(this.drawing, (v) => Math.round(v / 2.55) / 100) });
      this.votes = (session.scene.labels ?? []).map(() => 0);
      this.drawnAt = null;
      this.back.hidden = false;
    }
    this.redraw();
  }

  #ink([x, y]) {
    const [rows, columns] = this.shape;
    for (let row = Math.max(0, Math.floor(y - 2)); row < Math.min(rows, y + 2); row++) {
      for (let column = Math.max(0, Math.floor(x - 2)); column < Math.min(columns, x + 2); column++) {
        const far = Math.hypot(column + 0.5 - x, row + 0.5 - y);
        const k = row * columns + column;
        this.drawing[k] = Math.max(this.drawing[k], 255 * Math.min(1, Math.max(0, 1.9 - far)));
      }
    }
  }

  #mark(at) {
    const [rows, columns] = this.shape;
    const clip = (v, most) => Math.max(0, Math.min(most, v));
    const from = [clip(Math.min(at[0], this.down[0]), columns), clip(Math.min(at[1], this.down[1]), rows)].map(Math.floor);
    const to = [clip(Math.max(at[0], this.down[0]), columns), clip(Math.max(at[1], this.down[1]), rows)].map(Math.ceil);
    this.band = { from, to };
    const members = [];
    for (let row = from[1]; row < to[1]; row++) for (let column = from[0]; column < to[0]; column++) members.push(row * columns + column);
    this.lab.selection.setInputs(this.group, members);
  }

  #release() {
    const { session } = this.lab;
    if (this.speedBefore !== undefined && session.speed === SLOW) session.setSpeed(this.speedBefore);
    this.drawing = this.votes = null;
    this.speedBefore = undefined;
    this.note.textContent = this.sentence;
    this.back.hidden = true;
    session.act({ kind: "draw", picture: null });
    this.redraw();
  }

  #choose(mode) {
    this.mode = mode;
    this.choices.forEach((button, k) => button.setAttribute("aria-pressed", String(["draw", "mark"][k] === mode)));
  }
}
