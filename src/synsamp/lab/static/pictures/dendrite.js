// One dendrite with its spines: the head of each is as large as its synapse is strong.

import { h, reducedMotion } from "../app/dom.js";
import { Picture } from "../app/picture.js";

const FADE_MS = 700;

export class Dendrite extends Picture {
  constructor(lab, options, { projection, count }) {
    super(lab, options);
    Object.assign(this, { projection, count });
    this.flash = new Float32Array(count);
    this.shown = new Float32Array(count);
    this.layer = h("div", { class: "layer", onpointermove: (event) => this.#point(event) });
    this.sheet.append(this.layer);
  }

  update(frame) {
    this.sizes = frame.arrays.sizes ?? this.sizes;
    if (reducedMotion()) return;
    for (const k of frame.arrays[`formed.${this.projection}`] ?? []) this.flash[k] = 1;
    for (const k of frame.arrays[`lost.${this.projection}`] ?? []) this.flash[k] = -1;
  }

  draw(pen, width, height, theme) {
    if (!this.sizes) return;
    const now = performance.now();
    const fade = (now - (this.drawn ?? now)) / FADE_MS;
    this.drawn = now;
    const { rows, perRow } = this.#grid(width, height);
    const band = height / rows;
    const pitch = (width - 40) / perRow;
    let top = 0.5;
    for (const size of this.sizes) if (size > top) top = size;
    for (let row = 0; row < rows; row++) {
      const points = Array.from({ length: 61 }, (_, k) => {
        const x = 8 + ((width - 16) * k) / 60;
        return [x, shaft(row, band, x)];
      });
      pen.path(points, { stroke: theme.prior, width: 9, alpha: 0.45 });
    }
    const chosen = this.lab.session?.pointer?.pre;
    for (let k = 0; k < this.count; k++) {
      const row = Math.floor(k / perRow);
      const x = 20 + ((k % perRow) + 0.5) * pitch;
      const y = shaft(row, band, x);
      const up = k % 2 ? -1 : 1;
      const size = this.sizes[k];
      const grown = (size / top) ** 0.3; // small spines shall be seen as well
      // The head follows its size smoothly, so that the eye can follow too.
      this.shown[k] += (grown - this.shown[k]) * (reducedMotion() ? 1 : 0.35);
      this.flash[k] = Math.abs(this.flash[k]) > fade ? this.flash[k] - Math.sign(this.flash[k]) * fade : 0;
      const neck = 7 + 0.22 * band * Math.min(1, 0.4 + this.shown[k]);
      const radius = Math.min(pitch * 0.8, band * 0.17) * this.shown[k];
      const [hx, hy] = [x, y + up * neck];
      if (k === chosen) pen.circle(hx, hy, Math.max(5, radius + 3), { stroke: theme.select, width: 2 });
      if (size > 0) {
        const colour = this.flash[k] > 0 ? theme.formed : theme.network;
        pen.line(x, y + up * 4, hx, hy, { stroke: colour, width: 1.4, alpha: 0.8 });
        pen.circle(hx, hy, Math.max(1.4, radius), { fill: colour });
      } else {
        if (this.flash[k] < 0) pen.circle(hx, hy, 3 + 3 * this.flash[k] ** 2, { stroke: theme.lost, width: 1.4, alpha: Math.abs(this.flash[k]) });
        pen.circle(x, y + up * 6, 1.1, { fill: theme.muted, alpha: 0.6 });
      }
    }
  }

  table() {
    return this.sizes ? { header: ["spine", "weight"], rows: Array.from(this.sizes, (size, k) => [k, size]) } : null;
  }

  summary() {
    const n = (this.sizes ?? []).reduce((sum, size) => sum + (size > 0), 0);
    return `${this.label}. ${n} of ${this.count} possible spines exist.`;
  }

  #grid(width, height) {
    const rows = Math.max(1, Math.round(height / 88));
    return { rows, perRow: Math.ceil(this.count / rows) };
  }

  #point(event) {
    const { width, height } = this.size;
    const box = this.sheet.getBoundingClientRect();
    const { rows, perRow } = this.#grid(width, height);
    const row = Math.min(rows - 1, Math.max(0, Math.floor(((event.clientY - box.top) / height) * rows)));
    const column = Math.min(perRow - 1, Math.max(0, Math.floor((event.clientX - box.left - 20) / ((width - 40) / perRow))));
    const k = row * perRow + column;
    if (k < this.count) this.lab.point({ projection: this.projection, post: 0, pre: k });
  }
}

const shaft = (row, band, x) => band * (row + 0.5) + 5 * Math.sin(x / 130 + 2.1 * row);
