// Which share of the spines of the start still exists, and what theory gives.

import { Axes } from "../app/axes.js";
import { number, percent, timeUnit } from "../app/format.js";
import { Picture } from "../app/picture.js";

export class Survival extends Picture {
  update({ arrays }) {
    this.time = arrays.survival_time ?? this.time;
    this.survival = arrays.survival ?? this.survival;
    this.law = arrays.survival_law ?? this.law;
  }

  draw(pen, width, height, theme) {
    if (!this.time?.length) return;
    const end = Math.max(...this.time, 1e-9);
    const unit = timeUnit(end);
    const time = Array.from(this.time, (t) => t / unit.seconds);
    const axes = new Axes(pen, theme, { x: 0, y: 0, width, height, left: 44 }, {
      x: [0, end / unit.seconds], y: [0, 1], yTicks: [0, 0.5, 1], yText: percent, xLabel: `age, ${unit.name}`, yLabel: "spines that survive",
    });
    if (this.law) axes.curve(time, this.law, { stroke: theme.ink, width: 1.8, dash: [6, 4] });
    axes.curve(time, this.survival, { stroke: theme.network, width: 2 });
    if (this.law) {
      const [right, top] = [axes.area.x + axes.area.width, axes.area.y + 14];
      pen.text(right, top + 4, "exact, for prior and noise", { fill: theme.ink, size: 11, anchor: "end" });
      const left = right - pen.widthOf("exact, for prior and noise", 11) - 8;
      pen.line(left - 24, top, left, top, { stroke: theme.ink, width: 1.8, dash: [6, 4] });
    }
    const last = this.survival.findLastIndex(Number.isFinite);
    if (last > 0) axes.name(time[last], this.survival[last], "measured", theme.network, { anchor: last > time.length / 2 ? "end" : "start", dy: 16 });
  }

  table() {
    if (!this.time) return null;
    return { header: ["age_s", "survival", "law"], rows: Array.from(this.time, (t, k) => [t, this.survival[k], this.law?.[k]]) };
  }

  summary() {
    const last = this.survival?.findLast(Number.isFinite);
    return `${this.label}. ${last === undefined ? "" : `${number(100 * last)} % survive the longest age measured.`}`;
  }
}
