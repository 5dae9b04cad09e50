// The wiring between neurons: circuits on a ring, sound on the left, sight on the right.

import { reducedMotion } from "../app/dom.js";
import { NeuronLayer } from "../app/neurons.js";
import { Picture } from "../app/picture.js";

const FADE_MS = 900;
const DOT = 11;
const CLASSES = 6;

export class Wiring extends Picture {
  constructor(lab, options, { projection, populations, count }) {
    super(lab, options);
    Object.assign(this, { projection, populations, count });
    this.flash = new Map(); // flat index → 1 … 0 (formed) or −1 … 0 (lost)
    this.places = ring(populations, count);
    this.layer = new NeuronLayer(this, {
      count, number: (k) => k, name: (k) => this.#name(k), place: (w, h) => this.#boxes(w, h),
      moved: (k) => this.#hover(k), left: () => this.#hover(-1),
    });
    this.hovered = -1;
  }

  update(frame) {
    const { arrays } = frame;
    this.network = arrays[`weights.${this.projection}`] ?? this.network;
    this.twin = frame.twin ? (arrays[`twin.weights.${this.projection}`] ?? this.twin) : null;
    this.alive = arrays.alive ?? this.alive;
    if (!reducedMotion()) {
      for (const k of arrays[`formed.${this.projection}`] ?? []) this.flash.set(k, 1);
      for (const k of arrays[`lost.${this.projection}`] ?? []) this.flash.set(k, -1);
    }
    const now = performance.now();
    if (now - (this.named ?? 0) > 1000) {
      this.named = now;
      this.layer.show(this.alive, (k) => this.#name(k));
    }
  }

  selected() {
    this.layer.show(this.alive);
  }

  draw(pen, width, height, theme) {
    const now = performance.now();
    const fade = (now - (this.drawn ?? now)) / FADE_MS;
    this.drawn = now;
    for (const [k, flash] of this.flash) {
      const left = Math.abs(flash) - fade;
      if (left <= 0.02) this.flash.delete(k);
      else this.flash.set(k, Math.sign(flash) * left);
    }
    const [main, side] = this.#discs(width, height);
    this.#disc(pen, theme, main, this.network, theme.network, "network", true);
    if (side) this.#disc(pen, theme, side, this.twin, theme.twin, "unlesioned twin", false);
    else pen.text(width - 4, height - 6, "after a lesion the unlesioned twin appears here", { fill: theme.muted, size: 11, anchor: "end" });
  }

  table() {
    if (!this.network) return null;
    const rows = [];
    for (let k = 0; k < this.network.length; k++) {
      if (this.network[k] > 0) rows.push([k % this.count, Math.floor(k / this.count), this.network[k]]);
    }
    return { header: ["from_neuron", "to_neuron", "weight"], rows };
  }

  summary() {
    let n = 0;
    for (const w of this.network ?? []) if (w > 0) n += 1;
    return `${this.label}. ${n} connections between ${this.count} neurons.`;
  }

  #discs(width, height) {
    const radius = Math.min(height / 2 - 26, width / (this.twin ? 4 : 2) - 24);
    const y = height / 2 + 4;
    if (this.twin) return [{ x: width / 4, y, radius }, { x: (3 * width) / 4, y, radius }];
    return [{ x: width / 2, y, radius }];
  }

