// Two parameters on a posterior: the density, the path that samples it, and peaks one can drag.

import { h } from "../app/dom.js";
import { Picture } from "../app/picture.js";
import { paint, ramp } from "../app/theme.js";

const TRAIL = 900;
const SEND_EVERY_MS = 200;

export class Landscape extends Picture {
  constructor(lab, options) {
    super(lab, options);
    this.path = [];
    this.extent = [-4, 4];
    this.handles = h("div", { class: "layer" });
    this.buttons = [];
    this.sheet.append(this.handles);
  }

  rewind() {
    this.path = [];
  }

  update(frame) {
    this.extent = frame.extent ?? this.extent;
    this.density = frame.arrays.density ?? this.density;
    const { path } = frame.arrays;
    for (let k = Math.max(0, (path?.length ?? 0) - 2 * TRAIL); k + 1 < (path?.length ?? 0); k += 2) this.path.push([path[k], path[k + 1]]);
    if (this.path.length > TRAIL) this.path.splice(0, this.path.length - TRAIL);
    if (!this.dragging) this.peaks = this.lab.session.settings.peaks ?? this.peaks;
  }

  draw(pen, width, height, theme) {
    const box = this.#box(width, height);
    const to = ([a, b]) => this.#to(box, a, b);
    if (this.density) {
      const n = this.density.shape?.[0] ?? Math.round(Math.sqrt(this.density.length));
      const turned = new Float32Array(this.density.length); // rows from the top, x along a row
      let top = 0;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          const v = this.density[i * n + j];
          turned[(n - 1 - j) * n + i] = v;
          if (v > top) top = v;
        }
      }
      pen.image(box.x, box.y, box.side, box.side, paint(turned, ramp(theme.surface, theme.dark ? "#5b6b86" : "#aab4c4", theme.dark ? "#c9d3e6" : "#3a4458"), 0, top), n, n, true);
    }
    pen.rect(box.x + 0.5, box.y + 0.5, box.side - 1, box.side - 1, { stroke: theme.rule });
    pen.clipped(box.x, box.y, box.side, box.side, () => {
      const points = this.path.map(to);
      const parts = 6;
      for (let k = 0; k < parts; k++) {
        const part = points.slice(Math.floor((k * points.length) / parts), Math.floor(((k + 1) * points.length) / parts) + 1);
        pen.path(part, { stroke: theme.network, width: 1.2, alpha: 0.15 + (0.75 * (k + 1)) / parts });
      }
      const last = points.at(-1);
      if (last) pen.circle(...last, 6, { fill: theme.network, stroke: theme.surface, width: 2 });
    });
    (this.peaks ?? []).forEach(([x, y, w], k) => {
      const [px, py] = to([x, y]);
      pen.circle(px, py, (w / (this.extent[1] - this.extent[0])) * box.side, { stroke: theme.ink, width: 1, dash: [3, 3], alpha: 0.6 });
      pen.circle(px, py, 9, { fill: theme.surface, stroke: theme.ink, width: 1, alpha: 0.9 });
      pen.text(px, py + 4, String(k + 1), { fill: theme.ink, size: 12, weight: 700, anchor: "middle" });
    });
    pen.text(box.x + box.side, box.y + box.side + 14, "parameter θ₁", { fill: theme.muted, size: 11, anchor: "end" });
    pen.text(box.x - 6, box.y, "parameter θ₂", { fill: theme.muted, size: 11, anchor: "end", turn: -90 });
    this.#place(box);
  }

  table() {
    return this.path.length ? { header: ["theta_1", "theta_2"], rows: this.path.map((point) => [...point]) } : null;
  }

  #box(width, height) {
    const side = Math.max(20, Math.min(width - 24, height - 22));
    return { x: (width - side) / 2 + 8, y: 2, side };
  }

  #to(box, a, b) {
    const [low, high] = this.extent;
    return [box.x + (box.side * (a - low)) / (high - low), box.y + box.side * (1 - (b - low) / (high - low))];
  }

  /** Handles over the peaks: drag them, or move them with the arrow keys. */
  #place(box) {
    const peaks = this.peaks ?? [];
    while (this.buttons.length < peaks.length) {
      const k = this.buttons.length;
      const button = h("button", {
        type: "button", class: "handle", "aria-label": `Peak ${k + 1}: drag it, or use the arrow keys`, onkeydown: (event) => this.#key(event, k),
        onpointerdown: (event) => {
          button.setPointerCapture(event.pointerId);
          this.dragging = true;
        },
        onpointermove: (event) => this.dragging && button.hasPointerCapture(event.pointerId) && this.#drag(event, k),
        onpointerup: () => this.#drop(),
        onlostpointercapture: () => this.#drop(),
      });
      this.buttons.push(button);
      this.handles.append(button);
    }
    this.buttons.forEach((button, k) => {
      button.hidden = k >= peaks.length;
      if (button.hidden) return;
      const [x, y] = this.#to(box, peaks[k][0], peaks[k][1]);
      Object.assign(button.style, { left: `${x - 14}px`, top: `${y - 14}px` });
    });
  }

  #drag(event, k) {
    const sheet = this.sheet.getBoundingClientRect();
    const box = this.#box(sheet.width, sheet.height);
    const [low, high] = this.extent;
    const x = low + ((event.clientX - sheet.left - box.x) / box.side) * (high - low);
    const y = low + (1 - (event.clientY - sheet.top - box.y) / box.side) * (high - low);
    this.#move(k, x, y);
  }

  #key(event, k) {
    const way = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    this.#move(k, this.peaks[k][0] + way[0], this.peaks[k][1] + way[1]);
    this.#drop();
  }

  #move(k, x, y) {
    const clip = (v) => Math.round(1000 * Math.max(-3, Math.min(3, v))) / 1000;
    this.peaks = this.peaks.map((peak, j) => (j === k ? [clip(x), clip(y), ...peak.slice(2)] : peak));
    this.redraw();
    const now = performance.now();
    this.unsent = true;
    if (now - (this.sent ?? 0) > SEND_EVERY_MS) this.#send(now);
  }

  #drop() {
    if (this.unsent) this.#send(performance.now());
    this.dragging = false;
  }

  #send(now) {
    this.sent = now;
    this.unsent = false;
    this.lab.session.act({ kind: "set", name: "peaks", value: this.peaks });
  }
}
