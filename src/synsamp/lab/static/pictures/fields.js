// Receptive fields: the weights of each neuron as an image of its inputs, the twin's below.

import { reducedMotion } from "../app/dom.js";
import { NeuronLayer } from "../app/neurons.js";
import { Picture } from "../app/picture.js";
import { paint, ramp, rgb } from "../app/theme.js";

const FADE_MS = 700;
const CAPTION = 16;
const BARS = 24;
const HEADLINE = 16;
const GAP = 6;

export class Fields extends Picture {
  constructor(lab, options, { projection, shape, first, count, twin = true, captions = true }) {
    super(lab, options);
    Object.assign(this, { projection, shape, first, count, hasTwin: twin, captions });
    this.pixels = shape[0] * shape[1];
    this.flash = new Float32Array(count * this.pixels);
    this.top = 1e-6;
    this.layer = new NeuronLayer(this, {
      count, number: (k) => first + k, name: (k) => this.#name(k), place: (w, h) => this.place(w, h, 0),
      moved: (k, at) => this.#point(k, at),
    });
  }

  update(frame) {
    const { arrays } = frame;
    this.network = arrays[`weights.${this.projection}`] ?? this.network;
    this.twin = frame.twin === false ? null : (arrays[`twin.weights.${this.projection}`] ?? null);
    this.alive = arrays.alive ?? this.alive;
    if (this.network) {
      let top = 0;
      for (let k = 0; k < this.network.length; k += 3) if (this.network[k] > top) top = this.network[k];
      this.top += 0.1 * (top - this.top);
    }
    if (!reducedMotion()) {
      for (const k of arrays[`formed.${this.projection}`] ?? []) this.flash[k] = 1;
      for (const k of arrays[`lost.${this.projection}`] ?? []) this.flash[k] = -1;
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

  /** Spikes per image of each label, from a test, with their standard errors. */
  probed(probe) {
    if (probe.values?.network?.mean) this.tests = probe.values;
    this.redraw();
  }

  rewind() {
    this.tests = null;
    this.flash.fill(0);
  }

  /** Boxes of the fields of one row of networks: 0 the network, 1 its twin. */
  place(width, height, band) {
    const bands = this.hasTwin ? 2 : 1;
    const caption = this.captions ? CAPTION + (this.#hasBars(height) ? BARS : 0) : 2;
    const sideOf = (columns) => {
      const rows = Math.ceil(this.count / columns);
      return Math.min((width - GAP * (columns - 1)) / columns, (height / bands - HEADLINE - GAP * rows) / rows - caption);
    };
    // As many columns as make the fields largest.
    let columns = 1;
    for (let k = 2; k <= this.count; k++) if (sideOf(k) > sideOf(columns)) columns = k;
    const side = Math.max(4, sideOf(columns));
    return Array.from({ length: this.count }, (_, k) => ({
      x: (k % columns) * (side + GAP),
      y: (height / bands) * band + HEADLINE + Math.floor(k / columns) * (side + caption + GAP),
      width: side, height: side,
    }));
  }

  draw(pen, width, height, theme) {
    const now = performance.now();
    const faded = Math.min(1, (now - (this.drawn ?? now)) / FADE_MS);
    this.drawn = now;
    this.#band(pen, width, height, theme, 0, this.network, theme.network, "network");
    if (!this.hasTwin) return this.#fade(faded);
    if (this.twin) this.#band(pen, width, height, theme, 1, this.twin, theme.twin, "unlesioned twin, same noise");
    else {
      const [{ y, height: side }] = this.place(width, height, 1);
      const words = ["Lesion something, and an unlesioned twin continues here with the same noise."];
      pen.rect(0.5, y - 8, width - 1, side + 16, { stroke: theme.rule, dash: [4, 4] }, 8);
      words.forEach((line, k) => pen.text(width / 2, y + side / 2 + 4 + 16 * k, line, { fill: theme.muted, size: 12, anchor: "middle" }));
    }
    return this.#fade(faded);
  }

  table() {
    if (!this.network) return null;
    const rows = [];
    for (let k = 0; k < this.network.length; k++) {
      if (this.network[k] > 0) rows.push([Math.floor(k / this.pixels), k % this.pixels, this.network[k]]);
    }
    return { header: ["neuron", "input", "weight"], rows };
  }

  summary() {
    const { labels = [] } = this.lab.session?.scene ?? {};
    const counts = labels.map((label, k) => `${this.lab.lesions.tunedTo(k).length} tuned to ${label}`);
    return `${this.label}. ${this.count} neurons${counts.length ? `: ${counts.join(", ")}` : ""}.`;
  }

  #band(pen, width, height, theme, band, weights, colour, name) {
    const boxes = this.place(width, height, band);
    pen.text(0, boxes[0].y - 5, name, { fill: colour, size: 11, weight: 600 });
    if (!weights) return;
    const table = ramp(theme.dark ? "#10141c" : "#ffffff", colour, theme.dark ? "#ffffff" : "#0b1526");
    const formed = rgb(theme.formed);
    const lost = rgb(theme.lost);
    const { labels = [] } = this.lab.session.scene;
    const chosen = this.lab.session.pointer;
    boxes.forEach((box, k) => {
      const dead = band === 0 && this.alive && !this.alive[this.first + k];
      const from = k * this.pixels;
      const image = paint(weights.subarray(from, from + this.pixels), table, 0, this.top);
      if (band === 0) {
        for (let p = 0; p < this.pixels; p++) {
          const flash = this.flash[from + p];
          if (flash !== 0) blend(image, 4 * p, flash > 0 ? formed : lost, Math.abs(flash));
        }
      }
      pen.image(box.x, box.y, box.width, box.height, image, this.shape[1], this.shape[0]);
      pen.rect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1, { stroke: theme.rule });
      if (dead) {
        pen.rect(box.x, box.y, box.width, box.height, { fill: theme.surface, alpha: 0.75 });
        pen.line(box.x, box.y, box.x + box.width, box.y + box.height, { stroke: theme.muted, width: 1.2 });
        pen.line(box.x + box.width, box.y, box.x, box.y + box.height, { stroke: theme.muted, width: 1.2 });
      }
      if (band === 0 && this.lab.selection.neurons.has(this.first + k)) {
        pen.rect(box.x - 1.5, box.y - 1.5, box.width + 3, box.height + 3, { stroke: theme.select, width: 3 }, 3);
      }
      if (band === 0 && chosen?.projection === this.projection && chosen.post === k) {
        const px = box.width / this.shape[1];
        const py = box.height / this.shape[0];
        const [row, column] = [Math.floor(chosen.pre / this.shape[1]), chosen.pre % this.shape[1]];
        pen.rect(box.x + column * px - 1.5, box.y + row * py - 1.5, px + 3, py + 3, { stroke: theme.select, width: 2 });
      }
      if (!this.captions) return;
      const best = band ? this.lab.lesions.preferred(this.first + k, this.lab.lesions.twinTuning, null) : this.lab.lesions.preferred(this.first + k);
      const words = dead ? "removed" : best >= 0 ? `tuned to ${labels[best]}` : "";
      pen.text(box.x + box.width / 2, box.y + box.height + 12, words, { fill: dead ? theme.muted : theme.ink, size: 10.5, anchor: "middle" });
      if (!dead && this.#hasBars(height)) this.#bars(pen, theme, box, box.y + box.height + CAPTION, this.tests?.[band ? "twin" : "network"], k, colour, labels);
    });
  }

  /** There is room for bars below the fields. */
  #hasBars(height) {
    return this.hasTwin && height > 260;
  }

  /** Bars of the spikes that test images of each label evoke. */
  #bars(pen, theme, box, y, test, k, colour, labels) {
    if (!test?.mean) return;
    const most = Math.max(...test.mean.flat(), 1e-9);
    (test.mean[k] ?? []).forEach((mean, label) => {
      const top = y + 10 * label;
      const width = box.width - 22;
      const scale = width / most;
      const error = test.error?.[k]?.[label] ?? 0;
      pen.text(box.x, top + 8, String(labels[label] ?? label), { fill: theme.muted, size: 9.5 });
      pen.rect(box.x + 10, top + 1.5, Math.max(0.5, mean * scale), 6, { fill: colour, alpha: 0.8 });
      pen.line(box.x + 10 + Math.max(0, mean - error) * scale, top + 4.5, box.x + 10 + (mean + error) * scale, top + 4.5, { stroke: theme.ink, width: 1 });
    });
  }

