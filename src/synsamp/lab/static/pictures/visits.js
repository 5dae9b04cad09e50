// Where the path has been, compared with the exact density: a map, and each parameter alone.

import { Axes } from "../app/axes.js";
import { number, percent, timeUnit } from "../app/format.js";
import { Picture } from "../app/picture.js";
import { paint, ramp } from "../app/theme.js";

/** Visits to the cells of a grid as a map, and the two parameters alone below it. */
export class Visits extends Picture {
  constructor(lab, options) {
    super(lab, options);
    this.extent = [-4, 4];
  }

  update(frame) {
    this.extent = frame.extent ?? this.extent;
    this.histogram = frame.arrays.histogram ?? this.histogram;
    this.density = frame.arrays.density ?? this.density;
  }

  draw(pen, width, height, theme) {
    if (!this.histogram) return;
    const n = side(this.histogram);
    const total = this.histogram.reduce((a, b) => a + b, 0) || 1;
    const map = Math.min(height - 4, width * 0.5);
    const turned = new Float32Array(n * n);
    let top = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const v = this.histogram[i * n + j];
        turned[(n - 1 - j) * n + i] = v;
        if (v > top) top = v;
      }
    }
    pen.image(0, 2, map, map, paint(turned, ramp(theme.surface, theme.network, theme.dark ? "#ffffff" : "#06233a"), 0, top), n, n);
    pen.rect(0.5, 2.5, map - 1, map - 1, { stroke: theme.rule });
    const half = (height - 4) / 2;
    [0, 1].forEach((axis) => {
      const visits = alone(this.histogram, axis).map((v) => v / total);
      const exact = this.density ? scaled(alone(this.density, axis), n) : null;
      const highest = 1.15 * Math.max(1e-6, ...visits, ...(exact ?? []));
      const [low, high] = this.extent;
      const step = (high - low) / n;
      const axes = new Axes(pen, theme, { x: map + 18, y: axis * half, width: width - map - 18, height: half, left: 6 }, {
        x: [low, high], y: [0, highest], yTicks: [0], yText: () => "", xLabel: axis ? "parameter θ₂" : "parameter θ₁", yLabel: axis ? "" : "share of time",
      });
      const bottom = axes.area.y + axes.area.height;
      visits.forEach((v, k) => {
        const x = axes.x(low + k * step);
        pen.rect(x + 0.5, axes.y(v), Math.max(0.5, axes.x(low + (k + 1) * step) - x - 1), bottom - axes.y(v), { fill: theme.network, alpha: 0.75 });
      });
      if (exact) axes.curve(exact.map((_, k) => low + (k + 0.5) * step), exact, { stroke: theme.ink, width: 1.8 });
      if (exact && axis === 0) pen.text(axes.area.x + axes.area.width, axes.area.y + 8, "line: exact", { fill: theme.ink, size: 10.5, anchor: "end" });
    });
  }

  table() {
    if (!this.histogram) return null;
    const n = side(this.histogram);
    const rows = Array.from(this.histogram, (v, k) => [Math.floor(k / n), k % n, v, this.density?.length === this.histogram.length ? this.density[k] : NaN]);
    return { header: ["bin_1", "bin_2", "visits", "exact_density"], rows };
  }
}

/** One number of the run over time, with levels to compare it with. */
export class OverTime extends Picture {
  constructor(lab, options, { name, yLabel, yText = percent, low = 0, high = 1, references = [] }) {
    super(lab, options);
    Object.assign(this, { name, yLabel, yText, low, high, references });
  }

  draw(pen, width, height, theme) {
    const { history, session } = this.lab;
    const end = Math.max(session?.time ?? 1, 1e-9);
    const unit = timeUnit(end);
    const time = history.time.map((t) => t / unit.seconds);
    const values = history.get(this.name);
    const twin = history.get(`twin.${this.name}`);
    const finite = [...values, ...twin].filter(Number.isFinite);
    const axes = new Axes(pen, theme, { x: 0, y: 0, width, height, left: 44, right: 10 }, {
      x: [0, end / unit.seconds], y: [Math.min(this.low, ...finite), Math.max(this.high, ...finite)], yText: this.yText, xLabel: `time, ${unit.name}`, yLabel: this.yLabel,
    });
    for (const { name, words, dy = 14 } of this.references) {
      const level = history.get(name);
      axes.curve(time, level, { stroke: theme.ink, width: 1.3, dash: [5, 4] });
      const known = level.findIndex(Number.isFinite);
      if (known >= 0) axes.name(time[known], level[known], words, theme.ink, { dy, weight: 400 });
    }
    axes.curve(time, twin, { stroke: theme.twin, width: 1.8 });
    axes.curve(time, values, { stroke: theme.network, width: 2 });
    const last = values.at(-1);
    if (Number.isFinite(last)) axes.name(time.at(-1), last, this.yText === percent ? percent(last) : number(last), theme.network, { anchor: "end" });
  }

  table() {
    const { history } = this.lab;
    const values = history.get(this.name);
    return { header: ["time_s", this.name], rows: history.time.map((t, k) => [t, values[k]]) };
  }

  summary() {
    const last = this.lab.history.get(this.name).at(-1);
    return `${this.label}. ${last === undefined ? "" : `Now ${this.yText(last)}.`}`;
  }
}

const side = (grid) => Math.round(Math.sqrt(grid.length));

/** Sums of a grid [first, second] along the other parameter. */
function alone(grid, axis) {
  const n = side(grid);
  const sums = new Array(n).fill(0);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) sums[axis ? j : i] += grid[i * n + j];
  return sums;
}

/** Shares in `n` bins of a density given on as many or more points. */
function scaled(values, n) {
  const total = values.reduce((a, b) => a + b, 0) || 1;
  const found = new Array(n).fill(0);
  values.forEach((v, k) => (found[Math.min(n - 1, Math.floor((k * n) / values.length))] += v / total));
  return found;
}
