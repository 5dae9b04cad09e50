// A histogram against the density that theory gives for it.

import { Axes } from "../app/axes.js";
import { Picture } from "../app/picture.js";

const BINS = 48;

/** θ of all synapses of a projection, against the prior. */
export class ThetaHistogram extends Picture {
  constructor(lab, options, { projection, low = -4, high = 5 }) {
    super(lab, options);
    Object.assign(this, { projection, low, high });
    this.share = { network: null, twin: null };
  }

  update(frame) {
    this.share.network = this.#count(frame.arrays[`theta.${this.projection}`]) ?? this.share.network;
    this.share.twin = frame.twin ? this.#count(frame.arrays[`twin.theta.${this.projection}`]) : null;
  }

  draw(pen, width, height, theme) {
    const { network, twin } = this.share;
    const step = (this.high - this.low) / BINS;
    const { settings = {} } = this.lab.session ?? {};
    const [mean, std] = [settings["prior.mean"], settings["prior.std"]];
    const prior = (v) => (std > 0 ? Math.exp(-0.5 * ((v - mean) / std) ** 2) / (std * 2.5066) : 0);
    const top = 1.12 * Math.max(0.1, ...(network ?? [0]), prior(mean) || 0);
    const axes = new Axes(pen, theme, { x: 0, y: 0, width, height, left: 8 }, {
      x: [this.low, this.high], y: [0, top], yTicks: [0], yText: () => "", xLabel: "parameter θ", yLabel: "share of synapses",
    });
    const bottom = axes.area.y + axes.area.height;
    (network ?? []).forEach((share, k) => {
      const v = this.low + step * (k + 0.5);
      const y = axes.y(share);
      pen.rect(axes.x(v - step / 2) + 0.5, y, (axes.area.width / BINS) - 1, bottom - y, { fill: theme.network, alpha: v > 0 ? 0.85 : 0.35 });
    });
    const curve = Array.from({ length: 121 }, (_, k) => this.low + ((this.high - this.low) * k) / 120);
    if (std > 0) axes.curve(curve, curve.map(prior), { stroke: theme.ink, width: 1.5, dash: [5, 3] });
    if (twin) axes.steps(twin.map((_, k) => this.low + step * k), twin, { stroke: theme.twin, width: 1.5 });
    pen.line(axes.x(0), axes.area.y, axes.x(0), bottom, { stroke: theme.ink, width: 1, dash: [2, 3] });
    pen.text(axes.x(0) - 5, axes.area.y + 9, "retracted", { fill: theme.muted, size: 10.5, anchor: "end" });
    pen.text(axes.x(0) + 5, axes.area.y + 9, "connected", { fill: theme.network, size: 10.5, weight: 600 });
    if (std > 0) pen.text(axes.x(Math.min(this.high - 1.3, mean + 1.25 * std)), axes.y(prior(mean + 1.1 * std)) - 4, "prior", { fill: theme.ink, size: 10.5 });
  }

  table() {
    if (!this.share.network) return null;
    const step = (this.high - this.low) / BINS;
    return {
      header: ["theta_from", "theta_to", "density_network", "density_twin"],
      rows: [...this.share.network].map((share, k) => [this.low + k * step, this.low + (k + 1) * step, share, this.share.twin?.[k]]),
    };
  }

  #count(theta) {
    if (!theta) return null;
    const counts = new Array(BINS).fill(0);
    const scale = BINS / (this.high - this.low);
    let all = 0;
    for (const v of theta) {
      if (Number.isNaN(v)) continue;
      all += 1;
      counts[Math.max(0, Math.min(BINS - 1, Math.floor((v - this.low) * scale)))] += 1;
    }
    return counts.map((n) => (n * scale) / Math.max(1, all));
  }
}

/** Visits counted by the engine (`histogram`), against its exact density (`density`), on `bins`. */
export class Law extends Picture {
  constructor(lab, options, { xLabel = "parameter θ", name = "exact density" } = {}) {
    super(lab, options);
    Object.assign(this, { xLabel, name });
  }

  update({ arrays }) {
    this.histogram = arrays.histogram ?? this.histogram;
    this.density = arrays.density ?? this.density;
    this.bins = arrays.bins ?? this.bins;
  }

  draw(pen, width, height, theme) {
    const { bins, histogram, density } = this;
    if (!bins || !histogram) return;
    const total = histogram.reduce((a, b) => a + b, 0);
    const n = bins.length - 1;
    const share = Array.from(histogram, (c, k) => (total ? c / total / (bins[k + 1] - bins[k]) : 0));
    const top = 1.15 * Math.max(1e-6, ...share, ...(density ?? []));
    const axes = new Axes(pen, theme, { x: 0, y: 0, width, height, left: 8 }, {
      x: [bins[0], bins[n]], y: [0, top], yTicks: [0], yText: () => "", xLabel: this.xLabel, yLabel: "share of time",
    });
    const bottom = axes.area.y + axes.area.height;
    share.forEach((v, k) => {
      const x = axes.x(bins[k]);
      pen.rect(x + 0.5, axes.y(v), Math.max(0.5, axes.x(bins[k + 1]) - x - 1), bottom - axes.y(v), { fill: theme.network, alpha: 0.75 });
    });
    if (!density) return;
    const middles = Array.from(density, (_, k) => 0.5 * (bins[k] + bins[k + 1]));
    axes.curve(middles, density, { stroke: theme.ink, width: 2 });
    const best = density.indexOf(Math.max(...density));
    axes.name(middles[best], density[best], this.name, theme.ink, { dy: -7 });
  }

  table() {
    if (!this.bins || !this.histogram) return null;
    return {
      header: ["from", "to", "visits", "exact_density"],
      rows: Array.from(this.histogram, (c, k) => [this.bins[k], this.bins[k + 1], c, this.density?.[k]]),
    };
  }
}
