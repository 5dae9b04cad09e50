// What tests of the network show over time: a share of trials with its 95 % interval.

import { Axes } from "../app/axes.js";
import { percent, timeUnit } from "../app/format.js";
import { Picture } from "../app/picture.js";

const Z = 1.959964;

/** The Wilson interval of a share. */
export function wilson(correct, trials) {
  const p = correct / trials;
  const d = 1 + (Z * Z) / trials;
  const middle = (p + (Z * Z) / (2 * trials)) / d;
  const half = (Z * Math.sqrt((p * (1 - p)) / trials + (Z * Z) / (4 * trials * trials))) / d;
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

export class Probes extends Picture {
  constructor(lab, options, { yLabel }) {
    super(lab, options);
    this.yLabel = yLabel;
    this.probes = [];
    this.chance = 0.5;
  }

  rewind(time) {
    this.probes = this.probes.filter((probe) => probe.time_s < time);
  }

  probed(probe) {
    this.probes.push(probe);
    if (this.probes.length > 400) this.probes = this.probes.filter((_, k) => k % 2 === 0);
    this.chance = probe.chance ?? probe.values?.network?.chance ?? this.chance;
    this.redraw();
  }

  draw(pen, width, height, theme) {
    const end = Math.max(this.lab.session?.time ?? 1, 1);
    const unit = timeUnit(end);
    const axes = new Axes(pen, theme, { x: 0, y: 0, width, height, left: 42, right: 12 }, {
      x: [0, end / unit.seconds], y: [0, 1], yTicks: [0, 0.5, 1], yText: percent, xLabel: `time, ${unit.name}`, yLabel: this.yLabel,
    });
    const chance = axes.y(this.chance);
    pen.line(axes.area.x, chance, axes.area.x + axes.area.width, chance, { stroke: theme.muted, width: 1, dash: [4, 4] });
    pen.text(axes.area.x + axes.area.width, chance + 13, "chance", { fill: theme.muted, size: 10.5, anchor: "end" });
    axes.lesions(this.lab, unit);
    const series = [["twin", theme.twin], ["network", theme.network]];
    for (const [name, colour] of series) this.#series(pen, axes, name, colour, unit);
    if (this.probes.length === 0) {
      pen.text(axes.area.x + axes.area.width / 2, axes.area.y + 30, "the first test comes soon", { fill: theme.muted, size: 11.5, anchor: "middle" });
    }
  }

  table() {
    const rows = this.probes.flatMap((probe) =>
      Object.entries(probe.values ?? {}).map(([name, v]) => [probe.time_s, name, v.correct, v.trials, ...wilson(v.correct, v.trials)]));
    return rows.length ? { header: ["time_s", "of", "correct", "trials", "low_95", "high_95"], rows } : null;
  }

  summary() {
    const last = this.probes.at(-1)?.values?.network;
    return `${this.label}. ${last ? `Now ${percent(last.correct / last.trials)} of ${last.trials} trials.` : "No test yet."}`;
  }

  #series(pen, axes, name, colour, unit) {
    const found = this.probes.filter((probe) => probe.values?.[name]?.trials > 0);
    const points = found.map((probe) => {
      const { correct, trials } = probe.values[name];
      const x = axes.x(probe.time_s / unit.seconds) + (name === "twin" ? 2 : -1);
      const [low, high] = wilson(correct, trials);
      pen.line(x, axes.y(low), x, axes.y(high), { stroke: colour, width: 1.4, alpha: 0.6 });
      return [x, axes.y(correct / trials)];
    });
    pen.path(points, { stroke: colour, width: 1.6 });
    for (const [x, y] of points) pen.circle(x, y, 2.6, { fill: colour });
    // Curves of tests cross all the time, so their names stand below them.
    const { x, y, height } = axes.area;
    if (points.length) pen.text(x + (name === "twin" ? 62 : 4), y + height - 6, name, { fill: colour, size: 11, weight: 600 });
  }
}
