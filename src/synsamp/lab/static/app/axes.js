// Axes: scales, round ticks, labels at the ends of curves.

import { number } from "./format.js";

/** Round values between two limits, about `count` of them. */
export function ticks(low, high, count = 4) {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0) || !Number.isFinite(raw)) return [low];
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * unit).find((s) => s >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

/** Powers of ten between two limits. */
export function powers(low, high) {
  const found = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high * (1 + 1e-9); k++) found.push(10 ** k);
  return found;
}

/** A frame with two axes; `x` and `y` map values to positions. */
export class Axes {
  constructor(pen, theme, box, { x, y, xLabel = "", yLabel = "", yColour = theme.muted, xLog = false, xTicks = null, yTicks = null, xText = number, yText = number }) {
    const left = box.left ?? 38;
    const bottom = xLabel ? 30 : 18;
    Object.assign(this, { pen, theme, limits: { x, y } });
    this.area = { x: box.x + left, y: box.y + (yLabel ? 18 : 6), width: box.width - left - (box.right ?? 8), height: 0 };
    this.area.height = Math.max(8, box.y + box.height - bottom - this.area.y);
    const lift = xLog ? Math.log10 : (v) => v;
    const span = lift(x[1]) - lift(x[0]) || 1;
    this.x = (v) => this.area.x + (this.area.width * (lift(v) - lift(x[0]))) / span;
    this.y = (v) => this.area.y + this.area.height * (1 - (v - y[0]) / (y[1] - y[0] || 1));
    const { area } = this;
    const grey = { fill: theme.muted, size: 10.5 };
    let labelled = Infinity; // where the last word stands: words of a low picture would cover each other
    for (const v of yTicks ?? ticks(y[0], y[1], area.height > 90 ? 4 : 2)) {
      pen.line(area.x, this.y(v), area.x + area.width, this.y(v), { stroke: theme.rule, width: 1 });
      if (Math.abs(labelled - this.y(v)) < 10) continue;
      pen.text(area.x - 6, this.y(v) + 3.5, yText(v), { ...grey, anchor: "end" });
      labelled = this.y(v);
    }
    pen.line(area.x, area.y + area.height, area.x + area.width, area.y + area.height, { stroke: theme.muted, width: 1 });
    const shown = xTicks ?? (xLog ? powers(...x) : ticks(x[0], x[1], Math.max(3, area.width / 75)));
    for (const v of shown) {
      pen.line(this.x(v), area.y + area.height, this.x(v), area.y + area.height + 3, { stroke: theme.muted, width: 1 });
      pen.text(this.x(v), area.y + area.height + 14, xText(v), { ...grey, anchor: "middle" });
    }
    if (xLabel) pen.text(area.x + area.width, area.y + area.height + 28, xLabel, { ...grey, anchor: "end" });
    if (yLabel) pen.text(box.x, box.y + 9, yLabel, { ...grey, fill: yColour, weight: yColour === theme.muted ? 400 : 600 });
  }

  /** A curve through (x, y) pairs given as two arrays; gaps at values that are not finite. */
  curve(xs, ys, style) {
    let part = [];
    const flush = () => {
      if (part.length > 1) this.pen.path(part, style);
      part = [];
    };
    for (let k = 0; k < xs.length; k++) {
      if (Number.isFinite(ys[k])) part.push([this.x(xs[k]), this.y(ys[k])]);
      else flush();
    }
    flush();
  }

  /** Dashed lines at the lesions of a session; `unit` as `timeUnit` gives it. */
  lesions({ session }, unit) {
    const { area, theme } = this;
    for (const { kind, tick } of session.log) {
      if (kind !== "lesion") continue;
      const x = this.x((tick * session.scene.tick_s) / unit.seconds);
      this.pen.line(x, area.y, x, area.y + area.height, { stroke: theme.twin, width: 1, dash: [2, 3] });
    }
  }

  /** A curve of steps: each value holds until the next. */
  steps(xs, ys, style) {
    const points = [];
    for (let k = 0; k < xs.length; k++) {
      if (k) points.push([this.x(xs[k]), this.y(ys[k - 1])]);
      points.push([this.x(xs[k]), this.y(ys[k])]);
    }
    if (points.length > 1) this.pen.path(points, style);
  }

  /** A name at the end of a curve, so that no legend is needed. */
  name(x, y, words, colour, { anchor = "start", dy = -5, weight = 600 } = {}) {
    const top = this.area.y + 9;
    const at = Math.max(top, Math.min(this.area.y + this.area.height - 3, this.y(y) + dy));
    this.pen.text(this.x(x), at, words, { fill: colour, size: 11, weight, anchor, halo: this.theme.surface });
  }
}