  #fade(share) {
    let left = false;
    for (let k = 0; k < this.flash.length; k++) {
      if (this.flash[k] === 0) continue;
      const flash = this.flash[k] * (1 - share) - Math.sign(this.flash[k]) * 0.004;
      this.flash[k] = Math.abs(flash) < 0.04 || flash * this.flash[k] < 0 ? 0 : flash;
      left ||= this.flash[k] !== 0;
    }
    if (left && !this.lab.session?.playing) setTimeout(() => this.redraw(), 60);
  }

  #point(k, at) {
    if (k < 0) return;
    const box = this.layer.boxes[k];
    const column = Math.min(this.shape[1] - 1, Math.max(0, Math.floor(((at.x - box.x) / box.width) * this.shape[1])));
    const row = Math.min(this.shape[0] - 1, Math.max(0, Math.floor(((at.y - box.y) / box.height) * this.shape[0])));
    this.lab.point({ projection: this.projection, post: k, pre: row * this.shape[1] + column });
  }

  #name(k) {
    const best = this.lab.lesions?.preferred(this.first + k) ?? -1;
    const label = best >= 0 ? `, tuned to ${this.lab.session.scene.labels[best]}` : "";
    return `Neuron ${k + 1}${label}`;
  }
}

function blend(pixels, at, colour, share) {
  for (let c = 0; c < 3; c++) pixels[at + c] += share * (colour[c] - pixels[at + c]);
}
