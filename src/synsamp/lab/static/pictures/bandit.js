// The bandit: an input, two neurons that compete, and the reward for a spike of either.

import { Picture } from "../app/picture.js";
import { number, percent } from "../app/format.js";

const KEEP = 0.9; // of the spikes counted before, at each frame

export class Bandit extends Picture {
  constructor(lab, options) {
    super(lab, options);
    this.spikes = [0, 0];
  }

  rewind() {
    this.spikes = [0, 0];
  }

  update({ arrays, stats = {} }) {
    this.theta = arrays.trace?.at(-1) ?? this.theta;
    this.reward = stats.reward;
    this.spikes = this.spikes.map((n) => KEEP * n);
    for (const neuron of arrays.spike_neuron ?? []) this.spikes[neuron] += 1;
  }

  draw(pen, width, height, theme) {
    const total = this.spikes[0] + this.spikes[1];
    const { earns, other_theta: fixed } = this.lab.session.scene.bandit;
    const [x0, x1, x2] = [22, 0.5 * width - 8, width - 62];
    const radius = Math.min(24, height / 7);
    const middle = height / 2;
    const rows = [
      { y: middle - 0.27 * height, name: "better", theta: this.theta, colour: theme.network },
      { y: middle + 0.27 * height, name: "other", theta: fixed, colour: theme.muted },
    ];
    pen.circle(x0, middle, 12, { stroke: theme.ink, width: 1.5 });
    pen.text(x0, middle + 28, "input", { fill: theme.muted, size: 10.5, anchor: "middle" });
    rows.forEach(({ y, name, theta, colour }, k) => {
      const share = total ? this.spikes[k] / total : 0;
      const strength = theta > 0 ? Math.min(9, 1.2 * Math.exp(theta)) : 0;
      const ends = [x0 + 12, middle + (k ? 5 : -5), x1 - radius, y];
      pen.line(...ends, { stroke: colour, width: Math.max(1, strength), alpha: strength ? 0.9 : 0.5, dash: strength ? null : [3, 4] });
      const [mx, my] = [(ends[0] + ends[2]) / 2, (ends[1] + ends[3]) / 2];
      const words = k ? "fixed" : theta === undefined ? "" : `θ = ${number(theta, 2)}`;
      pen.text(mx, my + (k ? 22 : -14), words, { fill: colour, size: 11, weight: k ? 400 : 600, anchor: "middle", halo: theme.surface });
      pen.circle(x1, y, radius, { fill: theme.network, alpha: 0.9 * share });
      pen.circle(x1, y, radius, { stroke: theme.ink, width: 1.5 });
      pen.text(x1, y + 4, percent(share), { fill: theme.ink, size: 11, weight: 600, anchor: "middle", halo: theme.surface });
      pen.text(x1, y + radius + 14, `${name} neuron`, { fill: theme.muted, size: 10.5, anchor: "middle" });
      pen.line(x1 + radius + 4, y, x2 - 6, y, { stroke: theme.muted, width: 1.2 });
      pen.text(x2, y + 1, number(earns[k]), { fill: theme.ink, size: 14, weight: 600 });
      pen.text(x2, y + 14, "per spike", { fill: theme.muted, size: 10 });
    });
    if (Number.isFinite(this.reward)) pen.text(width - 4, middle + 4, `earned now: ${number(this.reward, 2)}`, { fill: theme.formed, size: 11, weight: 600, anchor: "end" });
  }

  summary() {
    return `${this.label}. θ of the synapse onto the better neuron is ${number(this.theta)}.`;
  }
}
