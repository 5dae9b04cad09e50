// θ of one synapse over time, with the threshold, and the prior as a curve at the right edge.

import { Axes } from "../app/axes.js";
import { number, timeUnit } from "../app/format.js";
import { Picture } from "../app/picture.js";

const MOST = 300;

export class Trace extends Picture {
  constructor(lab, options, { projection, describe, low = -2, high = 4, above = "connected above 0", below = "retracted below" }) {
    super(lab, options);
    Object.assign(this, { projection, words: describe, low, high, above, below });
    this.forget();
  }

  forget() {
    this.network = { time: [], theta: [] };
    this.twin = { time: [], theta: [] };
  }

  rewind() {
    this.forget();
  }

  pointed() {
    const { pointer } = this.lab.session;
    const key = JSON.stringify(pointer);
    if (key === this.key) return;
    this.key = key;
    this.forget();
    this.redraw();
  }

  update(frame) {
    const { pointer } = this.lab.session;
    if (!pointer) return;
    this.#take(frame, this.network, "", pointer);
    if (frame.twin) this.#take(frame, this.twin, "twin.", pointer);
    else this.twin = { time: [], theta: [] };
  }

  draw(pen, width, height, theme) {
    const { time, theta } = this.network;
    const pointer = this.lab.session?.pointer;
    const last = time.at(-1) ?? this.lab.session?.time ?? 0;
    const first = time[0] ?? last;
    const span = Math.max(last - first, this.lab.session?.scene?.tick_s ?? 1);
    const unit = timeUnit(span);
    const prior = this.#prior();
    const strip = prior ? 46 : 0;
    let low = this.low;
    let high = this.high;
    for (const v of [...theta, ...this.twin.theta]) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
    const axes = new Axes(pen, theme, { x: 0, y: 0, width, height, left: 26, right: strip + 6 }, {
      x: [-span / unit.seconds, 0], y: [low, high], xLabel: `time before now, ${unit.name}`, yLabel: pointer ? `θ of ${this.words(pointer)}` : "parameter θ",
    });
    pen.line(axes.area.x, axes.y(0), axes.area.x + axes.area.width, axes.y(0), { stroke: theme.ink, width: 1.2, dash: [5, 4] });
    const shift = (trace) => trace.time.map((t) => (t - last) / unit.seconds);
    pen.clipped(axes.area.x, axes.area.y - 2, axes.area.width + 4, axes.area.height + 4, () => {
      axes.curve(shift(this.twin), this.twin.theta, { stroke: theme.twin, width: 1.4 });
      axes.curve(shift(this.network), theta, { stroke: theme.network, width: 1.6 });
    });
    this.#side(pen, axes, -4, this.above, theme.ink, theme);
    this.#side(pen, axes, 12, this.below, theme.muted, theme);
    if (theta.length) pen.circle(axes.x(0), axes.y(theta.at(-1)), 3.5, { fill: theme.network, stroke: theme.surface });
    if (prior) this.#strip(pen, theme, axes, prior, strip, low, high);
  }

  table() {
    const rows = this.network.time.map((t, k) => [t, this.network.theta[k], "network"]);
    this.twin.time.forEach((t, k) => rows.push([t, this.twin.theta[k], "twin"]));
    return rows.length ? { header: ["time_s", "theta", "of"], rows } : null;
  }

  summary() {
    const value = this.network.theta.at(-1);
    return `${this.label}. ${value === undefined ? "No synapse chosen" : `θ is ${number(value)}: ${value > 0 ? "connected" : "retracted"}`}.`;
  }

  #prior() {
    const { settings } = this.lab.session ?? {};
    const [mean, std] = [settings?.["prior.mean"], settings?.["prior.std"]];
    return Number.isFinite(mean) && std > 0 ? { mean, std } : null;
  }

  /** What a side of the threshold means, readable above the curve. */
  #side(pen, axes, dy, words, fill, theme) {
    const [x, y] = [axes.area.x + 4, axes.y(0) + dy];
    pen.rect(x - 2, y - 9.5, pen.widthOf(words, 10.5) + 4, 12.5, { fill: theme.surface, alpha: 0.8 }, 3);
    pen.text(x, y, words, { fill, size: 10.5 });
  }

  #strip(pen, theme, axes, { mean, std }, strip, low, high) {
    const left = axes.area.x + axes.area.width + 8;
    const points = [[left, axes.y(low)]];
    for (let k = 0; k <= 60; k++) {
      const v = low + ((high - low) * k) / 60;
      points.push([left + (strip - 10) * Math.exp(-0.5 * ((v - mean) / std) ** 2), axes.y(v)]);
    }
    points.push([left, axes.y(high)]);
    pen.path(points, { fill: theme.prior, alpha: 0.35 });
    pen.text(left, axes.area.y + axes.area.height + 14, "prior", { fill: theme.muted, size: 10.5 });
  }

  #take(frame, trace, prefix, { projection, post, pre }) {
    const { arrays } = frame;
    const values = arrays[`${prefix}trace`];
    if (values?.length) {
      const times = arrays[`${prefix}trace_time`] ?? arrays.trace_time;
      for (let k = 0; k < values.length; k++) push(trace, times ? times[k] : frame.time_s, values[k]);
    } else {
      const all = arrays[`${prefix}theta.${projection}`];
      if (all) push(trace, frame.time_s, all[post * (all.shape?.[1] ?? 1) + pre]);
    }
    const more = trace.time.length - MOST;
    if (more > 0) {
      trace.time.splice(0, more);
      trace.theta.splice(0, more);
    }
  }
}

function push(trace, time, theta) {
  trace.time.push(time);
  trace.theta.push(theta);
}