  #boxes(width, height) {
    const [{ x, y, radius }] = this.#discs(width, height);
    return this.places.map(([px, py]) => ({ x: x + radius * px - DOT / 2, y: y + radius * py - DOT / 2, width: DOT, height: DOT }));
  }

  #disc(pen, theme, { x, y, radius }, weights, colour, name, main) {
    if (main && this.lastRadius !== radius + x) {
      this.lastRadius = radius + x;
      this.layer.relayout();
    }
    pen.text(x, y - radius - 14, name, { fill: colour, size: 11.5, weight: 600, anchor: "middle" });
    const at = (k) => [x + radius * this.places[k][0], y + radius * this.places[k][1]];
    if (weights) this.#lines(pen, theme, weights, colour, at, x, y, main);
    for (let k = 0; k < this.count; k++) {
      const [px, py] = at(k);
      const dead = main && this.alive && !this.alive[k];
      const best = this.lab.lesions.preferred(k);
      if (dead) {
        pen.line(px - 3, py - 3, px + 3, py + 3, { stroke: theme.muted, width: 1.2 });
        pen.line(px + 3, py - 3, px - 3, py + 3, { stroke: theme.muted, width: 1.2 });
      } else pen.circle(px, py, 4.2, best === 1 ? { fill: colour } : { fill: theme.surface, stroke: best === 0 ? colour : theme.muted, width: 1.6 });
      if (main && this.lab.selection.neurons.has(k)) pen.circle(px, py, 7, { stroke: theme.select, width: 2.5 });
    }
    for (const { name: label, first, size, modality } of this.populations) {
      const [a, b] = [this.places[first], this.places[first + size - 1]];
      const angle = Math.atan2(a[1] + b[1], a[0] + b[0]);
      pen.text(x + (radius + 14) * Math.cos(angle), y + (radius + 14) * Math.sin(angle) + 4, label, {
        fill: theme.muted, size: 10.5, anchor: modality === "sound" ? "end" : "start",
      });
    }
  }

  #lines(pen, theme, weights, colour, at, x, y, main) {
    const chosen = main && this.hovered >= 0;
    const bend = (k) => {
      const [post, pre] = [Math.floor(k / this.count), k % this.count];
      const [x1, y1] = at(pre);
      const [x2, y2] = at(post);
      return [x1, y1, x2, y2, x + 0.25 * (x1 + x2 - 2 * x), y + 0.25 * (y1 + y2 - 2 * y)];
    };
    let top = 1e-9; // of both networks, so that their lines can be compared
    for (const both of [this.network, this.twin]) for (const w of both ?? []) if (w > top) top = w;
    // Drawn in a few classes of strength: thousands of single strokes would take too long.
    const classes = Array.from({ length: CLASSES }, () => []);
    const mine = [];
    for (let k = 0; k < weights.length; k++) {
      if (!(weights[k] > 0)) continue;
      if (chosen && (k % this.count === this.hovered || Math.floor(k / this.count) === this.hovered)) mine.push(bend(k));
      else classes[Math.min(CLASSES - 1, Math.floor(CLASSES * Math.sqrt(weights[k] / top)))].push(bend(k));
    }
    classes.forEach((bends, k) => {
      const strength = (k + 0.5) / CLASSES;
      pen.curves(bends, { stroke: colour, width: 0.4 + 1.6 * strength, alpha: (chosen ? 0.2 : 1) * (0.04 + 0.7 * strength ** 2.2) });
    });
    pen.curves(mine, { stroke: colour, width: 1.4, alpha: 0.9 });
    if (!main) return;
    for (const [sign, flashing] of [[1, theme.formed], [-1, theme.lost]]) {
      for (const bright of [true, false]) {
        const bends = [...this.flash].filter(([, f]) => f * sign > 0 && Math.abs(f) > 0.5 === bright).map(([k]) => bend(k));
        pen.curves(bends, { stroke: flashing, width: 1.3, alpha: bright ? 0.7 : 0.3 });
      }
    }
  }

  #hover(k) {
    if (k === this.hovered) return;
    this.hovered = k;
    this.redraw();
    if (k < 0 || !this.network) return;
    // Follow the strongest synapse from the other sense onto this neuron.
    let best = -1;
    for (let pre = 0; pre < this.count; pre++) {
      const w = this.network[k * this.count + pre];
      if (w > 0 && (best < 0 || w > this.network[k * this.count + best])) best = pre;
    }
    if (best >= 0) this.lab.point({ projection: this.projection, post: k, pre: best });
  }

  #name(k) {
    const { name, first } = this.populations.find((p) => k >= p.first && k < p.first + p.size) ?? { name: "", first: 0 };
    const best = this.lab.lesions?.preferred(k) ?? -1;
    return `Neuron ${k - first + 1} of circuit ${name}${best >= 0 ? `, tuned to ${this.lab.session.scene.labels[best]}` : ""}`;
  }
}

/** Places on a circle of radius 1: populations of sound on the left, of sight on the right. */
function ring(populations, count) {
  const places = new Array(count);
  const halves = [populations.filter((p) => p.modality === "sound"), populations.filter((p) => p.modality !== "sound")];
  halves.forEach((half, right) => {
    const gaps = half.length + 1;
    const slots = half.reduce((sum, p) => sum + p.size, 0) + 2 * gaps;
    let slot = 2;
    for (const { first, size } of half) {
      for (let k = 0; k < size; k++) {
        const angle = -Math.PI / 2 + (Math.PI * (slot + k + 0.5)) / slots;
        places[first + k] = [(right ? 1 : -1) * Math.cos(angle), Math.sin(angle)];
      }
      slot += size + 2;
    }
  });
  return places.map((place) => place ?? [0, 0]);
}
